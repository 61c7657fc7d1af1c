// A file of records that may fail for a while: a full disk must not end a training.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep {

// Writes what it is given at once. What the disk refuses is kept, up to 1 MiB, and tried again with
// the next record; what comes beyond that is dropped, whole records only, and counted. One warning
// when trouble begins, one line when it is over, naming how many records are missing.
// Never throws after construction; a call takes as long as the file system does. One thread.
class PatientFile {
 public:
  using Open = std::function<int()>;  // a descriptor to append to; throws std::system_error
  using Tell = std::function<void(const std::string&)>;

  // `name` is what the warnings call it. `open` runs at once, and again until it succeeds.
  PatientFile(std::string name, Open open, Tell tell);
  ~PatientFile();
  PatientFile(const PatientFile&) = delete;
  PatientFile& operator=(const PatientFile&) = delete;

  void append(std::string_view record);

  // What was appended survives a loss of power from here on.
  void sync();

 private:
  void flush();
  void write_kept();
  void fail(const std::string& reason);

  std::string name_;
  Open open_;
  Tell tell_;
  int descriptor_ = -1;
  std::string kept_;  // begins where the file ends, perhaps within a record
  std::size_t dropped_ = 0;
  bool is_failing_ = false;
};

}  // namespace lockstep
