// A target that goes wrong when its input says so: the driver must notice each way.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("crash")) std::abort();
  if (text.starts_with("exit")) std::exit(3);
  if (text.starts_with("spin")) {
    for (volatile bool go_on = true; go_on;) {
    }
  }
  if (text.starts_with("eat")) {
    std::vector<char> much(size_t{64} << 20, 'x');
    return much[size] == 0;
  }
  // Only a mutation gets here: no file of the corpus holds both words.
  if (text.find("left") != text.npos && text.find("right") != text.npos) std::abort();
  return 0;
}
