#include "queue_checks.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs::msccl {
namespace {

/// One end of a connection: the thread block, and its steps that use it.
struct End {
  const PlanBlock* block = nullptr;
  std::vector<const PlanStep*> steps = {};
};

struct Connection {
  End sender;
  End receiver;
};
using Key = std::tuple<int, int, int>;  // from, to, channel

std::vector<const PlanStep*> steps_with(const PlanBlock& block, bool PlanOpTraits::* what) {
  std::vector<const PlanStep*> found;
  for (const PlanStep& step : block.steps) {
    if (traits_of(step.op).*what) found.push_back(&step);
  }
  return found;
}

std::string text_of(const Key& key) {
  const auto& [from, to, channel] = key;
  return fmt::format("from rank {} to rank {} on channel {}", from, to, channel);
}

void add(const ccl::Plan& plan, End& end, const PlanBlock& block, std::vector<const PlanStep*> steps,
         const Key& key, const char* does) {
  if (steps.empty()) return;
  if (end.block != nullptr)
    throw InputError{plan.place(block),
                     fmt::format("thread blocks {} and {} both {} {}; a connection has one", end.block->id,
                                 block.id, does, text_of(key))};
  end = {&block, std::move(steps)};
}

std::map<Key, Connection> connections(const ccl::Plan& plan) {
  std::map<Key, Connection> all;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for (const PlanBlock& block : plan.blocks[static_cast<std::size_t>(rank)]) {
      const Key out{rank, block.send, block.channel};
      const Key in{block.recv, rank, block.channel};
      if (block.send >= 0)
        add(plan, all[out].sender, block, steps_with(block, &PlanOpTraits::sends), out, "send");
      if (block.recv >= 0)
        add(plan, all[in].receiver, block, steps_with(block, &PlanOpTraits::receives), in, "receive");
    }
  }
  return all;
}

// Reports the first message that only one end has.
void require_as_many(const ccl::Plan& plan, const Key& key, const Connection& one) {
  const std::size_t sent = one.sender.steps.size();
  const std::size_t received = one.receiver.steps.size();
  if (sent == received) return;
  const PlanStep& extra = sent > received ? *one.sender.steps[received] : *one.receiver.steps[sent];
  throw InputError{
      plan.place(extra),
      sent > received
          ? fmt::format("this is send {} {}, and only {} are received", received + 1, text_of(key), received)
          : fmt::format("this is receive {} {}, and only {} are sent", sent + 1, text_of(key), sent)};
}

}  // namespace

void require_queues(const ccl::Plan& plan) {
  for (const auto& [key, one] : connections(plan)) {
    require_as_many(plan, key, one);
    for (std::size_t i = 0; i < one.sender.steps.size(); ++i) {
      const PlanStep& sent = *one.sender.steps[i];
      const PlanStep& received = *one.receiver.steps[i];
      if (sent.count == received.count) continue;
      throw InputError{plan.place(received),
                       fmt::format("message {} {} is received as {} chunks (cnt), and sent as {} at line {}",
                                   i + 1, text_of(key), received.count, sent.count, sent.line)};
    }
  }
}

void require_ends(const ccl::Plan& plan) {
  const std::vector<ccl::StuckStep> stuck = ccl::walk(plan, {});
  if (stuck.empty()) return;
  const ccl::StuckStep& one = stuck.front();
  const auto index = [](int number) { return static_cast<std::size_t>(number); };
  const PlanBlock& block = plan.blocks[index(one.rank)][index(one.block)];
  throw InputError{plan.place(block.steps[index(one.step)]),
                   "steps wait for each other in a circle:\n  " + ccl::describe(plan, stuck)};
}

}  // namespace kbsim::inputs::msccl
