#pragma once

#include <atomic>

#include "kbsim/sim/event_watch.hpp"

namespace kbsim::detail {

class ProcessRecord;

/// The process that runs just now, and the part of the machine that owns what is made.
class Running {
 public:
  /// Null in events that belong to no process. Any thread may read it: a watchdog does (docs/adr/0002).
  [[nodiscard]] ProcessRecord* process() const { return process_.load(std::memory_order_relaxed); }
  void set(ProcessRecord* process) { process_.store(process, std::memory_order_relaxed); }
  /// An event that belongs to no process has arrived at this part.
  void arrived(PartId part) { set(nullptr), arrived_ = part; }

  /// The part that is built, outside of events.
  void build(PartId part) { built_ = part; }
  /// The part that owns what is made now: the running process's, or the one that is built.
  [[nodiscard]] PartId part() const;

  /// For a watch: the process's part or else the one at which the event arrived, since forget_arrival().
  [[nodiscard]] PartId place() const;
  void forget_arrival() { arrived_ = 0; }

 private:
  std::atomic<ProcessRecord*> process_ = nullptr;
  PartId built_ = 0;
  PartId arrived_ = 0;
};

}  // namespace kbsim::detail
