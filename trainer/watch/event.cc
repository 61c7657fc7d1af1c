// Protobuf's wire format by hand: https://protobuf.dev/programming-guides/encoding
#include "trainer/watch/event.h"

#include <bit>

#include "trainer/watch/crc32c.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "both formats are little-endian");

enum WireType { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

template <typename Value>
std::string bytes_of(Value value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string key(int field, WireType type) { return varint(field << 3 | type); }

std::string number_field(int field, std::int64_t value) {
  return key(field, kVarint) + varint(static_cast<std::uint64_t>(value));
}

std::string double_field(int field, double value) { return key(field, kFixed64) + bytes_of(value); }

std::string float_field(int field, float value) { return key(field, kFixed32) + bytes_of(value); }

std::string bytes_field(int field, std::string_view bytes) {
  return key(field, kLengthDelimited) + varint(bytes.size()) + std::string(bytes);
}

// proto3 leaves out a zero that is outside a oneof.
std::string event(double wall_time, std::int64_t step, const std::string& what) {
  return (wall_time == 0 ? "" : double_field(1, wall_time)) +
         (step == 0 ? "" : number_field(2, step)) + what;
}

std::string record(const std::string& message) {
  const std::string length = bytes_of<std::uint64_t>(message.size());
  return length + bytes_of(masked_crc32c(length)) + message + bytes_of(masked_crc32c(message));
}

}  // namespace

std::string version_record(double wall_time) {
  return record(event(wall_time, 0, bytes_field(3, "brain.Event:2")));
}

std::string start_record(double wall_time, std::int64_t step) {
  const std::string session_log = number_field(1, /*START*/ 1);
  return record(event(wall_time, step, bytes_field(7, session_log)));
}

std::string scalars_record(double wall_time, std::int64_t step, std::span<const Scalar> scalars) {
  std::string summary;
  for (const Scalar& scalar : scalars) {
    summary += bytes_field(1, bytes_field(1, scalar.tag) + float_field(2, scalar.value));
  }
  return record(event(wall_time, step, bytes_field(5, summary)));
}

}  // namespace lockstep
