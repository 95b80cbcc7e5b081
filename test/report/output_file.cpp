// Files are whole or not there.
#include "kbsim/report/output_file.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"

#include "files.hpp"

using namespace kbsim;
using test::contents;
namespace fs = std::filesystem;

namespace {

fs::path empty_folder() {
  const fs::path folder = test::fresh_place("output_file");
  fs::create_directories(folder);
  return folder;
}

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator{folder}, fs::directory_iterator{});
}

mode_t mode_of(const fs::path& file) {
  struct stat found{};
  REQUIRE(lstat(file.c_str(), &found) == 0);
  return found.st_mode;
}

void refuse(const fs::path& file, const std::string& why) {
  const std::string text = "can't write '" + file.string() + "': " + why;
  CHECK_THROWS_WITH_AS(report::require_writable(file), text.c_str(), UsageError);
  CHECK_THROWS_WITH_AS(report::write_file(file, "text"), text.c_str(), UsageError);
}

// A disk that is always full. Root gets a device of its own, as it could replace /dev/full.
fs::path full_device(const fs::path& folder) {
  constexpr int kMemory = 1;
  constexpr int kFull = 7;
  if (geteuid() != 0) return "/dev/full";
  const fs::path device = folder / "full";
  return mknod(device.c_str(), S_IFCHR | 0666, makedev(kMemory, kFull)) == 0 ? device : fs::path{};
}

std::string read_all(int descriptor) {
  std::string all;
  std::array<char, 256> part{};
  for (ssize_t n = 0; (n = read(descriptor, part.data(), part.size())) > 0;)
    all.append(part.data(), static_cast<std::size_t>(n));
  return all;
}

}  // namespace

