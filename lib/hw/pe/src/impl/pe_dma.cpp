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
#include "kbsim/hw/pe/i_move_watch.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/sim/server_orders.hpp"

#include "../transfers/ordered_move.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_dma", NodeKind::pe_dma, PeDma, PeDmaSpec,
                "moves data between TCM and other memories");

PeDma::PeDma(Fabric& fabric, NodeId id, const PeDmaSpec& spec)
    : Component{fabric, id}, DmaEngine{fabric, id, spec}, policy_{request_policies().find(spec.policy)} {
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
  serve_box<&PeDma::work_, &PeDma::take_turns>(*this);
}

Task<> PeDma::run() {
  for (;;) {
    const MessagePtr message = co_await in().receive();
    if (const auto* ack = message->body.get_if<WriteAck>())
      work_.post(sim().now(), {.kind = DmaWork::Kind::answer, .token = ack->token});
    else if (const auto* order = message->body.get_if<Control>())
      obey(message->from, *order);
    else
      refuse(*message);
  }
}

void PeDma::visit(RepeatVisitor& visitor) {
  const auto chooses = [](const DmaQueue& queue) {
    return queue.policy != nullptr && !queue.policy->takes_first();
  };
  if (queues_ != nullptr && std::ranges::any_of(*queues_, chooses))
    visitor.refuse("its request policy doesn't state what it depends on");
  visitor.state(turn_.queue);
  visitor.state(turn_.left);
  visitor.busy_until(port_free_);
  visitor.rests(begun_ == done_);
  visitor.count(use_.busy);
  visitor.count(use_.read);
  visitor.count(use_.written);
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
    reported_ = sim().now();
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
Task<> PeDma::take_turns() {
  std::vector<DmaWork> work;
  queues_ = std::make_unique<Queues>();
  if (fabric().shortcut() != nullptr && dma_planner() != nullptr) plan_ = dma_planner()(*this);
  for (;;) {
    co_await work_.collect(work);
    have_turn(work);
    if (std::exchange(tcm_waits_, false)) [[unlikely]]
      tcm_->dma_has_read();
  }
}

[[gnu::always_inline]] void PeDma::have_turn(std::vector<DmaWork>& work) {
  if (plan_ != nullptr) plan_->begin_turn();
  take(work);
  if (plan_ != nullptr && plan_->goes_on()) return;
  if (sim().now() >= port_free_) {
    if (plans_reads()) return;
    DmaQueue* const queue = next_queue();
    if (queue == nullptr) return;
    if (sim().causes() != nullptr) explain_turn(*queue);
    port_free_ = sim().now() + send_next(*queue);
  }
  if (!wakes_) wake_when_free();
}

bool PeDma::plans_reads() {
  return plan_ != nullptr && !queue_of(TrafficClass::request).waiting.empty() &&
         fabric().shortcut() != nullptr && plan_->plan_reads();
}

// Wakes the DMA when the port is free, unless no class could send then: any change of that arrives here
// first. So the simulation ends with its last work, not with a free port.
[[gnu::always_inline]] void PeDma::wake_when_free() {
  const bool ahead = fabric().shortcut() != nullptr;
  const auto may = [&](const DmaQueue& queue) {
    if (plan_ != nullptr && plan_->ends(queue)) return queue.waiting.size() > 1;
    return ahead ? may_send_later(queue) : !queue.waiting.empty();
  };
  if (std::ranges::none_of(*queues_, may)) return;
  if (sim().causes() != nullptr) sim().causes()->because(port_why_);
  wake();
}

[[gnu::always_inline]] void PeDma::take(std::vector<DmaWork>& work) {
  using Kind = DmaWork::Kind;
  std::size_t begins = 0;  // number of begins, moved to the front
  const bool explains = sim().causes() != nullptr;
  for (std::size_t i = 0; i < work.size(); ++i) {
    DmaWork& item = work[i];
    if (explains) sim().causes()->set_current(work_.collected()[i]);
    if (item.kind == Kind::begin && explains) item.transfer->progress.why = work_.collected()[i];
    if (item.kind == Kind::answer) answered(item.token);
    if (item.kind == Kind::sent && item.token == item.transfer->progress.reserved) finish(*item.transfer);
    if (item.kind == Kind::port_free && item.token == wake_ups_) wakes_ = false;
    if (item.kind == Kind::planned) plan_->is_due(item.token);
    if (item.kind == Kind::begin) work[begins++].transfer = std::move(item.transfer);
  }
  const auto begun = std::span{work}.first(begins);
  const auto order = [](const DmaWork& item) { return item.transfer->origin().order; };
  if (begins > 1) std::ranges::sort(begun, {}, order);
  for (DmaWork& item : begun) {
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
  if (watch_ != nullptr) [[unlikely]]
    show(*transfer);
  if (transfer->pieces().empty()) return finish(*transfer);
  if (races_->on()) {
    if (const auto access = transfer->access()) {
      transfer->progress.atomic = access->atomic;
      if (!access->atomic) races_->begin(*access, transfer->pieces());
    }
  }
  if (Causes* const causes = sim().causes()) {
    causes->orders().comes_next(server(Reason::dma_port, id().value()), transfer->progress.why);
    causes->met(transfer.get());
  }
  DmaQueue& queue = queue_of(transfer->traffic_class());
  if (queue.policy == nullptr) queue.policy = policy_->make();
  queue.waiting.push_back(std::move(transfer));
}

[[gnu::always_inline]] void PeDma::answered(Token token) {
  DmaRequests::Request& request = requests_.at(token);
  const TransferPtr transfer = std::move(request.transfer);
  queue_of(transfer->traffic_class()).outstanding -= request.window;
  if (sim().causes() != nullptr) explain(*transfer, request.window);
  if (site_.log->keeps_operations()) transfer->answered(request.offset, request.contents);
  requests_.erase(token);
  if (--transfer->progress.unanswered > 0 || !transfer->all_sent()) return;
  if (plan_ == nullptr || !plan_->finishes(transfer)) finish(*transfer);
}

void PeDma::show(const Transfer& transfer) const {
  if (transfer.origin().kernel == nullptr) return;
  watch_->begins(site_, transfer.origin().kernel->launch(), transfer);
}

DmaUse PeDma::moved() const {
  fabric().flush(id());
  DmaUse use = use_;
  if (done_ < begun_) use.busy += sim().now() - busy_since_;
  return use;
}

// Sends one packet; returns how long the port is taken.
Time PeDma::send_next(DmaQueue& queue) {
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

[[gnu::always_inline]] void PeDma::remember(DmaQueue& queue, const DmaRequest& request, Bytes bytes) {
  if (request.answer == DmaRequest::Answer::none) return;
  const Bytes window = request.answer == DmaRequest::Answer::counted ? window_of(bytes) : 0_B;
  const TransferPtr& transfer = queue.waiting[queue.next];
  ++transfer->progress.unanswered;
  queue.outstanding += window;
  requests_.add({.transfer = transfer, .offset = transfer->offset(), .window = window});
}

[[gnu::always_inline]] Time PeDma::ask(DmaQueue& queue, DmaRequest&& request, Bytes bytes) {
  const Bytes control = fabric().graph().spec().system.control_bytes;
  if (request.answer == DmaRequest::Answer::counted) use_.read += bytes;
  if (sim().causes() != nullptr) explain_port(control, false);
  MessagePtr message =
      fabric().make(id(), request.to, control, queue.sender().traffic_class(), std::move(request.body));
  if (reported_ == sim().now() || (plan_ != nullptr && plan_->passes_now()))
    fabric().send(std::move(message));
  else
    fabric().depart(std::move(message));
  turn_.left -= bytes;
  sent(queue, bytes, sim().now());
  return port_.serialization(control);
}

// The operands leave TCM with the request.
Time PeDma::send_whole(DmaQueue& queue, DmaRequest&& request, Bytes bytes) {
  const Bytes size = request.payload;
  MessagePtr message =
      fabric().make(site_.tcm, request.to, size, queue.sender().traffic_class(), std::move(request.body));
  if (sim().causes() != nullptr) explain_port(size, true);
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  if (plan_ != nullptr) plan_->leave(slot.start);
  fabric().send(std::move(message), slot.start, slot.end);
  use_.written += size;
  turn_.left -= size;
  sent(queue, bytes, slot.end);
  return std::max(tcm_->pace(size), port_.serialization(size));
}

Time PeDma::send_packet(DmaQueue& queue) {
  DmaBurst& burst = queue.burst;
  const Bytes size = std::min(burst.left, fabric().packet_size(burst.message->size));
  const Time gap = gap_of(size);
  if (plan_ != nullptr && fabric().shortcut() != nullptr) {
    if (const std::optional<Time> planned = plan_->plan_burst(queue, size, gap)) return *planned;
  }
  if (sim().causes() != nullptr) explain_port(size, true);
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  if (plan_ != nullptr)
    plan_->send(*burst.message, size, slot);
  else
    fabric().inject(*burst.message, size, slot.start, slot.end);
  has_left(queue, size, slot.end);
  return gap;
}

// TCM needn't wait for a planned turn: only for a turn that is an event.
bool PeDma::reads_first() {
  if (work_.due()) return tcm_waits_ = true;
  if (plan_ != nullptr) plan_->before_read();
  return false;
}

}  // namespace kbsim::hw
