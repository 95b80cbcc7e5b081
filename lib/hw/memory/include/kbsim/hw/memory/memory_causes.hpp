#pragma once

#include <array>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

struct Message;

/// Causes of the times at which a memory's ports serve requests: derived for FIFO lanes, given by other
/// models.
class MemoryCauses {
 public:
  struct Served {
    Lane::Slot slot;
    ServerCauses because;
  };

  /// `in_order`: requests end in their order of arrival.
  MemoryCauses(Causes& causes, NodeId memory, IMemoryTiming& timing, bool in_order)
      : causes_{&causes}, memory_{memory}, timing_{&timing}, lanes_{timing.lanes()}, in_order_{in_order} {}

  /// Sets the causes of the next request's head and tail.
  void comes(Cause head, Cause tail) { head_ = std::move(head), tail_ = std::move(tail); }
  /// Causes of the request's arrival: those given to comes(), else of its head's time.
  [[nodiscard]] ServerCauses came(const MemoryRequest& request);
  /// The timing model serves the request; `came`: causes of its arrival.
  Served serve(const MemoryRequest& request, const ServerCauses& came);
  /// Cause of the end of the last served request.
  [[nodiscard]] const Cause& last_end() const { return last_end_; }
  /// Causes of the departure of a read's next packet, from the causes of its service: packets leave in order
  /// of address. `last`: it is the read's last packet.
  [[nodiscard]] ServerCauses in_turn(const Message& read, const ServerCauses& served, bool last);

  /// A part of a write ends because of `end`; written() returns the cause of the last end.
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
