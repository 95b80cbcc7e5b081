#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/piece.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/race.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim::hw {

/// Watches the transfers of a machine for data races, if somebody asked for it. A transfer is in flight from
/// when its DMA, or the host, begins it until that knows that it is done: a store until its last
/// acknowledgement has come. Slots of rings are not watched: credits order them.
class RaceWatch {
 public:
  using Token = std::optional<oplog::RaceCheck::Token>;

  /// All of these must outlive it.
  RaceWatch(Simulation& sim, const topology::Graph& graph, const oplog::OpLog& log)
      : sim_{sim}, graph_{graph}, log_{log} {}

  /// Before the run. With RaceMode::error the first race is a KernelFault, 1 ps after it was found.
  void watch(oplog::RaceMode mode);
  [[nodiscard]] bool on() const { return check_ != nullptr; }

  /// A transfer begins now; no token if nobody watches.
  [[nodiscard]] Token begin(oplog::MemoryAccess access, std::span<const Piece> pieces);
  [[nodiscard]] Token begin(oplog::MemoryAccess access, MemoryAddress at, Bytes bytes);
  /// It is done.
  void end(Token token);

  /// A line each, in the order in which they were found; those of a run that failed at some time are complete
  /// before it.
  [[nodiscard]] std::vector<std::string> reports(Time before = kForever) const;

 private:
  [[nodiscard]] Token begin(oplog::MemoryAccess access);
  Task<> fail();

  Simulation& sim_;
  const topology::Graph& graph_;
  const oplog::OpLog& log_;
  std::unique_ptr<oplog::RaceCheck> check_;
  bool fails_ = false;
  bool failed_ = false;
  std::vector<oplog::MemoryRange> ranges_;  // of the transfer that begins
};

}  // namespace kbsim::hw
