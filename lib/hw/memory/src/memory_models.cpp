#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/hw/memory/i_memory_controller.hpp"
#include "kbsim/hw/memory/i_memory_scheduler.hpp"
#include "kbsim/hw/memory/memory_model.hpp"

namespace kbsim::hw {

IMemoryTiming::~IMemoryTiming() = default;

std::unique_ptr<IMemoryController> IMemoryTiming::controller() const { return nullptr; }

ServerCauses IMemoryTiming::serve_because(const MemoryRequest& /*request*/, const Cause& /*head*/,
                                          const Cause& /*tail*/) {
  throw InternalError{"a memory was asked why its requests wait that doesn't keep causes"};
}

void IMemoryController::push_because(std::uint64_t /*id*/, const MemoryRequest& /*request*/,
                                     const Cause& /*tail*/) {
  throw InternalError{"a controller was asked why its requests wait that doesn't keep causes"};
}

Registry<MemorySchedulerEntry>& memory_schedulers() {
  static Registry<MemorySchedulerEntry> registry{"memory scheduler"};
  return registry;
}

std::unique_ptr<IMemoryScheduler> memory_scheduler_named(const std::string& name,
                                                         const topology::Node& node) {
  if (const MemorySchedulerEntry* entry = memory_schedulers().find(name)) return entry->make();
  throw ConfigError{node.model->place_of({"scheduler"}), node.name + ".scheduler",
                    "unknown memory scheduler '" + name + "'" + name_hint(name, memory_schedulers().names())};
}

MemoryModels& memory_models() {
  static MemoryModels models;
  return models;
}

bool register_memory_scheduler(std::string name, MemorySchedulerEntry entry, const char& /*abi*/) noexcept {
  (void)memory_schedulers().offer(std::move(name), std::move(entry));
  return true;
}

MemorySite memory_site(const topology::Graph& graph, NodeId id) {
  return {.node = graph.node(id), .link = graph.link(graph.out(id).front()).bandwidth};
}

}  // namespace kbsim::hw
