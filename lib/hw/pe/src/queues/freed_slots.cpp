#include "freed_slots.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/noc_number.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/slot_credit.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::hw {

void FreedSlots::go_beside_fabric(QueuePair& pair) const {
  const topology::Graph& graph = unit_.graph();
  const NodeId peer = graph.pe(pair.plan.peer).ipcq;
  const int network = noc_number(graph, unit_.id, peer, TrafficClass::credit);
  pair.creditor = &unit_.machine->at<IIpcq>(peer);
  for (const LinkId link : topology::find_route(graph, unit_.id, peer, network)) {
    const Time carried = graph.link(link).bandwidth.serialization(queues_.settings(pair).credit_size);
    pair.credit_delay = std::max(pair.credit_delay, carried);
  }
}

void FreedSlots::release(std::size_t queue, std::size_t slot) {
  QueuePair& pair = queues_[queue];
  pair.let_go[slot] = true;
  for (auto next = pair.slot(pair.my_tail); pair.let_go[next]; next = pair.slot(pair.my_tail)) {
    pair.let_go[next] = false;
    ++pair.my_tail;
    return_credit(pair, queue);
  }
}

void FreedSlots::return_credit(const QueuePair& pair, std::size_t queue) {
  const Bytes size = queues_.settings(pair).credit_size;
  if (pair.creditor != nullptr) {
    const Time there = unit_.sim().now() + pair.credit_delay;
    if (Causes* const causes = unit_.sim().causes())
      causes->because(causes->make(there, causes->current(), why(Reason::credit, unit_.id, size)));
    return pair.creditor->credited(there, pair.plan.my_base);
  }
  Fabric& fabric = unit_.fabric;
  MessagePtr credit = fabric.make(unit_.id, unit_.graph().pe(pair.plan.peer).ipcq, size, TrafficClass::credit,
                                  SlotCredit{.ring_base = pair.plan.my_base});
  credit->origin = static_cast<std::uint32_t>(queue);
  if (releases_ == 1 && !queues_.any_aborted())
    fabric.depart(std::move(credit));
  else
    fabric.send(std::move(credit));
}

}  // namespace kbsim::hw
