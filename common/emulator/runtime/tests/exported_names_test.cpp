// The library exports every name NVIDIA's does, under the same version node and SONAME: a
// distribution that links with `-z now` refuses to start a program if one is missing.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

struct Exports {
  std::map<std::string, std::string> version_of;  // symbol → version node, "" if none
  std::string soname;
};

template <typename T>
const T* at(const std::string& file, uint64_t offset) {
  REQUIRE(offset + sizeof(T) <= file.size());
  return reinterpret_cast<const T*>(file.data() + offset);
}

Exports read_exports(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), "cannot open ", path);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const auto* header = at<Elf64_Ehdr>(file, 0);
  std::map<uint32_t, const Elf64_Shdr*> by_type;
  const auto section = [&](unsigned i) {
    return at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  for (unsigned i = 0; i < header->e_shnum; ++i) by_type[section(i)->sh_type] = section(i);
  const Elf64_Shdr *symbols = by_type.at(SHT_DYNSYM), *versions = by_type.at(SHT_GNU_versym),
                   *definitions = by_type.at(SHT_GNU_verdef), *dynamic = by_type.at(SHT_DYNAMIC);
  const uint64_t names = section(symbols->sh_link)->sh_offset;
  const auto name = [&](uint64_t offset) { return file.data() + names + offset; };

  std::map<unsigned, std::string> node;
  for (uint64_t offset = definitions->sh_offset;;) {
    const auto* definition = at<Elf64_Verdef>(file, offset);
    node[definition->vd_ndx] = name(at<Elf64_Verdaux>(file, offset + definition->vd_aux)->vda_name);
    if (definition->vd_next == 0) break;
    offset += definition->vd_next;
  }
  Exports exports;
  for (uint64_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
    const auto* symbol = at<Elf64_Sym>(file, symbols->sh_offset + i * sizeof(Elf64_Sym));
    if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
    const unsigned version = *at<uint16_t>(file, versions->sh_offset + i * 2) & 0x7fffu;
    exports.version_of[name(symbol->st_name)] = version > 1 ? node[version] : "";
  }
  for (uint64_t offset = dynamic->sh_offset; offset < dynamic->sh_offset + dynamic->sh_size;
       offset += sizeof(Elf64_Dyn)) {
    const auto* entry = at<Elf64_Dyn>(file, offset);
    if (entry->d_tag == DT_SONAME) exports.soname = name(entry->d_un.d_val);
  }
  return exports;
}

std::vector<std::string> committed_names() {
  std::ifstream in(EXPORTED_NAMES);
  REQUIRE_MESSAGE(in.good(), "cannot open ", EXPORTED_NAMES);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

TEST_CASE("every committed name is exported under the version node that programs ask for") {
  const Exports exports = read_exports(LIBRARY);
  CHECK(exports.soname == SONAME);
  const auto names = committed_names();
  REQUIRE(names.size() > 300);
  for (const std::string& name : names) {
    CAPTURE(name);
    const auto found = exports.version_of.find(name);
    REQUIRE(found != exports.version_of.end());
    CHECK(found->second == SONAME);
  }
  CHECK(exports.version_of.count("cudaNoSuchFunction") == 0);  // control
}

TEST_CASE("nothing else leaks out of the library, except our own questions") {
  const auto names = committed_names();
  for (const auto& [name, version] : read_exports(LIBRARY).version_of) {
    CAPTURE(name);
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    CHECK((known || name.starts_with("tcd_")));
    CHECK(version == SONAME);
  }
}

TEST_CASE("a name nobody implemented answers cudaErrorNotSupported and says its name once") {
  void* library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, dlerror());
  auto* create = reinterpret_cast<int (*)(void*)>(dlsym(library, "cudaCreateTextureObject"));
  auto* last = reinterpret_cast<int (*)()>(dlsym(library, "cudaGetLastError"));
  REQUIRE((create != nullptr && last != nullptr));
  constexpr int kNotSupported = 801;
  CHECK(create(nullptr) == kNotSupported);
  CHECK(last() == kNotSupported);
  CHECK(last() == 0);  // control
}
