#pragma once

#include <array>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

struct Message;

/// Why the ports of a memory serve requests when they do, while somebody wants to know: FIFO lanes, or a
/// model that says so itself.
class MemoryCauses {
 public:
  struct Served {
    Lane::Slot slot;
    ServerCauses because;
  };

  /// `in_order`: requests end in the order in which they came.
  MemoryCauses(Causes& causes, NodeId memory, IMemoryTiming& timing, bool in_order)
      : causes_{&causes}, memory_{memory}, timing_{&timing}, lanes_{timing.lanes()}, in_order_{in_order} {}

  /// Why the request that comes next, a packet of a write, has its head and tail.
  void comes(Cause head, Cause tail) { head_ = std::move(head), tail_ = std::move(tail); }
  /// Why the request is here that is of the present time, or the packet that came.
  [[nodiscard]] ServerCauses came(const MemoryRequest& request);
  /// The timing model serves the request, which is here because of `came`.
  Served serve(const MemoryRequest& request, const ServerCauses& came);
  /// Why the request that was served last has ended.
  [[nodiscard]] const Cause& last_end() const { return last_end_; }
  /// The data of a read leaves in order of address: why its next packet leaves that was served so. It is the
  /// `last` one.
  [[nodiscard]] ServerCauses in_turn(const Message& read, const ServerCauses& served, bool last);

  /// A part of a write ends because of `end`; the last of its parts says why all of it has ended.
  void wrote(const Message& message, const Cause& end);
  [[nodiscard]] Cause written(const Message& message);

 private:
  [[nodiscard]] ServerCauses explain(const MemoryRequest& request, Lane::Slot slot, const Cause& head,
                                     const Cause& tail);

  Causes* causes_;
  NodeId memory_;
  IMemoryTiming* timing_;
  int lanes_;
  bool in_order_;
  std::array<Cause, 2> holders_;
  Cause head_;
  Cause tail_;
  Cause last_end_;
  boost::unordered_flat_map<const Message*, Cause> writes_;
  boost::unordered_flat_map<const Message*, ServerCauses> reads_;  // their last packets
};

}  // namespace kbsim::hw
