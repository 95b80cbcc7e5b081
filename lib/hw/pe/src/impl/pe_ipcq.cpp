#include "pe_ipcq.hpp"

#include <algorithm>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/slot_credit.hpp"
#include "kbsim/tl/queue_waits.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_ipcq", NodeKind::pe_ipcq, PeIpcq, PeIpcqSpec, "queues between PEs");

PeIpcq::PeIpcq(Fabric& fabric, NodeId id, PeIpcqSpec spec)
    : Component{fabric, id},
      spec_{spec},
      unit_{.fabric = fabric, .id = id, .ipcq = this},
      work_{fabric.sim(), {name(), "queues"}} {}

void PeIpcq::start(Machine& machine) {
  Component::start(machine);
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  unit_.machine = &machine;
  unit_.dma = &machine.at<IDma>(pe.dma);
  unit_.tcm = &machine.at<ITcm>(pe.tcm).image();
  unit_.trace = &machine.queue_trace();
  serve_box<&PeIpcq::work_, &PeIpcq::serve_queues>(*this);
}

Bytes PeIpcq::slot_size() const {
  const InstalledQueues::Set& set = queues_.in_use();
  return set.queues.first == set.queues.last ? 0_B : set.settings.slot_size;
}

// A PE runs one kernel at a time: no command of the last one waits any more.
void PeIpcq::select(std::string_view set, const LaunchId& launch) {
  queues_.select(set);
  leftovers_.begin(launch);
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

Task<> PeIpcq::serve_queues() {
  std::vector<Work> work;
  for (;;) {
    work.clear();
    co_await work_.collect(work);
    if (sim().causes() != nullptr) explain(work);
    if (work.size() > 1) std::ranges::sort(work, {}, &program_order);
    const auto releases = [](const Work& item) { return std::holds_alternative<Release>(item); };
    freed_.expect(std::ranges::count_if(work, releases));
    for (Work& item : work) {
      std::visit([this](auto& what) { take(std::move(what)); }, item);
    }
    aborts_.before_turn();
    serve();
    aborts_.after_turn();
    removals_.after_turn();
  }
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

void PeIpcq::take(const Release& release) {
  const Cause* const why = why_came(release.collected);
  if (why != nullptr && *why) [[unlikely]]
    sim().causes()->set_current(*why);
  freed_.release(release.queue, release.slot);
}

// A send goes before a receive of the same time.
void PeIpcq::serve() {
  sender_.serve();
  receiver_.serve();
  const WaitingCommands waits{unit_, queues_, receiver_.waiting()};
  if (const std::optional<Time> look = looks_.end_turn(waits)) work_.post(*look, Look{});
}

void PeIpcq::obey(NodeId from, const Control& order) {
  const auto& action = order.job->targets[order.first].action;
  QueueOrder one{.sets = {}, .from = from, .token = order.token, .start = sim().now()};
  if (const auto* removal = std::get_if<RemoveQueues>(&action)) {
    one.sets = removal->sets;
    return removals_.add(std::move(one));
  }
  if (const auto* given_up = std::get_if<AbortQueues>(&action)) {
    one.sets = given_up->sets;
    return aborts_.add(std::move(one), order.order);
  }
  install(std::get<InstallQueues>(action));
  report_done(unit_, one);
}

void PeIpcq::install(const InstallQueues& plan) {
  for (QueuePair& pair : queues_.install(plan)) {
    if (pair.has_ring() && queues_.settings(pair).direct_credit) freed_.go_beside_fabric(pair);
  }
  receiver_.resize();
  if (!plan.beside) select("", {});
}

// A ring in TCM has the same times at each slot.
void PeIpcq::visit(RepeatVisitor& visitor) {
  looks_.clock().visit(visitor);
  for (const QueuePair& pair : queues_.all()) {
    visitor.fixed(pair.my_head - pair.peer_tail);
    visitor.fixed(pair.peer_head - pair.taken);
    visitor.fixed(pair.peer_head - pair.my_tail);
    if (!queues_.set_of(pair).fetches) continue;
    visitor.fixed(pair.slot(pair.my_head));
    visitor.fixed(pair.slot(pair.peer_head));
  }
}

void PeIpcq::add_ends(std::vector<QueueEnd>& ends) const {
  for (std::size_t queue = 0; queue < queues_.all().size(); ++queue) {
    const QueuePair& pair = queues_[queue];
    if (!queues_.is_there(pair)) continue;
    ends.push_back({.pe = node().at,
                    .direction = queues_.label(pair),
                    .in_use = &queues_.set_of(pair) == &queues_.in_use(),
                    .peer = pair.plan.peer,
                    .ring = pair.plan.my_base.bits(),
                    .peer_ring = pair.plan.peer_base.bits(),
                    .flow = pair.plan.flow,
                    .slots = pair.slots,
                    .my_head = pair.my_head,
                    .peer_tail = pair.peer_tail,
                    .peer_head = pair.peer_head,
                    .taken = pair.taken,
                    .my_tail = pair.my_tail,
                    .sends = static_cast<std::int64_t>(pair.sends.size()),
                    .receives = static_cast<std::int64_t>(receiver_.waiting().of(queue).size())});
  }
}

}  // namespace kbsim::hw
