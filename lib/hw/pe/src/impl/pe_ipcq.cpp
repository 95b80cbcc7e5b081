#include "pe_ipcq.hpp"

#include <algorithm>
#include <ranges>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/slot_credit.hpp"
#include "kbsim/tl/queue_waits.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_ipcq", NodeKind::pe_ipcq, PeIpcq, PeIpcqSpec, "queues between PEs");

PeIpcq::PeIpcq(Fabric& fabric, NodeId id, PeIpcqSpec spec)
    : Component{fabric, id}, spec_{spec}, work_{fabric.sim(), {name(), "queues"}} {}

void PeIpcq::start(Machine& machine) {
  Component::start(machine);
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  machine_ = &machine;
  dma_ = &machine.at<IDma>(pe.dma);
  tcm_ = &machine.at<ITcm>(pe.tcm).image();
  trace_ = &machine.queue_trace();
  serve_box<&PeIpcq::work_, &PeIpcq::serve_queues>(*this);
}

// A PE runs one kernel at a time: no command of the last one waits any more.
void PeIpcq::select(std::string_view set, const LaunchId& launch) {
  in_use_ = find(set);
  if (in_use_ == nullptr) in_use_ = &none_;
  none_.name = set;
  begun_.insert(std::ranges::upper_bound(begun_, launch.order), launch.order);
}

PeIpcq::Set* PeIpcq::find(std::string_view set) {
  const auto is_it = [&](const Set& one) { return !one.removed && (set.empty() || one.name == set); };
  const auto found = std::ranges::find_if(sets_, is_it);
  return found == sets_.end() ? nullptr : &*found;
}

std::span<const PeIpcq::QueuePair> PeIpcq::in_use() const {
  return std::span{pairs_}.subspan(in_use_->queues.first, in_use_->queues.last - in_use_->queues.first);
}

std::size_t PeIpcq::queue(std::string_view direction, Flow use) const {
  for (std::size_t queue = in_use_->queues.first; queue < in_use_->queues.last; ++queue) {
    const QueuePairPlan& plan = pairs_[queue].plan;
    if (plan.direction != direction) continue;
    if (use == Flow::sends ? sends(plan.flow) : receives(plan.flow)) return queue;
    throw KernelFault{wrong_way(direction, node().at, plan.flow)};
  }
  std::vector<std::string> installed;
  for (const QueuePair& pair : in_use()) installed.push_back(pair.plan.direction);
  const bool has_others = in_use_ == &none_ ? !sets_.empty() : sets_.size() > 1;
  throw KernelFault{fmt::format("no queue '{}' on {}; installed{}: {}", direction, to_string(node().at),
                                has_others ? " for " + in_use_->name : "",
                                installed.empty() ? "none: queues come with the topology of an algorithm"
                                                  : fmt::format("{}", fmt::join(installed, ", ")))};
}

// Sends and receives of one time keep the kernel's order; the order of the rest makes no difference.
std::uint64_t PeIpcq::program_order(const Work& item) {
  if (const auto* send = std::get_if<SendCommand>(&item)) return send->order;
  if (const auto* receive = std::get_if<RecvCommand>(&item)) return receive->order;
  return 0;
}

// Each item gets the cause of its arrival.
void PeIpcq::explain(std::vector<Work>& work) const {
  for (std::size_t i = 0; i < work.size(); ++i) {
    const auto note = [&](auto& what) {
      if constexpr (requires { what.why; }) what.why = work_.collected()[i];
      if constexpr (requires { what.collected; }) what.collected = static_cast<std::uint32_t>(i + 1);
    };
    std::visit(note, work[i]);
  }
}

void PeIpcq::go_on_because(const Cause& cause) const {
  if (cause) [[unlikely]]
    sim().causes()->set_current(cause);
}

Task<> PeIpcq::run() {
  for (;;) {
    const MessagePtr message = co_await in().receive();
    if (const auto* filled = message->body.get_if<SlotFilled>())
      work_.post(sim().now(), Arrival{filled->slot, filled->header});
    else if (const auto* credit = message->body.get_if<SlotCredit>())
      work_.post(sim().now(), Credit{credit->ring_base});
    else if (const auto* order = message->body.get_if<Control>())
      obey(message->from, *order);
    else
      refuse(*message);
  }
}

// Commands of the kernel, arrivals, releases and credits of one time are served together.
Task<> PeIpcq::serve_queues() {
  std::vector<Work> work;
  for (;;) {
    work.clear();
    co_await work_.collect(work);
    if (sim().causes() != nullptr) explain(work);
    if (work.size() > 1) std::ranges::sort(work, {}, &program_order);
    const auto releases = [](const Work& item) { return std::holds_alternative<Release>(item); };
    releases_ = std::ranges::count_if(work, releases);
    for (Work& item : work) {
      std::visit([this](auto& what) { take(std::move(what)); }, item);
    }
    if (any_aborted_) give_up();
    serve();
    if (!aborts_.empty()) report_aborts();
    if (!removals_.empty()) remove_what_is_idle();
  }
}

