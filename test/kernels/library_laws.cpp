// Collectives as libraries run them against theory: bytes on each link, and times.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/ccl/tuner.hpp"
#include "kbsim/config/load.hpp"

#include "collectives.hpp"

namespace kbsim::test::library_laws_test {
namespace {

using config::SipTopology;

// Nothing but the links between packages holds a collective up.
config::MachineSpec wide(int sips, SipTopology joined) {
  config::MachineSpec machine = machine_of(sips);
  const Bandwidth bandwidth = Bandwidth::gbs(4096.0);
  machine.system.sips.topology = joined;
  if (joined == SipTopology::mesh_2d_no_wrap)
    std::tie(machine.system.sips.w, machine.system.sips.h) = std::pair{sips, 1};
  machine.pe.link = bandwidth;
  machine.cube.noc.link = bandwidth;
  machine.cube.xbar_to_hbm = bandwidth;
  machine.sip.ucie_link.bandwidth = bandwidth;
  machine.sip.io.link.bandwidth = bandwidth;
  machine.pe.pe_math.attrs["lanes"] = std::int64_t{8192};
  machine.pe.pe_cpu.attrs["freq_ghz"] = 4.0;
  machine.pe.pe_tcm.attrs["read_bw_gbs"] = 8192.0;
  machine.pe.pe_tcm.attrs["write_bw_gbs"] = 8192.0;
  return machine;
}

config::MachineSpec line(int sips) { return wide(sips, SipTopology::mesh_2d_no_wrap); }
config::MachineSpec ring(int sips) { return wide(sips, SipTopology::ring_1d); }
config::MachineSpec full(int sips) { return wide(sips, SipTopology::full); }

Collective of(const std::string& algorithm, const config::MachineSpec& machine, std::int64_t n) {
  Collective c{.machine = machine, .algorithm = algorithm_of(algorithm)};
  c.algorithm.n_slots = 256;
  c.n_elem = n;
  return c;
}

// Elements and messages from one package to another, from the definition of the algorithm.
struct Sent {
  std::int64_t elements = 0;
  std::int64_t messages = 0;
};
using OnLinks = std::map<std::pair<int, int>, Sent>;

void add(OnLinks& links, int from, int to, std::int64_t elements) {
  if (elements == 0) return;
  links[{from, to}].elements += elements;
  ++links[{from, to}].messages;
}

// A message travels from place to place, one step at a time, round a ring of n or along a line.
void travel(OnLinks& links, int n, int from, int steps, int by, std::int64_t elements) {
  for (int i = 0; i < steps; ++i) {
    const int next = (from + by + n) % n;
    add(links, from, next, elements);
    from = next;
  }
}

std::int64_t first_half(std::int64_t n) { return (n + 1) / 2; }

// A part of n elements on its way from a place to all places of a ring: half of the way each way; the place
// opposite gets one half each way.
void spread_round(OnLinks& links, int ranks, int from, std::int64_t n) {
  const bool opposite = ranks % 2 == 0;
  const std::int64_t east = opposite ? first_half(n) : n;
  travel(links, ranks, from, ranks / 2, 1, east);
  travel(links, ranks, from, (ranks - 1) / 2, 1, n - east);
  travel(links, ranks, from, ranks / 2, -1, opposite ? n - east : n);
  travel(links, ranks, from, (ranks - 1) / 2, -1, opposite ? east : 0);
}

// The same along a line: to both ends.
void spread_along(OnLinks& links, int ranks, int from, std::int64_t n) {
  travel(links, ranks, from, ranks - 1 - from, 1, n);
  travel(links, ranks, from, from, -1, n);
}

OnLinks turned(const OnLinks& links) {
  OnLinks back;
  for (const auto& [link, sent] : links) back[{link.second, link.first}] = sent;
  return back;
}

OnLinks both(const OnLinks& a, const OnLinks& b) {
  OnLinks sum = a;
  for (const auto& [link, sent] : b) {
    sum[link].elements += sent.elements;
    sum[link].messages += sent.messages;
  }
  return sum;
}

using Spread = void (*)(OnLinks&, int ranks, int from, std::int64_t n);
OnLinks spread(Spread by, int ranks, std::int64_t n) {
  OnLinks links;
  for (int from = 0; from < ranks; ++from) by(links, ranks, from, n);
  return links;
}

// Each part goes its own way: the shorter one, and for the place opposite one half each way. Messages are of
// halves of parts.
OnLinks exchanged(int ranks, bool joined, std::int64_t n) {
  OnLinks links;
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      const int east = joined ? (to - from + ranks) % ranks : to - from;
      const int west = joined ? ranks - east : from - to;
      const bool opposite = joined && 2 * east == ranks;
      const bool goes_east = joined ? 2 * east < ranks : east > 0;
      for (const auto& [half, elements] : {std::pair{0, first_half(n)}, {1, n - first_half(n)}}) {
        if (from == to) continue;
        const bool by_east = opposite ? half == 0 : goes_east;
        travel(links, ranks, from, by_east ? east : west, by_east ? 1 : -1, elements);
      }
    }
  }
  return links;
}

