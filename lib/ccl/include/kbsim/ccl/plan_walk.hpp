#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/ccl/plan.hpp"

namespace kbsim::ccl {

/// A queue of a plan, from a thread block of one rank to a thread block of another (indices within the rank).
struct PlanConnection {
  int from = 0;
  int to = 0;
  int channel = 0;
  int sender = 0;
  int receiver = 0;
};

/// A plan's queues, and which of them each thread block sends to and receives from (-1: none).
struct PlanQueues {
  std::vector<PlanConnection> all;
  std::vector<std::vector<int>> out;  // by rank and block
  std::vector<std::vector<int>> in;
};
/// The queues of a plan. Its senders and receivers must match.
[[nodiscard]] PlanQueues queues_of(const Plan& plan);

/// Number of messages that a queue holds (0: any number), and whether a tile that is copied and sent on keeps
/// its slot until it has left.
struct WalkRules {
  int slots = 0;
  bool keeps_slot = true;
};

/// A step that can't begin or go on, and the thread block that it waits for.
struct StuckStep {
  enum class Why { step, message, slot };
  int rank = 0;
  int block = 0;
  int step = 0;
  Why why = Why::step;
  int on_rank = 0;
  int on_block = 0;
  int on_step = 0;  // its current step; its number of steps: it has ended
};

/// Called at the end of each step, in an order that the plan allows; `in` and `out` are queues, -1: none.
using StepAction = std::function<void(int rank, const PlanStep& step, int in, int out)>;

/// Goes through the steps of a plan, and gives the steps that can't go on: none if it ends. The stuck steps
/// don't depend on the order, since each queue has one writer and one reader. A loop over pieces is stuck if
/// and only if its first turn is.
[[nodiscard]] std::vector<StuckStep> walk(const Plan& plan, WalkRules rules, const StepAction& action = {});

/// "rank 0, thread block 3, step 2 (rcs) waits for a free slot on channel 0 of rank 1, thread block 3, ..."
[[nodiscard]] std::string describe(const Plan& plan, const StuckStep& stuck);

/// A circle of steps that wait for each other, one line per step; "" if none is stuck.
[[nodiscard]] std::string describe(const Plan& plan, const std::vector<StuckStep>& stuck);

/// The fewest slots with which the plan ends. UsageError if no number is enough.
[[nodiscard]] int least_slots(const Plan& plan, bool keeps_slot);

}  // namespace kbsim::ccl
