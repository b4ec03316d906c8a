// Records what a card makes of each line: reads "set<TAB>anything<TAB>PTX lines" from the first
// file, writes "set<TAB>hash<TAB>PTX lines" to the second. Needs a card and its driver only:
//   g++ -std=c++20 -I. record.cpp -lcuda -o record && ./record h200_instructions.txt new.txt
#include <cuda.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "instructions.h"

static void need(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  std::cerr << what << ": " << (text != nullptr ? text : "?") << "\n";
  std::exit(1);
}

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: record lines.txt recorded.txt\n", 2;
  std::ifstream in(argv[1]);
  std::ofstream out(argv[2]);
  need(cuInit(0), "cuInit");
  CUdevice device;
  CUcontext context;
  need(cuDeviceGet(&device, 0), "cuDeviceGet");
  need(cuDevicePrimaryCtxRetain(&context, device), "context");
  need(cuCtxSetCurrent(context), "context");
  CUdeviceptr inputs, results;
  need(cuMemAlloc(&inputs, recorded::kLanes * sizeof(recorded::Inputs)), "memory");
  need(cuMemAlloc(&results, recorded::kLanes * 8), "memory");
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::string text = line.substr(line.rfind('\t') + 1);
    const auto values = recorded::inputs_of(line[0]);
    need(cuMemcpyHtoD(inputs, values.data(), values.size() * sizeof values[0]), "copy");
    CUmodule module;
    CUfunction kernel;
    const std::string ptx = recorded::kModuleHead + recorded::kernel_of(0, text);
    need(cuModuleLoadData(&module, ptx.c_str()), text.c_str());
    need(cuModuleGetFunction(&kernel, module, "k0"), "kernel");
    void* arguments[] = {&inputs, &results};
    need(cuLaunchKernel(kernel, 1, 1, 1, recorded::kLanes, 1, 1, 0, nullptr, arguments, nullptr),
         "launch");
    std::vector<uint64_t> got(recorded::kLanes);
    need(cuMemcpyDtoH(got.data(), results, got.size() * 8), text.c_str());
    char hash[32];
    std::snprintf(hash, sizeof hash, "%016llx",
                  static_cast<unsigned long long>(recorded::hash_of(got.data())));
    out << line[0] << '\t' << hash << '\t' << text << '\n';
    need(cuModuleUnload(module), "unload");
  }
}
