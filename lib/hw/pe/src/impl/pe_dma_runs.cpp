// How pe_dma tells the packets of a message ahead: they have its turns as long as no other class may send.
#include <algorithm>

#include "kbsim/hw/memory/i_plain_memory.hpp"

#include "pe_dma.hpp"

namespace kbsim::hw {

// The message's next packets of one size, from now on: so many. Beside another class it is one at a time.
std::int64_t PeDma::begins_run(ClassQueue& queue, Bytes size, Time gap) {
  constexpr std::int64_t kMost = 256;
  if (!fabric().books_ahead() || runs()) return 0;
  const std::int64_t whole = has_rival(queue) ? 1 : std::min(queue.burst.left / size, kMost);
  if (paced_ == nullptr) {
    IPlainMemory* const tcm = fabric().component(site_.tcm).plain_memory();
    if (tcm == nullptr) return 0;
    const PacedRuns::Source source{
        .memory = site_.tcm, .unit = id(), .port = &tcm->lane(false), .latency = tcm->time_to(false)};
    paced_ = std::make_unique<PacedRuns>(fabric(), source, static_cast<ILinkHold&>(*this));
  }
  const std::int64_t told = paced_->begin(*queue.burst.message, size, gap, whole);
  if (told == 0) return 0;
  if (told > 1) follow_run(queue, size, told);
  has_left(queue, size, paced_->left(0));
  return told;
}

// Its other turns are to come.
void PeDma::follow_run(ClassQueue& queue, Bytes size, std::int64_t told) {
  Transfer& transfer = queue.sender();
  const Bytes told_bytes = size * told;
  const bool all = told_bytes == queue.burst.left && transfer.ends_within(told_bytes);
  run_ = {.queue = &queue, .size = size, .count = told, .taken = 1, .all = all};
  if (all && transfer.progress.unanswered == 0) {
    transfer.progress.told = ++told_runs_;
    work_.post(paced_->left(told - 1),
               {.kind = Work::Kind::sent, .token = told_runs_, .transfer = queue.waiting[queue.next]});
  }
}

// Another class may send.
bool PeDma::has_rival(const ClassQueue& queue) const {
  return std::ranges::any_of(
      *queues_, [&](const ClassQueue& other) { return &other != &queue && may_send_later(other); });
}

// Nothing of the transfer is left when the run has had its turns.
bool PeDma::ends_with_run(const ClassQueue& queue) const { return run_.queue == &queue && run_.all; }

// A turn that is now has been: it is one of the first batch, unless that is yet to come to the DMA.
bool PeDma::had_turn() const {
  const std::uint32_t batch = sim().scheduler().batch();
  return batch > 1 || (batch == 1 && !work_.due());
}

// Those that have been by now.
void PeDma::take_turns(bool present) {
  ClassQueue& queue = *run_.queue;
  const std::int64_t turned = paced_->turned(present);
  for (; run_.taken < turned; ++run_.taken) {
    if (turn_left_ <= 0_B) turn_left_ = turn_of(queue);
    has_left(queue, run_.size, paced_->left(run_.taken));
  }
  if (run_.taken == run_.count) run_ = {};
}

// What isn't told any more is sent when its turn comes.
void PeDma::end_run(bool present, const LiveLink* met, const Packet* packet) {
  if (runs()) take_turns(present);
  if (runs()) {
    Transfer& transfer = run_.queue->sender();
    if (run_.all && transfer.progress.unanswered == 0) transfer.progress.told = 0;
    run_ = {};
    port_free_ = paced_->turn(paced_->turned(present));
    ++wakes_told_;
    wakes_ = true;
    work_.post(std::max(port_free_, sim().now()), {.kind = Work::Kind::port_free, .token = wakes_told_});
  }
  paced_->end(present, met, packet);
}

void PeDma::end_runs(const LiveLink* met, const Packet* packet) { end_run(had_turn(), met, packet); }

// A turn of a run is none of its own.
bool PeDma::reads_first() {
  if (work_.due()) return tcm_waits_ = true;
  if (runs()) take_turns(had_turn());
  if (runs()) end_run(had_turn());
  return false;
}

}  // namespace kbsim::hw
