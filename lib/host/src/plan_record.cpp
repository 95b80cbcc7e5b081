// The sends, sums and stores of a kernel as a plan's steps.
#include "kbsim/host/plan_record.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/ccl/ranks.hpp"
#include "kbsim/host/launch_args.hpp"

#include "plan_events.hpp"
#include "plan_queues.hpp"
#include "plan_recorder.hpp"
#include "plan_spread.hpp"

namespace kbsim::host {
namespace {

config::MachineSpec machine_of_packages(int ranks) {
  config::MachineSpec machine;
  machine.system.sips.count = ranks;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

// Slots and TCM are large enough for any number of messages at once.
config::AlgorithmSpec unlimited(config::AlgorithmSpec algorithm) {
  constexpr int kSlots = 1 << 12;
  algorithm.n_slots = kSlots;
  algorithm.slot_size = Bytes{1 << 20};
  algorithm.chunk_size = 0;
  algorithm.buffer_kind = config::BufferKind::hbm;
  algorithm.world_size = 0;
  return algorithm;
}

// Number of participating PEs per package.
int pes_of(const ccl::Wiring& wiring) {
  return static_cast<int>(std::ranges::count_if(wiring, [](const auto& one) { return one.first.sip == 0; }));
}

CollectiveArgs args_of_rank(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                            int rank, int pes) {
  const ccl::CollectiveEntry& row = ccl::collective_of(algorithm);
  const int ranks = machine.system.sips.count;
  const bool one = !row.combines && row.shares_in(ranks) == 1;
  CollectiveArgs args =
      collective_args(machine, unlimited(algorithm), rank, {.va = kRecordedInput, .dtype = f32},
                      one ? 1 : ranks, pes, Bytes{1 << 30});
  if (!row.in_place) args.out = {.va = kRecordedOutput, .dtype = f32};
  return args;
}

SpreadKernel as_a_block(const RecordedKernel& kernel) {
  const auto only = [](const std::set<PeQueue>& queues) {
    return queues.empty() ? Dir::any : queues.begin()->label;
  };
  RecordedSteps made = steps_of(kernel);
  return {
      .blocks = {{.send = only(kernel.sends), .recv = only(kernel.receives), .steps = std::move(made.steps)}},
      .scratch = made.scratch};
}

void record_ranks(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine,
                  const ccl::Wiring& wiring, ccl::Plan& plan) {
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const RecordedKernel kernel =
        record_rank(algorithm, args_of_rank(machine, algorithm, rank, pes_of(wiring)), wiring);
    SpreadKernel made = fits_a_block(kernel, wiring, rank) ? as_a_block(kernel) : spread(kernel, plan, rank);
    plan.scratch_chunks[static_cast<std::size_t>(rank)] = made.scratch;
    std::vector<PlanBlock>& blocks = plan.blocks[static_cast<std::size_t>(rank)];
    for (SpreadBlock& one : made.blocks) {
      blocks.push_back(block_of(wiring, rank, static_cast<int>(blocks.size()), std::move(one)));
      plan.channels = std::max(plan.channels, blocks.back().channel + 1);
    }
  }
  ccl::mark_awaited(plan);
}

// The contributions to the sum of all vectors that the wiring joins with a PE's vector.
std::vector<ccl::Contribution> joined_chunks(const ccl::Wiring& wiring, PeCoord pe, int chunk, int of_a_pe) {
  std::set<PeCoord> seen{pe};
  for (std::vector<PeCoord> next{pe}; !next.empty();) {
    const PeCoord here = next.back();
    next.pop_back();
    for (const ccl::Neighbour& one : wiring.at(here)) {
      if (seen.insert(one.peer).second) next.push_back(one.peer);
    }
  }
  const auto contribution = [&](PeCoord one) {
    return ccl::Contribution{.rank = one.sip, .chunk = one.pe * of_a_pe + chunk};
  };
  return seen | ranges::views::transform(contribution) | ranges::to<std::vector>;
}

bool adds_what_is_joined(const ccl::Plan& plan, const ccl::Wiring& wiring) {
  const auto outputs = ccl::outputs_of(plan);
  const int of_a_pe = plan.chunks / pes_of(wiring);
  const auto is_same = [](const ccl::Contribution& a, const ccl::Contribution& b) {
    return a.source() == b.source() && a.times == b.times;
  };
  for (const auto& [pe, neighbours] : wiring) {
    for (int chunk = 0; chunk < of_a_pe; ++chunk) {
      const auto at = static_cast<std::size_t>(pe.pe * of_a_pe + chunk);
      const ccl::PlanSum& found = outputs[static_cast<std::size_t>(pe.sip)][at];
      if (!found || !std::ranges::equal(joined_chunks(wiring, pe, chunk, of_a_pe), *found, is_same))
        return false;
    }
  }
  return true;
}

// Vectors of several PEs of a package are one after the other in its rank's tensor. A plan that adds them up
// is no collective of ranks, so it names none. Returns the reason why a plan isn't right; "" if it is.
std::string why_wrong(ccl::Plan& plan, const ccl::Wiring& wiring) {
  if (!ccl::walk(plan, {}).empty()) return "its steps need another order than thread blocks'";
  const ccl::PlanJudgement found = ccl::judge(plan);
  if (found.right()) return "";
  const ccl::CollectiveEntry& row = ccl::collective(plan.collective);
  const bool joins = pes_of(wiring) > 1 && row.combines && row.in_place && !row.has_root;
  plan.collective = config::Collective::sendrecv;
  plan.custom = true;
  if (joins && ccl::judge(plan).right() && adds_what_is_joined(plan, wiring)) return "";
  return fmt::format("on {} ranks {}; kbsim --bench ccl --algorithm {} checks the kernel's values",
                     plan.blocks.size(),
                     found.problems.empty() ? "its sums are wrong" : found.problems.front(), plan.name);
}

}  // namespace

ccl::Plan plan_of_kernel(const config::AlgorithmSpec& algorithm, int ranks) {
  const config::MachineSpec machine = machine_of_packages(ranks);
  const ccl::Wiring wiring = ccl::wiring_of(unlimited(algorithm), machine);
  const int pes = pes_of(wiring);
  const ccl::CollectiveEntry& row = ccl::collective_of(algorithm);
  const std::int64_t n = args_of_rank(machine, algorithm, 0, pes).n_elem;
  const auto count = static_cast<std::size_t>(ranks);
  ccl::Plan plan{.name = algorithm.name,
                 .file = algorithm.name,
                 .protocol = "Simple",
                 .collective = algorithm.collective,
                 .in_place = row.in_place,
                 .chunks = pes * static_cast<int>(std::max(n, row.out_elems(n, ranks))),
                 .scratch_chunks = std::vector<int>(count),
                 .blocks = std::vector<std::vector<PlanBlock>>(count)};
  record_ranks(algorithm, machine, wiring, plan);
  if (const std::string why = why_wrong(plan, wiring); !why.empty())
    throw Unsupported{fmt::format("{} isn't written as a plan: {}", algorithm.name, why)};
  return plan;
}

}  // namespace kbsim::host
