#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/order_watch.hpp"
#include "kbsim/hw/piece.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/race.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim::hw {

/// Watches the accesses of a machine for data races, on request. Slots of rings are not watched: credits
/// order them. It holds memory for accesses that a later one may still race with.
class RaceWatch {
 public:
  /// All of these must outlive it.
  RaceWatch(Simulation& sim, const topology::Graph& graph, const oplog::OpLog& log)
      : sim_{sim}, graph_{graph}, log_{log}, orders_{sim} {}

  /// Before the run. With RaceMode::error the first race is a KernelFault, 1 ps after it was found.
  void watch(oplog::RaceMode mode);
  [[nodiscard]] bool on() const { return check_ != nullptr; }
  [[nodiscard]] OrderWatch& orders() { return orders_; }

  /// A command of an agent; nullptr if race detection is off.
  [[nodiscard]] oplog::IssuePtr issue(const oplog::AgentPtr& by) const {
    return by ? std::make_shared<oplog::Issue>(by) : nullptr;
  }
  /// An access begins now; one of no command isn't watched.
  void begin(oplog::MemoryAccess access, std::span<const Piece> pieces);
  void begin(oplog::MemoryAccess access, MemoryAddress at, Bytes bytes);
  /// The work of a command is done.
  void end(const oplog::IssuePtr& issue) const {
    if (issue) issue->ended = sim_.now();
  }
  /// A request for an atomic leaves its DMA; its memory serves it now.
  void asks(NodeId reply_to, Token token, oplog::MemoryAccess atomic);
  void serves(NodeId reply_to, Token token, MemoryAddress at, Bytes bytes);
  /// These bytes are of "tensor 'x'" or the like until they are free.
  void name(const topology::PhysRange& bytes, const std::shared_ptr<const std::string>& of);
  /// These bytes are free.
  void forget(const topology::PhysRange& bytes);

  /// The races, one line each, in the order found. If the run failed at some time, they are complete before
  /// it.
  [[nodiscard]] std::vector<std::string> reports(Time before = kForever) const;
  /// Peak memory of race detection.
  [[nodiscard]] Bytes memory() const;

 private:
  struct Named {
    std::int64_t end = 0;
    std::shared_ptr<const std::string> of;
  };
  using Place = std::pair<std::uint32_t, std::int64_t>;  // memory and first byte

  [[nodiscard]] std::string name_of(const oplog::MemoryRange& bytes) const;
  [[nodiscard]] oplog::MemoryRange range(const topology::PhysRange& bytes) const;
  void found(std::size_t races);
  Task<> fail();

  Simulation& sim_;
  const topology::Graph& graph_;
  const oplog::OpLog& log_;
  std::shared_ptr<oplog::RaceTally> tally_;
  std::unique_ptr<oplog::RaceCheck> check_;
  OrderWatch orders_;
  std::map<std::pair<NodeId, Token>, oplog::MemoryAccess> atomics_;  // under way
  std::map<Place, Named> names_;                                     // none overlaps another
  bool fails_ = false;
  bool failed_ = false;
  std::vector<oplog::MemoryRange> ranges_;  // of the access that begins
};

}  // namespace kbsim::hw
