#include "kbsim/hw/pe_ipcq.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/kernel_context.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe_dma.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_ipcq", NodeKind::pe_ipcq, PeIpcq, PeIpcqSpec, "queues between PEs");

PeIpcq::PeIpcq(Fabric& fabric, NodeId id, PeIpcqSpec spec)
    : Component{fabric, id}, spec_{spec}, work_{fabric.sim(), name() + " work"} {}

void PeIpcq::start(Machine& machine) {
  Component::start(machine);
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  dma_ = &machine.at<PeDma>(pe.dma);
  tcm_ = &machine.at<PeTcm>(pe.tcm).image();
  (void)sim().serve(name() + " queues", run());
}

std::size_t PeIpcq::queue(std::string_view direction) const {
  const auto found =
      std::ranges::find(pairs_, direction, [](const QueuePair& q) { return q.plan.direction; });
  if (found != pairs_.end()) return static_cast<std::size_t>(found - pairs_.begin());
  std::vector<std::string> installed;
  for (const QueuePair& pair : pairs_) installed.push_back(pair.plan.direction);
  throw KernelFault{fmt::format("no queue '{}' on {}; installed: {}", direction, to_string(node().at),
                                installed.empty() ? "none" : fmt::format("{}", fmt::join(installed, ", ")))};
}

// Sends and receives of one time in the order of the kernel; the order of the rest makes no difference.
std::uint64_t PeIpcq::program_order(const Work& item) {
  if (const auto* send = std::get_if<SendCommand>(&item)) return send->order;
  if (const auto* receive = std::get_if<RecvCommand>(&item)) return receive->order;
  return 0;
}

Task<> PeIpcq::run() {
  std::vector<Work> work;
  for (;;) {
    work.clear();
    co_await work_.collect(work);
    std::ranges::sort(work, {}, &program_order);
    for (Work& item : work) {
      std::visit([this](auto& what) { take(std::move(what)); }, item);
    }
  }
}

void PeIpcq::accept(MessagePtr message) {
  if (const auto* credit = std::get_if<SlotCredit>(&message->body)) {
    work_.post(sim().now(), Credit{credit->ring_base});
  } else if (const auto* order = std::get_if<Control>(&message->body)) {
    install(std::get<InstallQueues>(order->job->targets[order->first].action));
    tell(message->from, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
         ControlDone{.token = order->token, .activity = {sim().now(), sim().now(), sim().now()}});
  } else {
    Component::accept(std::move(message));
  }
}

void PeIpcq::install(const InstallQueues& plan) {
  if (!pairs_.empty())
    throw KernelFault{fmt::format("the queues of {} are installed already", to_string(node().at))};
  credit_size_ = plan.credit_size;
  for (const QueuePairPlan& queue : plan.queues) {
    QueuePair pair;
    pair.plan = queue;
    pair.let_go.resize(static_cast<std::size_t>(queue.slots));
    pairs_.push_back(std::move(pair));
  }
}

void PeIpcq::take(SendCommand command) {
  const std::size_t queue = command.queue;
  pairs_[queue].sends.push_back(std::move(command));
  send_what_fits(queue);
}

void PeIpcq::take(RecvCommand command) {
  const std::size_t queue = command.queue;
  pairs_[queue].receives.push_back(std::move(command));
  give_what_came(queue);
}

void PeIpcq::take(const Arrival& arrival) {
  const auto holds = [&](const QueuePair& pair) {
    const Bytes offset = arrival.slot - pair.plan.my_base;
    return offset >= 0_B && offset < pair.plan.slot_size * pair.plan.slots;
  };
  const auto found = std::ranges::find_if(pairs_, holds);
  ensure(found != pairs_.end(), name() + ": a slot write outside all rings, at " + to_string(arrival.slot));
  ensure(arrival.header.sequence == static_cast<std::uint64_t>(found->peer_head),
         name() + ": slots out of order");
  ++found->peer_head;
  found->filled.push_back(arrival.header);
  give_what_came(static_cast<std::size_t>(found - pairs_.begin()));
}

