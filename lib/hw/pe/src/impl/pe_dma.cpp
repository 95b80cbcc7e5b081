#include "pe_dma.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"

#include "../transfers/ordered_move.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_dma", NodeKind::pe_dma, PeDma, PeDmaSpec,
                "moves data between TCM and other memories");

PeDma::PeDma(Fabric& fabric, NodeId id, const PeDmaSpec& spec)
    : Component{fabric, id},
      spec_{spec},
      policy_{request_policies().find(spec.policy)},
      port_{fabric.graph().spec().pe.link},
      work_{fabric.sim(), {name(), "engine"}},
      turn_left_{spec.vc_chunk} {
  if (policy_ == nullptr) {
    throw ConfigError{
        node().model->place_of({"request_policy"}), name() + ".request_policy",
        "unknown request policy '" + spec.policy + "'" + name_hint(spec.policy, request_policies().names())};
  }
}

void PeDma::start(Machine& machine) {
  Component::start(machine);
  site_ = {.graph = &machine.graph(),
           .log = &machine.log(),
           .dma = id(),
           .tcm = machine.graph().pe(node().at).tcm};
  tcm_ = &machine.at<ITcm>(site_.tcm);
  mmu_ = &machine.at<IMmu>(machine.graph().pe(node().at).mmu);
  races_ = &machine.races();
  serve_box<&PeDma::work_, &PeDma::run>(*this);
}

void PeDma::accept(MessagePtr message) {
  if (const auto* ack = message->body.get_if<WriteAck>()) {
    work_.post(sim().now(), {.kind = Work::Kind::answer, .token = ack->token});
  } else if (const auto* order = message->body.get_if<Control>()) {
    obey(message->from, *order);
  } else {
    Component::accept(std::move(message));
  }
}

// Two parts are under way, each half of what may be in flight.
void PeDma::obey(NodeId from, const Control& order) {
  const Bytes part = std::max(Bytes{1}, spec_.most_in_flight() / 2);
  const oplog::AgentPtr mover = races_->orders().move_begins(order.order);
  const oplog::IssuePtr issue = races_->issue(mover);
  const auto report = [this, from, token = order.token, number = order.order, mover, issue,
                       start = sim().now()] {
    if (issue) issue->awaited();
    races_->orders().move_ends(number, mover);
    reserved_ = sim().now();
    send_message(from, fabric().graph().spec().system.control_bytes, TrafficClass::response,
                 ControlDone{.token = token, .activity = {start, start, sim().now()}});
  };
  std::make_shared<OrderedMove>(
      OrderedMove::Units{.sim = &sim(), .dma = this, .mmu = mmu_, .unit = id(), .issue = issue},
      std::get<MoveBytes>(order.job->targets[order.first].action), part, order.order, report)
      ->begin();
}

// Decides late, so that what arrives at one time is seen together; sends a packet when the port is free.
// Its steps that have one caller are inlined, as the compiler would do if they had no linkage.
Task<> PeDma::run() {
  std::vector<Work> work;
  queues_ = std::make_unique<ClassQueues>();
  for (;;) {
    co_await work_.collect(work);
    have_turn(work);
    if (std::exchange(tcm_waits_, false)) [[unlikely]]
      tcm_->dma_has_read();
  }
}

[[gnu::always_inline]] void PeDma::have_turn(std::vector<Work>& work) {
  if (runs()) take_turns(sim().scheduler().batch() > 1);
  take(work);
  if (runs() && run_has_rival()) end_run(sim().scheduler().batch() > 1);
  if (streams() && streams_on()) return;
  if (sim().now() >= port_free_) {
    if (may_stream() && begins_stream()) return;
    ClassQueue* const queue = next_queue();
    if (queue == nullptr) return;
    if (sim().causes() != nullptr) explain_turn(*queue);
    port_free_ = sim().now() + send_next(*queue);
  }
  if (!wakes_) wake_when_free();
}

// Wakes the DMA when the port is free, unless no class could send then: any change of that arrives here
// first. So the simulation ends with its last work, not with a free port.
[[gnu::always_inline]] void PeDma::wake_when_free() {
  const bool ahead = fabric().books_ahead();
  const auto may = [&](const ClassQueue& queue) {
    if (ends_with_run(queue)) return queue.waiting.size() > 1;
    return ahead ? may_send_later(queue) : !queue.waiting.empty();
  };
  wakes_ = std::ranges::any_of(*queues_, may);
  if (!wakes_) return;
  if (sim().causes() != nullptr) sim().causes()->because(port_why_);
  work_.post(port_free_, {.kind = Work::Kind::port_free, .token = reserved_wakes_});
}