void PeIpcq::obey(NodeId from, const Control& order) {
  const auto& action = order.job->targets[order.first].action;
  if (const auto* removal = std::get_if<RemoveQueues>(&action)) {
    removals_.push_back({.sets = removal->sets, .from = from, .token = order.token, .start = sim().now()});
    return remove_what_is_idle();
  }
  if (const auto* given_up = std::get_if<AbortQueues>(&action)) {
    aborts_.push_back({.sets = given_up->sets, .from = from, .token = order.token, .start = sim().now()});
    return abort(*given_up, order.order);
  }
  install(std::get<InstallQueues>(action));
  report(from, order.token, sim().now());
}

void PeIpcq::report(NodeId to, std::uint32_t token, Time start) {
  send_message(to, fabric().graph().spec().system.control_bytes, TrafficClass::response,
               ControlDone{.token = token, .activity = {start, start, sim().now()}});
}

void PeIpcq::install(const InstallQueues& plan) {
  const bool again = std::ranges::any_of(plan.sets, [&](const QueueSet& set) { return find(set.name); });
  if (plan.beside ? again : !sets_.empty())
    throw KernelFault{fmt::format("the queues of {} are installed already", to_string(node().at))};
  const std::size_t before = pairs_.size();
  for (const QueueSet& set : plan.sets) add(set);
  for (QueuePair& pair : std::span{pairs_}.subspan(before)) {
    const std::string& direction = pair.plan.direction;
    pair.label = Dir{direction};
    pair.traced = sets_.size() > 1 ? sets_[pair.set].name + "." + direction : direction;
  }
  if (!plan.beside) select("", {});
}

void PeIpcq::require_disjoint(const QueuePair& a, const QueuePair& b) const {
  const bool apart =
      b.plan.my_base - a.plan.my_base >= a.ring_size() || a.plan.my_base - b.plan.my_base >= b.ring_size();
  if (apart) return;
  throw KernelFault{fmt::format("the rings of {} and {} of {} overlap", a.plan.direction, b.plan.direction,
                                to_string(node().at))};
}

void PeIpcq::add(const QueueSet& plan) {
  ensure(plan.queues.empty() || plan.settings.slots > 0, [&] { return name() + ": queues without slots"; });
  Set& set = sets_.emplace_back(
      Set{.name = plan.name, .settings = plan.settings, .queues = {.first = pairs_.size()}});
  pairs_.reserve(pairs_.size() + plan.queues.size());
  for (const QueuePairPlan& queue : plan.queues) {
    QueuePair pair{.slots = plan.settings.slots,
                   .slot_size = plan.settings.slot_size,
                   .plan = queue,
                   .set = sets_.size() - 1};
    pair.let_go.resize(static_cast<std::size_t>(plan.settings.slots));
    for (const QueuePair& other : pairs_) {
      if (is_there(other) && other.has_ring() && pair.has_ring()) require_disjoint(other, pair);
    }
    if (plan.settings.direct_credit && pair.has_ring()) go_beside_fabric(pair);
    pairs_.push_back(std::move(pair));
  }
  set.queues.last = pairs_.size();
  receives_.resize(pairs_.size());
  auto rings = std::span{pairs_}.subspan(set.queues.first) | std::views::filter(&QueuePair::has_ring);
  set.fetches = std::ranges::any_of(rings, [this](const QueuePair& pair) { return !in_tcm(pair); });
  for (const QueuePair& pair : rings) {
    if (in_tcm(pair) == set.fetches)
      throw KernelFault{fmt::format("{} has rings in its TCM and rings elsewhere", to_string(node().at))};
    if (!set.fetches) rings_in_tcm_ += set.settings.ring_size();
  }
  const config::MemorySpec& memory = fabric().graph().spec().cube.memory;
  if (rings_in_tcm_ > memory.tcm - memory.tcm_scheduler) {
    throw KernelFault{fmt::format(
        "the rings of {} take {} of its TCM, which has {} beside the scheduler's part", to_string(node().at),
        to_string(rings_in_tcm_), to_string(memory.tcm - memory.tcm_scheduler))};
  }
}

// The pair's direction; with the set's name if the set isn't in use.
std::string PeIpcq::label(const QueuePair& pair) const {
  const Set& set = sets_[pair.set];
  return &set == in_use_ ? pair.plan.direction : set.name + "." + pair.plan.direction;
}

bool PeIpcq::in_tcm(const QueuePair& pair) const {
  return locate(fabric().graph(), pair.plan.my_base).memory == fabric().graph().pe(node().at).tcm;
}

void PeIpcq::take(SendCommand&& command) {
  command.taken = sim().now();
  if (ISpans* const spans = fabric().spans()) {
    spans->open(command.pending.get(), {.kind = SpanKind::send,
                                        .unit = id(),
                                        .what = "send " + pairs_[command.queue].plan.direction,
                                        .at = command.pending->at(),
                                        .start = sim().now(),
                                        .id = command.value.seq});
  }
  pairs_[command.queue].sends.push_back(std::move(command));
  may_send_ = true;
}

