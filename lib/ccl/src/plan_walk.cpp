#include "kbsim/ccl/plan_walk.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"

#include "plan_index.hpp"

namespace kbsim::ccl {
namespace {

namespace views = ranges::views;

bool any_step(const PlanBlock& block, bool PlanOpTraits::* what) {
  return std::ranges::any_of(block.steps, [what](const PlanStep& step) { return traits_of(step.op).*what; });
}

// Rank and number of each thread block.
std::vector<std::pair<int, int>> thread_blocks(const Plan& plan) {
  std::vector<std::pair<int, int>> all;
  for (const auto& [rank, blocks] : views::zip(views::iota(0), plan.blocks)) {
    for (const int block : numbers(blocks)) all.emplace_back(rank, block);
  }
  return all;
}

/// How far a thread block is.
struct Progress {
  int step = 0;
  bool has_message = false;       // the message of its step has been received
  std::vector<int> waiting = {};  // thread blocks of the rank that wait for a step of this one
};

struct Fill {
  int sent = 0;
  int taken = 0;
  int freed = 0;
};

/// Runs a plan until no thread block can go on.
class Walk {
 public:
  Walk(const Plan& plan, WalkRules rules, const StepAction& action)
      : plan_{plan}, rules_{rules}, action_{action}, queues_{queues_of(plan)}, fills_(queues_.all.size()) {
    for (const auto& blocks : plan.blocks) progress_.emplace_back(blocks.size());
  }

  std::vector<StuckStep> run() {
    ready_ = thread_blocks(plan_);
    while (!ready_.empty()) {
      const auto [rank, block] = ready_.back();
      ready_.pop_back();
      while (advance(rank, block)) {}
    }
    return stuck();
  }

 private:
  [[nodiscard]] Progress& progress(int rank, int block) { return progress_[at(rank)][at(block)]; }
  [[nodiscard]] const std::vector<PlanStep>& steps(int rank, int block) const {
    return plan_.blocks[at(rank)][at(block)].steps;
  }

  [[nodiscard]] bool is_after(int rank, const PlanStep& step) const {
    return step.after_block < 0 || progress_[at(rank)][at(step.after_block)].step > step.after_step;
  }
  [[nodiscard]] bool has_room(const Fill& fill) const {
    return rules_.slots == 0 || fill.sent - fill.freed < rules_.slots;
  }

  void free_slot(int queue) {
    ++fills_[at(queue)].freed;
    ready_.emplace_back(queues_.all[at(queue)].from, queues_.all[at(queue)].sender);
  }

  // Runs one step of a thread block; false if it can't.
  bool advance(int rank, int block) {
    Progress& here = progress(rank, block);
    if (here.step == static_cast<int>(steps(rank, block).size())) return false;
    const PlanStep& step = steps(rank, block)[at(here.step)];
    const PlanOpTraits op = traits_of(step.op);
    const int in = op.receives ? queues_.in[at(rank)][at(block)] : -1;
    const int out = op.sends ? queues_.out[at(rank)][at(block)] : -1;
    const bool keeps = rules_.keeps_slot && step.op == PlanOp::recv_copy_send;
    if (!is_after(rank, step)) {
      progress(rank, step.after_block).waiting.push_back(block);
      return false;
    }
    if (op.receives && !here.has_message) {
      if (fills_[at(in)].sent == fills_[at(in)].taken) return false;
      ++fills_[at(in)].taken;
      here.has_message = true;
      if (!keeps) free_slot(in);
    }
    if (op.sends && !has_room(fills_[at(out)])) return false;
    if (op.sends) send(out);
    if (keeps) free_slot(in);
    if (action_) action_(rank, step, in, out);
    end_step(rank, here);
    return true;
  }

  void send(int queue) {
    ++fills_[at(queue)].sent;
    ready_.emplace_back(queues_.all[at(queue)].to, queues_.all[at(queue)].receiver);
  }

  void end_step(int rank, Progress& here) {
    ++here.step;
    here.has_message = false;
    for (const int block : std::exchange(here.waiting, {})) ready_.emplace_back(rank, block);
  }

  [[nodiscard]] std::vector<StuckStep> stuck() const {
    std::vector<StuckStep> all;
    for (const auto& [rank, block] : thread_blocks(plan_)) {
      const int ended = static_cast<int>(steps(rank, block).size());
      if (progress_[at(rank)][at(block)].step < ended) all.push_back(stuck_at(rank, block));
    }
    return all;
  }