// All bytes between packages, with a credit of one byte back for each message; other links carry none.
void check_bytes(const std::string& algorithm, const config::MachineSpec& machine, std::int64_t n,
                 const OnLinks& links) {
  CAPTURE(algorithm);
  CAPTURE(machine.system.sips.count);
  CAPTURE(n);
  Collective c = of(algorithm, machine, n);
  c.algorithm.ipcq_credit_size = 1_B;
  const auto on = [&](int from, int to) {
    const auto found = links.find({from, to});
    return found == links.end() ? Sent{} : found->second;
  };
  for (const auto& [link, bytes] : measured(c).sent_on) {
    CAPTURE(link.first);
    CAPTURE(link.second);
    CHECK(bytes.count() == 2 * on(link.first, link.second).elements + on(link.second, link.first).messages);
  }
}

std::int64_t most(const OnLinks& links) {
  std::int64_t elements = 0;
  for (const auto& [link, sent] : links) elements = std::max(elements, sent.elements);
  return elements;
}

double kernel_ns(const std::string& algorithm, const config::MachineSpec& machine, std::int64_t n) {
  return to_ns(measured(of(algorithm, machine, n)).kernel);
}

}  // namespace

// Ranks of any number, one slot and more, messages of one element and more: none waits for ever.
TEST_CASE("Collectives as libraries run them: right in worlds of 1 to 33 with few slots, in the mock") {
  for (const std::string& name : algorithm_names()) {
    if (algorithm_of(name).picked != config::Picked::by_limit) continue;
    for (const int ranks : {1, 2, 3, 4, 5, 8, 11, 16, 24, 33}) {
      for (const int slots : {1, 2, 3}) {
        for (const std::int64_t n : {1, 7, 777, 40'000}) {
          if (n > 1000 && (ranks > 8 || ranks == 1)) continue;
          CAPTURE(name);
          CAPTURE(ranks);
          CAPTURE(slots);
          CAPTURE(n);
          const Collective c = collective(name, machine_of(ranks), slots, n);
          const PerRank in = inputs(c);
          REQUIRE(in_mock(c, in) == expected(c, in));
        }
      }
    }
  }
}

TEST_CASE("Both ways: the links carry just the bytes of the formulas, round rings and along lines") {
  for (const int ranks : {2, 3, 4, 5, 8}) {
    const std::int64_t part = 30 + ranks % 2;  // one message each
    const std::int64_t all = part * ranks;
    const OnLinks round = spread(spread_round, ranks, part);
    const OnLinks along = spread(spread_along, ranks, part);
    check_bytes("two_way_ring_all_gather", ring(ranks), part, round);
    check_bytes("two_way_ring_reduce_scatter", ring(ranks), all, turned(round));
    check_bytes("two_way_ring_allreduce", ring(ranks), all, both(round, turned(round)));
    check_bytes("two_way_ring_all_to_all", ring(ranks), all, exchanged(ranks, true, part));
    check_bytes("line_all_gather", line(ranks), part, along);
    check_bytes("line_reduce_scatter", line(ranks), all, turned(along));
    check_bytes("line_allreduce", line(ranks), all, both(along, turned(along)));
    check_bytes("line_all_to_all", line(ranks), all, exchanged(ranks, false, part));
    check_bytes("line_all_to_all", ring(ranks), all, exchanged(ranks, false, part));
    // The busiest link, as physics.md has it: T is the whole tensor, B what a rank sends in an all-to-all.
    CHECK(most(along) == (ranks - 1) * part);
    CHECK(most(exchanged(ranks, false, part)) == ranks / 2 * ((ranks + 1) / 2) * part);
    if (ranks > 2) CHECK(most(round) <= (ranks - 1) * (part + 1) / 2);
  }
}

TEST_CASE("Direct: each link between two packages carries what they have for each other") {
  for (const int ranks : {2, 3, 5, 8}) {
    const std::int64_t part = 31;
    OnLinks links;
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) {
        if (from != to) add(links, from, to, part);
      }
    }
    check_bytes("direct_all_to_all", full(ranks), part * ranks, links);
    check_bytes("one_shot_reduce_scatter", full(ranks), part * ranks, links);
    check_bytes("one_shot_all_gather", full(ranks), part, links);
    check_bytes("one_shot_allreduce", full(ranks), part, links);
  }
}

