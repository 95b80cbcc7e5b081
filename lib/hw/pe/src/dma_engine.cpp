#include "kbsim/hw/pe/dma_engine.hpp"

#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"

namespace kbsim::hw {

DmaEngine::DmaEngine(Fabric& fabric, NodeId id, const PeDmaSpec& spec)
    : network_{fabric},
      spec_{spec},
      port_{fabric.graph().spec().pe.link},
      work_{fabric.sim(), {fabric.graph().node(id).name, "engine"}},
      turn_{.left = spec.vc_chunk} {}

Bytes DmaEngine::window_of(Bytes request, Bytes largest) {
  constexpr std::int64_t kLine = 256;
  return std::min(largest, Bytes{ceil_div(request.count(), kLine) * kLine});
}

Time DmaEngine::gap_of(Bytes size) const { return std::max(tcm_->pace(size), port_.serialization(size)); }

void DmaEngine::pick(DmaQueue& queue) {
  const std::size_t next = queue.policy->pick({queue.waiting.data(), queue.waiting.size()});
  ensure(next < queue.waiting.size(), "a request policy picked a transfer that isn't waiting");
  queue.next = static_cast<std::uint32_t>(next);
}

DmaQueue* DmaEngine::next_queue() {
  if (turn_.left > 0_B && may_send((*queues_)[turn_.queue])) return &(*queues_)[turn_.queue];
  for (std::size_t i = 1; i <= queues_->size(); ++i) {
    const std::size_t candidate = (turn_.queue + i) % queues_->size();
    DmaQueue& queue = (*queues_)[candidate];
    if (!may_send(queue)) continue;
    turn_ = {.queue = candidate, .left = turn_of(queue)};
    return &queue;
  }
  return nullptr;
}

void DmaEngine::wake() {
  if (std::exchange(wakes_, true)) return;
  work_.post(std::max(port_free_, now()), {.kind = DmaWork::Kind::port_free, .token = wake_ups_});
}

void DmaEngine::wake_again() {
  ++wake_ups_;
  wakes_ = false;
  wake();
}

void DmaEngine::has_left(DmaQueue& queue, Bytes size, Time left_tcm) {
  turn_.left -= size;
  have_left(queue, size, left_tcm);
}

void DmaEngine::have_left(DmaQueue& queue, Bytes bytes, Time left_tcm) {
  DmaBurst& burst = queue.burst;
  use_.written += bytes;
  burst.left -= bytes;
  if (burst.left == 0_B) burst = {};
  sent(queue, bytes, left_tcm);
}

void DmaEngine::sent(DmaQueue& queue, Bytes bytes, Time left_tcm) {
  const auto sender = queue.waiting.begin() + static_cast<std::ptrdiff_t>(queue.next);
  (*sender)->advance(bytes);
  if (queue.burst.message == nullptr) queue.picked = false;
  if (!(*sender)->all_sent()) return;
  const TransferPtr transfer = std::move(*sender);
  queue.waiting.erase(sender);
  if (!queue.waiting.empty()) __builtin_prefetch(queue.waiting.front().get(), 1);
  if (transfer->progress.unanswered > 0 || transfer->progress.reserved != 0) return;
  Causes* const causes = network_.sim().causes();
  if (causes != nullptr) causes->because(network_.causes()->left());
  work_.post(left_tcm, {.kind = DmaWork::Kind::sent, .transfer = transfer});
}

void DmaEngine::data_loaded(Time at, Token token, oplog::Slices contents) {
  DmaRequests::Request& request = requests_.at(token);
  request.contents = std::move(contents);
  request.reserved = at;
  work_.post(at, {.kind = DmaWork::Kind::answer, .token = token});
}

void DmaEngine::finish(Transfer& transfer) {
  if (ISpans* const spans = network_.spans()) spans->close(&transfer, now());
  if (++done_ == begun_) use_.busy += now() - busy_since_;
  races_->end(transfer.origin().issue);
  transfer.finish(site_, now());
}

}  // namespace kbsim::hw