[[gnu::always_inline]] void PeDma::take(std::vector<Work>& work) {
  std::size_t begins = 0;  // number of begins, moved to the front
  const bool explains = sim().causes() != nullptr;
  for (std::size_t i = 0; i < work.size(); ++i) {
    Work& item = work[i];
    if (explains) sim().causes()->set_current(work_.collected()[i]);
    if (item.kind == Work::Kind::begin && explains) item.transfer->progress.why = work_.collected()[i];
    if (item.kind == Work::Kind::answer) answered(item.token);
    if (item.kind == Work::Kind::sent && item.token == item.transfer->progress.reserved)
      finish(*item.transfer);
    if (item.kind == Work::Kind::port_free && item.token == reserved_wakes_) wakes_ = false;
    if (item.kind == Work::Kind::reserved && item.token == streams_ && streams()) finish_reserved();
    if (item.kind == Work::Kind::begin) work[begins++].transfer = std::move(item.transfer);
  }
  const auto begun = std::span{work}.first(begins);
  const auto order = [](const Work& item) { return item.transfer->origin().order; };
  if (begins > 1) std::ranges::sort(begun, {}, order);
  for (Work& item : begun) {
    if (explains) sim().causes()->set_current(item.transfer->progress.why);
    begin(std::move(item.transfer));
  }
  work.clear();
}

[[gnu::always_inline]] void PeDma::begin(TransferPtr transfer) {
  transfer->progress.start = sim().now();
  if (begun_ == done_) busy_since_ = sim().now();
  transfer->progress.number = ++begun_;
  if (fabric().spans() != nullptr) note(*transfer);
  if (transfer->pieces().empty()) return finish(*transfer);
  if (races_->on()) {
    if (const auto access = transfer->access()) {
      transfer->progress.atomic = access->atomic;
      if (!access->atomic) races_->begin(*access, transfer->pieces());
    }
  }
  if (Causes* const causes = sim().causes()) {
    causes->comes_next(server(Reason::dma_port, id().value()), transfer->progress.why);
    causes->met(transfer.get());
  }
  ClassQueue& queue = queue_of(*transfer);
  if (queue.policy == nullptr) queue.policy = policy_->make();
  queue.waiting.push_back(std::move(transfer));
}

[[gnu::always_inline]] void PeDma::answered(Token token) {
  DmaRequests::Request& request = requests_.at(token);
  const TransferPtr transfer = std::move(request.transfer);
  queue_of(*transfer).outstanding -= request.window;
  if (sim().causes() != nullptr) explain(*transfer, request.window);
  if (site_.log->keeps_operations()) transfer->answered(request.offset, request.contents);
  requests_.erase(token);
  if (--transfer->progress.unanswered > 0 || !transfer->all_sent()) return;
  const auto is_it = [&](const ReadStream::ReservedTransfer& reserved) {
    return reserved.transfer == transfer;
  };
  if (!streams() || std::ranges::none_of(stream_->reserved(), is_it)) finish(*transfer);
}

void PeDma::finish(Transfer& transfer) {
  if (ISpans* const spans = fabric().spans()) spans->close(&transfer, sim().now());
  if (++done_ == begun_) use_.busy += sim().now() - busy_since_;
  races_->end(transfer.origin().issue);
  transfer.finish(site_, sim().now());
}

DmaUse PeDma::moved() const {
  fabric().settle(id());
  DmaUse use = use_;
  if (done_ < begun_) use.busy += sim().now() - busy_since_;
  return use;
}

// Sends one packet; returns how long the port is taken.
Time PeDma::send_next(ClassQueue& queue) {
  if (queue.burst.message != nullptr) return send_packet(queue);
  const Transfer& transfer = queue.sender();
  const Bytes bytes = transfer.next_bytes(spec_.request);
  const Token token = requests_.next();
  DmaRequest request = transfer.next_request(site_, bytes, token);
  remember(queue, request, bytes);
  if (transfer.progress.atomic) races_->asks(site_.tcm, token, *transfer.access());
  if (request.payload == 0_B) return ask(queue, std::move(request), bytes);
  if (request.whole) return send_whole(queue, std::move(request), bytes);
  MessagePtr message = fabric().make(site_.tcm, request.to, request.payload, transfer.traffic_class(),
                                     std::move(request.body));
  queue.burst = {.message = &fabric().open(std::move(message)), .left = request.payload};
  return send_packet(queue);
}

