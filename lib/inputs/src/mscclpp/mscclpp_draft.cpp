#include "mscclpp_draft.hpp"

#include <algorithm>
#include <map>

namespace kbsim::inputs::mscclpp {
namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

}  // namespace

int PlanDraft::add_block(int rank, const PlanBlock& block) {
  ranks_[index_of(rank)].push_back({block});
  return static_cast<int>(ranks_[index_of(rank)].size()) - 1;
}

PlanBlock& PlanDraft::block(int rank, int number) { return ranks_[index_of(rank)][index_of(number)].block; }

StepRef PlanDraft::add(int rank, int block, const PlanStep& step) {
  ranks_[index_of(rank)][index_of(block)].steps.push_back({step});
  return last(rank, block);
}

void PlanDraft::order(int rank, StepRef step, StepRef after) {
  if (after.step >= 0)
    ranks_[index_of(rank)][index_of(step.block)].steps[index_of(step.step)].after.push_back(after);
}

StepRef PlanDraft::last(int rank, int block) const {
  return {block, static_cast<int>(ranks_[index_of(rank)][index_of(block)].steps.size()) - 1};
}

// The last step of each other thread block. A later step of the same block stays: it makes a cycle.
std::vector<StepRef> PlanDraft::waits(const Draft& draft, StepRef at) {
  std::map<int, int> last_of;  // by thread block
  for (const StepRef& after : draft.after) {
    if (after.block == at.block && after.step < at.step) continue;
    int& step = last_of.emplace(after.block, after.step).first->second;
    step = std::max(step, after.step);
  }
  std::vector<StepRef> all;
  for (const auto& [block, step] : last_of) all.push_back({block, step});
  return all;
}

std::vector<PlanBlock> PlanDraft::finished(const Rank& rank) {
  std::vector<std::vector<std::vector<StepRef>>> after;  // by block and step
  std::vector<std::vector<int>> place;                   // positions of the steps after the inserted waits
  for (int b = 0; b < static_cast<int>(rank.size()); ++b) {
    after.emplace_back();
    place.emplace_back();
    int next = 0;
    for (const Draft& draft : rank[index_of(b)].steps) {
      after.back().push_back(waits(draft, {b, static_cast<int>(place.back().size())}));
      next += std::max(static_cast<int>(after.back().back().size()), 1);
      place.back().push_back(next - 1);
    }
  }
  std::vector<PlanBlock> blocks;
  for (std::size_t b = 0; b < rank.size(); ++b) {
    blocks.push_back(rank[b].block);
    for (std::size_t s = 0; s < rank[b].steps.size(); ++s) {
      const PlanStep& step = rank[b].steps[s].step;
      PlanStep next{.op = PlanOp::nop, .line = step.line, .column = step.column};
      for (const StepRef& wait : after[b][s]) {
        if (next.after_block >= 0) blocks.back().steps.push_back(next);
        next.after_block = wait.block;
        next.after_step = place[index_of(wait.block)][index_of(wait.step)];
      }
      PlanStep& last = blocks.back().steps.emplace_back(step);
      last.after_block = next.after_block;
      last.after_step = next.after_step;
    }
  }
  return blocks;
}

std::vector<std::vector<PlanBlock>> PlanDraft::finish() const {
  std::vector<std::vector<PlanBlock>> all;
  for (const Rank& rank : ranks_) all.push_back(finished(rank));
  return all;
}

}  // namespace kbsim::inputs::mscclpp
