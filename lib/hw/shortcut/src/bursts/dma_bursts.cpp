#include "dma_bursts.hpp"

#include <algorithm>
#include <optional>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/memory/i_plain_memory.hpp"

namespace kbsim::hw {

// Reserves the message's next packets of one size, and its last, which may be shorter; returns their port
// time. If another class may send, the two alternate packet by packet, or one packet is reserved.
std::optional<Time> DmaBursts::plan(DmaQueue& queue, Bytes size, Time gap) {
  constexpr std::int64_t kMost = 256;
  constexpr std::int64_t kFew = 4;
  if (active() || schedule() == nullptr) return std::nullopt;
  Message* const message = queue.burst.message;
  DmaQueue* other = rival_of(queue);
  std::int64_t reserved = 0;
  if (other != nullptr && takes_turns(queue, *other, size)) {
    const std::int64_t own = std::min(queue.burst.left / size, kMost);
    const std::int64_t others = std::min(other->burst.left / size, kMost);
    const std::int64_t most = std::min(2 * own, 2 * others + 1);
    if (most >= kFew)
      reserved = schedule_->begin(
          {.message = message, .other = other->burst.message, .size = size, .gap = gap, .most = most});
  }
  Bytes less;
  if (reserved == 0) {
    const std::int64_t all = queue.burst.left / size;
    const std::int64_t most = other != nullptr ? 1 : std::min(all, kMost);
    const Bytes shorter = other == nullptr && most == all ? queue.burst.left - size * all : 0_B;
    other = nullptr;
    reserved =
        schedule_->begin({.message = message, .size = size, .gap = gap, .most = most, .shorter = shorter});
    if (reserved > most) less = size - shorter;
  }
  if (reserved == 0) return std::nullopt;
  if (reserved > 1) follow(queue, other, {.size = size, .count = reserved, .less = less});
  engine_.has_left(queue, size, schedule_->left(0));
  if (active()) --burst_.flows[0].left;
  return less > 0_B ? (reserved - 1) * gap + engine_.gap_of(size - less) : reserved * gap;
}

BurstSchedule* DmaBursts::schedule() {
  if (schedule_ != nullptr) return schedule_.get();
  const DmaSite& site = engine_.site();
  IPlainMemory* const tcm = fabric_.component(site.tcm).contract().memory;
  if (tcm == nullptr) return nullptr;
  const BurstSchedule::Source source{
      .memory = site.tcm, .unit = site.dma, .port = &tcm->lane(false), .latency = tcm->time_to(false)};
  schedule_ = std::make_unique<BurstSchedule>(fabric_, source, static_cast<ILinkClaim&>(*this));
  return schedule_.get();
}

// The burst's first slot is past; the others are yet to come.
void DmaBursts::follow(DmaQueue& queue, DmaQueue* other, const PlannedBurst& reserved) {
  const std::int64_t flow_count = other != nullptr ? 2 : 1;
  burst_ = reserved;
  burst_.flow_count = flow_count;
  burst_.taken = 1;
  const auto add = [&](DmaQueue& one, std::int64_t first) {
    const std::int64_t turns = (reserved.count - first + flow_count - 1) / flow_count;
    const Bytes bytes = reserved.size * turns - reserved.less;
    Transfer& transfer = one.sender();
    const bool all = bytes == one.burst.left && transfer.ends_within(bytes);
    burst_.flows[static_cast<std::size_t>(first)] = {&one, turns, all};
    if (!all || transfer.progress.unanswered > 0) return;
    transfer.progress.reserved = ++ends_;
    engine_.post(schedule_->left(first + (turns - 1) * flow_count),
                 {.kind = DmaWork::Kind::sent, .token = ends_, .transfer = one.waiting[one.next]});
  };
  add(queue, 0);
  if (other != nullptr) add(*other, 1);
}

// The first other class that may send.
DmaQueue* DmaBursts::rival_of(const DmaQueue& queue, const DmaQueue* but) {
  for (DmaQueue& other : engine_.queues()) {
    if (&other != &queue && &other != but && engine_.may_send_later(other)) return &other;
  }
  return nullptr;
}

// True while both have packets of that size, and no third class may send.
bool DmaBursts::takes_turns(const DmaQueue& queue, const DmaQueue& other, Bytes size) {
  const DmaBurst& burst = other.burst;
  return burst.message != nullptr && burst.message->injected > 0 && burst.left >= size &&
         fabric_.packet_size(burst.message->size) == size && engine_.turn().left <= size &&
         engine_.turn_of(queue) <= size && engine_.turn_of(other) <= size &&
         rival_of(queue, &other) == nullptr;
}

// True if a class outside the burst may send.
bool DmaBursts::has_rival() { return rival_of(*burst_.flows[0].queue, burst_.flows[1].queue) != nullptr; }

// True if all of the transfer is sent with the burst's last slot.
bool DmaBursts::ends(const DmaQueue& queue) const {
  return std::ranges::any_of(burst_.flows, [&](const PlannedFlow& flow) {
    return flow.queue == &queue && flow.all && flow.left > 0;
  });
}

// True if a slot of the present time is past: it is in the first batch, unless that has yet to reach the DMA.
bool DmaBursts::had_turn() const {
  return engine_.batch() > 1 || (engine_.batch() == 1 && !engine_.is_due());
}

// Counts the slots that are past by now.
void DmaBursts::take_turns(bool present) {
  const std::int64_t past = schedule_->slots_past(present);
  if (past <= burst_.taken) return;
  const DmaQueue& last = *burst_.flows[static_cast<std::size_t>((past - 1) % burst_.flow_count)].queue;
  const Bytes whole = engine_.turn_of(last);
  DmaEngine::Turn& turn = engine_.turn();
  const auto number = static_cast<std::size_t>(&last - engine_.queues().data());
  if (number != turn.queue || burst_.flow_count > 1) turn.left = 0_B;
  turn.queue = number;
  const std::int64_t in_a_row = burst_.flow_count > 1 ? 1 : past - burst_.taken;
  for (std::int64_t i = 0; i < in_a_row; ++i)
    turn.left = (turn.left <= 0_B ? whole : turn.left) - burst_.size;
  const Bytes less = past == burst_.count ? burst_.less : 0_B;
  turn.left += less;
  for (std::int64_t first = burst_.taken; first < std::min(burst_.taken + burst_.flow_count, past); ++first) {
    PlannedFlow& flow = burst_.flows[static_cast<std::size_t>(first % burst_.flow_count)];
    const std::int64_t turns = (past - first + burst_.flow_count - 1) / burst_.flow_count;
    engine_.have_left(*flow.queue, burst_.size * turns - less,
                      schedule_->left(first + (turns - 1) * burst_.flow_count));
    flow.left -= turns;
  }
  burst_.taken = past;
  if (burst_.taken == burst_.count) burst_ = {};
}

// The DMA then sends each packet of the rest in its slot.
void DmaBursts::end(bool present) {
  if (active()) take_turns(present);
  if (active()) {
    for (const PlannedFlow& flow : burst_.flows) {
      if (!flow.all || flow.left == 0) continue;
      Transfer& transfer = flow.queue->sender();
      if (transfer.progress.unanswered == 0) transfer.progress.reserved = 0;
    }
    burst_ = {};
    engine_.port_free() = schedule_->slot_time(schedule_->slots_past(present));
    engine_.wake_again();
  }
  schedule_->end(present);
}

void DmaBursts::send(Message& message, Bytes size, Lane::Slot slot) {
  if (schedule_ != nullptr)
    schedule_->send(message, size, slot);
  else
    fabric_.inject(message, size, slot.start, slot.end);
}

void DmaBursts::leave(Time at) {
  if (schedule_ != nullptr) schedule_->pass(at);
}

void DmaBursts::before_read() {
  if (active()) take_turns(had_turn());
  if (active()) end(had_turn());
}

std::optional<Lane::Slot> DmaBursts::yield(LiveLink& link, const Packet& packet, Time overhead) {
  const std::optional<Lane::Slot> between = schedule_->between(link, packet, overhead);
  if (!between) end(had_turn());
  return between;
}

void DmaBursts::flush() { end(had_turn()); }

}  // namespace kbsim::hw
