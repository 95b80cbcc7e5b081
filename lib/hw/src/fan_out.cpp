#include "fan_out.hpp"

#include <algorithm>
#include <numeric>

namespace kbsim::hw {

void Activity::include(const Activity& other) {
  first_start = std::min(first_start, other.first_start);
  last_start = std::max(last_start, other.last_start);
  last_end = std::max(last_end, other.last_end);
}

void FanOut::accept(MessagePtr message) {
  if (const auto* order = std::get_if<Control>(&message->body)) {
    pass_on(message->from, *order);
  } else if (const auto* done = std::get_if<ControlDone>(&message->body)) {
    count(*done);
  } else {
    Component::accept(std::move(message));
  }
}

void FanOut::pass_on(NodeId from, const Control& order) {
  const std::vector<Part> parts = split(order);
  const std::uint32_t token = ++next_token_;
  open_[token] = {.from = from, .token = order.token, .parts_left = parts.size(), .activity = {}};
  const auto& targets = order.job->targets;
  for (const Part& part : parts) {
    Bytes size = fabric().graph().spec().system.control_bytes;
    for (std::size_t i = part.first; i < part.last; ++i) size += targets[i].size;
    tell(part.to, size, VirtualChannel::request,
         Control{.job = order.job, .first = part.first, .last = part.last, .token = token});
  }
}

void FanOut::count(const ControlDone& done) {
  const auto it = open_.find(done.token);
  Open& open = it->second;
  open.activity.include(done.activity);
  if (--open.parts_left > 0) return;
  tell(open.from, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
       ControlDone{.token = open.token, .activity = open.activity});
  open_.erase(it);
}

}  // namespace kbsim::hw
