#include "kbsim/sweep/shares.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::sweep::test::shares_test {

using Indices = std::vector<std::size_t>;

TEST_CASE("shard_of: shards are apart, and together all points") {
  CHECK(shard_of("", 3) == Indices{0, 1, 2});
  CHECK(shard_of("1/3", 8) == Indices{0, 3, 6});
  CHECK(shard_of("2/3", 8) == Indices{1, 4, 7});
  CHECK(shard_of("3/3", 8) == Indices{2, 5});
  CHECK(shard_of("5/9", 3).empty());
  for (const char* text : {"0/3", "4/3", "1", "1/", "/2", "1/2x", "-1/2", "1/0", "x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)shard_of(text, 8), UsageError);
  }
}

TEST_CASE("verified_share: a share in percent, or none") {
  CHECK(verified_share("") == 0.0);
  CHECK(verified_share("100%") == 1.0);
  CHECK(verified_share("0.5%") == 0.005);
  for (const char* text : {"0%", "-1%", "101%", "5", "5%%", "nan%", "%"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)verified_share(text), UsageError);
  }
}

TEST_CASE("spread: the first, the last, and some between") {
  CHECK(spread(0, 4).empty());
  CHECK(spread(1, 4) == Indices{0});
  CHECK(spread(3, 4) == Indices{0, 1, 2});
  CHECK(spread(10, 4) == Indices{0, 3, 6, 9});
}

}  // namespace kbsim::sweep::test::shares_test
