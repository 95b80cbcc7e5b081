// Two names of one output are found to be equal before the output exists.
#include "kbsim/base/output_place.hpp"

#include <doctest/doctest.h>

#include "files.hpp"

using kbsim::output_place;
namespace fs = std::filesystem;

TEST_CASE("output_place: two names of one file are the same place before it is there") {
  const fs::path folder = kbsim::test::fresh_place("output_place");
  fs::create_directories(folder);
  fs::create_symlink("new", folder / "link");
  fs::create_symlink("link", folder / "link_to_link");
  fs::create_directory_symlink(".", folder / "same");
  const fs::path place = output_place(folder / "new");
  CHECK(place == fs::canonical(folder) / "new");
  for (const char* name :
       {"./new", "new/", "missing/../new", "link", "link_to_link", "same/new", "same/link"})
    CHECK_MESSAGE(output_place(folder / name) == place, name);
  CHECK(output_place("no_such_file") == fs::current_path() / "no_such_file");
  CHECK(output_place("./no_such_file") == fs::current_path() / "no_such_file");
}

TEST_CASE("output_place: a path that can't be looked at is itself") {
  const fs::path folder = kbsim::test::fresh_place("output_place_of_loop");
  fs::create_directories(folder);
  fs::create_symlink("loop", folder / "loop");
  CHECK(output_place(folder / "loop" / "file") == folder / "loop" / "file");
  const std::string long_name(300, 'a');
  CHECK(output_place(folder / long_name) == folder / long_name);
}
