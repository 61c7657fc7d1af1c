// The reading half: from the end to the directory, from there to the members. Nothing in the file
// is believed before it is checked.
#include <cstring>
#include <optional>

#include "trainer/errors.h"
#include "trainer/state/shown.h"
#include "trainer/state/stored_zip.h"
#include "trainer/state/stored_zip_rules.h"

namespace lockstep {
namespace {

using Bytes = std::span<const std::byte>;

[[noreturn]] void fail(const std::string& what) { throw BadData(what); }

Bytes cut(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    fail("damaged: the archive's directory points outside the file");
  }
  return bytes.subspan(offset, size);
}

template <typename Part>
Part part_at(Bytes bytes, std::uint64_t offset) {
  Part part;
  std::memcpy(&part, cut(bytes, offset, sizeof part).data(), sizeof part);
  return part;
}

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The end is the last record; a comment of up to 64 KiB may follow it.
std::uint64_t offset_of_end(Bytes archive) {
  constexpr std::uint64_t kLongestComment = 0xffff;
  for (std::uint64_t comment = 0; comment <= kLongestComment; ++comment) {
    if (archive.size() < sizeof(zip::End) + comment) break;
    const std::uint64_t offset = archive.size() - sizeof(zip::End) - comment;
    const auto end = part_at<zip::End>(archive, offset);
    if (end.magic == zip::kEndMagic && end.comment_length == comment) return offset;
  }
  fail("truncated, or no zip archive: it has no directory at its end");
}

struct Directory {
  Bytes bytes;
  std::uint64_t entries;
};

Directory directory_of(Bytes archive) {
  const std::uint64_t offset = offset_of_end(archive);
  if (offset >= sizeof(zip::BigLocator)) {
    const auto locator = part_at<zip::BigLocator>(archive, offset - sizeof(zip::BigLocator));
    if (locator.magic == zip::kBigLocatorMagic) {
      const auto end = part_at<zip::BigEnd>(archive, locator.offset);
      if (end.magic != zip::kBigEndMagic) fail("damaged: the archive has no 64-bit directory");
      return {cut(archive, end.offset, end.size), end.entries};
    }
  }
  const auto end = part_at<zip::End>(archive, offset);
  return {cut(archive, end.offset, end.size), end.entries};
}

// Values of the 64-bit extra field, each of which stands for a value of 32 bits that says so.
class BigValues {
 public:
  explicit BigValues(Bytes extra) {
    while (extra.size() >= sizeof(zip::ExtraHead)) {
      const auto head = part_at<zip::ExtraHead>(extra, 0);
      const Bytes value = cut(extra, sizeof head, head.size);
      if (head.id == zip::kBigExtra) values_ = value;
      extra = extra.subspan(sizeof head + head.size);
    }
  }

  std::uint64_t value_of(std::uint32_t small) {
    if (small != zip::kSeeExtra) return small;
    const auto value = part_at<std::uint64_t>(values_, 0);
    values_ = values_.subspan(sizeof value);
    return value;
  }

 private:
  Bytes values_;
};

ZipMember member_of(Bytes archive, const zip::Entry& entry, std::string name, Bytes extra) {
  if (entry.method != zip::kStored) fail("member " + shown(name) + " is compressed");
  if (entry.flags & zip::kEncrypted) fail("member " + shown(name) + " is encrypted");
  BigValues big(extra);
  const std::uint64_t size = big.value_of(entry.size);
  if (big.value_of(entry.packed_size) != size) fail("member " + shown(name) + " has two sizes");
  const std::uint64_t offset = big.value_of(entry.offset);
  const auto local = part_at<zip::Local>(archive, offset);
  if (local.magic != zip::kLocalMagic) fail("damaged: member " + shown(name) + " has no header");
  const Bytes rest = archive.subspan(offset + sizeof local);
  const std::uint64_t head = std::uint64_t{local.name_length} + local.extra_length;
  return {std::move(name), cut(rest, head, size), entry.crc32};
}

}  // namespace

std::vector<ZipMember> members_of(std::span<const std::byte> archive) {
  auto [bytes, entries] = directory_of(archive);
  if (entries > bytes.size() / sizeof(zip::Entry)) {
    fail("damaged: the archive's directory is too short for its members");
  }
  std::vector<ZipMember> members;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const auto entry = part_at<zip::Entry>(bytes, 0);
    if (entry.magic != zip::kEntryMagic) fail("damaged: the archive's directory is no list");
    std::string name = text_of(cut(bytes, sizeof entry, entry.name_length));
    const std::uint64_t head = sizeof entry + entry.name_length;
    const Bytes extra = cut(bytes, head, entry.extra_length);
    members.push_back(member_of(archive, entry, std::move(name), extra));
    const std::uint64_t size = head + entry.extra_length + entry.comment_length;
    bytes = bytes.subspan(cut(bytes, 0, size).size());
  }
  return members;
}

}  // namespace lockstep
