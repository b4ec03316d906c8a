// Names of kernels, also those that mean harm.
#include <doctest/doctest.h>

#include "machine/demangle.h"

using tcd::emu::demangle;
using tcd::emu::kLongestName;

TEST_CASE("ordinary names") {
  CHECK(demangle("_Z6matmulPKfS0_Pfi") == "matmul(float const*, float const*, float*, int)");
  CHECK(demangle("_ZN5day0411gemm_kernelILi2EEEvPKfS2_Pf") ==
        "void day04::gemm_kernel<2>(float const*, float const*, float*)");
  CHECK(demangle("plain_c_name") == "plain_c_name");
  CHECK(demangle("_Zno_such_thing") == "_Zno_such_thing");
  CHECK(demangle("") == "");
}

TEST_CASE("many back references: namespaces and name, no arguments") {
  std::string name = "_ZN7cutlass6KernelINS_4gemm6kernel4GemmINS1_3AbcES3_S3_EEEEvNT_6ParamsE";
  CHECK(demangle(name).starts_with("void cutlass::Kernel<cutlass::gemm::kernel::Gemm<"));
  name.insert(name.find("ES3_") + 1, "S3_S3_S3_S3_S3_S3_S3_S3_S3_");
  CHECK(demangle(name) == "cutlass::Kernel<...>");
  CHECK(demangle("_Z1f" + std::string(2000, 'i')) == "f");
}

TEST_CASE("a name of 300 characters that stands for 2^70") {
  std::string name = "_Z1fPFvvE";  // each type takes the one before it, twice
  for (int i = 0; i < 70; ++i) {
    const auto seq = [](int n) {
      constexpr const char* kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
      if (n == 0) return std::string("S_");
      --n;
      std::string text = n >= 36 ? std::string(1, kDigits[n / 36]) : "";
      return "S" + text + kDigits[n % 36] + "_";
    };
    const std::string last = seq(2 * i + 1);
    name += "PFv" + last + last + "E";
  }
  CHECK(demangle(name) == "f");
  // Fewer of them are written out: this is the growth that is stopped.
  const std::string four = demangle("_Z1fPFvvEPFvS0_S0_EPFvS2_S2_E");
  CHECK(four ==
        "f(void (*)(), void (*)(void (*)(), void (*)()), void (*)(void (*)(void (*)(), void "
        "(*)()), void (*)(void (*)(), void (*)())))");
  CHECK(demangle("_Z1fIJiiiiEJiiiiEEvDpT_DpT0_") == "f<...>");
}

TEST_CASE("nothing is longer than promised") {
  CHECK(demangle(std::string(100000, 'x')).size() == kLongestName);
  CHECK(demangle("_Z5000" + std::string(5000, 'x')).size() == kLongestName);
  std::string name = "_Z1fPFvvE";
  for (const char* last : {"S0_", "S2_", "S4_", "S6_", "S8_", "SA_"}) {
    name += std::string("PFv") + last + last + "E";
  }
  CHECK(demangle(name).size() <= kLongestName);
}
