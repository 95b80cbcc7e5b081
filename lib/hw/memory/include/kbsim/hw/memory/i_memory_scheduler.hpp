#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

/// The order in which a memory serves its requests. The memory decides late, when all requests of a time are
/// there, and offers only requests whose order is free: those of overlapping bytes keep their order of
/// arrival, and so do the packets of one read. Values are bound at arrival, so no order changes what is read.
class IMemoryScheduler {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  virtual ~IMemoryScheduler() = default;

  /// How many requests may be picked and not yet served. With kUnlimited each is served as it arrives, in
  /// order of arrival and without an event; pick() is never called.
  [[nodiscard]] virtual std::size_t window() const = 0;
  /// Index of the request that is served next. `ready` isn't empty, is in order of arrival, and has heads and
  /// tails of now or later. Its result may depend on its arguments and on earlier calls only.
  [[nodiscard]] virtual std::size_t pick(std::span<const MemoryRequest> ready,
                                         const IMemoryTiming& timing) = 0;
  /// True if the memory's IMemoryController orders commands: it gets each request as it arrives, and pick()
  /// is never called. A memory without a controller is then a ConfigError.
  [[nodiscard]] virtual bool orders_commands() const { return false; }
};

/// A memory scheduler, known by the name that a memory's attribute `scheduler` gives.
struct MemorySchedulerEntry {
  std::string doc;
  std::function<std::unique_ptr<IMemoryScheduler>()> make;
  [[nodiscard]] bool has_function() const { return make != nullptr; }
};

[[nodiscard]] Registry<MemorySchedulerEntry>& memory_schedulers();
/// The scheduler that a node's attribute `scheduler` names; ConfigError if the name is unknown.
[[nodiscard]] std::unique_ptr<IMemoryScheduler> memory_scheduler_named(const std::string& name,
                                                                       const topology::Node& node);

/// Always true. `abi` is KBSIM_ABI as the scheduler's file saw it.
bool register_memory_scheduler(std::string name, MemorySchedulerEntry entry, const char& abi) noexcept;

/// KBSIM_MEMORY_SCHEDULER("in_order", InOrder, "one line") in the scheduler's file.
#define KBSIM_MEMORY_SCHEDULER(name, Scheduler, text)                                \
  static const bool kRegistered##Scheduler = ::kbsim::hw::register_memory_scheduler( \
      name, {.doc = text, .make = [] { return std::make_unique<Scheduler>(); }}, KBSIM_ABI)

}  // namespace kbsim::hw
