#include "dma_bursts.hpp"

#include <algorithm>
#include <optional>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/memory/i_plain_memory.hpp"

namespace kbsim::hw {

// Reserves the message's next packets of one size, and its last, which may be shorter; returns their port
// time. If another class may send, the two take turns packet by packet, or one packet is reserved.
std::optional<Time> DmaBursts::plan(DmaQueue& queue, Bytes size, Time gap) {
  constexpr std::int64_t kMost = 256;
  constexpr std::int64_t kFew = 4;
  if (active() || paced() == nullptr) return std::nullopt;
  Message* const message = queue.burst.message;
  DmaQueue* other = rival_of(queue);
  std::int64_t reserved = 0;
  if (other != nullptr && takes_turns(queue, *other, size)) {
    const std::int64_t own = std::min(queue.burst.left / size, kMost);
    const std::int64_t others = std::min(other->burst.left / size, kMost);
    const std::int64_t most = std::min(2 * own, 2 * others + 1);
    if (most >= kFew)
      reserved = paced_->begin(
          {.message = message, .other = other->burst.message, .size = size, .gap = gap, .most = most});
  }
  Bytes less;
  if (reserved == 0) {
    const std::int64_t all = queue.burst.left / size;
    const std::int64_t most = other != nullptr ? 1 : std::min(all, kMost);
    const Bytes shorter = other == nullptr && most == all ? queue.burst.left - size * all : 0_B;
    other = nullptr;
    reserved =
        paced_->begin({.message = message, .size = size, .gap = gap, .most = most, .shorter = shorter});
    if (reserved > most) less = size - shorter;
  }
  if (reserved == 0) return std::nullopt;
  if (reserved > 1) follow(queue, other, {.size = size, .count = reserved, .less = less});
  engine_.has_left(queue, size, paced_->left(0));
  if (active()) --run_.parts[0].left;
  return less > 0_B ? (reserved - 1) * gap + engine_.gap_of(size - less) : reserved * gap;
}

PacedRuns* DmaBursts::paced() {
  if (paced_ != nullptr) return paced_.get();
  const DmaSite& site = engine_.site();
  IPlainMemory* const tcm = fabric_.component(site.tcm).contract().memory;
  if (tcm == nullptr) return nullptr;
  const PacedRuns::Source source{
      .memory = site.tcm, .unit = site.dma, .port = &tcm->lane(false), .latency = tcm->time_to(false)};
  paced_ = std::make_unique<PacedRuns>(fabric_, source, static_cast<ILinkClaim&>(*this));
  return paced_.get();
}

// The burst's other turns are yet to come.
void DmaBursts::follow(DmaQueue& queue, DmaQueue* other, const ReservedRun& reserved) {
  const std::int64_t ways = other != nullptr ? 2 : 1;
  run_ = reserved;
  run_.ways = ways;
  run_.taken = 1;
  const auto add = [&](DmaQueue& one, std::int64_t first) {
    const std::int64_t turns = (reserved.count - first + ways - 1) / ways;
    const Bytes bytes = reserved.size * turns - reserved.less;
    Transfer& transfer = one.sender();
    const bool all = bytes == one.burst.left && transfer.ends_within(bytes);
    run_.parts[static_cast<std::size_t>(first)] = {&one, turns, all};
    if (!all || transfer.progress.unanswered > 0) return;
    transfer.progress.reserved = ++ends_;
    engine_.post(paced_->left(first + (turns - 1) * ways),
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
bool DmaBursts::has_rival() { return rival_of(*run_.parts[0].queue, run_.parts[1].queue) != nullptr; }

// True if the transfer is all sent when the burst has had its turns.
bool DmaBursts::ends(const DmaQueue& queue) const {
  return std::ranges::any_of(run_.parts, [&](const ReservedPart& part) {
    return part.queue == &queue && part.all && part.left > 0;
  });
}

// True if a turn of the present time is past: it is in the first batch, unless that has yet to reach the DMA.
bool DmaBursts::had_turn() const {
  return engine_.batch() > 1 || (engine_.batch() == 1 && !engine_.is_due());
}

// Counts the turns that are past by now.
void DmaBursts::take_turns(bool present) {
  const std::int64_t turned = paced_->turned(present);
  if (turned <= run_.taken) return;
  const DmaQueue& last = *run_.parts[static_cast<std::size_t>((turned - 1) % run_.ways)].queue;
  const Bytes whole = engine_.turn_of(last);
  DmaEngine::Turn& turn = engine_.turn();
  const auto number = static_cast<std::size_t>(&last - engine_.queues().data());
  if (number != turn.queue || run_.ways > 1) turn.left = 0_B;
  turn.queue = number;
  const std::int64_t in_a_row = run_.ways > 1 ? 1 : turned - run_.taken;
  for (std::int64_t i = 0; i < in_a_row; ++i) turn.left = (turn.left <= 0_B ? whole : turn.left) - run_.size;
  const Bytes less = turned == run_.count ? run_.less : 0_B;
  turn.left += less;
  for (std::int64_t first = run_.taken; first < std::min(run_.taken + run_.ways, turned); ++first) {
    ReservedPart& part = run_.parts[static_cast<std::size_t>(first % run_.ways)];
    const std::int64_t turns = (turned - first + run_.ways - 1) / run_.ways;
    engine_.have_left(*part.queue, run_.size * turns - less, paced_->left(first + (turns - 1) * run_.ways));
    part.left -= turns;
  }
  run_.taken = turned;
  if (run_.taken == run_.count) run_ = {};
}

// Each packet of the rest is then sent at its turn.
void DmaBursts::end(bool present) {
  if (active()) take_turns(present);
  if (active()) {
    for (const ReservedPart& part : run_.parts) {
      if (!part.all || part.left == 0) continue;
      Transfer& transfer = part.queue->sender();
      if (transfer.progress.unanswered == 0) transfer.progress.reserved = 0;
    }
    run_ = {};
    engine_.port_free() = paced_->turn(paced_->turned(present));
    engine_.wake_again();
  }
  paced_->end(present);
}

void DmaBursts::send(Message& message, Bytes size, Lane::Slot slot) {
  if (paced_ != nullptr)
    paced_->send(message, size, slot);
  else
    fabric_.inject(message, size, slot.start, slot.end);
}

void DmaBursts::leave(Time at) {
  if (paced_ != nullptr) paced_->pass(at);
}

void DmaBursts::before_read() {
  if (active()) take_turns(had_turn());
  if (active()) end(had_turn());
}

std::optional<Lane::Slot> DmaBursts::yield(LiveLink& link, const Packet& packet, Time overhead) {
  const std::optional<Lane::Slot> between = paced_->between(link, packet, overhead);
  if (!between) end(had_turn());
  return between;
}

void DmaBursts::flush() { end(had_turn()); }

}  // namespace kbsim::hw
