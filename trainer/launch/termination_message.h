// What a failed node leaves behind for whoever asks Kubernetes why it ended.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <string>

#include "trainer/launch/root_cause.h"

namespace lockstep {

// Kubernetes cuts a container's message at 4096 bytes.
inline constexpr std::size_t kLongestMessage = 4095;

// One JSON object: {"rank":3,"exitCode":1,"signal":0,"reason":"...","time":1700000000000,
// "lastLines":["..."]}; time in milliseconds since the epoch. Valid UTF-8 whatever the lines
// hold, at most kLongestMessage bytes: the oldest lines give way first. A rank that hung has exit
// code 124 and "hang":{"seconds":30,"stopped":false,"phase":"step","epoch":1,"step":120} as well.
std::string termination_message(const Exit& culprit, std::deque<std::string> last_lines);

// Overwrites the file the kubelet has made; without that file (unless it may be created, in a
// folder that exists), or without the right to write it, there is nobody to tell and nothing
// happens.
void write_termination_message(const std::filesystem::path& file, const std::string& message,
                               bool may_create = false);

}  // namespace lockstep