void PeIpcq::take(const Release& release) {
  QueuePair& pair = pairs_[release.queue];
  pair.let_go[release.slot] = true;
  for (auto next = slot(pair, pair.my_tail); pair.let_go[next]; next = slot(pair, pair.my_tail)) {
    pair.let_go[next] = false;
    ++pair.my_tail;
    tell(fabric().graph().pe(pair.plan.peer).ipcq, credit_size_, VirtualChannel::ipcq,
         SlotCredit{.ring_base = pair.plan.my_base}, static_cast<std::uint32_t>(release.queue));
  }
}

void PeIpcq::take(const Credit& credit) {
  const auto found =
      std::ranges::find(pairs_, credit.ring_base, [](const QueuePair& pair) { return pair.plan.peer_base; });
  ensure(found != pairs_.end(),
         name() + ": a credit for a ring of nobody's, at " + to_string(credit.ring_base));
  ++found->peer_tail;
  send_what_fits(static_cast<std::size_t>(found - pairs_.begin()));
}

void PeIpcq::send_what_fits(std::size_t queue) {
  QueuePair& pair = pairs_[queue];
  while (!pair.sends.empty() && pair.my_head - pair.peer_tail < pair.plan.slots) {
    SendCommand send = std::move(pair.sends.front());
    pair.sends.pop_front();
    const auto& tile = static_cast<const PeTile&>(*send.tile);
    const SlotHeader header{.sequence = static_cast<std::uint64_t>(pair.my_head),
                            .tag = send.tag,
                            .shape = tile.shape(),
                            .dtype = tile.dtype()};
    const auto index = static_cast<std::int64_t>(slot(pair, pair.my_head));
    const topology::PhysAddr to = pair.plan.peer_base + pair.plan.slot_size * index;
    ++pair.my_head;
    dma_->submit(sim().now(), {.move = SlotCommand{.slot = {.pa = to, .bytes = tile.size()},
                                                   .receiver = fabric().graph().pe(pair.plan.peer).ipcq,
                                                   .header = header,
                                                   .tile = send.tile},
                               .kernel = send.kernel,
                               .value = send.value,
                               .pending = send.pending,
                               .order = {queue, header.sequence}});
  }
}

void PeIpcq::give_what_came(std::size_t queue) {
  QueuePair& pair = pairs_[queue];
  while (!pair.receives.empty() && pair.taken < pair.peer_head) {
    const RecvCommand to = std::move(pair.receives.front());
    pair.receives.pop_front();
    const SlotHeader header = pair.filled.front();
    pair.filled.pop_front();
    try {
      to.pending->complete(slot_tile(queue, header, to), sim().now());
    } catch (const KernelFault&) {
      to.pending->fail(std::current_exception());
    }
  }
}

TilePtr PeIpcq::slot_tile(std::size_t queue, const SlotHeader& header, const RecvCommand& to) {
  QueuePair& pair = pairs_[queue];
  const std::size_t index = slot(pair, pair.taken++);
  const bool as_asked = header.shape == to.shape && header.dtype == to.dtype && header.tag == to.tag;
  if (!as_asked) {
    throw KernelFault{fmt::format(
        "{}: recv from '{}' expects {} {} with tag {}, but {} {} with tag {} was sent",
        to_string(to_place(to.pending->at())), pair.plan.direction, to_string(to.shape), to_string(to.dtype),
        to.tag, to_string(header.shape), to_string(header.dtype), header.tag)};
  }
  const topology::PhysAddr where = pair.plan.my_base + pair.plan.slot_size * static_cast<std::int64_t>(index);
  const std::int64_t address = locate(fabric().graph(), where).address;
  return std::make_shared<PeTile>(to.kernel, to.shape, to.dtype,
                                  tcm_->read(address, to.shape.bytes(to.dtype).count()), sim().now(),
                                  to.pending->at(), RingSlot{this, queue, index});
}

std::vector<std::string> PeIpcq::waiting() const {
  std::vector<std::string> lines;
  for (const QueuePair& pair : pairs_) {
    if (pair.sends.empty() && pair.receives.empty()) continue;
    lines.push_back(fmt::format(
        "{} {} (peer {}): {} send(s) and {} recv(s) wait; my_head {} peer_tail {} peer_head {} "
        "my_tail {} of {} slots",
        to_string(node().at), pair.plan.direction, to_string(pair.plan.peer), pair.sends.size(),
        pair.receives.size(), pair.my_head, pair.peer_tail, pair.peer_head, pair.my_tail, pair.plan.slots));
  }
  return lines;
}

}  // namespace kbsim::hw
