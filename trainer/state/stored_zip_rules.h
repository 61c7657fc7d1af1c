// Records of a zip archive, laid out as in the file (APPNOTE.TXT 4.3). Private to state/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::zip {

inline constexpr std::uint32_t kLocalMagic = 0x04034b50;
inline constexpr std::uint32_t kEntryMagic = 0x02014b50;
inline constexpr std::uint32_t kEndMagic = 0x06054b50;
inline constexpr std::uint32_t kBigEndMagic = 0x06064b50;
inline constexpr std::uint32_t kBigLocatorMagic = 0x07064b50;

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kEncrypted = 1;
inline constexpr std::uint16_t kNamesAreUtf8 = 1 << 11;
inline constexpr std::uint16_t kVersion = 45;   // the first one with 64-bit sizes
inline constexpr std::uint16_t kNoDate = 0x21;  // 1980-01-01
inline constexpr std::uint16_t kBigExtra = 1;   // holds what does not fit 32 bits
inline constexpr std::uint32_t kSeeExtra = 0xffffffff;

#pragma pack(push, 1)

struct Local {
  std::uint32_t magic = kLocalMagic;
  std::uint16_t version = kVersion, flags = kNamesAreUtf8, method = kStored, time = 0;
  std::uint16_t date = kNoDate;
  std::uint32_t crc32 = 0, packed_size = kSeeExtra, size = kSeeExtra;
  std::uint16_t name_length = 0, extra_length = 0;
};
static_assert(sizeof(Local) == 30);

struct Entry {
  std::uint32_t magic = kEntryMagic;
  std::uint16_t made_by = kVersion, version = kVersion, flags = kNamesAreUtf8, method = kStored;
  std::uint16_t time = 0, date = kNoDate;
  std::uint32_t crc32 = 0, packed_size = kSeeExtra, size = kSeeExtra;
  std::uint16_t name_length = 0, extra_length = 0, comment_length = 0, disk = 0, inside = 0;
  std::uint32_t outside = 0, offset = kSeeExtra;
};
static_assert(sizeof(Entry) == 46);

struct BigEnd {
  std::uint32_t magic = kBigEndMagic;
  std::uint64_t rest = sizeof(BigEnd) - 12;
  std::uint16_t made_by = kVersion, version = kVersion;
  std::uint32_t disk = 0, first_disk = 0;
  std::uint64_t entries_here = 0, entries = 0, size = 0, offset = 0;
};
static_assert(sizeof(BigEnd) == 56);

struct BigLocator {
  std::uint32_t magic = kBigLocatorMagic, disk = 0;
  std::uint64_t offset = 0;
  std::uint32_t disks = 1;
};
static_assert(sizeof(BigLocator) == 20);

struct End {
  std::uint32_t magic = kEndMagic;
  std::uint16_t disk = 0, first_disk = 0, entries_here = 0xffff, entries = 0xffff;
  std::uint32_t size = kSeeExtra, offset = kSeeExtra;
  std::uint16_t comment_length = 0;
};
static_assert(sizeof(End) == 22);

struct ExtraHead {
  std::uint16_t id = 0, size = 0;
};

#pragma pack(pop)

}  // namespace lockstep::zip
