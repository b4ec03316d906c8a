// Names and texts of the error codes. The names come from the toolkit's own header at build time.
#include <map>
#include <string>

#include "runtime/cuda_api.h"

namespace {

struct Name {
  int code;
  const char* name;
};
constexpr Name kNames[] = {
#define TCD_ERROR(name) {name, #name},
#include "error_names.inc"
#undef TCD_ERROR
};

// The texts people search the web for. Every other text is made from the name.
const char* familiar_text(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInitializationError:
      return "initialization error";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorNotSupported:
      return "operation not supported";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorMisalignedAddress:
      return "misaligned address";
    case cudaErrorIllegalInstruction:
      return "an illegal instruction was encountered";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorLaunchOutOfResources:
      return "too many resources requested for launch";
    case cudaErrorLaunchTimeout:
      return "the launch timed out and was terminated";
    case cudaErrorAssert:
      return "device-side assert triggered";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorNoKernelImageForDevice:
      return "no kernel image is available for execution on the device";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorInvalidSymbol:
      return "invalid device symbol";
    case cudaErrorUnknown:
      return "unknown error";
    default:
      return nullptr;
  }
}

// cudaErrorInvalidPitchValue → "invalid pitch value"
std::string spell_out(std::string name) {
  constexpr std::string_view kPrefix = "cudaError";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  std::string text;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !text.empty() && text.back() != ' ') text += ' ';
    text += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

const char* name_of(cudaError_t error) {
  for (const Name& entry : kNames) {
    if (entry.code == error) return entry.name;
  }
  return nullptr;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  const char* name = name_of(error);
  return name != nullptr ? name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  if (const char* text = familiar_text(error)) return text;
  static const auto* texts = [] {
    auto* made = new std::map<int, std::string>;
    for (const Name& entry : kNames) made->emplace(entry.code, spell_out(entry.name));
    return made;
  }();
  const auto found = texts->find(error);
  return found != texts->end() ? found->second.c_str() : "unrecognized error code";
}

// Describes a texture's element; returned by value, so it cannot be one of the generated stubs.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
