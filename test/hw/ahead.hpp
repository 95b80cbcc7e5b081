#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/hw/conformance/machine_outcome.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/i_dma.hpp"

#include "harness.hpp"
#include "random_machine.hpp"
#include "sanitized.hpp"

/// Runs that reserve ahead, against the same runs with an event for each step.
namespace kbsim::hw::test {

using Shuffle = std::optional<std::uint64_t>;

inline bool same_use(const UnitUse& a, const UnitUse& b) {
  return a.served == b.served && a.bytes == b.bytes && a.busy == b.busy && a.waited == b.waited &&
         a.longest == b.longest;
}
inline bool same_times(const Attribution& a, const Attribution& b) {
  return a.messages == b.messages && a.split.overhead == b.split.overhead && a.split.wire == b.split.wire &&
         a.split.drain == b.split.drain && a.split.queueing == b.split.queueing;
}
inline bool same_dma(const DmaUse& a, const DmaUse& b) {
  return a.busy == b.busy && a.read == b.read && a.written == b.written;
}

struct Outcome {
  std::vector<Time> arrivals;  // of messages
  std::vector<LinkUse> links;
  std::uint64_t digest = 0;
  Attribution times;  // of messages
  std::vector<UnitUse> units;
  std::vector<DmaUse> dmas;
  Time end{};
  std::uint64_t events = 0;

  [[nodiscard]] bool same(const Outcome& other) const {
    return arrivals == other.arrivals && links == other.links && digest == other.digest &&
           same_times(times, other.times) && end == other.end &&
           std::ranges::equal(units, other.units, same_use) && std::ranges::equal(dmas, other.dmas, same_dma);
  }
};

inline std::vector<LinkUse> use_of_links(const Fabric& fabric) { return use_of(fabric.links()); }

// The first link whose use differs, and how.
inline std::string different(const std::vector<LinkUse>& a, const std::vector<LinkUse>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    return fmt::format("{}: free {} {} busy {} {} waited {} {} longest {} {} packets {} {}", i,
                       to_string(a[i].free), to_string(b[i].free), to_string(a[i].busy), to_string(b[i].busy),
                       to_string(a[i].waited), to_string(b[i].waited), to_string(a[i].longest),
                       to_string(b[i].longest), a[i].packets, b[i].packets);
  }
  return "none";
}

inline void note_use(Rig& rig, Outcome& result) {
  for (std::uint32_t i = 0; i < rig.graph.nodes().size(); ++i) {
    const Component& component = rig.machine->fabric().component(NodeId{i});
    std::ranges::copy(component.use(), std::back_inserter(result.units));
    if (const auto* dma = dynamic_cast<const IDma*>(&component)) result.dmas.push_back(dma->moved());
  }
}

template <class Run>
Outcome outcome(const config::MachineSpec& spec, bool exact, Shuffle shuffle, Run run) {
  Rig rig{spec, {.shuffle_ties = shuffle}};
  if (exact) rig.machine->fabric().exact_packets();
  Outcome result{.arrivals = run(rig)};
  rig.machine->fabric().audit();
  result.links = use_of_links(rig.machine->fabric());
  result.digest = rig.machine->digest().value();
  result.times = rig.machine->fabric().attribution();
  note_use(rig, result);
  result.end = rig.sim.now();
  result.events = rig.sim.events();
  return result;
}

// Number of cases; more by hand: KBSIM_SEEDS=5000.
inline std::uint64_t seeds(unsigned few) {
  const char* const many = std::getenv("KBSIM_SEEDS");
  return many != nullptr ? std::strtoull(many, nullptr, 10) : kbsim::test::fewer(few);
}

// The first seed: KBSIM_FIRST_SEED=528.
inline std::uint64_t first_seed() {
  const char* const first = std::getenv("KBSIM_FIRST_SEED");
  return first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
}

// Compares a run of `spec` that reserves ahead, and two with shuffled ties, with the run by events.
template <class Run>
void check_same(const config::MachineSpec& spec, std::uint64_t seed, std::uint64_t& saved, Run run) {
  const Outcome exact = outcome(spec, true, {}, run);
  for (const Shuffle shuffle : {Shuffle{}, Shuffle{seed}, Shuffle{seed + 1}}) {
    const Outcome flown = outcome(spec, false, shuffle, run);
    CAPTURE(shuffle.value_or(0));
    CAPTURE(to_string(flown.end));
    CAPTURE(to_string(exact.end));
    CAPTURE(flown.digest == exact.digest);
    CAPTURE(to_string(flown.times.split.drain - exact.times.split.drain));
    CAPTURE(different(flown.links, exact.links));
    REQUIRE(flown.same(exact));
    if (!shuffle && flown.events < exact.events) saved += exact.events - flown.events;
  }
}

// The same on a random machine of that seed. Every eighth machine is put in step; KBSIM_IN_STEP=1 does so for
// all.
template <class Run>
void check_random(const config::MachineSpec& spec, std::uint64_t seed, std::uint64_t& saved, Run run) {
  const bool steps = seed % 8 == 5 || std::getenv("KBSIM_IN_STEP") != nullptr;
  check_same(steps ? in_step(spec) : spec, seed, saved, run);
}

}  // namespace kbsim::hw::test
