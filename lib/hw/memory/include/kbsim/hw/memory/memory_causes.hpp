#pragma once

#include <array>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

struct Message;

/// Why the ports of a memory serve requests when they do, while somebody wants to know. Of memories whose
/// ports are FIFO lanes.
class MemoryCauses {
 public:
  MemoryCauses(Causes& causes, NodeId memory, const IMemoryTiming& timing)
      : causes_{&causes}, memory_{memory}, timing_{&timing}, lanes_{timing.lanes()} {}

  /// Why the request that comes next, a packet of a write, has its head and tail.
  void comes(Cause head, Cause tail) { head_ = std::move(head), tail_ = std::move(tail); }
  /// A request of the present time, or the packet that came, has been served so.
  ServerCauses serve(const MemoryRequest& request, Lane::Slot slot);
  /// Likewise, of one that is here because of `head` and `tail`.
  ServerCauses serve(const MemoryRequest& request, Lane::Slot slot, const Cause& head, const Cause& tail);

  /// A part of a write ends because of `end`; the last of its parts says why all of it has ended.
  void wrote(const Message& message, const Cause& end);
  [[nodiscard]] Cause written(const Message& message);

 private:
  Causes* causes_;
  NodeId memory_;
  const IMemoryTiming* timing_;
  int lanes_;
  std::array<Cause, 2> holders_;
  Cause head_;
  Cause tail_;
  boost::unordered_flat_map<const Message*, Cause> writes_;
};

}  // namespace kbsim::hw
