// Makes and clears directories beside others who do the same; see private_directory.h.
#include "trainer/launch/private_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace lockstep {
namespace {

constexpr std::string_view kPrefix = "lockstep-status-";
constexpr std::string_view kUnique = "XXXXXX";  // mkdtemp(3) fills it in
constexpr std::string_view kFifo = "rank-";
constexpr int kMostTries = 16;

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

Fd open_directory(int parent, const char* name) {
  return Fd(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool lock(const Fd& directory) { return flock(directory.get(), LOCK_EX | LOCK_NB) == 0; }

// Calls visit(name) for each entry.
template <typename Visit>
void for_each_entry(const Fd& directory, Visit&& visit) {
  const int copy = fcntl(directory.get(), F_DUPFD_CLOEXEC, 0);  // closedir(3) closes it
  const Directory entries(fdopendir(copy), closedir);
  if (!entries) return;
  while (const dirent* entry = readdir(entries.get()))
    visit(static_cast<const char*>(entry->d_name));
}

bool is_name_of_ours(std::string_view name) {
  return name.size() == kPrefix.size() + kUnique.size() && name.starts_with(kPrefix);
}

void remove_fifo(const Fd& directory, const char* name) {
  struct stat status {};
  const bool is_fifo =
      fstatat(directory.get(), name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(status.st_mode);
  if (is_fifo && std::string_view(name).starts_with(kFifo)) unlinkat(directory.get(), name, 0);
}

// Nothing but FIFOs goes, and a directory that holds anything else stays.
void remove_if_dead(const Fd& parent, const char* name) {
  const Fd directory = open_directory(parent.get(), name);
  struct stat status {};
  if (!directory.is_open() || fstat(directory.get(), &status) != 0) return;
  if (status.st_uid != geteuid() || !lock(directory)) return;
  for_each_entry(directory, [&](const char* entry) { remove_fifo(directory, entry); });
  unlinkat(parent.get(), name, AT_REMOVEDIR);
}

void remove_dead(const std::filesystem::path& parent_path) {
  const Fd parent = open_directory(AT_FDCWD, parent_path.c_str());
  if (!parent.is_open()) return;
  for_each_entry(parent, [&](const char* name) {
    if (is_name_of_ours(name)) remove_if_dead(parent, name);
  });
}

bool is_removed(const Fd& directory) {
  struct stat status {};
  return fstat(directory.get(), &status) == 0 && status.st_nlink == 0;
}

}  // namespace

// Where the root file system is read-only, shared memory still takes a FIFO.
PrivateDirectory::PrivateDirectory() {
  const char* chosen = std::getenv("TMPDIR");
  for (const char* parent : {chosen ? chosen : "/tmp", "/tmp", "/dev/shm"}) {
    if (!make_in(parent)) continue;
    remove_dead(parent);
    return;
  }
  throw std::system_error(errno, std::generic_category(), "no directory for a FIFO");
}

// Until it is locked, another launcher may take it for a dead one's and remove it: then again.
bool PrivateDirectory::make_in(const std::filesystem::path& parent) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::string name = parent / (std::string(kPrefix) + std::string(kUnique));
    if (!mkdtemp(name.data())) return false;
    lock_ = open_directory(AT_FDCWD, name.c_str());
    const bool is_lost = !lock_.is_open() || (!lock(lock_) && errno == EWOULDBLOCK);
    if (is_lost || is_removed(lock_)) continue;
    path_ = name;
    return true;
  }
  return false;
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lockstep
