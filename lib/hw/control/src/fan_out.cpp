#include "fan_out.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/i_queue_state.hpp"
#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {

void FanOut::start(Machine& machine) {
  Component::start(machine);
  machine_ = &machine;
}

Task<> FanOut::run() {
  for (;;) {
    const MessagePtr message = co_await in().receive();
    const MessageBody& body = message->body;
    if (const auto* order = body.get_if<Control>())
      pass_on(message->from, *order);
    else if (const auto* done = body.get_if<ControlDone>())
      count(*done);
    else if (const auto* barrier = body.get_if<BarrierReached>())
      reached(*barrier);
    else if (const auto* pass = body.get_if<BarrierPassed>())
      passed(message->from, *pass);
    else if (const auto* given_up = body.get_if<LaunchGivenUp>())
      give_up(message->from, given_up->token);
    else
      refuse(*message);
  }
}

void FanOut::pass_on(NodeId from, const Control& order) {
  const std::vector<Part> parts = split(order);
  const std::uint32_t token = ++next_token_;
  Open& open = open_[token];
  open.from = from;
  open.token = order.token;
  open.order = order;
  open.parts_left = parts.size();
  for (const Part& part : parts) open.parts.push_back(part.to);
  if (sim().causes() != nullptr) sim().causes()->met(&open);
  const auto& targets = order.job->targets;
  for (const Part& part : parts) {
    Bytes size = fabric().graph().spec().system.control_bytes;
    for (std::size_t i = part.first; i < part.last; ++i) size += targets[i].size;
    send_message(part.to, size, TrafficClass::request,
                 Control{.job = order.job,
                         .first = part.first,
                         .last = part.last,
                         .token = token,
                         .order = order.order,
                         .number = order.number});
  }
}

void FanOut::count(const ControlDone& done) {
  const auto it = open_.find(done.token);
  Open& open = it->second;
  open.activity.include(done.activity);
  if (sim().causes() != nullptr) include_cause(open);
  if (--open.parts_left > 0) {
    if (done.given_up) give_up(it->first, open);
    return;
  }
  open.given_up = open.given_up || done.given_up;
  if (first()) require_received(open.order);
  send_message(open.from, fabric().graph().spec().system.control_bytes, TrafficClass::response,
               ControlDone{.token = open.token, .activity = open.activity, .given_up = open.given_up});
  open_.erase(it);
}

// The last part to report is the cause of the joint report.
void FanOut::include_cause(const Open& open) const {
  sim().causes()->found_met(&open);
  sim().causes()->met(&open);
}

// A launch has ended on all PEs of the package. The check for tiles left in queues takes no time.
void FanOut::require_received(const Control& ended) {
  for (const ControlTarget& target : ended.job->targets) {
    const auto* launch = std::get_if<Launch>(&target.action);
    if (launch == nullptr) continue;
    machine_->at<IQueueState>(fabric().graph().pe(target.pe).ipcq)
        .ended(launch->queues, {.order = ended.order, .round = launch->round});
  }
}

// Barriers of a launch that was given up are never passed.
void FanOut::reached(const BarrierReached& barrier) {
  const auto it = open_.find(barrier.token);
  if (it == open_.end() || it->second.given_up) return;
  Open& open = it->second;
  std::size_t& come = open.in_barrier[barrier.number];
  if (Causes* const causes = sim().causes()) [[unlikely]] {
    if (come > 0) causes->found_met(&come);
    causes->met(&come);
  }
  if (++come < open.parts.size()) return;
  open.in_barrier.erase(barrier.number);
  if (first()) return let_pass(barrier.token, open, barrier.number);
  send_message(open.from, fabric().graph().spec().system.control_bytes, TrafficClass::response,
               BarrierReached{.token = open.token, .number = barrier.number});
}

void FanOut::passed(NodeId from, const BarrierPassed& barrier) {
  const auto it = find(from, barrier.token);
  ensure(it != open_.end(), [&] { return name() + " got a barrier that it doesn't know"; });
  let_pass(it->first, it->second, barrier.number);
}

std::map<std::uint32_t, FanOut::Open>::iterator FanOut::find(NodeId from, std::uint32_t token) {
  return std::ranges::find_if(
      open_, [&](const auto& entry) { return entry.second.from == from && entry.second.token == token; });
}

// An order that all parts have reported isn't known any more.
void FanOut::give_up(NodeId from, std::uint32_t token) {
  const auto it = find(from, token);
  if (it != open_.end()) give_up(it->first, it->second);
}

// Parts that are done already ignore the message.
void FanOut::give_up(std::uint32_t token, Open& open) {
  if (std::exchange(open.given_up, true)) return;
  for (const NodeId part : open.parts) {
    send_message(part, fabric().graph().spec().system.control_bytes, TrafficClass::request,
                 LaunchGivenUp{.token = token});
  }
}

void FanOut::let_pass(std::uint32_t token, const Open& open, std::uint32_t number) {
  for (const NodeId part : open.parts) {
    send_message(part, fabric().graph().spec().system.control_bytes, TrafficClass::request,
                 BarrierPassed{.token = token, .number = number});
  }
}

}  // namespace kbsim::hw