void PeIpcq::take(RecvCommand&& command) {
  command.taken = sim().now();
  const std::optional<std::size_t> queue = command.queue;
  if (ISpans* const spans = fabric().spans()) {
    spans->open(command.pending.get(),
                {.kind = SpanKind::receive,
                 .unit = id(),
                 .what = "recv " + (queue ? pairs_[*queue].plan.direction : std::string{"any"}),
                 .at = command.pending->at(),
                 .start = sim().now(),
                 .bytes = command.shape.bytes(command.dtype)});
  }
  receives_.add(queue, std::move(command));
  may_give_ = true;
}

void PeIpcq::take(const Arrival& arrival) {
  const auto holds = [&](const QueuePair& pair) {
    const Bytes offset = arrival.slot - pair.plan.my_base;
    return offset >= 0_B && offset < pair.ring_size() && pair.has_ring() && is_there(pair);
  };
  const auto found = std::ranges::find_if(pairs_, holds);
  ensure(found != pairs_.end(),
         [&] { return name() + ": a slot write outside all rings, at " + to_string(arrival.slot); });
  const auto place =
      static_cast<std::size_t>(static_cast<std::int64_t>(arrival.header.sequence) - found->taken);
  ensure(place < static_cast<std::size_t>(found->slots),
         [&] { return name() + ": a slot is written twice"; });
  found->filled.grow_to(place + 1);
  found->filled[place] = arrival.header;
  if (arrival.collected != 0) {
    found->came.resize(found->filled.size());
    found->came[place] = why_came(arrival.collected);
  }
  ++found->peer_head;
  may_give_ = true;
  if (is_given_up(*found, arrival.header.launch)) return;
  if (ended_here(*found, arrival.header)) throw left(*found, arrival.header, "the launch has ended");
}

void PeIpcq::take(const Release& release) {
  if (release.collected != 0) go_on_because(why_came(release.collected));
  QueuePair& pair = pairs_[release.queue];
  pair.let_go[release.slot] = true;
  for (auto next = pair.slot(pair.my_tail); pair.let_go[next]; next = pair.slot(pair.my_tail)) {
    pair.let_go[next] = false;
    ++pair.my_tail;
    return_credit(pair, release.queue);
  }
}

void PeIpcq::return_credit(const QueuePair& pair, std::size_t queue) {
  if (pair.creditor != nullptr) {
    const Time there = sim().now() + pair.credit_delay;
    if (Causes* const causes = sim().causes())
      causes->because(
          causes->make(there, causes->current(), why(Reason::credit, id(), settings(pair).credit_size)));
    return pair.creditor->credited(there, pair.plan.my_base);
  }
  MessagePtr credit =
      fabric().make(id(), fabric().graph().pe(pair.plan.peer).ipcq, settings(pair).credit_size,
                    TrafficClass::credit, SlotCredit{.ring_base = pair.plan.my_base});
  credit->origin = static_cast<std::uint32_t>(queue);
  if (releases_ == 1 && !any_aborted_)
    fabric().depart(std::move(credit));
  else
    fabric().send(std::move(credit));
}

// Credits bypass every router: only the slowest link of the route counts.
void PeIpcq::go_beside_fabric(QueuePair& pair) const {
  const topology::Graph& graph = fabric().graph();
  const NodeId peer = graph.pe(pair.plan.peer).ipcq;
  pair.creditor = &machine_->at<IIpcq>(peer);
  for (const LinkId link : topology::find_route(graph, id(), peer)) {
    const Time carried = graph.link(link).bandwidth.serialization(settings(pair).credit_size);
    pair.credit_delay = std::max(pair.credit_delay, carried);
  }
}

void PeIpcq::take(const Credit& credit) {
  const auto found = std::ranges::find_if(pairs_, [&](const QueuePair& pair) {
    return pair.plan.peer_base == credit.ring_base && sends(pair.plan.flow) && is_there(pair);
  });
  ensure(found != pairs_.end(),
         [&] { return name() + ": a credit for a ring of nobody's, at " + to_string(credit.ring_base); });
  ++found->peer_tail;
  may_send_ = true;
  if (ISpans* const spans = fabric().spans()) note_slot(*spans, *found, sim().now(), -1);
  if (credit.collected != 0) found->room = why_came(credit.collected);
}

void PeIpcq::add_ends(std::vector<QueueEnd>& ends) const {
  for (std::size_t queue = 0; queue < pairs_.size(); ++queue) {
    const QueuePair& pair = pairs_[queue];
    if (!is_there(pair)) continue;
    ends.push_back({.pe = node().at,
                    .direction = label(pair),
                    .in_use = &sets_[pair.set] == in_use_,
                    .peer = pair.plan.peer,
                    .ring = pair.plan.my_base.bits(),
                    .peer_ring = pair.plan.peer_base.bits(),
                    .flow = pair.plan.flow,
                    .slots = settings(pair).slots,
                    .my_head = pair.my_head,
                    .peer_tail = pair.peer_tail,
                    .peer_head = pair.peer_head,
                    .taken = pair.taken,
                    .my_tail = pair.my_tail,
                    .sends = static_cast<std::int64_t>(pair.sends.size()),
                    .receives = static_cast<std::int64_t>(receives_.of(queue).size())});
  }
}

}  // namespace kbsim::hw
