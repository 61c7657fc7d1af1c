// The FIFO into which one rank writes JSON lines about its training.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "trainer/launch/fd.h"
#include "trainer/launch/report.h"

namespace lockstep {

// What became of the lines of a rank.
struct LineCounts {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;  // against the schema
  std::int64_t skipped = 0;   // came too fast: a newer one took its place
};

// Each rank has its own, so that nobody has to say who is writing, and a rank that floods keeps no
// other from being heard. We hold both ends: a rank never waits to open it, only to write into a
// full one, and it is read whatever else happens.
class StatusPipe {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kLongestLine = 4096;  // with its end: what a pipe takes in one piece
  static constexpr int kLinesPerSecond = 100;        // as many are looked at

  // Makes the FIFO. Throws std::system_error.
  explicit StatusPipe(const std::filesystem::path& path);

  int fd() const { return fifo_.get(); }

  // Reads what is there, at most 64 KiB.
  void read(Time now);

  // Takes over a line that was put off.
  void settle();

  const Report& report() const { return report_; }
  const LineCounts& counts() const { return counts_; }
  std::optional<Time> last_accepted() const { return last_accepted_; }
  const std::string& first_fault() const { return first_fault_; }

  // For read(), and for tests of it.
  void feed(std::string_view bytes, Time now);

 private:
  void finish_line(Time now);
  bool has_budget(Time now);
  void take(std::string_view line, Time now);
  void reject(const std::string& fault);

  Fd fifo_;
  std::string line_;
  bool is_too_long_ = false;
  std::optional<std::string> put_off_;
  Time put_off_at_;
  Time second_began_;
  int lines_this_second_ = 0;
  Report report_;
  LineCounts counts_;
  std::optional<Time> last_accepted_;
  std::string first_fault_;
};

}  // namespace lockstep
