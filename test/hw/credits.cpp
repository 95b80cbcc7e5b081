#include "kbsim/hw/fabric/credits.hpp"

#include <doctest/doctest.h>

namespace kbsim::hw::test::credits_test {

TEST_CASE("Credits: the channel of the set with the most room is chosen, the first of several") {
  Credits credits{{.vcs = 6, .bytes = 1000_B}};
  const ChannelSet odd{.first = 1, .stride = 2};
  CHECK(credits.choose(odd, 400_B, 0_ns) == 1);
  credits.take(1, 400_B);
  CHECK(credits.choose(odd, 400_B, 0_ns) == 3);
  credits.take(3, 300_B);
  credits.take(5, 500_B);
  CHECK(credits.choose(odd, 700_B, 0_ns) == 3);
  CHECK(credits.choose(odd, 701_B, 0_ns) == std::nullopt);
  CHECK(credits.choose({.first = 0, .stride = 2}, 1000_B, 0_ns) == 0);
}

TEST_CASE("Credits: what must stay in order takes always the same channel of its set") {
  Credits credits{{.vcs = 8, .bytes = 1000_B}};
  const ChannelSet set{.first = 2, .stride = 3, .flow = 7};  // 2 and 5
  CHECK(credits.choose(set, 600_B, 0_ns) == 5);
  credits.take(5, 600_B);
  CHECK(credits.choose(set, 600_B, 0_ns) == std::nullopt);
  CHECK(credits.choose({.first = 2, .stride = 3, .flow = 6}, 600_B, 0_ns) == 2);
}

TEST_CASE("Credits: room comes back when the credit arrives, whatever the order of credits") {
  Credits credits{{.vcs = 1, .bytes = 300_B}};
  CHECK(credits.whole());
  credits.take(0, 300_B);
  CHECK(!credits.whole());
  credits.give(9_ns, 0, 200_B);
  credits.give(5_ns, 0, 100_B);
  CHECK(credits.whole());
  CHECK(credits.choose({}, 100_B, 5_ns - 1_ps) == std::nullopt);
  CHECK(credits.choose({}, 100_B, 5_ns) == 0);
  CHECK(credits.choose({}, 101_B, 5_ns) == std::nullopt);
  CHECK(credits.choose({}, 300_B, 9_ns - 1_ps) == std::nullopt);
  CHECK(credits.choose({}, 300_B, 9_ns) == 0);
}

TEST_CASE("Credits: a flit takes a slot, however short it is") {
  Credits credits{{.vcs = 2, .bytes = 512_B, .worms = Worms{.flit = 256_B}}};
  credits.take(1, 1_B);
  credits.take(1, 16_B);
  CHECK(!credits.has_room(1, 1_B, 0_ns));
  CHECK(credits.choose({.first = 1}, 1_B, 0_ns) == std::nullopt);
  credits.give(5_ns, 1, 1_B);
  CHECK(credits.has_room(1, 256_B, 5_ns));
  credits.give(6_ns, 1, 16_B);
  CHECK(credits.whole());
}

}  // namespace kbsim::hw::test::credits_test
