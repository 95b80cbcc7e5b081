#include "kbsim/report/folder_lock.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/base/unwritable.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/signals/stoppable_waits.hpp"

namespace kbsim::report {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

UsageError refusal(const fs::path& file, const std::string& why) {
  return UsageError{fmt::format("--out {}: {}", file.parent_path().string(), why)};
}

// The process that holds the lock, from the number in its file; 0 if there is none.
pid_t holder(int descriptor) {
  std::array<char, 16> text{};
  const ssize_t n = pread(descriptor, text.data(), text.size(), 0);
  pid_t number = 0;
  if (n > 0) (void)std::from_chars(text.data(), text.data() + n, number);
  return number;
}

bool is_gone(pid_t process) { return process > 0 && kill(process, 0) != 0 && errno == ESRCH; }

int opened(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor >= 0) return descriptor;
  throw refusal(file, why_unwritable(file, {errno, std::generic_category()}));
}

// In a file system without locks a folder is used without one.
void lock(int descriptor, const fs::path& file, FolderLock::Mode mode) {
  constexpr int kTries = 100;
  const int kind = mode == FolderLock::Mode::alone ? LOCK_EX : LOCK_SH;
  for (int tries = 0;; ++tries) {
    if (flock(descriptor, kind | LOCK_NB) == 0) return;
    if (errno != EWOULDBLOCK) break;
    const pid_t other = holder(descriptor);
    const bool gone = is_gone(other);
    if (tries < kTries && gone) {  // it was killed, and so are its workers: the lock ends with them
      if (pause_for(10ms)) continue;
      (void)close(descriptor);
      throw Interrupted{"interrupted: " + file.parent_path().string() +
                        " is still locked by a run that has ended"};
    }
    (void)close(descriptor);
    const std::string who = other > 0 && !gone ? fmt::format(" (process {})", other) : "";
    throw refusal(file, "another run" + who + " is writing there; wait for it, or name another folder");
  }
  say("kbsim: --out {}: can't be locked against other runs: {}\n", file.parent_path().string(),
      std::generic_category().message(errno));
}

// The previous holder may have removed the file since it was opened.
bool is_still_there(int descriptor, const fs::path& file) {
  struct stat mine{};
  struct stat named{};
  return fstat(descriptor, &mine) == 0 && stat(file.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, Mode mode)
    : file_{folder / ".kbsim.lock"}, descriptor_{opened(file_)} {
  lock(descriptor_, file_, mode);
  while (!is_still_there(descriptor_, file_)) {
    (void)close(descriptor_);
    descriptor_ = opened(file_);
    lock(descriptor_, file_, mode);
  }
  const std::string number = std::to_string(getpid());
  (void)!ftruncate(descriptor_, 0);
  (void)!pwrite(descriptor_, number.data(), number.size(), 0);
  remove_abandoned(folder);
}

// The file is removed if no other process holds it; if several share it, by the last.
FolderLock::~FolderLock() {
  std::error_code ignored;
  const bool free = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  if (free || errno != EWOULDBLOCK) fs::remove(file_, ignored);
  (void)close(descriptor_);
}

}  // namespace kbsim::report
