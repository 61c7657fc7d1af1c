// The writing half: local header, bytes; then the directory.
#include "trainer/state/stored_zip.h"

#include <bit>

#include "trainer/state/durable_file.h"
#include "trainer/state/stored_zip_rules.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint16_t kPaddingExtra = 0x4246;  // "FB", as torch names it

template <typename Part>
std::string bytes_of(const Part& part) {
  return {reinterpret_cast<const char*>(&part), sizeof part};
}

std::string big_extra(std::initializer_list<std::uint64_t> values) {
  const auto size = static_cast<std::uint16_t>(8 * values.size());
  std::string extra = bytes_of(zip::ExtraHead{zip::kBigExtra, size});
  for (const std::uint64_t value : values) extra += bytes_of(value);
  return extra;
}

std::string padding_extra(std::uint64_t begin) {
  const std::uint64_t padding = -(begin + sizeof(zip::ExtraHead)) % kAlignment;
  const zip::ExtraHead head{kPaddingExtra, static_cast<std::uint16_t>(padding)};
  return bytes_of(head) + std::string(padding, 'Z');
}

std::string local_of(const ZipMember& member, std::uint32_t crc32, std::uint64_t offset) {
  std::string extra = big_extra({member.bytes.size(), member.bytes.size()});
  extra += padding_extra(offset + sizeof(zip::Local) + member.name.size() + extra.size());
  zip::Local local;
  local.crc32 = crc32;
  local.name_length = static_cast<std::uint16_t>(member.name.size());
  local.extra_length = static_cast<std::uint16_t>(extra.size());
  return bytes_of(local) + member.name + extra;
}

std::string entry_of(const ZipMember& member, std::uint32_t crc32, std::uint64_t offset) {
  const std::string extra = big_extra({member.bytes.size(), member.bytes.size(), offset});
  zip::Entry entry;
  entry.crc32 = crc32;
  entry.name_length = static_cast<std::uint16_t>(member.name.size());
  entry.extra_length = static_cast<std::uint16_t>(extra.size());
  return bytes_of(entry) + member.name + extra;
}

std::string end_of(std::uint64_t entries, std::uint64_t offset, std::uint64_t size) {
  zip::BigEnd end;
  end.entries = end.entries_here = entries;
  end.offset = offset;
  end.size = size;
  zip::BigLocator locator;
  locator.offset = offset + size;
  return bytes_of(end) + bytes_of(locator) + bytes_of(zip::End{});
}

}  // namespace

void write_stored_zip(std::span<const ZipMember> members, const ByteSink& sink) {
  std::uint64_t offset = 0;
  std::string directory;
  for (const ZipMember& member : members) {
    const std::uint32_t crc32 = crc32_of(member.bytes);
    const std::string local = local_of(member, crc32, offset);
    sink(std::as_bytes(std::span(local)));
    sink(member.bytes);
    directory += entry_of(member, crc32, offset);
    offset += local.size() + member.bytes.size();
  }
  directory += end_of(members.size(), offset, directory.size());
  sink(std::as_bytes(std::span(directory)));
}

}  // namespace lockstep