TEST_CASE("Doubling: ranks exchange with those 1, 2, 4, ... away; those beyond a power of two give and get") {
  for (const auto& [ranks, size] : {std::pair{2, 2}, {3, 2}, {4, 4}, {6, 4}, {8, 8}}) {
    const std::int64_t part = 16;
    const std::int64_t all = part * ranks;
    OnLinks doubled;
    OnLinks halved;
    for (int rank = size; rank < ranks; ++rank) {
      add(doubled, rank, rank - size, all);
      add(doubled, rank - size, rank, all);
      for (int to = 0; to < ranks; ++to) add(halved, rank, rank - size, part);
      add(halved, rank - size, rank, part);
    }
    for (int rank = 0; rank < size; ++rank) {
      for (int distance = 1; distance < size; distance *= 2) {
        const int partner = rank ^ distance;
        add(doubled, rank, partner, all);
        // The parts that the partner and its lower neighbours stand for.
        for (int to = 0; to < ranks; ++to) {
          if ((to % size) / distance == partner / distance) add(halved, rank, partner, part);
        }
      }
    }
    check_bytes("doubling_allreduce", full(ranks), all, doubled);
    check_bytes("halving_reduce_scatter", full(ranks), all, halved);
  }
  // All parts but the own one reach a rank once, whatever the number of ranks.
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8}) {
    CAPTURE(ranks);
    Collective c = of("doubling_all_gather", full(ranks), 100);
    c.algorithm.ipcq_credit_size = 1_B;
    std::map<int, std::int64_t> arrived;
    for (const auto& [link, bytes] : measured(c).sent_on) arrived[link.second] += bytes.count();
    for (const auto& [rank, bytes] : arrived) CHECK(bytes == (ranks - 1) * (200 + 1));
  }
}

TEST_CASE("Both ways: small ones take a step per package, from ends of 2 and 3 packages to those of 9") {
  const auto check = [](const std::string& algorithm, config::MachineSpec (*machine)(int), int (*steps)(int),
                        int first, int second) {
    CAPTURE(algorithm);
    const auto took = [&](int ranks) { return kernel_ns(algorithm, machine(ranks), 8); };
    const double a_step = (took(second) - took(first)) / (steps(second) - steps(first));
    const double once = took(first) - steps(first) * a_step;
    for (const int ranks : {6, 7, 9}) {
      CAPTURE(ranks);
      CHECK(
          took(ranks) ==
          doctest::Approx(once + steps(ranks) * a_step).epsilon(0.03));  // halves of a part are two messages
    }
  };
  check("line_all_gather", line, [](int n) { return n - 1; }, 3, 4);
  check("two_way_ring_all_gather", ring, [](int n) { return n / 2; }, 3, 5);
}

