#include "kbsim/host/plan_calls.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/tl/plan_args.hpp"

namespace kbsim::host {
namespace {

void require_slots(const ccl::Plan& plan, const config::AlgorithmSpec& algorithm, const CollectiveArgs& args,
                   int largest) {
  if (args.slot_elems == 0 || args.slot_elems >= largest) return;
  throw UsageError{fmt::format(
      "{}: a message of {} chunks is of as many elements at least, and a slot of {} holds {} "
      "of {}; raise slot_size",
      plan.file, largest, to_string(algorithm.slot_size), args.slot_elems, to_string(args.data.dtype))};
}

// In a reduce, the root alone has an output.
int averaged_chunks(const ccl::Plan& plan, int rank) {
  const ccl::CollectiveEntry& row = ccl::collective(plan.collective);
  const bool has_output = row.combines && (!row.has_root || rank == 0);
  return has_output ? plan.chunks_of(PlanBuffer::output, rank) : 0;
}

// The words count the ended steps of all turns.
void require_countable(const ccl::Plan& plan, std::int64_t turns, const std::vector<PlanBlock>& blocks) {
  for (const PlanBlock& block : blocks) {
    const auto steps = static_cast<std::int64_t>(block.steps.size());
    if (steps * turns < std::numeric_limits<std::int32_t>::max()) continue;
    throw UsageError{fmt::format("{}: {} turns of {} steps are more than are counted; raise slot_size",
                                 to_string(plan.place(block)), turns, steps)};
  }
}

}  // namespace

std::int64_t plan_elems(const ccl::Plan& plan, std::int64_t n_elem) {
  const ccl::CollectiveEntry& row = ccl::collective(plan.collective);
  return std::max(n_elem, row.out_elems(n_elem, plan.ranks()));
}

std::vector<KernelCall> plan_calls(const ccl::Plan& plan, const config::AlgorithmSpec& algorithm,
                                   const CollectiveArgs& args, const PlanMemory& memory) {
  const auto& blocks = plan.blocks[static_cast<std::size_t>(args.rank)];
  PlanArgs own{.blocks = &blocks,
               .largest = ccl::largest_message(plan),
               .chunk_elems = ccl::chunk_elems(plan, plan_elems(plan, args.n_elem)),
               .scratch = memory.scratch,
               .ends = memory.ends,
               .out_chunks = averaged_chunks(plan, args.rank)};
  require_slots(plan, algorithm, args, own.largest);
  const std::int64_t piece = args.slot_elems == 0 ? own.chunk_elems : args.slot_elems / own.largest;
  require_countable(plan, own.chunk_elems / std::max<std::int64_t>(piece, 1) + 1, blocks);
  std::vector<KernelCall> calls;
  for (own.block = 0; own.block < static_cast<int>(blocks.size()); ++own.block) {
    CollectiveArgs of_block = args;
    of_block.own = KernelValues::of(own);
    calls.push_back(kernels().at(algorithm.kernel).bind(of_block));
  }
  return calls;
}

}  // namespace kbsim::host
