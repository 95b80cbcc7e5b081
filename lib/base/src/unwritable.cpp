#include "kbsim/base/unwritable.hpp"

#include <cerrno>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/output_place.hpp"

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

// The first link of the path that leads nowhere; "" if there is none.
fs::path dangling_link(const fs::path& path) {
  std::error_code ignored;
  fs::path way;
  for (const fs::path& part : path) {
    way /= part;
    if (!is_there(way)) return fs::is_symlink(way, ignored) ? way : fs::path{};
  }
  return {};
}

std::string of_link(const fs::path& link, const fs::path& folder) {
  return fmt::format("; make the folder {} first, where the link {} leads", quoted(folder), quoted(link));
}

std::string of_missing(const fs::path& path) {
  const fs::path link = dangling_link(path);
  if (!link.empty())
    return of_link(link, link == path ? end_of_links(link).parent_path() : end_of_links(link));
  const fs::path folder = path.parent_path();
  return is_there(folder) ? "" : fmt::format("; make the folder {} first", quoted(folder));
}

// A folder can't be made where there is a link, even if that leads nowhere.
std::string of_taken(const fs::path& path) {
  const fs::path link = dangling_link(path);
  return link.empty() ? "" : of_link(link, end_of_links(link));
}

// In a circle of links, or at one that is not to be followed.
std::string of_loop(const fs::path& path) {
  std::error_code ignored;
  const fs::path link = fs::is_symlink(path, ignored) ? path : dangling_link(path);
  return link.empty() ? "" : fmt::format("; remove the link {}, or write elsewhere", quoted(link));
}

bool may(const fs::path& path, int what) { return access(path.empty() ? "." : path.c_str(), what) == 0; }

// The rights that are missing to write there; "" if none are.
std::string_view missing_rights(const fs::path& path) {
  std::error_code ignored;
  const bool searchable = may(path, X_OK) || !fs::is_directory(path, ignored);
  if (may(path, W_OK)) return searchable ? "" : "searchable (chmod +x)";
  return searchable ? "writable" : "writable and searchable (chmod +wx)";
}

// A file is replaced, which its folder must allow, too; a folder must be searchable for what is in it.
std::string of_forbidden(const fs::path& path) {
  fs::path who = nearest_that_is_there(path);
  if (who == path && missing_rights(who).empty()) who = path.parent_path();
  const std::string_view rights = missing_rights(who);
  return fmt::format("; make {} {}, or write elsewhere", quoted(who), rights.empty() ? "writable" : rights);
}

std::string remedy(const fs::path& path, int error) {
  switch (error) {
    case ENOENT: return of_missing(path);
    case EEXIST: return of_taken(path);
    case ELOOP: return of_loop(path);
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
    case EPIPE: return "; its reader must read to its end";
    default: return "";
  }
}

}  // namespace

std::string why_unwritable(const fs::path& path, const std::error_code& error) {
  return error.message() + remedy(path, error.value());
}

}  // namespace kbsim
