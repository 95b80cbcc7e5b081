#include "kbsim/base/unwritable.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <unistd.h>

namespace kbsim {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path.empty() ? fs::path{"."} : path, ignored);
}

// As the user wrote it: "" is the current folder.
fs::path nearest_that_is_there(fs::path path) {
  while (!is_there(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::string quoted(const fs::path& path) { return fmt::format("'{}'", path.empty() ? "." : path.string()); }

std::string of_missing(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return is_there(folder) ? "" : fmt::format("; make the folder {} first", quoted(folder));
}

// A file is replaced, which its folder must allow, too.
std::string of_forbidden(const fs::path& path) {
  const bool is_of_folder = access(path.c_str(), W_OK) == 0;
  const fs::path who = nearest_that_is_there(is_of_folder ? path.parent_path() : path);
  return fmt::format("; make {} writable, or write elsewhere", quoted(who));
}

std::string remedy(const fs::path& path, int error) {
  switch (error) {
    case ENOENT: return of_missing(path);
    case ENOTDIR:
      return fmt::format("; {} is a file, expected a folder", quoted(nearest_that_is_there(path)));
    case EISDIR: return "; expected a file";
    case EACCES:
    case EPERM: return of_forbidden(path);
    case EROFS: return "; write elsewhere";
    case ENOSPC:
    case EDQUOT: return "; make room there, or write elsewhere";
    case EFBIG: return "; raise the limit (ulimit -f), or write elsewhere";
    case ENAMETOOLONG: return "; choose a shorter name";
    case EBADF: return "; expected a descriptor that is open for writing";
    case EPIPE: return "; whoever reads it must read to its end";
    default: return "";
  }
}

}  // namespace

std::string why_unwritable(const fs::path& path, const std::error_code& error) {
  return error.message() + remedy(path, error.value());
}

}  // namespace kbsim
