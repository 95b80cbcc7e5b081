// No input crashes, hangs or ends in any other error than a ConfigError.
#include <random>

#include <doctest/doctest.h>

#include "files.hpp"
#include "sanitized.hpp"
#include "support.hpp"

namespace {

using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t n) { return random() % n; }

std::string shipped(const std::string& name) {
  return kbsim::test::contents(KBSIM_SOURCE_DIR "/configs/" + name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    lines.push_back(text.substr(at, end - at + 1));
    at = end + 1;
  }
  return lines;
}

std::string mutate(const std::string& text, Random& random) {
  static const std::vector<std::string> kSnippets{"-1",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  ": ",
                                                  "- ",
                                                  "&a ",
                                                  "*a",
                                                  "!!int ",
                                                  "\"",
                                                  "'",
                                                  "|",
                                                  ">",
                                                  "? ",
                                                  "---\n",
                                                  "...\n",
                                                  "%",
                                                  "@",
                                                  "\t",
                                                  ".nan",
                                                  "1e999",
                                                  "99999999999999999999",
                                                  "~",
                                                  "\n",
                                                  "#",
                                                  "<<: *a",
                                                  "two",
                                                  "\xff\xfe"};
  std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i <= pick(random, 4); ++i) {
    std::string& line = lines[pick(random, lines.size())];
    const std::size_t at = pick(random, line.size() + 1);
    switch (pick(random, 5)) {
      case 0: line.erase(at); break;
      case 1: line.insert(at, kSnippets[pick(random, kSnippets.size())]); break;
      case 2: line.insert(0, std::string(pick(random, 5), ' ')); break;
      case 3: std::swap(line, lines[pick(random, lines.size())]); break;
      default: line.insert(at, 1, static_cast<char>(random())); break;
    }
  }
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

std::string noise(Random& random) {
  std::string text(pick(random, 200), ' ');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

std::string punctuation(Random& random) {
  static const std::string kLetters = "[]{}:,-?!&*|>'\"%@#~ \n\ta1";
  std::string text(pick(random, 60), ' ');
  for (char& c : text) c = kLetters[pick(random, kLetters.size())];
  return text;
}

}  // namespace

TEST_CASE("Garbage: a mutated topology file loads or is refused") {
  const std::string text = shipped("topology.yaml");
  unsigned refused = 0;
  for (unsigned seed = 0; seed < kbsim::test::fewer(3000); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    refused += machine_errors(mutate(text, random)).empty() ? 0 : 1;
  }
  CHECK(refused > kbsim::test::fewer(1000));
}

TEST_CASE("Garbage: a mutated ccl file loads or is refused") {
  const std::string text = shipped("ccl.yaml");
  for (unsigned seed = 0; seed < kbsim::test::fewer(2000); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    CHECK_NOTHROW(ccl_errors(mutate(text, random)));
  }
}

TEST_CASE("Garbage: noise is refused, as a file and as an override") {
  for (unsigned seed = 0; seed < kbsim::test::fewer(3000); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    CHECK_FALSE(machine_errors(noise(random) + "\nx: 1").empty());
    CHECK_NOTHROW(machine_errors(punctuation(random)));
    CHECK_NOTHROW(machine_errors("schema_version: 1", {"cube.noc.w=" + punctuation(random)}));
    CHECK_FALSE(machine_errors("schema_version: 1", {noise(random)}).empty());
  }
}
