// The lines of one node through several reads of its log: none twice, none left out. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "operator/api/meta.h"

namespace lockstep {

// Reads what `kubectl logs --timestamps` prints. After a cut the log is read again from since(),
// which the API takes in whole seconds: what comes up to the line that was told last is passed
// over, or told again should that line be gone (a rotated file).
class LogStream {
 public:
  explicit LogStream(std::string prefix) : prefix_(std::move(prefix)) {}

  // The new lines among these bytes that begin with the prefix, without their times. What bears no
  // time are words of the kubelet, and told as they are.
  std::string take(std::string_view bytes);

  // The last line, if it has no end.
  std::string end();

  // The stream was cut: the next bytes begin at since(), or at the beginning where that is absent.
  void begin_again();

  std::optional<std::string> since() const;  // "2026-01-02T03:04:05Z"

 private:
  std::string line(std::string_view text);
  std::string line_of(Time second, std::string_view text);

  std::string prefix_;
  std::string part_;              // of a line that has not ended
  std::optional<Time> last_;      // the newest second
  std::string last_line_;         // the newest that is read again, with its time
  bool is_passing_over_ = false;  // until last_line_ comes
  std::string passed_over_;       // of the lines wanted
};

}  // namespace lockstep
