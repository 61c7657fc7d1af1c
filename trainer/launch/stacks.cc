// Reads /proc/<pid>/task; see stacks.h and proc(5).
#include "trainer/launch/stacks.h"

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "trainer/launch/process_tree.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFrames = 6;
constexpr int kMostThreads = 1024;  // of a process are looked at

fs::path folder_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::string words_for(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "sleeping";
    case 'D':
      return "in uninterruptible sleep";
    case 'T':
      return "stopped (SIGSTOP)";
    case 't':
      return "stopped by a debugger";
    default:
      return std::string("in state ") + state;
  }
}

// "futex_wait < do_futex", innermost first; only root may read it. A line of the file is
// "[<0>] futex_wait+0x67/0x100".
std::string kernel_stack(const fs::path& thread) {
  std::ifstream lines(thread / "stack");
  std::string frames, address, frame;
  for (int count = 0; count < kMostFrames && lines >> address >> frame; ++count) {
    const std::string function = frame.substr(0, frame.find('+'));
    if (function.starts_with("do_syscall")) break;
    frames += (count == 0 ? "" : " < ") + function;
  }
  return frames;
}

// The function it waits in, and failing that the number of its system call.
std::string waits_in(const fs::path& thread) {
  const std::string stack = kernel_stack(thread);
  if (!stack.empty()) return " in " + stack;
  const std::string function = first_line(thread / "wchan");
  if (!function.empty() && function != "0") return " in " + function;
  const std::string call = first_line(thread / "syscall");
  return call.empty() || call == "running" ? ""
                                           : " in system call " + call.substr(0, call.find(' '));
}

std::string place_of(const fs::path& thread) {
  const auto stat = process_stat(thread);
  if (!stat) return {};
  const bool is_waiting = stat->state == 'S' || stat->state == 'D';
  return words_for(stat->state) + (is_waiting ? waits_in(thread) : "");
}

struct Crowd {
  std::string name;  // of the first
  int size = 0;
};

// Threads by their place; a program has dozens that wait in the same one.
std::map<std::string, Crowd> crowds(const fs::path& process) {
  std::map<std::string, Crowd> found;
  std::error_code error;
  int looked_at = 0;
  for (const auto& thread : fs::directory_iterator(process / "task", error)) {
    if (++looked_at > kMostThreads) break;
    const std::string place = place_of(thread.path());
    if (place.empty()) continue;
    Crowd& crowd = found[place];
    if (crowd.size++ == 0) crowd.name = first_line(thread.path() / "comm");
  }
  return found;
}

bool catches(pid_t pid, int number) {
  constexpr std::string_view kCaught = "SigCgt:";
  std::ifstream status(folder_of(pid) / "status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kCaught)) continue;
    const std::uint64_t mask = std::strtoull(line.c_str() + kCaught.size(), nullptr, 16);
    return mask >> (number - 1) & 1;
  }
  return false;
}

}  // namespace

std::vector<std::string> describe_threads(pid_t group) {
  std::vector<std::string> lines;
  for (const pid_t pid : group_members(group)) {
    lines.push_back("process " + std::to_string(pid) + " (" + first_line(folder_of(pid) / "comm") +
                    ")");
    for (const auto& [place, crowd] : crowds(folder_of(pid))) {
      const std::string others =
          crowd.size == 1 ? "" : " and " + std::to_string(crowd.size - 1) + " more";
      lines.push_back("  thread " + crowd.name + others + ": " + place);
    }
  }
  lines.resize(std::min(lines.size(), kMostPlaceLines));
  return lines;
}

void ask_for_stacks(pid_t group) {
  for (const pid_t pid : group_members(group)) {
    if (catches(pid, SIGUSR1)) kill(pid, SIGUSR1);
  }
}

}  // namespace lockstep
