// An output that can't be written is reported with the reason and a remedy.
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

TEST_CASE("why_unwritable: a folder that can't be searched is to be made searchable") {
  if (geteuid() == 0) return;  // may search anything
  const fs::path folder = kbsim::test::fresh_place("unsearchable");
  fs::create_directories(folder / "within");
  const auto remedy = [&folder](const std::string& rights) {
    return "Permission denied; make '" + folder.string() + "' " + rights + ", or write elsewhere";
  };
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_write);
  CHECK(why(folder / "file", EACCES) == remedy("searchable (chmod +x)"));
  CHECK(why(folder / "within" / "file", EACCES) == remedy("searchable (chmod +x)"));
  CHECK(why(folder, EACCES) == remedy("searchable (chmod +x)"));
  fs::permissions(folder, fs::perms::owner_read);
  CHECK(why(folder / "file", EACCES) == remedy("writable and searchable (chmod +wx)"));
  CHECK(why(folder, EACCES) == remedy("writable and searchable (chmod +wx)"));
  fs::permissions(folder, fs::perms::owner_all);
}

TEST_CASE("why_unwritable: a link that leads nowhere names where it leads") {
  const fs::path folder = kbsim::test::fresh_place("dangling");
  fs::create_directories(folder);
  fs::create_symlink("no/such", folder / "link");
  fs::create_symlink("link", folder / "link_to_link");
  fs::create_symlink("loop", folder / "loop");
  const std::string in = folder.string();
  const auto first = [&in](const std::string& missing, const std::string& link) {
    return "; make the folder '" + in + missing + "' first, where the link '" + in + link + "' leads";
  };
  CHECK(why(folder / "link", EEXIST) == "File exists" + first("/no/such", "/link"));
  CHECK(why(folder / "link_to_link", EEXIST) == "File exists" + first("/no/such", "/link_to_link"));
  CHECK(why(folder / "link" / "file", ENOENT) == "No such file or directory" + first("/no/such", "/link"));
  CHECK(why(folder / "link", ENOENT) == "No such file or directory" + first("/no", "/link"));
  CHECK(why(folder / "loop" / "file", ELOOP) ==
        "Too many levels of symbolic links; remove the link '" + in + "/loop', or write elsewhere");
}

TEST_CASE("why_unwritable: room, limits and names") {
  CHECK(why("f", ENOSPC) == "No space left on device; make room there, or write elsewhere");
  CHECK(why("f", EFBIG) == "File too large; raise the limit (ulimit -f), or write elsewhere");
  CHECK(why("f", ENAMETOOLONG) == "File name too long; choose a shorter name");
  CHECK(why("f", EROFS) == "Read-only file system; write elsewhere");
  CHECK(why("f", EINVAL) == "Invalid argument");
}
