#include "fatbin/cubin.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tcd::emu::fatbin {
namespace {

// ELF64 constants (System V ABI); EM_CUDA is NVIDIA's machine number.
constexpr uint16_t kMachineCuda = 190;
constexpr uint64_t kHeaderBytes = 64, kSectionHeaderBytes = 64, kSymbolBytes = 24;
constexpr uint8_t kSymbolFunction = 2;

// From sm_90 on a kernel's shared section starts with what the system keeps for itself.
constexpr std::string_view kReservedShared = ".nv.shared.reserved.0";
constexpr uint32_t kReservedSharedBytes = 1024;

constexpr uint8_t kFormatBlock = 0x04;  // attribute with a 16-bit size and a value behind it
constexpr uint8_t kAttrMaxThreads = 0x05, kAttrFrameSize = 0x11, kAttrRegisterCount = 0x2f;

struct Section {
  std::string_view name;
  uint32_t type = 0, link = 0, info = 0;
  uint64_t offset = 0, bytes = 0;
};

std::string_view string_at(const ByteReader& in, const Section& table, uint64_t offset) {
  const auto bytes = in.slice(table.offset, table.bytes);
  if (offset >= bytes.size()) throw FatbinError("cubin: a name lies outside its string table");
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + offset;
  return {text, strnlen(text, bytes.size() - offset)};
}

std::vector<Section> read_sections(const ByteReader& in) {
  static constexpr uint8_t kMagic[4] = {0x7f, 'E', 'L', 'F'};
  for (int i = 0; i < 4; ++i) {
    if (in.u8(i) != kMagic[i]) throw FatbinError("cubin is not an ELF file");
  }
  if (in.u8(4) != 2 || in.u16(18) != kMachineCuda) {
    throw FatbinError("cubin is an ELF file, but not a 64-bit CUDA one (machine " +
                      std::to_string(in.u16(18)) + ")");
  }
  in.slice(0, kHeaderBytes);
  const uint64_t table = in.u64(40);
  const uint16_t count = in.u16(60), names = in.u16(62);
  in.slice(table, count * kSectionHeaderBytes);
  if (names >= count) throw FatbinError("cubin has no section names");

  std::vector<Section> sections(count);
  for (uint16_t i = 0; i < count; ++i) {
    const uint64_t at = table + i * kSectionHeaderBytes;
    sections[i].type = in.u32(at + 4);
    sections[i].offset = in.u64(at + 24);
    sections[i].bytes = in.u64(at + 32);
    sections[i].link = in.u32(at + 40);
    sections[i].info = in.u32(at + 44);
  }
  for (uint16_t i = 0; i < count; ++i) {
    sections[i].name = string_at(in, sections[names], in.u32(table + i * kSectionHeaderBytes));
  }
  return sections;
}

// Calls visit(attribute, value) for every block record of an .nv.info section.
template <typename Visit>
void for_each_attribute(const ByteReader& in, const Section& section, Visit visit) {
  const ByteReader info(in.slice(section.offset, section.bytes), ".nv.info of a cubin");
  uint64_t at = 0;
  while (at + 4 <= info.size()) {
    const uint8_t format = info.u8(at), attribute = info.u8(at + 1);
    if (format != kFormatBlock) {  // the value is the two bytes where a block has its size
      at += 4;
      continue;
    }
    const uint16_t bytes = info.u16(at + 2);
    visit(attribute, ByteReader(info.slice(at + 4, bytes), ".nv.info record of a cubin"));
    at += 4 + bytes;
  }
}

const Section* find(const std::vector<Section>& sections, std::string_view name) {
  const auto it = std::find_if(sections.begin(), sections.end(),
                               [&](const Section& section) { return section.name == name; });
  return it == sections.end() ? nullptr : &*it;
}

}  // namespace

std::map<std::string, KernelResources, std::less<>> read_cubin(std::span<const std::byte> elf) {
  const ByteReader in(elf, "cubin");
  const std::vector<Section> sections = read_sections(in);

  // Symbol index → kernel name, for the records of .nv.info.
  std::map<uint32_t, std::string> functions;
  if (const Section* symbols = find(sections, ".symtab")) {
    if (symbols->link >= sections.size()) throw FatbinError("cubin: .symtab has no string table");
    for (uint64_t i = 0; (i + 1) * kSymbolBytes <= symbols->bytes; ++i) {
      const uint64_t at = symbols->offset + i * kSymbolBytes;
      if ((in.u8(at + 4) & 15) != kSymbolFunction) continue;
      functions[static_cast<uint32_t>(i)] = string_at(in, sections[symbols->link], in.u32(at));
    }
  }

  std::map<std::string, KernelResources, std::less<>> kernels;
  constexpr std::string_view kText = ".text.", kShared = ".nv.shared.", kInfo = ".nv.info.";
  uint32_t user_constant_bytes = 0;
  const uint32_t reserved = find(sections, kReservedShared) ? kReservedSharedBytes : 0;
  for (const Section& section : sections) {
    if (section.name.starts_with(kText)) {
      kernels[std::string(section.name.substr(kText.size()))].registers = section.info >> 24;
    }
    if (section.name == ".nv.constant3") user_constant_bytes = static_cast<uint32_t>(section.bytes);
  }
  if (const Section* info = find(sections, ".nv.info")) {
    for_each_attribute(in, *info, [&](uint8_t attribute, const ByteReader& value) {
      if (attribute != kAttrRegisterCount && attribute != kAttrFrameSize) return;
      const auto function = functions.find(value.u32(0));
      if (function == functions.end()) return;
      const auto kernel = kernels.find(function->second);
      if (kernel == kernels.end()) return;
      (attribute == kAttrRegisterCount ? kernel->second.registers : kernel->second.frame_bytes) =
          value.u32(4);
    });
  }
  for (const Section& section : sections) {
    if (section.name.starts_with(kShared)) {
      const auto kernel = kernels.find(section.name.substr(kShared.size()));
      if (kernel != kernels.end()) {
        const auto bytes = static_cast<uint32_t>(section.bytes);
        kernel->second.static_shared_bytes = bytes - std::min(bytes, reserved);
      }
    }
    if (section.name.starts_with(kInfo)) {
      const auto kernel = kernels.find(section.name.substr(kInfo.size()));
      if (kernel == kernels.end()) continue;
      for_each_attribute(in, section, [&](uint8_t attribute, const ByteReader& value) {
        if (attribute != kAttrMaxThreads) return;
        kernel->second.max_threads = value.u32(0) * value.u32(4) * value.u32(8);
      });
    }
  }
  for (auto& [name, kernel] : kernels) kernel.user_constant_bytes = user_constant_bytes;
  return kernels;
}

}  // namespace tcd::emu::fatbin
