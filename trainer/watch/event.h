// TensorBoard's event files, as bytes: records of the TFRecord format, each a small protobuf of
// tensorboard/compat/proto/event.proto. Pure.
//
//   record   u64 length, u32 masked CRC-32C of the length, the message, u32 masked CRC-32C of it
//   Event    wall_time = 1 (double), step = 2, one of file_version = 3, summary = 5, session_log =
//   7
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

struct Scalar {
  std::string_view tag;  // UTF-8
  float value = 0;
};

// `wall_time` is in seconds since 1970.

// The first record of every file.
std::string version_record(double wall_time);

// A run begins, or goes on: `step` is the first one that this file tells. TensorBoard drops what
// earlier files of the folder told about this step and later ones.
std::string start_record(double wall_time, std::int64_t step);

// Scalars of one step.
std::string scalars_record(double wall_time, std::int64_t step, std::span<const Scalar> scalars);

}  // namespace lockstep
