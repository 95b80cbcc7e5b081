#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kbsim/hw/memory/memory.hpp"

namespace kbsim::hw {

/// A timing model's place in the machine.
struct MemorySite {
  const topology::Node& node;
  Bandwidth link;  // raw bandwidth: that of its link, or of the first of several
};

[[nodiscard]] MemorySite memory_site(const topology::Graph& graph, NodeId id);

/// The attributes of a timing model, and those that every memory has.
template <class TimingSpec>
struct MemoryAttributes : TimingSpec {
  std::string scheduler = "in_order";
  static void describe(FieldList<MemoryAttributes>& f) {
    f.template base<TimingSpec>();
    f.add("scheduler", &MemoryAttributes::scheduler,
          "the memory scheduler, which says in which order requests are served");
  }
};

/// The memory that a timing model makes: one constructed from (const MemorySite&, const TimingSpec&).
template <class Timing, class TimingSpec>
class MemoryOf final : public Memory, public IRepeatable {
 public:
  MemoryOf(Fabric& fabric, NodeId id, const MemoryAttributes<TimingSpec>& spec)
      : Memory{fabric, id, std::make_unique<Timing>(memory_site(fabric.graph(), id), spec), spec.scheduler} {}
  void visit(RepeatVisitor& visitor) override { visit_memory(visitor); }
};

/// Timing models without their memories, by the names of the memories: synthetic traffic to a memory drives
/// them alone.
using MemoryModels = std::map<std::string, std::function<std::unique_ptr<IMemoryTiming>(const MemorySite&)>>;
[[nodiscard]] MemoryModels& memory_models();

template <class Timing, class TimingSpec>
bool offer_memory_model(const char* name) noexcept {
  const auto make = [](const MemorySite& site) -> std::unique_ptr<IMemoryTiming> {
    return std::make_unique<Timing>(site, spec_from<MemoryAttributes<TimingSpec>>(site.node.model->attrs));
  };
  return memory_models().try_emplace(name, make).second;
}

/// KBSIM_MEMORY("builtin.sram", NodeKind::sram, Sram, SramSpec, "one line") in the timing model's file.
#define KBSIM_MEMORY(name, kind, Timing, TimingSpec, doc)                         \
  static const bool kRegistered##Timing =                                         \
      ::kbsim::hw::register_component<::kbsim::hw::MemoryOf<Timing, TimingSpec>,  \
                                      ::kbsim::hw::MemoryAttributes<TimingSpec>>( \
          name, ::kbsim::topology::kind, doc, KBSIM_ABI) &&                       \
      (::kbsim::hw::offer_memory_model<Timing, TimingSpec>(name), true)

}  // namespace kbsim::hw
