// Changes that may shorten a run: which are tried, and which are given.
#include "kbsim/explain/advice.hpp"

#include <doctest/doctest.h>

#include "kbsim/explain/candidates.hpp"

namespace kbsim::explain::advice_test {
namespace {

Advice advice(const std::string& key, double value, double to, double share, bool simulated = true) {
  return {.change = {.key = key, .value = value, .to = to},
          .gain = Time{static_cast<std::int64_t>(share * 1e6)},
          .share = share,
          .simulated = simulated,
          .command = "kbsim run --set " + key};
}

// 100 us long: 40 us wait for slots, the rest is of two keys.
Explanation waiting() {
  Explanation what{.of = "a test", .path = {.begin = Time{0}, .end = 100_us}};
  what.path.waits[static_cast<std::size_t>(hw::Reason::slot_free)] = 40_us;
  what.path.during_waits[{hw::Reason::slot_free, 0}][WorkClass::latency] = 40_us;
  Derivative rate{.key = "a.bw_gbs", .unit = "GB/s", .value = 100.0, .time = 20_us};
  rate.bytes[{2'000'000, 1.0}] = 1;  // 20 us at 100 GB/s
  Derivative cycles{
      .key = "b.dispatch_cycles", .unit = "cycles", .value = 4.0, .time = 8_us, .count = 2000.0};
  cycles.paid[1.0] = 2000;
  Derivative little{.key = "c.wire_ns", .unit = "ns", .value = 1.0, .time = 1_us, .count = 1000.0};
  little.paid[1.0] = 1000;
  what.keys = {rate, cycles, little};
  return what;
}

}  // namespace

TEST_CASE("Advice: candidates are counts that are waited for, and keys worth half a percent") {
  const std::vector<Candidate> all = candidates_of(waiting(), {.slots = {"algorithm.n_slots", 4.0}});
  REQUIRE(all.size() == 4);
  CHECK(all[0].setting() == "algorithm.n_slots=16");
  CHECK(all[0].estimated == -30_us);
  CHECK(all[1].setting() == "algorithm.n_slots=8");
  CHECK(all[1].estimated == -20_us);
  CHECK(all[2].setting() == "b.dispatch_cycles=3");  // a whole cycle
  CHECK(all[2].estimated == -2_us);
  CHECK(all[3].setting() == "a.bw_gbs=110");
  CHECK(all[3].estimated < -1_us);
}

TEST_CASE("Advice: a count that isn't a power of two goes to the next ones") {
  const std::vector<Candidate> all = candidates_of(waiting(), {.slots = {"n", 6.0}});
  CHECK(all[0].setting() == "n=16");
  CHECK(all[1].setting() == "n=8");
  CHECK(candidates_of(waiting(), {}).size() == 2);
}

TEST_CASE("Advice: the best three, and of one key the larger change only if it gains more") {
  const std::vector<Advice> best =
      best_of({advice("a", 1, 2, 0.10), advice("n", 4, 8, 0.40), advice("n", 4, 16, 0.405),
               advice("b", 1, 2, 0.20), advice("c", 1, 2, 0.05), advice("d", 1, 2, 0.004)});
  REQUIRE(best.size() == 3);
  CHECK(best[0].change.key == "n");
  CHECK(best[0].change.to == 8);
  CHECK(best[1].change.key == "b");
  CHECK(best[2].change.key == "a");
  CHECK(best_of({advice("n", 4, 8, 0.40), advice("n", 4, 16, 0.47)}).front().change.to == 16);
  CHECK(best_of({advice("n", 4, 8, -0.1)}).empty());
}

TEST_CASE("Advice: its lines and its document say what was simulated") {
  const std::vector<Advice> all{advice("n", 4, 16, 0.472), advice("b", 1, 2, 0.05, false)};
  CHECK(to_text(all) ==
        "  try  n=16                                              47.2 % less, simulated\n"
        "  try  b=2                                                5.0 % less, estimated\n");
  const boost::json::array rows = to_json(all);
  CHECK(rows[0].at("simulated").as_bool());
  CHECK(rows[0].at("gain_ps").to_number<std::int64_t>() == 472'000);
  CHECK(rows[1].at("command").as_string() == "kbsim run --set b");
}

TEST_CASE("Advice: candidates are kept in a row") {
  const std::vector<Candidate> all = candidates_of(waiting(), {.slots = {"n", 4.0}});
  const std::vector<Candidate> again = candidates_in(to_json(all));
  REQUIRE(again.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(again[i].setting() == all[i].setting());
    CHECK(again[i].estimated == all[i].estimated);
  }
}

}  // namespace kbsim::explain::advice_test
