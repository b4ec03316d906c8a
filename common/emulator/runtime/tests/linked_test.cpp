// Programs built with -rdc=true: device code of several translation units, linked by us.
#include "linked.h"

#include <doctest/doctest.h>

#include <array>

TEST_CASE("functions, variables and constants of another translation unit") {
  std::array<float, 32> values;
  for (int i = 0; i < 32; ++i) values[static_cast<size_t>(i)] = static_cast<float>(i);
  void* device = nullptr;
  REQUIRE(cudaMalloc(&device, sizeof(values)) == cudaSuccess);
  REQUIRE(cudaMemcpy(device, values.data(), sizeof(values), cudaMemcpyHostToDevice) == cudaSuccess);
  launch_first(static_cast<float*>(device));
  REQUIRE(cudaMemcpy(values.data(), device, sizeof(values), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(values[0] == 6 * (31 + 5));
  CHECK(values[31] == 6 * (0 + 5));
  CHECK(read_counter() == 132);

  launch_second(static_cast<float*>(device));
  REQUIRE(cudaMemcpy(values.data(), device, sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(values[0] == 21);
  CHECK(read_own() == 7);
  CHECK(read_managed_there() == 41);
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE("registers come from the linked machine code") {
  cudaFuncAttributes attributes = {};
  REQUIRE(cudaFuncGetAttributes(&attributes, address_of_first()) == cudaSuccess);
  CHECK(attributes.numRegs > 0);
  CHECK(attributes.sharedSizeBytes == 128);
  CHECK(attributes.ptxVersion == 80);
}
