#include "kbsim/hw/memory/i_memory_scheduler.hpp"
#include "kbsim/hw/memory/memory_model.hpp"

namespace kbsim::hw {

Registry<MemorySchedulerEntry>& memory_schedulers() {
  static Registry<MemorySchedulerEntry> registry{"memory scheduler"};
  return registry;
}

bool register_memory_scheduler(std::string name, MemorySchedulerEntry entry, const char& /*abi*/) noexcept {
  (void)memory_schedulers().offer(std::move(name), std::move(entry));
  return true;
}

MemorySite memory_site(const topology::Graph& graph, NodeId id) {
  return {.node = graph.node(id), .link = graph.link(graph.out(id).front()).bandwidth};
}

}  // namespace kbsim::hw
