#include "kbsim/base/output_place.hpp"

#include <system_error>
#include <utility>

namespace kbsim {

namespace fs = std::filesystem;

fs::path end_of_links(fs::path path) {
  constexpr int kMostSymlinks = 40;  // Linux follows no more
  std::error_code ignored;
  for (int i = 0; i < kMostSymlinks && fs::is_symlink(path, ignored); ++i)
    path = (path.parent_path() / fs::read_symlink(path, ignored)).lexically_normal();
  return path;
}

fs::path output_place(const fs::path& path) {
  std::error_code error;
  const fs::path named = fs::absolute(end_of_links(path), error);
  const fs::path found = fs::weakly_canonical(named, error);
  const fs::path place = error ? named.lexically_normal() : found;
  return place.has_filename() ? place : place.parent_path();
}

}  // namespace kbsim
