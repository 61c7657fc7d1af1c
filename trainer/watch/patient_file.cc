// Keeps what the disk refuses; see patient_file.h.
#include "trainer/watch/patient_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace lockstep {
namespace {

constexpr std::size_t kMostKept = std::size_t{1} << 20;

}  // namespace

PatientFile::PatientFile(std::string name, Open open, Tell tell)
    : name_(std::move(name)), open_(std::move(open)), tell_(std::move(tell)) {
  flush();
}

PatientFile::~PatientFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PatientFile::append(std::string_view record) {
  if (kept_.size() + record.size() <= kMostKept) {
    kept_ += record;
  } else {
    ++dropped_;
  }
  flush();
}

void PatientFile::sync() {
  flush();
  if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0 && errno != EINVAL) {
    fail(std::generic_category().message(errno));
  }
}

void PatientFile::flush() {
  try {
    if (descriptor_ < 0) descriptor_ = open_();
    write_kept();
  } catch (const std::exception& error) {  // of open_, or out of memory
    fail(error.what());
    return;
  }
  if (!std::exchange(is_failing_, false)) return;
  tell_(name_ + " is written again; " + std::to_string(std::exchange(dropped_, 0)) +
        " records are missing");
}

// A full disk takes a part: the rest of that record must come first, later.
void PatientFile::write_kept() {
  std::size_t done = 0;
  while (done < kept_.size()) {
    const ssize_t count = ::write(descriptor_, kept_.data() + done, kept_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    done += static_cast<std::size_t>(count);
  }
  const int error = errno;
  kept_.erase(0, done);
  if (!kept_.empty()) throw std::system_error(error, std::generic_category(), "cannot write");
}

void PatientFile::fail(const std::string& reason) {
  if (std::exchange(is_failing_, true)) return;
  tell_("warning: " + name_ + ": " + reason + "; the training goes on without");
}

}  // namespace lockstep
