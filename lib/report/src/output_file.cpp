#include "kbsim/report/output_file.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/unwritable.hpp"

#include "output_target.hpp"

namespace kbsim::report {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() { return {errno, std::generic_category()}; }

// A reader that closes the pipe is an error of this write, and doesn't end the process.
class NoBrokenPipe {
 public:
  NoBrokenPipe() : before_{std::signal(SIGPIPE, SIG_IGN)} {}
  ~NoBrokenPipe() { (void)std::signal(SIGPIPE, before_); }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  void (*before_)(int);
};

void write_all(int descriptor, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written >= 0)
      contents.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      throw std::system_error{last_error()};
  }
}

using Contents = std::function<void(const FileSink&)>;

// Writes all of it and closes the descriptor, whatever happens.
std::error_code write_and_close(int descriptor, const Contents& contents) {
  const NoBrokenPipe guard;
  std::error_code error;
  try {
    contents([descriptor](std::string_view piece) { write_all(descriptor, piece); });
  } catch (const std::system_error& failed) {
    error = failed.code();
  } catch (...) {
    (void)close(descriptor);
    throw;
  }
  if (close(descriptor) != 0 && !error) error = last_error();
  return error;
}

std::error_code write_straight(const OutputTarget& target, const Contents& contents) {
  if (target.descriptor == STDOUT_FILENO) (void)std::fflush(stdout);  // after earlier output
  const int descriptor = target.descriptor ? fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0)
                                           : open(target.file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return descriptor < 0 ? last_error() : write_and_close(descriptor, contents);
}

constexpr std::string_view kAsideBegin = ".kbsim-";
constexpr std::string_view kAsideEnd = ".part";

// Locks the file, unless its previous holder has removed it. A file system without locks counts as locked.
bool keep(int descriptor) {
  if (flock(descriptor, LOCK_EX) != 0) return true;
  struct stat file{};
  return fstat(descriptor, &file) != 0 || file.st_nlink > 0;
}

// A new temporary file beside another, removed unless it replaces the target. It is locked while it is
// written; by that remove_abandoned() distinguishes it from those of killed processes.
class Aside {
 public:
  Aside(const fs::path& target, std::error_code& error) {
    static std::atomic<int> number = 0;
    for (;;) {
      file_ = target.parent_path() / fmt::format("{}{}-{}{}", kAsideBegin, getpid(), number++, kAsideEnd);
      descriptor_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ >= 0 && keep(descriptor_)) return;
      if (descriptor_ < 0 && errno != EEXIST) {  // a file of another process with the same number
        error = last_error();
        return;
      }
      if (descriptor_ >= 0) (void)close(descriptor_);
    }
  }
  ~Aside() {
    if (descriptor_ < 0) return;
    std::error_code ignored;
    fs::remove(file_, ignored);
    (void)close(descriptor_);
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  [[nodiscard]] const fs::path& file() const { return file_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  fs::path file_;
  int descriptor_ = -1;
};

// The owner comes first: changing it clears bits of the mode. Only root may give files away.
std::error_code take_after(int descriptor, const struct stat& before) {
  constexpr mode_t kPermissions = 07777;
  (void)!fchown(descriptor, before.st_uid, before.st_gid);
  return fchmod(descriptor, before.st_mode & kPermissions) == 0 ? std::error_code{} : last_error();
}

std::error_code replace(const OutputTarget& target, const Contents& contents) {
  std::error_code error;
  const Aside aside{target.file, error};
  if (error) return error;
  if (target.before) error = take_after(aside.descriptor(), *target.before);
  const int written_to = fcntl(aside.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (written_to < 0) return last_error();
  const std::error_code written = write_and_close(written_to, contents);
  if (!error) error = written;
  if (!error) fs::rename(aside.file(), target.file, error);
  return error;
}

std::error_code can_be_created(const OutputTarget& target) {
  std::error_code error;
  const Aside aside{target.file, error};
  return error;
}

// The reason concerns the file after all symlinks.
[[noreturn]] void fail(const fs::path& file, const OutputTarget& target, const std::error_code& error) {
  throw UsageError{fmt::format("can't write '{}': {}", file.string(), why_unwritable(target.file, error))};
}

OutputTarget writable_target(const fs::path& file) {
  std::error_code error;
  OutputTarget target = output_target(file, error);
  if (!error) error = why_not_writable(target);
  if (error) fail(file, target, error);
  return target;
}

}  // namespace

void write_file(const fs::path& file, std::string_view contents) {
  write_file(file, [&](const FileSink& sink) { sink(contents); });
}

void write_file(const fs::path& file, const Contents& contents) {
  const OutputTarget target = writable_target(file);
  const std::error_code error =
      target.is_replaceable() ? replace(target, contents) : write_straight(target, contents);
  if (error) fail(file, target, error);
}

bool is_temporary(std::string_view name) {
  if (!name.starts_with(kAsideBegin) || !name.ends_with(kAsideEnd)) return false;
  name.remove_prefix(kAsideBegin.size());
  name.remove_suffix(kAsideEnd.size());
  return name.find_first_not_of("0123456789-") == std::string_view::npos;
}

void remove_abandoned(const fs::path& folder) {
  std::error_code error;
  std::error_code ignored;
  for (fs::directory_iterator entry{folder, error}; !error && entry != fs::directory_iterator{};
       entry.increment(error)) {
    const fs::path& file = entry->path();
    if (!is_temporary(file.filename().string()) || !entry->is_regular_file(ignored)) continue;
    const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove(file, ignored);
    (void)close(descriptor);
  }
}

void require_writable(const fs::path& file) {
  const OutputTarget target = writable_target(file);
  const std::error_code error = target.is_replaceable() ? can_be_created(target) : std::error_code{};
  if (error) fail(file, target, error);
}

bool is_stdout(const fs::path& file) {
  std::error_code ignored;
  return output_target(file, ignored).descriptor == STDOUT_FILENO;
}

void say_written(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) && !is_stdout(file)) say("wrote {}\n", file.string());
}

void say_results(const fs::path& folder, bool gets_page) {
  std::error_code ignored;
  const fs::path page = folder / "report.html";
  const std::string shown =
      gets_page || fs::is_regular_file(page, ignored) ? fmt::format("; {} shows them", page.string()) : "";
  say("wrote results to {}{}\n", folder.string(), shown);
}

}  // namespace kbsim::report