TEST_CASE("Output files: what is written replaces what was there, and leaves nothing beside it") {
  const fs::path folder = empty_folder();
  report::write_file(folder / "a", "first");
  report::write_file(folder / "a", "second");
  CHECK(contents(folder / "a") == "second");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("Output files: asking whether one can be written changes nothing") {
  const fs::path folder = empty_folder();
  report::write_file(folder / "a", "as it was");
  report::require_writable(folder / "a");
  report::require_writable(folder / "b");
  CHECK(contents(folder / "a") == "as it was");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("Output files: a folder that isn't there, and a folder in the file's place") {
  const fs::path folder = empty_folder();
  const std::string nowhere = (folder / "no" / "a").string();
  for (const auto ask : {+[](const fs::path& f) { report::require_writable(f); },
                         +[](const fs::path& f) { report::write_file(f, "text"); }}) {
    CHECK_THROWS_WITH_AS(ask(nowhere),
                         ("can't write '" + nowhere + "': No such file or directory; make the folder '" +
                          (folder / "no").string() + "' first")
                             .c_str(),
                         UsageError);
    CHECK_THROWS_WITH_AS(ask(folder),
                         ("can't write '" + folder.string() + "': Is a directory; expected a file").c_str(),
                         UsageError);
  }
  CHECK(files_in(folder) == 0);
}

TEST_CASE("Output files: symlinks are followed, to what isn't there yet, too") {
  const fs::path folder = empty_folder();
  fs::create_directories(folder / "there");
  fs::create_symlink("there/target", folder / "near");
  fs::create_symlink(folder / "near", folder / "far");
  for (const char* text : {"first", "second"}) {
    report::require_writable(folder / "far");
    report::write_file(folder / "far", text);
    CHECK(contents(folder / "there" / "target") == text);
  }
  CHECK(fs::is_symlink(folder / "near"));
  CHECK(fs::is_symlink(folder / "far"));
  CHECK(files_in(folder / "there") == 1);
  CHECK(files_in(folder) == 3);
}

TEST_CASE("Output files: symlinks in a circle, and into a folder that isn't there, are refused") {
  const fs::path folder = empty_folder();
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  fs::create_symlink("no/such", folder / "astray");
  refuse(folder / "a", "Too many levels of symbolic links; remove the link '" + (folder / "a").string() +
                           "', or write elsewhere");
  refuse(folder / "astray",
         "No such file or directory; make the folder '" + (folder / "no").string() + "' first");
  CHECK(files_in(folder) == 3);
}

TEST_CASE("Output files: a file keeps its mode, a new one has what the umask leaves") {
  const fs::path folder = empty_folder();
  report::write_file(folder / "secret", "first");
  for (const mode_t mode : {0600U, 0640U, 0755U}) {
    REQUIRE(chmod((folder / "secret").c_str(), mode) == 0);
    report::write_file(folder / "secret", "again");
    CHECK(mode_of(folder / "secret") == (S_IFREG | mode));
  }
  const mode_t before = umask(0027);
  report::write_file(folder / "new", "text");
  umask(before);
  CHECK(mode_of(folder / "new") == (S_IFREG | 0640));
}

TEST_CASE("Output files: a file that may not be written to, and a folder without room for new files") {
  if (geteuid() == 0) return;  // may do anything
  const fs::path folder = empty_folder();
  report::write_file(folder / "kept", "as it was");
  REQUIRE(chmod((folder / "kept").c_str(), 0444) == 0);
  refuse(folder / "kept",
         "Permission denied; make '" + (folder / "kept").string() + "' writable, or write elsewhere");
  REQUIRE(chmod(folder.c_str(), 0555) == 0);
  refuse(folder / "new", "Permission denied; make '" + folder.string() + "' writable, or write elsewhere");
  REQUIRE(chmod(folder.c_str(), 0755) == 0);
  CHECK(contents(folder / "kept") == "as it was");
}

TEST_CASE("Output files: a FIFO is written to, and asking doesn't end its reader") {
  const fs::path folder = empty_folder();
  const fs::path fifo = folder / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  std::string got;
  std::thread reader{[&] {
    const int descriptor = open(fifo.c_str(), O_RDONLY | O_CLOEXEC);
    got = read_all(descriptor);
    (void)close(descriptor);
  }};
  report::require_writable(fifo);
  report::write_file(fifo, "by the pipe");
  reader.join();
  CHECK(got == "by the pipe");
  CHECK(mode_of(fifo) == (S_IFIFO | 0600));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("Output files: a FIFO whose reader goes away is an error, not the end of the process") {
  const fs::path folder = empty_folder();
  const fs::path fifo = folder / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  std::thread reader{[&] { (void)close(open(fifo.c_str(), O_RDONLY | O_CLOEXEC)); }};
  const std::string much(1 << 20, 'x');
  CHECK_THROWS_WITH_AS(
      report::write_file(fifo, much),
      ("can't write '" + fifo.string() + "': Broken pipe; its reader must read to its end").c_str(),
      UsageError);
  reader.join();
}

TEST_CASE("Output files: a full device is an error, and stays what it is") {
  const fs::path folder = empty_folder();
  const fs::path device = full_device(folder);
  if (device.empty()) return;  // a root that may make no devices
  const std::string why =
      "can't write '" + device.string() + "': No space left on device; make room there, or write elsewhere";
  report::require_writable(device);
  CHECK_THROWS_WITH_AS(report::write_file(device, "text"), why.c_str(), UsageError);
  CHECK(S_ISCHR(mode_of(device)));
  fs::create_symlink(device, folder / "link");
  CHECK_THROWS_AS(report::write_file(folder / "link", "text"), UsageError);
  CHECK(fs::is_symlink(folder / "link"));
}

TEST_CASE("Output files: an open descriptor by its name is written to where it stands") {
  const fs::path folder = empty_folder();
  const fs::path file = folder / "a";
  for (const char* of : {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"}) {
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(descriptor >= 0);
    REQUIRE(write(descriptor, "before, ", 8) == 8);
    const std::string name = of + std::to_string(descriptor);
    fs::remove(folder / "link");
    fs::create_symlink(name, folder / "link");
    report::require_writable(name);
    report::write_file(name, "by its name, ");
    report::write_file(folder / "link", "by a link");
    CHECK(contents(file) == "before, by its name, by a link");
    REQUIRE(close(descriptor) == 0);
    CHECK_THROWS_AS(report::write_file(name, "closed"), UsageError);
  }
  CHECK(report::is_stdout("/dev/stdout"));
  CHECK(!report::is_stdout("/dev/stderr"));
  CHECK(!report::is_stdout(file));
}

TEST_CASE("Output files: a descriptor that is open for reading is refused") {
  const int descriptor = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  refuse("/dev/fd/" + std::to_string(descriptor),
         "Bad file descriptor; expected a descriptor that is open for writing");
  (void)close(descriptor);
}

TEST_CASE("Output files: the longest name that a file may have") {
  const fs::path folder = empty_folder();
  const std::string name(255, 'n');
  report::write_file(folder / name, "text");
  CHECK(contents(folder / name) == "text");
  refuse(folder / (name + "n"), "File name too long; choose a shorter name");
}