[[gnu::always_inline]] void PeDma::remember(ClassQueue& queue, const DmaRequest& request, Bytes bytes) {
  if (request.answer == DmaRequest::Answer::none) return;
  const Bytes window = request.answer == DmaRequest::Answer::counted ? window_of(bytes) : 0_B;
  const TransferPtr& transfer = queue.waiting[queue.next];
  ++transfer->progress.unanswered;
  queue.outstanding += window;
  requests_.add({.transfer = transfer, .offset = transfer->offset(), .window = window});
}

[[gnu::always_inline]] Time PeDma::ask(ClassQueue& queue, DmaRequest&& request, Bytes bytes) {
  const Bytes control = fabric().graph().spec().system.control_bytes;
  if (request.answer == DmaRequest::Answer::counted) use_.read += bytes;
  if (sim().causes() != nullptr) explain_port(control, false);
  MessagePtr message =
      fabric().make(id(), request.to, control, queue.sender().traffic_class(), std::move(request.body));
  if (reserved_ == sim().now() || (paced_ != nullptr && paced_->crosses_now()))
    fabric().send(std::move(message));
  else
    fabric().depart(std::move(message));
  turn_left_ -= bytes;
  sent(queue, bytes, sim().now());
  return port_.serialization(control);
}

// The operands leave TCM with the request.
Time PeDma::send_whole(ClassQueue& queue, DmaRequest&& request, Bytes bytes) {
  const Bytes size = request.payload;
  MessagePtr message =
      fabric().make(site_.tcm, request.to, size, queue.sender().traffic_class(), std::move(request.body));
  if (sim().causes() != nullptr) explain_port(size, true);
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  if (paced_ != nullptr) paced_->pass(slot.start);
  fabric().send(std::move(message), slot.start, slot.end);
  use_.written += size;
  turn_left_ -= size;
  sent(queue, bytes, slot.end);
  return std::max(tcm_->pace(size), port_.serialization(size));
}

Time PeDma::send_packet(ClassQueue& queue) {
  Burst& burst = queue.burst;
  const Bytes size = std::min(burst.left, fabric().packet_size(burst.message->size));
  const Time gap = gap_of(size);
  if (const std::optional<Time> reserved = begins_run(queue, size, gap)) return *reserved;
  if (sim().causes() != nullptr) explain_port(size, true);
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  if (paced_ != nullptr)
    paced_->send(*burst.message, size, slot);
  else
    fabric().inject(*burst.message, size, slot.start, slot.end);
  has_left(queue, size, slot.end);
  return gap;
}

// Accounts for a packet that had its turn.
void PeDma::has_left(ClassQueue& queue, Bytes size, Time left_tcm) {
  turn_left_ -= size;
  have_left(queue, size, left_tcm);
}

// Accounts for packets of its burst, `bytes` in all, whose last leaves TCM at `left_tcm`.
void PeDma::have_left(ClassQueue& queue, Bytes bytes, Time left_tcm) {
  Burst& burst = queue.burst;
  use_.written += bytes;
  burst.left -= bytes;
  if (burst.left == 0_B) burst = {};
  sent(queue, bytes, left_tcm);
}

// These bytes of the sender's transfer are asked for, or leave TCM by `left_tcm`.
void PeDma::sent(ClassQueue& queue, Bytes bytes, Time left_tcm) {
  const auto sender = queue.waiting.begin() + static_cast<std::ptrdiff_t>(queue.next);
  (*sender)->advance(bytes);
  if (queue.burst.message == nullptr) queue.picked = false;
  if (!(*sender)->all_sent()) return;
  const TransferPtr transfer = std::move(*sender);
  queue.waiting.erase(sender);
  if (!queue.waiting.empty()) __builtin_prefetch(queue.waiting.front().get(), 1);
  if (transfer->progress.unanswered > 0 || transfer->progress.reserved != 0) return;
  if (sim().causes() != nullptr) sim().causes()->because(fabric().causes()->left());
  work_.post(left_tcm, {.kind = Work::Kind::sent, .transfer = transfer});
}

}  // namespace kbsim::hw
