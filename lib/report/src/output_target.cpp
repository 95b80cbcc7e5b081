#include "output_target.hpp"

#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace kbsim::report {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSymlinks = 40;  // the limit of Linux

std::error_code error_of_errno() { return {errno, std::generic_category()}; }

bool leads_on(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(path, ignored);
}

// The target of a symlink, relative to the symlink's folder.
fs::path followed(const fs::path& symlink, std::error_code& error) {
  return symlink.parent_path() / fs::read_symlink(symlink, error);
}

// /proc/PID/fd/N, where N is a descriptor of this process: /proc/self and /dev/fd lead there.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code error;
  const std::string folder =
      fs::canonical(path.parent_path().empty() ? "." : path.parent_path(), error).string();
  const std::string own = "/proc/" + std::to_string(getpid()) + "/";
  if (error || !folder.starts_with(own) || !folder.ends_with("/fd")) return std::nullopt;
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// Another process's descriptor can't be duplicated, and isn't what its symlink says.
bool is_of_proc(const fs::path& path) {
  std::error_code error;
  return fs::canonical(path.parent_path(), error).string().starts_with("/proc/");
}

}  // namespace

OutputTarget output_target(fs::path path, std::error_code& error) {
  OutputTarget target{.file = std::move(path), .descriptor = std::nullopt, .before = std::nullopt};
  for (int followed_so_far = 0; leads_on(target.file); ++followed_so_far) {
    target.descriptor = own_descriptor(target.file);
    if (target.descriptor || is_of_proc(target.file)) break;
    if (followed_so_far == kMostSymlinks)
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (!error) target.file = followed(target.file, error);
    if (error) return target;
  }
  struct stat there{};
  if (target.descriptor) return target;
  if (stat(target.file.c_str(), &there) == 0)
    target.before = there;
  else if (errno != ENOENT)
    error = error_of_errno();
  return target;
}

std::error_code why_not_writable(const OutputTarget& target) {
  if (target.descriptor) {
    const int flags = fcntl(*target.descriptor, F_GETFL);
    if (flags < 0) return error_of_errno();
    const bool read_only = (flags & O_ACCMODE) == O_RDONLY;
    return read_only ? std::make_error_code(std::errc::bad_file_descriptor) : std::error_code{};
  }
  if (!target.before) return {};
  if (S_ISDIR(target.before->st_mode)) return std::make_error_code(std::errc::is_a_directory);
  return faccessat(AT_FDCWD, target.file.c_str(), W_OK, AT_EACCESS) == 0 ? std::error_code{}
                                                                         : error_of_errno();
}

}  // namespace kbsim::report
