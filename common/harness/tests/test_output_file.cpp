#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/output_file.h"
#include "harness/usage.h"

using namespace tcd::harness;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("tcd-output-" + std::to_string(getpid()))) {
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return path / name; }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
  }
  fs::path path;
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string complaint(const std::string& path, const std::string& text = "x") {
  try {
    OutputFile file("--json", path);
    file.write(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("nothing is there before the end, then everything, and an old file until then") {
  const Folder folder;
  const std::string path = folder / "a.json";
  {
    OutputFile killed("--json", path);
    CHECK(folder.files() == 0);
  }
  CHECK(folder.files() == 0);
  OutputFile first("--json", path);
  first.write("one\n");
  CHECK(content(path) == "one\n");
  OutputFile second("--json", path);
  CHECK(content(path) == "one\n");
  second.write("two\n");
  CHECK(content(path) == "two\n");
  CHECK(folder.files() == 1);
}

TEST_CASE("a path that cannot be written is refused before the run, with the reason") {
  const Folder folder;
  const auto refused = [](const std::string& path) -> std::string {
    try {
      const OutputFile file("--json", path);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refused(folder / "no/x.json") ==
        "--json " + (folder / "no/x.json") + " cannot be written: No such file or directory");
  CHECK(refused(folder.path).find("Is a directory") != std::string::npos);
  CHECK(refused(folder / "x.json").empty());
  CHECK(refused("").empty());  // no file wanted
}

TEST_CASE("a full disk is noticed, and a device stays the device it is") {
  CHECK(complaint("/dev/full") == "--json /dev/full cannot be written: No space left on device");
  CHECK(complaint("/dev/full", std::string(1 << 16, 'x')).find("No space left") !=
        std::string::npos);
  CHECK(fs::is_character_file("/dev/full"));
  CHECK_FALSE(fs::exists("/dev/full.tmp"));
  CHECK(complaint("/dev/null").empty());
}

TEST_CASE("a link stays a link") {
  const Folder folder;
  std::ofstream(folder / "real.json") << "old";
  fs::create_symlink("real.json", folder / "link.json");
  OutputFile("--json", folder / "link.json").write("new");
  CHECK(fs::is_symlink(folder / "link.json"));
  CHECK(content(folder / "real.json") == "new");
}
