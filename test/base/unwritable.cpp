// What can't be written says why, and what helps.
#include "kbsim/base/unwritable.hpp"

#include <cerrno>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "files.hpp"

using kbsim::why_unwritable;
namespace fs = std::filesystem;

namespace {

std::string why(const fs::path& path, int error) {
  return why_unwritable(path, {error, std::generic_category()});
}

}  // namespace

TEST_CASE("why_unwritable: a folder that isn't there is to be made") {
  CHECK(why("no/such/file", ENOENT) == "No such file or directory; make the folder 'no/such' first");
  CHECK(why("no_such_file", ENOENT) == "No such file or directory");
  CHECK(why("", ENOENT) == "No such file or directory");
}

TEST_CASE("why_unwritable: names what stands in the way") {
  const fs::path folder = kbsim::test::fresh_place("unwritable");
  fs::create_directories(folder);
  const std::string file = (folder / "file").string();
  std::ofstream{file} << "text";
  CHECK(why(file + "/a/b", ENOTDIR) == "Not a directory; '" + file + "' is a file, expected a folder");
  CHECK(why(folder, EISDIR) == "Is a directory; expected a file");
  CHECK(why(folder / "a" / "b", EACCES) ==
        "Permission denied; make '" + folder.string() + "' writable, or write elsewhere");
  CHECK(why(file, EACCES) ==
        "Permission denied; make '" + folder.string() + "' writable, or write elsewhere");
  CHECK(why("new", EACCES) == "Permission denied; make '.' writable, or write elsewhere");
  if (geteuid() == 0) return;  // may write anything
  fs::permissions(file, fs::perms::owner_read);
  CHECK(why(file, EACCES) == "Permission denied; make '" + file + "' writable, or write elsewhere");
}

TEST_CASE("why_unwritable: room, limits and names") {
  CHECK(why("f", ENOSPC) == "No space left on device; make room there, or write elsewhere");
  CHECK(why("f", EFBIG) == "File too large; raise the limit (ulimit -f), or write elsewhere");
  CHECK(why("f", ENAMETOOLONG) == "File name too long; choose a shorter name");
  CHECK(why("f", EROFS) == "Read-only file system; write elsewhere");
  CHECK(why("f", EINVAL) == "Invalid argument");
}
