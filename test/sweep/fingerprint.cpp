#include "kbsim/sweep/fingerprint.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "files.hpp"

namespace kbsim::sweep::test::fingerprint_test {

namespace fs = std::filesystem;

TEST_CASE("Requests: hang on words and on the files that they name, and know when one has changed") {
  const fs::path folder = kbsim::test::fresh_place("requests");
  fs::create_directories(folder);
  std::ofstream{folder / "machine.yaml"} << "a: 1\n";
  const std::vector<std::string> words{"--topology", "machine.yaml", "--set", "machine.yaml=3"};
  Requests requests{{folder}, {"always.yaml"}};
  const std::string before = requests.of(words);
  CHECK(requests.of(words) == before);
  CHECK(requests.of({"--topology", "machine.yaml", "--set", "machine.yaml=4"}) != before);
  CHECK(requests.changed().empty());
  std::ofstream{folder / "machine.yaml"} << "a: 22\n";
  CHECK(requests.changed() == (folder / "machine.yaml").string());
  Requests later{{folder}, {"always.yaml"}};
  CHECK(later.of(words) != before);
  CHECK(later.changed().empty());
  fs::remove(folder / "machine.yaml");
  CHECK(later.changed() == (folder / "machine.yaml").string());
  fs::remove_all(folder);
}

}  // namespace kbsim::sweep::test::fingerprint_test
