#include "kbsim/sweep/claims.hpp"

#include <string>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using kbsim::sweep::Claims;

TEST_CASE("A key is claimed once") {
  Claims claims{3};
  CHECK(claims.claim("a"));
  CHECK_FALSE(claims.claim("a"));
  CHECK(claims.claim("b"));
  CHECK(claims.claim(""));
  CHECK_FALSE(claims.claim(""));
}

TEST_CASE("A full table claims nothing more, which only means to ask") {
  Claims claims{1};
  int claimed = 0;
  for (int i = 0; i < 100; ++i) claimed += claims.claim(std::to_string(i)) ? 1 : 0;
  CHECK(claimed == 4);
}

TEST_CASE("Of processes that meet the same keys each key is one's") {
  constexpr int kProcesses = 4;
  constexpr int kKeys = 50;
  Claims claims{kKeys};
  for (int i = 0; i < kProcesses; ++i) {
    if (fork() != 0) continue;
    int claimed = 0;
    for (int key = 0; key < kKeys; ++key) claimed += claims.claim(std::to_string(key)) ? 1 : 0;
    _exit(claimed);
  }
  int claimed = 0;
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    (void)wait(&status);
    REQUIRE(WIFEXITED(status));
    claimed += WEXITSTATUS(status);
  }
  CHECK(claimed == kKeys);
}
