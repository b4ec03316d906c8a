// Kernels with one mistake each, and the same without it.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

struct Mistake {
  std::string name;  // a comment "// reported: NAME" stands on the line that is to be blamed
  std::string says;  // the report begins with this
  std::string also;  // and holds this
  void (*launch)(bool wrong);
};

const std::vector<Mistake>& mistakes();
