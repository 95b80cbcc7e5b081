#include "kbsim/ccl/plan.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "kbsim/ccl/collective_table.hpp"

#include "plan_index.hpp"

namespace kbsim::ccl {
namespace {

auto all_steps(const Plan& plan) {
  return plan.blocks | std::views::join | std::views::transform(&PlanBlock::steps) | std::views::join;
}

// Whether a buffer of extent `mine` (input or output) is one share of the other.
bool is_one_share(const Plan& plan, Extent mine, Extent other) {
  return plan.ranks() > 0 && mine == Extent::one_share && other == Extent::all_shares;
}

}  // namespace

int Plan::chunks_of(PlanBuffer buffer, int rank) const {
  if (buffer == PlanBuffer::scratch) return scratch_chunks[at(rank)];
  const bool input = buffer == PlanBuffer::input;
  const std::vector<int>& own = input ? in_chunks : out_chunks;
  if (custom && !own.empty()) return own[at(rank)];
  const CollectiveEntry& row = ccl::collective(collective);
  return is_one_share(*this, input ? row.in : row.out, input ? row.out : row.in) ? share() : chunks;
}

bool Plan::same_steps(const Plan& other) const {
  return collective == other.collective && custom == other.custom && in_place == other.in_place &&
         chunks == other.chunks && scratch_chunks == other.scratch_chunks && in_chunks == other.in_chunks &&
         out_chunks == other.out_chunks && blocks == other.blocks;
}

PlanPlace place_of(const Plan& plan, int rank, PlanChunk chunk) {
  if (chunk.buffer == PlanBuffer::scratch) return {2, chunk.index};
  if (!plan.in_place) return {chunk.buffer == PlanBuffer::input ? 0 : 1, chunk.index};
  const bool all = plan.chunks_of(chunk.buffer, rank) == plan.chunks;
  return {0, all ? chunk.index : rank * plan.share() + chunk.index};
}

std::string step_name(const Plan& plan, int rank, int block, int step) {
  const PlanBlock& of = plan.blocks[at(rank)][at(block)];
  return fmt::format("rank {}, thread block {}, step {} ({})", rank, of.id, step,
                     to_string(of.steps[at(step)].op));
}

void mark_awaited(Plan& plan) {
  for (auto& blocks : plan.blocks) {
    for (const int number : numbers(blocks)) {
      for (const PlanStep& step : blocks[at(number)].steps) {
        if (step.after_block < 0 || step.after_block == number) continue;
        blocks[at(step.after_block)].steps[at(step.after_step)].awaited = true;
      }
    }
  }
}

bool has_waits(const Plan& plan) { return std::ranges::any_of(all_steps(plan), &PlanStep::awaited); }

int largest_message(const Plan& plan) {
  int most = 1;
  for (const PlanStep& step : all_steps(plan)) most = std::max(most, step.count);
  return most;
}

}  // namespace kbsim::ccl
