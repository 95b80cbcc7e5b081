#include "plan_events.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include <range/v3/view/enumerate.hpp>

namespace kbsim::host {
namespace {

namespace views = ranges::views;

using Kind = RecordedEvent::Kind;

/// The uses of a value, by the indices of the events.
struct Uses {
  std::vector<std::size_t> sums;
  std::vector<std::size_t> sends;
  std::vector<std::size_t> stores;
};

/// Turns events into steps, one after the other.
class Lowering {
 public:
  explicit Lowering(const RecordedKernel& kernel) : kernel_{kernel}, uses_(kernel.values.size()) {
    for (const auto& [i, event] : views::enumerate(kernel.events)) {
      if (event.kind == Kind::send) uses_[event.value].sends.push_back(i);
      if (event.kind == Kind::store) uses_[event.value].stores.push_back(i);
      if (event.kind != Kind::sum) continue;
      uses_[kernel.values[event.value].left].sums.push_back(i);
      uses_[kernel.values[event.value].right].sums.push_back(i);
    }
  }

  RecordedSteps run() {
    for (const auto& [i, event] : views::enumerate(kernel_.events)) {
      if (done_.contains(i)) continue;
      if (event.kind == Kind::recv) receive(i);
      if (event.kind == Kind::sum) add(event.value);
      if (event.kind == Kind::send) put({.op = PlanOp::send, .src = home(event.value)}, event.value);
      if (event.kind == Kind::store) store(event);
    }
    return {std::move(steps_), scratch_};
  }

 private:
  void put(PlanStep step, std::size_t value) {
    step.count = kernel_.values[value].count;
    steps_.push_back(step);
  }

  [[nodiscard]] PlanChunk home(std::size_t value) const {
    const RecordedValue& found = kernel_.values[value];
    return found.memory ? *found.memory : homes_.at(value);
  }
  PlanChunk make_home(std::size_t value) {
    const PlanChunk home{.buffer = PlanBuffer::scratch, .index = scratch_};
    scratch_ += kernel_.values[value].count;
    return homes_[value] = home;
  }

  [[nodiscard]] bool sends_between(std::size_t first, std::size_t last) const {
    return std::ranges::any_of(std::views::iota(first + 1, last), [&](std::size_t i) {
      return kernel_.events[i].kind == Kind::send && !done_.contains(i);
    });
  }

  // The sum of a message and chunks of memory, if that is the only use of the message.
  [[nodiscard]] std::optional<std::size_t> fused_sum(std::size_t message) const {
    const Uses& uses = uses_[message];
    if (uses.sums.size() != 1 || !uses.sends.empty() || !uses.stores.empty()) return std::nullopt;
    const RecordedValue& sum = kernel_.values[kernel_.events[uses.sums.front()].value];
    const std::size_t other = sum.left == message ? sum.right : sum.left;
    return kernel_.values[other].memory ? std::optional{uses.sums.front()} : std::nullopt;
  }

  // Adds the step of a message, with the sum, the send and the store that use it.
  void receive(std::size_t at) {
    const std::size_t message = kernel_.events[at].value;
    const auto sum = fused_sum(message);
    std::size_t value = message;
    PlanStep step;
    if (sum) {
      value = kernel_.events[*sum].value;
      const RecordedValue& made = kernel_.values[value];
      step.src = *kernel_.values[made.left == message ? made.right : made.left].memory;
      done_.insert(*sum);
    }
    const Uses& uses = uses_[value];
    const bool sends = !uses.sends.empty() && !sends_between(at, uses.sends.front());
    if (sends) done_.insert(uses.sends.front());
    const bool only_sent = sends && uses.sends.size() == 1 && uses.stores.empty() && uses.sums.empty();
    if (!uses.stores.empty()) {
      done_.insert(uses.stores.front());
      step.dst = homes_[value] = kernel_.events[uses.stores.front()].to;
    } else if (!(sum && only_sent)) {
      step.dst = make_home(value);
    }
    step.op = op_of(sum.has_value(), sends, only_sent);
    put(step, value);
  }

  [[nodiscard]] static PlanOp op_of(bool adds, bool sends, bool only_sent) {
    if (!adds) return sends ? PlanOp::recv_copy_send : PlanOp::recv;
    if (only_sent) return PlanOp::recv_reduce_send;
    return sends ? PlanOp::recv_reduce_copy_send : PlanOp::recv_reduce_copy;
  }

  // Adds a sum in a place of its own, since a step adds to the target's contents.
  void add(std::size_t value) {
    const RecordedValue& sum = kernel_.values[value];
    const PlanChunk left = home(sum.left);
    const PlanChunk right = home(sum.right);
    const PlanChunk to = make_home(value);
    put({.op = PlanOp::copy, .src = left, .dst = to}, value);
    put({.op = PlanOp::reduce, .src = right, .dst = to}, value);
  }

  void store(const RecordedEvent& event) {
    const PlanChunk from = home(event.value);
    if (from != event.to) put({.op = PlanOp::copy, .src = from, .dst = event.to}, event.value);
  }

  const RecordedKernel& kernel_;
  std::vector<Uses> uses_;
  std::set<std::size_t> done_;  // events that an earlier step has done
  std::map<std::size_t, PlanChunk> homes_;
  std::vector<PlanStep> steps_;
  int scratch_ = 0;
};

}  // namespace

RecordedSteps steps_of(const RecordedKernel& kernel) { return Lowering{kernel}.run(); }

}  // namespace kbsim::host
