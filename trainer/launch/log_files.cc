// The thread behind the log files; see log_files.h.
#include "trainer/launch/log_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "trainer/launch/log_file.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostQueued = 32 << 20;
constexpr int kAttemptsKept = 10;
constexpr char kConsequence[] = "; the console goes on, the log files do not";

void make_directory(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory.parent_path());
  if (mkdir(directory.c_str(), 0755) == 0 || errno == EEXIST) return;
  throw std::system_error(errno, std::generic_category(), "cannot make " + directory.string());
}

// N of attempt-N; -1 for any other name.
int attempt_of(const std::filesystem::path& folder) {
  constexpr std::string_view kPrefix = "attempt-";
  const std::string name = folder.filename();
  int number = -1;
  if (!name.starts_with(kPrefix)) return number;
  const auto [end, fault] =
      std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
  return fault == std::errc() && end == name.data() + name.size() ? number : -1;
}

// Other nodes do the same in the same folder, so whoever comes too late finds nothing.
void remove_old_attempts(const std::filesystem::path& directory) {
  const int attempt = attempt_of(directory);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory.parent_path(), ignored)) {
    const int number = attempt_of(entry.path());
    const bool is_old = number >= 0 && number <= attempt - kAttemptsKept;
    if (is_old && !entry.is_symlink(ignored)) std::filesystem::remove_all(entry.path(), ignored);
  }
}

// Past a limit on the size of files (ulimit -f) a write then fails; the signal would end us.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void write_all(const LogSpec& spec, const std::vector<int>& ranks, LineQueue& queue) {
  make_directory(spec.directory);
  remove_old_attempts(spec.directory);
  std::map<int, LogFile> files;
  for (const int rank : ranks) {
    files.try_emplace(rank, log_path(spec.directory, rank), spec.max_size);
  }
  while (const auto batch = queue.take()) {
    for (const auto& [rank, lines] : *batch) files.at(rank).append(lines);
  }
}

std::string fault_of(const LogSpec& spec, const std::vector<int>& ranks, LineQueue& queue) {
  block_signals();
  try {
    write_all(spec, ranks, queue);
    return {};
  } catch (const std::exception& error) {
    queue.close();
    return error.what() + std::string(kConsequence);
  }
}

}  // namespace

std::filesystem::path log_path(const std::filesystem::path& directory, int rank) {
  return directory / ("rank-" + std::to_string(rank) + ".log");
}

LogFiles::LogFiles(const LogSpec& spec, const std::vector<int>& ranks)
    : queue_(std::make_shared<LineQueue>(kMostQueued)) {
  std::packaged_task task([=, queue = queue_] { return fault_of(spec, ranks, *queue); });
  ended_ = task.get_future();
  std::thread(std::move(task)).detach();
}

std::string LogFiles::take_fault() {
  const bool has_ended =
      ended_.valid() && ended_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return has_ended ? ended_.get() : std::string();
}

std::string LogFiles::finish(std::chrono::milliseconds patience) {
  queue_->close();
  if (ended_.valid() && ended_.wait_for(patience) == std::future_status::timeout) {
    return "the log files did not take the last lines in time" + std::string(kConsequence);
  }
  return take_fault();
}

}  // namespace lockstep
