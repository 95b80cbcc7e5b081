#include "phases.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

using Flows = std::vector<PackageFlow>;
using Phases = std::vector<Phase>;

// The packages, and the routes between them.
struct Joined {
  const config::MachineSpec& machine;
  PackageNetwork network{machine.system.sips};
  int n = machine.system.sips.count;

  [[nodiscard]] double share() const { return 1.0 / n; }
  [[nodiscard]] Phase of(const Flows& flows, int steps = 1) const {
    return {.load = network.load_of(flows), .steps = steps};
  }
};

// Units of all parts that cross the link after a place, if a part is one unit. The way back is alike.
using OnLink = double (*)(int place, int n);

double gathered_on_ring(int /*place*/, int n) { return (n - 1) / 2.0; }
double gathered_on_line(int place, int /*n*/) { return place + 1.0; }
double reduced_on_line(int place, int n) { return n - 1.0 - place; }
// The distances d that a part travels, each crossed by d parts; half of those for the place opposite.
double exchanged_on_ring(int /*place*/, int n) {
  const int reach = n / 2;
  return reach * (reach + 1) / 2.0 - (n % 2 == 0 ? reach / 2.0 : 0.0);
}
double exchanged_on_line(int place, int n) { return (place + 1.0) * (n - 1 - place); }

Phase round_ring(const Joined& p, OnLink units, double part, int times = 1) {
  const std::vector<int> ring = ring_of_ranks(p.machine);
  Flows flows;
  for (int place = 0; place < p.n && p.n > 1; ++place) {
    const int here = ring[static_cast<std::size_t>(place)];
    const int next = ring[static_cast<std::size_t>((place + 1) % p.n)];
    flows.push_back({here, next, part * units(place, p.n)});
    flows.push_back({next, here, part * units(place, p.n)});
  }
  return p.of(flows, times * (p.n / 2));
}

Phase along_line(const Joined& p, OnLink units, double part) {
  const std::vector<int> line = line_of_ranks(p.machine);
  Flows flows;
  for (int place = 0; place + 1 < p.n; ++place) {
    const int here = line[static_cast<std::size_t>(place)];
    const int next = line[static_cast<std::size_t>(place + 1)];
    flows.push_back({here, next, part * units(place, p.n)});
    flows.push_back({next, here, part * units(p.n - 2 - place, p.n)});
  }
  return p.of(flows, p.n - 1);
}

Phases direct(const Joined& p, double part) {
  if (p.n == 1) return {};
  PackageLoad load = p.network.load_of_all_pairs();
  load.on_a_link *= part;
  load.at_a_package *= part;
  return {{.load = load, .steps = 1, .peers = p.n - 1}};
}

int power_of_two(int n) {
  int power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

// The first ranks exchange so many units with the ranks whose numbers differ by that power of two.
Phase exchanged(const Joined& p, int distance, double units) {
  Flows flows;
  for (int rank = 0; rank < power_of_two(p.n); ++rank) flows.push_back({rank, rank ^ distance, units});
  return p.of(flows);
}

// The ranks beyond the first power of two give so many units to ranks of it, or get them.
void add_beyond(Phases& phases, const Joined& p, double units, bool give) {
  const int size = power_of_two(p.n);
  Flows flows;
  for (int rank = size; rank < p.n; ++rank)
    flows.push_back({give ? rank : rank - size, give ? rank - size : rank, units});
  if (!flows.empty()) phases.push_back(p.of(flows));
}

Phases doubled(const Joined& p) {
  Phases phases;
  add_beyond(phases, p, 1, true);
  for (int distance = 1; distance < power_of_two(p.n); distance *= 2)
    phases.push_back(exchanged(p, distance, 1));
  add_beyond(phases, p, 1, false);
  return phases;
}

// A reduce-scatter by halving, and with an all-gather an all-reduce: what is left to add up is a share of
// each of the first ranks.
Phases halved(const Joined& p, bool gathers) {
  const int size = power_of_two(p.n);
  Phases phases;
  add_beyond(phases, p, 1, true);
  for (int distance = size / 2; distance >= 1; distance /= 2)
    phases.push_back(exchanged(p, distance, static_cast<double>(distance) / size));
  for (int distance = 1; gathers && distance < size; distance *= 2)
    phases.push_back(exchanged(p, distance, static_cast<double>(distance) / size));
  add_beyond(phases, p, gathers ? 1 : p.share(), false);
  return phases;
}

Phases gathered_by_doubling(const Joined& p) {
  Phases phases;
  for (int distance = 1; distance < p.n; distance *= 2) {
    if (power_of_two(p.n) == p.n) {
      phases.push_back(exchanged(p, distance, distance));
      continue;
    }
    Flows flows;
    for (int rank = 0; rank < p.n; ++rank)
      flows.push_back({rank, (rank + p.n - distance) % p.n, 1.0 * std::min(distance, p.n - distance)});
    phases.push_back(p.of(flows));
  }
  return phases;
}

const std::map<std::string_view, Phases (*)(const Joined&)>& all_phases() {
  static const std::map<std::string_view, Phases (*)(const Joined&)> kAll{
      {"two_way_ring_all_gather", [](const Joined& p) { return Phases{round_ring(p, gathered_on_ring, 1)}; }},
      {"two_way_ring_reduce_scatter",
       [](const Joined& p) { return Phases{round_ring(p, gathered_on_ring, p.share())}; }},
      {"two_way_ring_allreduce",
       [](const Joined& p) { return Phases{round_ring(p, gathered_on_ring, 2 * p.share(), 2)}; }},
      {"two_way_ring_all_to_all",
       [](const Joined& p) { return Phases{round_ring(p, exchanged_on_ring, p.share())}; }},
      {"line_all_gather", [](const Joined& p) { return Phases{along_line(p, gathered_on_line, 1)}; }},
      {"line_reduce_scatter",
       [](const Joined& p) { return Phases{along_line(p, reduced_on_line, p.share())}; }},
      {"line_allreduce",
       [](const Joined& p) {
         return Phases{along_line(p, reduced_on_line, p.share()), along_line(p, gathered_on_line, p.share())};
       }},
      {"line_all_to_all",
       [](const Joined& p) { return Phases{along_line(p, exchanged_on_line, p.share())}; }},
      {"direct_all_to_all", [](const Joined& p) { return direct(p, p.share()); }},
      {"one_shot_reduce_scatter", [](const Joined& p) { return direct(p, p.share()); }},
      {"one_shot_all_gather", [](const Joined& p) { return direct(p, 1); }},
      {"one_shot_allreduce", [](const Joined& p) { return direct(p, 1); }},
      {"doubling_allreduce", doubled},
      {"halving_doubling_allreduce", [](const Joined& p) { return halved(p, true); }},
      {"halving_reduce_scatter", [](const Joined& p) { return halved(p, false); }},
      {"doubling_all_gather", gathered_by_doubling},
  };
  return kAll;
}

}  // namespace

std::optional<std::vector<Phase>> phases_of(std::string_view kernel, const config::MachineSpec& machine) {
  const auto found = all_phases().find(kernel);
  if (found == all_phases().end()) return std::nullopt;
  return found->second(Joined{machine});
}

}  // namespace kbsim::ccl
