// JSON of the root cause; see termination_message.h.
#include "trainer/launch/termination_message.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

constexpr std::size_t kLongestReason = 512;

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::ordered_json json_of(const Hang& hang) {
  nlohmann::ordered_json json = {{"seconds", std::llround(hang.silent_seconds)},
                                 {"stopped", hang.is_stopped}};
  if (!hang.phase.empty()) json["phase"] = hang.phase;
  if (hang.epoch) json["epoch"] = static_cast<std::int64_t>(*hang.epoch);
  if (hang.step) json["step"] = static_cast<std::int64_t>(*hang.step);
  return json;
}

}  // namespace

std::string termination_message(const Exit& culprit, std::deque<std::string> last_lines) {
  nlohmann::ordered_json message = {
      {"rank", culprit.rank},     {"exitCode", culprit.code},
      {"signal", culprit.signal}, {"reason", describe(culprit).substr(0, kLongestReason)},
      {"time", culprit.time_ms},  {"lastLines", last_lines}};
  if (culprit.hang) message["hang"] = json_of(*culprit.hang);
  std::string text = dump(message);
  while (text.size() > kLongestMessage && !last_lines.empty()) {
    last_lines.pop_front();
    message["lastLines"] = last_lines;
    text = dump(message);
  }
  return text;
}

void write_termination_message(const std::filesystem::path& file, const std::string& message,
                               bool may_create) {
  const int create = may_create ? O_CREAT : 0;
  const int fd = open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | create, 0644);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = write(fd, message.data(), message.size());
  close(fd);
}

}  // namespace lockstep
