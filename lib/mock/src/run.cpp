#include "kbsim/mock/run.hpp"

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/ccl/ranks.hpp"
#include "kbsim/mock/world.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::mock {
namespace {

std::vector<PeCoord> places(const RunSpec& spec, int pes) {
  std::vector<PeCoord> all;
  for (int rank = 0; rank < spec.world_size; ++rank) all.push_back({0, rank / pes, rank % pes});
  return all;
}

// A collective's kernel finds its part by its rank, so `data` is the first part: `rank` parts before its own.
CollectiveArgs collective_of(const RankData& of, int pes) {
  config::SipsSpec ranks;
  ranks.count = of.world_size;
  ranks.topology = config::SipTopology::torus_2d;
  ranks.w = ranks.h = 0;
  const topology::SipGrid grid{ranks};
  return {.data = of.data + -(of.rank * of.n_elem),
          .n_elem = of.n_elem,
          .pes = pes,
          .world_size = of.world_size,
          .rank = of.rank,
          .sip_w = grid.width(),
          .sip_h = grid.height()};
}

void require_inputs(const RunSpec& spec) {
  if (spec.world_size < 1) throw UsageError{fmt::format("world_size={}: at least 1", spec.world_size)};
  if (std::ssize(spec.inputs) != spec.world_size)
    throw UsageError{
        fmt::format("inputs of {} ranks, but world_size={}", spec.inputs.size(), spec.world_size)};
}

}  // namespace

std::vector<std::vector<double>> run(const RunSpec& spec, std::source_location at) {
  at_line(at, [&] { require_inputs(spec); });
  const int pes = spec.pes_per_cube > 0 ? spec.pes_per_cube : spec.world_size;
  const std::vector<PeCoord> ranks = places(spec, pes);
  const KernelEntry& kernel = at_line(at, [&]() -> const KernelEntry& { return kernels().at(spec.kernel); });
  const auto wired = [&] { return ccl::wire_at(ccl::topologies().at(spec.topology), {}, ranks); };
  World world{
      {.cubes = ranks.back().cube + 1, .pes = pes, .wiring = at_line(at, wired), .queues = spec.queues}, at};
  std::vector<RankData> data;
  for (int rank = 0; rank < spec.world_size; ++rank) {
    const std::vector<double>& input = spec.inputs[static_cast<std::size_t>(rank)];
    data.push_back({.rank = rank,
                    .world_size = spec.world_size,
                    .data = world.alloc(0, input, spec.dtype, at),
                    .n_elem = std::ssize(input)});
    const RankData& of = data.back();
    const std::any args = spec.args ? spec.args(of) : std::any{collective_of(of, pes)};
    world.launch(ranks[static_cast<std::size_t>(rank)], at_line(at, [&] { return kernel.bind(args); }), at);
  }
  world.run();
  std::vector<std::vector<double>> outputs;
  for (const RankData& of : data) outputs.push_back(world.read(0, of.data, of.n_elem, at));
  return outputs;
}

}  // namespace kbsim::mock
