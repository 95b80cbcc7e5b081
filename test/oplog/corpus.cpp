// Files that the fuzzer kept (test/fuzz).
#include <filesystem>

#include <doctest/doctest.h>

#include "files.hpp"
#include "sealed.hpp"

using namespace kbsim::test;

TEST_CASE("Op log file: each file of the fuzzer's corpus gives a log or is refused") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{KBSIM_BINARY "/fuzz/corpus/oplog"}) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    const Decoded found = decoded(sealed(kbsim::test::contents(entry.path())));
    CHECK(found.digest.empty() != found.error.empty());
    ++files;
  }
  CHECK(files > 0);
}
