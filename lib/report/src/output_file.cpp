#include "kbsim/report/output_file.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
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

// A reader that goes away is an error of this write, not the end of the process.
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
  if (target.descriptor == STDOUT_FILENO) (void)std::fflush(stdout);  // what was printed before comes before
  const int descriptor = target.descriptor ? fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0)
                                           : open(target.file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return descriptor < 0 ? last_error() : write_and_close(descriptor, contents);
}

// A new file beside another, of which nobody knows yet.
struct Aside {
  fs::path file;
  int descriptor = -1;
};

// It goes, unless it has become another.
class Removal {
 public:
  explicit Removal(fs::path file) : file_{std::move(file)} {}
  ~Removal() {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

 private:
  fs::path file_;
};

Aside open_aside(const fs::path& target, std::error_code& error) {
  static std::atomic<int> number = 0;
  for (;;) {
    Aside aside{.file = target.parent_path() / fmt::format(".kbsim-{}-{}.part", getpid(), number++)};
    aside.descriptor = open(aside.file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (aside.descriptor >= 0) return aside;
    if (errno == EEXIST) continue;  // left behind by a process of the same number
    error = last_error();
    return aside;
  }
}

// Owner first: changing it takes away bits of the mode. Only root may give files away.
std::error_code take_after(int descriptor, const struct stat& before) {
  constexpr mode_t kPermissions = 07777;
  (void)!fchown(descriptor, before.st_uid, before.st_gid);
  return fchmod(descriptor, before.st_mode & kPermissions) == 0 ? std::error_code{} : last_error();
}

std::error_code replace(const OutputTarget& target, const Contents& contents) {
  std::error_code error;
  const Aside aside = open_aside(target.file, error);
  if (error) return error;
  const Removal removal{aside.file};
  if (target.before) error = take_after(aside.descriptor, *target.before);
  const std::error_code written = write_and_close(aside.descriptor, contents);
  if (!error) error = written;
  if (!error) fs::rename(aside.file, target.file, error);
  return error;
}

std::error_code can_be_created(const OutputTarget& target) {
  std::error_code error;
  const Aside aside = open_aside(target.file, error);
  if (error) return error;
  (void)close(aside.descriptor);
  fs::remove(aside.file, error);
  return error;
}

// The reason is one of what stands behind symlinks.
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
