#include "collectives.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "kbsim/base/registry.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/host/launch_args.hpp"
#include "kbsim/mock/mock_wiring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::test {
namespace {

std::vector<PeCoord> participants(const Collective& c) {
  return ccl::mappers().at(c.algorithm.mapper).participants(c.machine);
}

// PEs that the wiring joins with `at`, itself included.
std::set<PeCoord> joined_with(const ccl::Wiring& wiring, PeCoord at) {
  std::set<PeCoord> seen{at};
  for (std::vector<PeCoord> next{at}; !next.empty();) {
    const PeCoord here = next.back();
    next.pop_back();
    for (const ccl::Neighbour& n : wiring.at(here)) {
      if (seen.insert(n.peer).second) next.push_back(n.peer);
    }
  }
  return seen;
}

double combined(Reduction op, const Numbers& numbers) {
  double all = numbers.front();
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (op == Reduction::max) all = std::max(all, numbers[i]);
    if (op == Reduction::min) all = std::min(all, numbers[i]);
    if (op == Reduction::prod) all *= numbers[i];
    if (op == Reduction::sum || op == Reduction::avg) all += numbers[i];
  }
  return op == Reduction::avg ? all / static_cast<double>(numbers.size()) : all;
}

}  // namespace

config::MachineSpec machine_of(int sips, int w, int h) {
  config::MachineSpec spec;
  spec.system.sips.count = sips;
  spec.sip.cube_mesh = {.w = w, .h = h};
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 1};
  return spec;
}

const config::CclSpec& declared() {
  static const config::CclSpec spec = config::load_ccl(std::string{KBSIM_SOURCE_DIR} + "/configs/ccl.yaml");
  return spec;
}

config::AlgorithmSpec algorithm_of(const std::string& name) { return declared().resolve(name); }

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : declared().algorithms) {
    if (algorithm.world_size == 0) names.push_back(name);
  }
  return names;
}

Collective collective(const std::string& algorithm, const config::MachineSpec& machine, int slots,
                      std::int64_t n) {
  const std::int64_t world = machine.system.sips.count;
  Collective c{.machine = machine, .algorithm = algorithm_of(algorithm)};
  const std::int64_t shares = ccl::collective(c.algorithm.collective).shares_in(static_cast<int>(world));
  c.algorithm.n_slots = slots;
  c.algorithm.slot_size = 256_B;
  c.n_elem = (n + shares - 1) / shares * shares;
  c.root = static_cast<int>(world / 2);
  return c;
}

bool in_place(const Collective& c) { return ccl::collective(c.algorithm.collective).in_place; }

Parts parts_of(const Collective& c) {
  std::set<int> cubes;
  std::set<int> pes;
  for (const PeCoord& at : participants(c)) {
    cubes.insert(at.cube);
    pes.insert(at.pe);
  }
  return {.cubes = static_cast<int>(cubes.size()), .pes = static_cast<int>(pes.size())};
}

PerRank inputs(const Collective& c) {
  PerRank all;
  const std::int64_t n = parts_of(c).count() * c.n_elem;
  for (int rank = 0; rank < c.machine.system.sips.count; ++rank) {
    Numbers mine;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto draw = static_cast<int>((7 * rank + 3 * i + i * i % 11) % 5);
      mine.push_back(c.op == Reduction::prod ? (draw == 0 ? 2.0 : 1.0) : draw - 1.0);
    }
    all.push_back(mine);
  }
  return all;
}

std::int64_t out_elems(const Collective& c) {
  return ccl::collective(c.algorithm.collective).out_elems(c.n_elem, c.machine.system.sips.count);
}

PerRank expected(const Collective& c, const PerRank& in) {
  const std::vector<PeCoord> pes = participants(c);
  const ccl::Wiring wiring = ccl::topologies().at(c.algorithm.topology).wire(c.machine, pes);
  const Parts parts = parts_of(c);
  const int world = c.machine.system.sips.count;
  const auto value = [&](PeCoord at, std::int64_t i) {
    return in[static_cast<std::size_t>(at.sip)]
             [static_cast<std::size_t>((at.cube * parts.pes + at.pe) * c.n_elem + i)];
  };
  std::map<std::set<PeCoord>, Numbers> sums;
  const auto sum_of = [&](const std::set<PeCoord>& joined) -> const Numbers& {
    const auto [found, is_new] = sums.try_emplace(joined);
    for (std::int64_t i = 0; is_new && i < c.n_elem; ++i) {
      Numbers numbers;
      for (const PeCoord& pe : joined) numbers.push_back(value(pe, i));
      found->second.push_back(combined(c.op, numbers));
    }
    return found->second;
  };
  PerRank out(static_cast<std::size_t>(world));
  for (const PeCoord& at : pes) {
    const Numbers& sum = sum_of(joined_with(wiring, at));
    const ccl::CollectiveInputs inputs{
        .ranks = world,
        .n_elem = c.n_elem,
        .root = c.root,
        .in = [&](int rank, std::int64_t i) { return value({rank, at.cube, at.pe}, i); },
        .combined = [&](std::int64_t i) { return sum.at(static_cast<std::size_t>(i)); }};
    Numbers& mine = out[static_cast<std::size_t>(at.sip)];
    for (std::int64_t i = 0; i < out_elems(c); ++i)
      mine.push_back(ccl::collective(c.algorithm.collective).reference(inputs, at.sip, i));
  }
  return out;
}

PerRank in_mock(const Collective& c, const PerRank& in) {
  mock::World world{mock::like(c.machine, c.algorithm)};
  const Parts parts = parts_of(c);
  std::vector<Ptr> results;
  for (int rank = 0; rank < c.machine.system.sips.count; ++rank) {
    const Ptr data = world.alloc(rank, in[static_cast<std::size_t>(rank)], c.dtype);
    CollectiveArgs args = host::collective_args(c.machine, c.algorithm, rank, data, c.n_elem, parts.pes);
    if (!in_place(c)) args.out = world.alloc(rank, parts.count() * out_elems(c), c.dtype);
    args.op = c.op;
    args.root = c.root;
    results.push_back(in_place(c) ? data : args.out);
    for (const PeCoord& pe : participants(c)) {
      if (pe.sip == rank) world.launch(pe, kernels().at(c.algorithm.kernel).bind(args));
    }
  }
  world.run();
  PerRank out;
  for (int rank = 0; rank < c.machine.system.sips.count; ++rank) {
    out.push_back(world.read(rank, results[static_cast<std::size_t>(rank)], parts.count() * out_elems(c)));
  }
  return out;
}

}  // namespace kbsim::test
