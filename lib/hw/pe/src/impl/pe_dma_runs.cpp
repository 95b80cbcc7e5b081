// How pe_dma reserves the packets of a message ahead: they have its turns while no other class may send.
#include <algorithm>
#include <optional>

#include "kbsim/hw/memory/i_plain_memory.hpp"

#include "pe_dma.hpp"

namespace kbsim::hw {

// Reserves the message's next packets of one size, and its last, which may be shorter; returns their port
// time. If another class may send, the two take turns packet by packet, or one packet is reserved.
std::optional<Time> PeDma::begins_run(ClassQueue& queue, Bytes size, Time gap) {
  constexpr std::int64_t kMost = 256;
  constexpr std::int64_t kFew = 4;
  if (!fabric().books_ahead() || runs() || paced() == nullptr) return std::nullopt;
  Message* const message = queue.burst.message;
  ClassQueue* other = rival_of(queue);
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
  if (reserved > 1) follow_run(queue, other, {.size = size, .count = reserved, .less = less});
  has_left(queue, size, paced_->left(0));
  if (runs()) --run_.parts[0].left;
  return less > 0_B ? (reserved - 1) * gap + gap_of(size - less) : reserved * gap;
}

// Port time of a packet.
Time PeDma::gap_of(Bytes size) const { return std::max(tcm_->pace(size), port_.serialization(size)); }

PacedRuns* PeDma::paced() {
  if (paced_ != nullptr) return paced_.get();
  IPlainMemory* const tcm = fabric().component(site_.tcm).plain_memory();
  if (tcm == nullptr) return nullptr;
  const PacedRuns::Source source{
      .memory = site_.tcm, .unit = id(), .port = &tcm->lane(false), .latency = tcm->time_to(false)};
  paced_ = std::make_unique<PacedRuns>(fabric(), source, static_cast<ILinkHold&>(*this));
  return paced_.get();
}

// The burst's other turns are yet to come.
void PeDma::follow_run(ClassQueue& queue, ClassQueue* other, const ReservedRun& reserved) {
  const std::int64_t ways = other != nullptr ? 2 : 1;
  run_ = reserved;
  run_.ways = ways;
  run_.taken = 1;
  const auto add = [&](ClassQueue& one, std::int64_t first) {
    const std::int64_t turns = (reserved.count - first + ways - 1) / ways;
    const Bytes bytes = reserved.size * turns - reserved.less;
    Transfer& transfer = one.sender();
    const bool all = bytes == one.burst.left && transfer.ends_within(bytes);
    run_.parts[static_cast<std::size_t>(first)] = {&one, turns, all};
    if (!all || transfer.progress.unanswered > 0) return;
    transfer.progress.reserved = ++reserved_runs_;
    work_.post(paced_->left(first + (turns - 1) * ways),
               {.kind = Work::Kind::sent, .token = reserved_runs_, .transfer = one.waiting[one.next]});
  };
  add(queue, 0);
  if (other != nullptr) add(*other, 1);
}

// The first other class that may send.
PeDma::ClassQueue* PeDma::rival_of(const ClassQueue& queue, const ClassQueue* but) const {
  for (ClassQueue& other : *queues_) {
    if (&other != &queue && &other != but && may_send_later(other)) return &other;
  }
  return nullptr;
}

// True while both have packets of that size, and no third class may send.
bool PeDma::takes_turns(const ClassQueue& queue, const ClassQueue& other, Bytes size) const {
  const Burst& burst = other.burst;
  return burst.message != nullptr && burst.message->injected > 0 && burst.left >= size &&
         fabric().packet_size(burst.message->size) == size && turn_left_ <= size && turn_of(queue) <= size &&
         turn_of(other) <= size && rival_of(queue, &other) == nullptr;
}

// True if a class outside the burst may send.
bool PeDma::run_has_rival() const { return rival_of(*run_.parts[0].queue, run_.parts[1].queue) != nullptr; }

// True if the transfer is all sent when the burst has had its turns.
bool PeDma::ends_with_run(const ClassQueue& queue) const {
  return std::ranges::any_of(run_.parts, [&](const ReservedPart& part) {
    return part.queue == &queue && part.all && part.left > 0;
  });
}

// True if a turn of the present time is past: it is in the first batch, unless that has yet to reach the DMA.
bool PeDma::had_turn() const {
  const std::uint32_t batch = sim().scheduler().batch();
  return batch > 1 || (batch == 1 && !work_.due());
}

// Counts the turns that are past by now.
void PeDma::take_turns(bool present) {
  const std::int64_t turned = paced_->turned(present);
  if (turned <= run_.taken) return;
  const ClassQueue& last = *run_.parts[static_cast<std::size_t>((turned - 1) % run_.ways)].queue;
  const Bytes turn = turn_of(last);
  const auto number = static_cast<std::size_t>(&last - queues_->data());
  if (number != turn_ || run_.ways > 1) turn_left_ = 0_B;
  turn_ = number;
  const std::int64_t in_a_row = run_.ways > 1 ? 1 : turned - run_.taken;
  for (std::int64_t i = 0; i < in_a_row; ++i)
    turn_left_ = (turn_left_ <= 0_B ? turn : turn_left_) - run_.size;
  const Bytes less = turned == run_.count ? run_.less : 0_B;
  turn_left_ += less;
  for (std::int64_t first = run_.taken; first < std::min(run_.taken + run_.ways, turned); ++first) {
    ReservedPart& part = run_.parts[static_cast<std::size_t>(first % run_.ways)];
    const std::int64_t turns = (turned - first + run_.ways - 1) / run_.ways;
    have_left(*part.queue, run_.size * turns - less, paced_->left(first + (turns - 1) * run_.ways));
    part.left -= turns;
  }
  run_.taken = turned;
  if (run_.taken == run_.count) run_ = {};
}

// Revokes the rest of the burst: each packet is then sent at its turn.
void PeDma::end_run(bool present) {
  if (runs()) take_turns(present);
  if (runs()) {
    for (const ReservedPart& part : run_.parts) {
      if (!part.all || part.left == 0) continue;
      Transfer& transfer = part.queue->sender();
      if (transfer.progress.unanswered == 0) transfer.progress.reserved = 0;
    }
    run_ = {};
    port_free_ = paced_->turn(paced_->turned(present));
    ++reserved_wakes_;
    wakes_ = true;
    work_.post(std::max(port_free_, sim().now()), {.kind = Work::Kind::port_free, .token = reserved_wakes_});
  }
  paced_->end(present);
}

// TCM needn't wait for a turn of a burst: only for a turn that is an event.
bool PeDma::reads_first() {
  if (work_.due()) return tcm_waits_ = true;
  if (runs()) take_turns(had_turn());
  if (runs()) end_run(had_turn());
  return false;
}

}  // namespace kbsim::hw