TEST_CASE("Both ways: large ones take the busiest link's time") {
  constexpr std::int64_t kBytes = 1 << 20;
  for (const int ranks : {3, 4, 5, 8}) {
    const std::int64_t part = kBytes / 2 / ranks;
    const std::int64_t all = part * ranks;
    const auto check = [&](const std::string& algorithm, const config::MachineSpec& machine, std::int64_t n,
                           double elements) {
      CAPTURE(algorithm);
      CAPTURE(ranks);
      const double least = 2 * elements / 128.0;
      const double took = kernel_ns(algorithm, machine, n);
      CHECK(took > least);
      CHECK(took < 1.06 * least + 200 + 130 * (ranks - 1));  // the first message's way, the last one's store
    };
    const double whole = static_cast<double>(all);
    const double others = whole * (ranks - 1) / ranks;
    const double pairs = 1.0 * (ranks / 2) * ((ranks + 1) / 2) / ranks;
    const double on_ring = (ranks % 2 == 0 ? ranks * ranks : ranks * ranks - 1) / 8.0 / ranks;
    check("line_all_gather", line(ranks), part, others);
    check("line_reduce_scatter", line(ranks), all, others);
    check("line_allreduce", line(ranks), all, 2 * others);
    check("line_all_to_all", line(ranks), all, pairs * whole);
    check("two_way_ring_all_gather", ring(ranks), part, others / 2);
    check("two_way_ring_reduce_scatter", ring(ranks), all, others / 2);
    check("two_way_ring_allreduce", ring(ranks), all, others);
    check("two_way_ring_all_to_all", ring(ranks), all, on_ring * whole);
    check("direct_all_to_all", full(ranks), all, whole / ranks);
  }
}

TEST_CASE("Both ways: a grid of packages has a ring and a line along its wires") {
  for (const auto& [w, h] : {std::pair{2, 2}, {3, 2}, {4, 2}}) {
    config::MachineSpec grid = machine_of(w * h);
    grid.system.sips.topology = SipTopology::mesh_2d_no_wrap;
    std::tie(grid.system.sips.w, grid.system.sips.h) = std::pair{w, h};
    const std::int64_t part = 24;
    // A link that the walk doesn't use carries nothing; each other one the same as in a line of its own.
    const Measured m = measured(of("line_all_gather", grid, part));
    const auto used = std::ranges::count_if(m.sent_on, [](const auto& one) { return one.second > 0_B; });
    CHECK(used == 2 * (w * h - 1));
  }
}

TEST_CASE("Tuner: estimates of collectives as libraries run them are near the simulated times") {
  static const config::CclSpec declared =
      config::load_ccl(std::string{KBSIM_SOURCE_DIR} + "/configs/ccl.yaml");
  const auto check = [&](const std::string& name, const config::MachineSpec& machine, Bytes input) {
    CAPTURE(name);
    CAPTURE(machine.system.sips.count);
    CAPTURE(input.count());
    config::CclSpec one;
    one.algorithms[name] = declared.resolve(name);
    one.algorithms[name].picked = config::Picked::by_estimate;
    const auto found = ccl::candidates(one, machine, one.algorithms[name].collective, input);
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].estimate);
    const double estimate = to_ns(*found[0].estimate);
    const double took = kernel_ns(name, machine, input.count() / 2);
    // Ranks beyond a power of two overlap their exchange with those of the others.
    const bool overlaps =
        machine.system.sips.count == 6 && (name.starts_with("doubling") || name.starts_with("halving"));
    CHECK(took > (overlaps ? 0.7 : 0.8) * estimate);
    CHECK(took < 1.3 * estimate + 150);  // once: the first load, the last store
  };
  for (const int ranks : {4, 6, 8}) {
    for (const Bytes input : {96_B * 8, 96_KiB * 8}) {
      for (const char* name : {"line_all_gather", "line_reduce_scatter", "line_allreduce", "line_all_to_all"})
        check(name, line(ranks), input);
      for (const char* name : {"two_way_ring_all_gather", "two_way_ring_reduce_scatter",
                               "two_way_ring_allreduce", "two_way_ring_all_to_all"})
        check(name, ring(ranks), input);
      for (const char* name : {"direct_all_to_all", "one_shot_all_gather", "one_shot_reduce_scatter",
                               "one_shot_allreduce", "doubling_all_gather", "halving_reduce_scatter",
                               "doubling_allreduce", "halving_doubling_allreduce"}) {
        check(name, full(ranks), input);
        check(name, ring(ranks), input);
      }
    }
  }
}

}  // namespace kbsim::test::library_laws_test
