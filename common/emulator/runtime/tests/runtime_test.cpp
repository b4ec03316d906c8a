// What only the emulated device answers, and what a recording cannot hold.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "kernels.h"
#include "runtime/emulated_device.h"

namespace {

template <typename F>
F* ask(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

template <typename T>
T* device_array(size_t count) {
  void* pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, count * sizeof(T)) == cudaSuccess);
  return static_cast<T*>(pointer);
}

std::vector<float> add_on_device(const std::vector<float>& a, const std::vector<float>& b) {
  const size_t bytes = a.size() * sizeof(float);
  float *da = device_array<float>(a.size()), *db = device_array<float>(a.size()),
        *dc = device_array<float>(a.size());
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  launch_vector_add(da, db, dc, static_cast<int>(a.size()), nullptr);
  CHECK(cudaGetLastError() == cudaSuccess);
  std::vector<float> c(a.size());
  CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (float* p : {da, db, dc}) CHECK(cudaFree(p) == cudaSuccess);
  return c;
}

}  // namespace

TEST_CASE("a vector addition, 100,003 elements") {
  std::vector<float> a(100'003), b(a.size());
  std::iota(a.begin(), a.end(), 0.0f);
  for (size_t i = 0; i < b.size(); ++i) b[i] = 0.25f * static_cast<float>(i % 97);
  const std::vector<float> c = add_on_device(a, b);
  size_t wrong = 0;
  for (size_t i = 0; i < c.size(); ++i) wrong += c[i] != a[i] + b[i];
  CHECK(wrong == 0);
  CHECK(c != add_on_device(b, b));  // control
}

TEST_CASE("arguments by value keep their layout") {
  double* out = device_array<double>(3);
  launch_take_struct({'A', -7, 0.125}, out);
  double got[3] = {};
  REQUIRE(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(got[0] == 65);
  CHECK(got[1] == -7);
  CHECK(got[2] == 0.125);
  CHECK(cudaFree(out) == cudaSuccess);
}

TEST_CASE("kernels reach pinned, registered and managed memory at the host's own address") {
  const std::vector<float> ones(1000, 1.0f);
  void *pinned = nullptr, *managed = nullptr, *mapped = nullptr;
  REQUIRE(cudaHostAlloc(&pinned, 4000, cudaHostAllocMapped) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 4000, cudaMemAttachGlobal) == cudaSuccess);
  std::vector<float> own(1000, 2.0f);
  REQUIRE(cudaHostRegister(own.data(), 4000, cudaHostRegisterMapped) == cudaSuccess);
  REQUIRE(cudaHostGetDevicePointer(&mapped, own.data(), 0) == cudaSuccess);
  std::memcpy(pinned, ones.data(), 4000);
  launch_vector_add(static_cast<float*>(pinned), static_cast<float*>(mapped),
                    static_cast<float*>(managed), 1000, nullptr);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(static_cast<float*>(managed)[0] == 3.0f);
  CHECK(static_cast<float*>(managed)[999] == 3.0f);
  CHECK(cudaHostUnregister(own.data() + 1) == cudaErrorInvalidValue);  // not where it begins
  CHECK(cudaHostUnregister(own.data()) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("strided copies in two and three dimensions put every byte where it belongs") {
  std::vector<unsigned char> host(24 * 6 * 3);
  std::iota(host.begin(), host.end(), static_cast<unsigned char>(0));
  cudaPitchedPtr block;
  REQUIRE(cudaMalloc3D(&block, {24, 6, 3}) == cudaSuccess);
  CHECK(block.pitch == 512);
  REQUIRE(cudaMemset3D(block, 0xee, {24, 6, 3}) == cudaSuccess);
  cudaMemcpy3DParms in = {};
  in.srcPtr = {host.data(), 24, 24, 6};
  in.dstPtr = block;
  in.extent = {24, 6, 3};
  in.kind = cudaMemcpyHostToDevice;
  REQUIRE(cudaMemcpy3D(&in) == cudaSuccess);
  // Back a part of it: 5 bytes of rows 2 and 3 of planes 1 and 2, from byte 7.
  unsigned char part[2][2][5] = {};
  cudaMemcpy3DParms out = {};
  out.srcPtr = block;
  out.srcPos = {7, 2, 1};
  out.dstPtr = {part, 5, 5, 2};
  out.extent = {5, 2, 2};
  out.kind = cudaMemcpyDeviceToHost;
  REQUIRE(cudaMemcpy3D(&out) == cudaSuccess);
  for (int z = 0; z < 2; ++z) {
    for (int y = 0; y < 2; ++y) {
      for (int x = 0; x < 5; ++x) {
        CHECK(part[z][y][x] == host[(z + 1) * 144 + (y + 2) * 24 + x + 7]);
      }
    }
  }
  unsigned char row = 0;
  REQUIRE(cudaMemcpy2D(&row, 1, static_cast<char*>(block.ptr) + 512, 512, 1, 1,
                       cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(row == 24);
  CHECK(cudaFree(block.ptr) == cudaSuccess);
}

TEST_CASE("device addresses are not host addresses, and copies past an end are refused") {
  char* block = device_array<char>(100);
  std::vector<char> host(200);
  CHECK(cudaMemcpy(block, host.data(), 101, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(block + 50, host.data(), 51, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemset(block, 0, 101) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(block + 50, host.data(), 50, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaFree(block) == cudaSuccess);
  CHECK(cudaMemset(block, 0, 1) == cudaErrorInvalidValue);  // after the free
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("rows whose bytes do not fit 64 bits are no small allocation") {
  void* pointer = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&pointer, &pitch, SIZE_MAX - 2, 4) == cudaErrorMemoryAllocation);
  CHECK(cudaMallocPitch(&pointer, &pitch, size_t{1} << 40, size_t{1} << 40) ==
        cudaErrorMemoryAllocation);
  cudaPitchedPtr block{};
  CHECK(cudaMalloc3D(&block, {512, size_t{1} << 40, size_t{1} << 40}) == cudaErrorMemoryAllocation);
  cudaGetLastError();
  CHECK(cudaMallocPitch(&pointer, &pitch, 513, 4) == cudaSuccess);
  CHECK(pitch == 1024);
  cudaFree(pointer);
}

TEST_CASE("the last error belongs to a thread") {
  CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  std::thread([] { CHECK(cudaPeekAtLastError() == cudaSuccess); }).join();
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("the device says that it is emulated, and counts what it executes") {
  auto* profile = ask<tcd_emulated_profile_fn>("tcd_emulated_profile");
  auto* counter = ask<tcd_counter_fn>("tcd_counter");
  auto* names = ask<tcd_counter_names_fn>("tcd_counter_names");
  auto* reset = ask<tcd_counters_reset_fn>("tcd_counters_reset");
  REQUIRE((profile && counter && names && reset));
  CHECK(std::string(profile()) == "rtx4060-laptop");
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(std::string(properties.name) == "NVIDIA GeForce RTX 4060 Laptop GPU (emulated)");
  CHECK(properties.major * 10 + properties.minor == 89);

  const char* known[64] = {};
  const int count = names(known, 64);
  REQUIRE(count > 0);
  uint64_t value = 1;
  CHECK(counter(known[0], &value) == 0);
  CHECK(counter("no_such_counter", &value) == -1);

  // 1000 elements: 4 CTAs of 8 warps; every warp executes as many instructions as 32 elements do.
  float* a = device_array<float>(1024);
  uint64_t of_32 = 0, of_1024 = 0;
  reset();
  launch_vector_add(a, a, a, 32, nullptr);
  REQUIRE(counter("warp_instructions", &of_32) == 0);
  reset();
  launch_vector_add(a, a, a, 1024, nullptr);
  REQUIRE(counter("warp_instructions", &of_1024) == 0);
  CHECK(of_32 > 10);
  CHECK(of_1024 > of_32 * 4);
  CHECK(of_1024 <= of_32 * 32);
  CHECK(cudaFree(a) == cudaSuccess);
}

TEST_CASE("pools know how much memory is theirs, and the current one serves cudaMallocAsync") {
  const auto used = [](cudaMemPool_t pool, cudaMemPoolAttr which) {
    uint64_t bytes = 0;
    CHECK(cudaMemPoolGetAttribute(pool, which, &bytes) == cudaSuccess);
    return bytes;
  };
  cudaMemPool_t standard = nullptr, own = nullptr, current = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&standard, 0) == cudaSuccess);
  cudaMemPoolProps props = {};
  CHECK(cudaMemPoolCreate(&own, &props) == cudaErrorInvalidValue);
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, {0}};
  REQUIRE(cudaMemPoolCreate(&own, &props) == cudaSuccess);
  void *first = nullptr, *second = nullptr;
  REQUIRE(cudaMallocFromPoolAsync(&first, 100, own, nullptr) == cudaSuccess);
  CHECK(used(own, cudaMemPoolAttrUsedMemCurrent) == 100);
  CHECK(used(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
  REQUIRE(cudaDeviceSetMemPool(0, own) == cudaSuccess);
  REQUIRE(cudaMallocAsync(&second, 50, nullptr) == cudaSuccess);
  CHECK(used(own, cudaMemPoolAttrUsedMemCurrent) == 150);
  CHECK(cudaFreeAsync(first, nullptr) == cudaSuccess);
  CHECK(used(own, cudaMemPoolAttrUsedMemCurrent) == 50);
  CHECK(used(own, cudaMemPoolAttrUsedMemHigh) == 150);
  CHECK(cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
  CHECK(current == own);
  CHECK(cudaMemPoolDestroy(own) == cudaSuccess);
  CHECK(cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
  CHECK(current == standard);
  CHECK(cudaFree(second) == cudaSuccess);
  CHECK(cudaMemPoolTrimTo(own, 0) == cudaErrorInvalidValue);
  CHECK(cudaMemPoolDestroy(standard) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("attributes of streams are hints that read back") {
  cudaStream_t stream = nullptr, other = nullptr;
  REQUIRE(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  cudaStreamAttrValue value = {};
  CHECK(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &value) == cudaSuccess);
  CHECK(value.priority == -2);
  value = {};
  value.accessPolicyWindow.num_bytes = 4096;
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value) ==
        cudaSuccess);
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeCooperative, &value) ==
        cudaErrorInvalidValue);
  CHECK(cudaStreamCopyAttributes(other, stream) == cudaSuccess);
  value = {};
  CHECK(cudaStreamGetAttribute(other, cudaLaunchAttributeAccessPolicyWindow, &value) ==
        cudaSuccess);
  CHECK(value.accessPolicyWindow.num_bytes == 4096);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributePriority, &value) ==
        cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(other) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a reset frees everything and reloads the program's variables") {
  int* out = device_array<int>(1);
  launch_sum_table(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  int counter = 0;
  const void* symbol = symbol_named("device_counter");
  REQUIRE(cudaMemcpyFromSymbol(&counter, symbol, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(counter == 42);
  REQUIRE(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaFree(out) == cudaErrorInvalidValue);
  REQUIRE(cudaMemcpyFromSymbol(&counter, symbol, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(counter == 40);
  cudaGetLastError();
}