  [[nodiscard]] StuckStep stuck_at(int rank, int block) const {
    const Progress& here = progress_[at(rank)][at(block)];
    const PlanStep& step = steps(rank, block)[at(here.step)];
    StuckStep found{.rank = rank, .block = block, .step = here.step};
    if (!is_after(rank, step)) {
      found.on_rank = rank;
      found.on_block = step.after_block;
    } else if (traits_of(step.op).receives && !here.has_message) {
      const PlanConnection& queue = queues_.all[at(queues_.in[at(rank)][at(block)])];
      found.why = StuckStep::Why::message;
      found.on_rank = queue.from;
      found.on_block = queue.sender;
    } else {
      const PlanConnection& queue = queues_.all[at(queues_.out[at(rank)][at(block)])];
      found.why = StuckStep::Why::slot;
      found.on_rank = queue.to;
      found.on_block = queue.receiver;
    }
    found.on_step = progress_[at(found.on_rank)][at(found.on_block)].step;
    return found;
  }

  const Plan& plan_;
  WalkRules rules_;
  const StepAction& action_;
  PlanQueues queues_;
  std::vector<Fill> fills_;                      // by queue
  std::vector<std::vector<Progress>> progress_;  // by rank and block
  std::vector<std::pair<int, int>> ready_;       // rank and block
};

}  // namespace

PlanQueues queues_of(const Plan& plan) {
  PlanQueues queues;
  std::map<std::tuple<int, int, int>, int> known;  // from, to, channel
  for (const auto& [rank, blocks] : views::zip(views::iota(0), plan.blocks)) {
    queues.out.emplace_back(blocks.size(), -1);
    queues.in.emplace_back(blocks.size(), -1);
    for (const int number : numbers(blocks)) {
      const PlanBlock& block = blocks[at(number)];
      if (!any_step(block, &PlanOpTraits::sends)) continue;
      const int queue = static_cast<int>(queues.all.size());
      queues.out.back()[at(number)] = queue;
      known[{rank, block.send, block.channel}] = queue;
      queues.all.push_back({rank, block.send, block.channel, number, 0});
    }
  }
  for (const auto& [rank, number] : thread_blocks(plan)) {
    const PlanBlock& block = plan.blocks[at(rank)][at(number)];
    if (!any_step(block, &PlanOpTraits::receives)) continue;
    const auto found = known.find({block.recv, rank, block.channel});
    ensure(found != known.end(), "a thread block of a plan receives from no other");
    queues.in[at(rank)][at(number)] = found->second;
    queues.all[at(found->second)].receiver = number;
  }
  return queues;
}

std::string describe(const Plan& plan, const StuckStep& one) {
  const PlanBlock& other = plan.blocks[at(one.on_rank)][at(one.on_block)];
  const bool ended = one.on_step == static_cast<int>(other.steps.size());
  const std::string whose =
      ended ? fmt::format("rank {}, thread block {}, which has ended", one.on_rank, other.id)
            : step_name(plan, one.on_rank, one.on_block, one.on_step);
  const std::string me = step_name(plan, one.rank, one.block, one.step);
  const int channel = plan.blocks[at(one.rank)][at(one.block)].channel;
  if (one.why == StuckStep::Why::message)
    return fmt::format("{} waits for a message on channel {} from {}", me, channel, whose);
  if (one.why == StuckStep::Why::slot)
    return fmt::format("{} waits for a free slot on channel {} of {}", me, channel, whose);
  const PlanStep& step = plan.blocks[at(one.rank)][at(one.block)].steps[at(one.step)];
  return fmt::format("{} waits for the end of step {} after {}", me, step.after_step, whose);
}

std::vector<StuckStep> walk(const Plan& plan, WalkRules rules, const StepAction& action) {
  return Walk{plan, rules, action}.run();
}

std::string describe(const Plan& plan, const std::vector<StuckStep>& stuck) {
  if (stuck.empty()) return "";
  std::map<std::pair<int, int>, const StuckStep*> of_block;
  for (const StuckStep& one : stuck) of_block[{one.rank, one.block}] = &one;
  std::set<const StuckStep*> seen;
  const StuckStep* here = &stuck.front();
  const auto next = [&](const StuckStep* one) {
    const auto found = of_block.find({one->on_rank, one->on_block});
    return found == of_block.end() ? one : found->second;
  };
  while (seen.insert(here).second) here = next(here);
  std::string text = describe(plan, *here);
  for (const StuckStep* other = next(here); other != here; other = next(other))
    text += ";\n  " + describe(plan, *other);
  return text;
}

int least_slots(const Plan& plan, bool keeps_slot) {
  int most = 1;
  for (const PlanBlock& block : plan.blocks | std::views::join)
    most = std::max(most, static_cast<int>(block.steps.size()));
  const auto numbers_of_slots = std::views::iota(1, most + 1);
  const auto too_few = [&](int slots) { return !walk(plan, {slots, keeps_slot}).empty(); };
  const auto least = std::ranges::partition_point(numbers_of_slots, too_few);
  if (least == numbers_of_slots.end()) throw UsageError{plan.name + " ends with no number of slots"};
  return *least;
}

}  // namespace kbsim::ccl
