// Collectives by a library's workers: a core for each way of a link, one message after another.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "collectives.hpp"
#include "sanitized.hpp"

namespace kbsim::test::library_workers_test {
namespace {

constexpr const char* kLine = "line_all_gather";
const std::vector<std::string> kRelays{kLine, "line_all_to_all", "two_way_ring_all_gather",
                                       "two_way_ring_all_to_all"};
const std::vector<std::string> kScatters{"line_reduce_scatter", "two_way_ring_reduce_scatter"};

bool relays(const std::string& name) { return std::ranges::find(kRelays, name) != kRelays.end(); }

// Two PEs a package, with many slots of 64 bytes.
Collective by_workers(const std::string& name, int ranks, std::int64_t n, bool per_way) {
  Collective c = collective(name, machine_of(ranks), 100, n);
  c.algorithm.slot_size = 64_B;
  c.algorithm.mapper = "all_pes";
  c.algorithm.own["serial"] = true;
  c.algorithm.own["packet_ns"] = 5.0;
  if (per_way) c.algorithm.own["per_way"] = true;
  return c;
}

void check_right(const Collective& c) {
  CAPTURE(c.algorithm.name);
  CAPTURE(c.machine.system.sips.count);
  CAPTURE(c.n_elem);
  const PerRank in = inputs(c);
  REQUIRE(in_mock(c, in) == expected(c, in));
}

// On two packages PE 0 of the first sends eastwards, for both parts, and does nothing else for so long.
Time took(const std::string& name, std::int64_t messages, double packet_ns) {
  Collective c = by_workers(name, 2, 32 * messages, true);
  c.algorithm.own["packet_ns"] = packet_ns;
  return measured(c).kernel;
}

}  // namespace

TEST_CASE("Workers: right on lines and rings of 1 to 9, with one message and many, in the mock") {
  for (const std::string& name : kRelays) {
    for (const int ranks : {1, 2, 3, 4, 5, 8, 9}) {
      for (const std::int64_t n : {1, 7, 777}) {
        if (kSanitized && n > 7 && ranks > 4) continue;
        check_right(by_workers(name, ranks, n, true));
        check_right(by_workers(name, ranks, n, false));
      }
    }
  }
  for (const std::string& name : kScatters) {
    for (const int ranks : {1, 2, 3, 4, 5, 8, 9}) {
      for (const std::int64_t n : {1, 7, 777}) check_right(by_workers(name, ranks, n, false));
    }
  }
}

TEST_CASE("Workers: right on the machine, with simultaneous events in any order") {
  for (const std::string& name : {kRelays[0], kRelays[3], kScatters[0]}) {
    for (const int ranks : {2, 5}) {
      const Collective c = by_workers(name, ranks, 100, relays(name));
      const PerRank in = inputs(c);
      CAPTURE(name);
      CAPTURE(ranks);
      const Outcome usual = outcome(c, in, std::nullopt);
      CHECK(usual.out == expected(c, in));
      CHECK(outcome(c, in, 7) == usual);
    }
  }
}

TEST_CASE("Workers: the work for a packet delays each message of both parts, exactly where it dominates") {
  for (const std::int64_t messages : {1, 5, 40}) {
    CAPTURE(messages);
    const Time long_work = took(kLine, messages, 10'000.0);
    CHECK(took(kLine, messages, 15'000.0) - long_work == 2 * messages * 5000_ns);
  }
}

TEST_CASE("Workers: one load at a time takes longer than several, and two ways of one PE than one") {
  const auto time_of = [](bool serial) {
    Collective c = collective(kLine, machine_of(2), 100, 20'000);
    if (serial) c.algorithm.own["serial"] = true;
    return measured(c).kernel;
  };
  CHECK(time_of(true) > 2 * time_of(false));
}

TEST_CASE("Workers: keys without effect or partner, and too few slots, are refused") {
  const auto refused = [](const Collective& c, const char* text) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS((void)on_machine(c, inputs(c)), doctest::Contains(text), Error);
  };
  Collective no_serial = by_workers(kLine, 2, 100, false);
  no_serial.algorithm.own.erase("serial");
  refused(no_serial, "packet_ns has no effect without serial: true");
  Collective one_pe = by_workers(kLine, 2, 100, true);
  one_pe.algorithm.mapper = "leader_only";
  refused(one_pe, "per_way: true needs an even number of PEs a cube, as two serve a part; it has 1");
  Collective few_slots = by_workers("line_all_to_all", 8, 1000, true);
  few_slots.algorithm.n_slots = 32;
  refused(few_slots, "serial: true needs 33 slots of a queue here (n_slots)");
}

}  // namespace kbsim::test::library_workers_test
