#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/oplog/log.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim::explain {

/// Maps moments to the operations of a log that end at them, while causes are kept: 17 bytes per operation.
/// Operations that take no time have no moment. A moment that ends several operations maps to the least id.
class OpMarks final : public oplog::IOpWatch {
 public:
  /// Watches the log from now on, if the simulation keeps causes and the log operations; both must outlive
  /// it.
  OpMarks(Simulation& sim, oplog::OpLog& log);
  ~OpMarks() override;
  OpMarks(const OpMarks&) = delete;
  OpMarks& operator=(const OpMarks&) = delete;

  /// Keeps the cause of this operation's end even if nothing follows from it.
  void keep(oplog::ValueId id) { kept_ = id; }
  /// The kept cause; none where the end belongs to another operation, or isn't known yet.
  [[nodiscard]] const Cause& kept_end() const { return kept_end_; }

  void reserved(oplog::ValueId id) override;
  void recorded(const oplog::Op& op, std::string_view call) override;

  [[nodiscard]] const oplog::OpLog& log() const { return log_; }
  /// The operation of a mark of the causes.
  [[nodiscard]] oplog::ValueId id(std::uint32_t mark) const { return ended_[mark - 1]; }
  /// Time of the call by its kernel or host program.
  [[nodiscard]] Time called(oplog::ValueId id) const { return called_[id.lane][id.seq]; }
  /// "sip0.cube0.pe3:17": its lane, and its count there.
  [[nodiscard]] std::string name(oplog::ValueId id) const;
  /// "div f16 [16, 8]"; an operation that moves data shows its call, "store f16 [16, 8]".
  [[nodiscard]] std::string what(oplog::ValueId id) const;

 private:
  [[nodiscard]] std::uint8_t place_of(std::string_view call);
  [[nodiscard]] std::string_view call_of(const oplog::Op& op) const;

  Simulation& sim_;
  oplog::OpLog& log_;
  std::vector<std::vector<Time>> called_;         // by lane and count
  std::vector<std::vector<std::uint8_t>> calls_;  // likewise: in names_, from 1 on; 0: its kind says it
  std::vector<std::string_view> names_;
  std::vector<oplog::ValueId> ended_;  // by mark - 1
  oplog::ValueId kept_;
  Cause kept_end_;
};

}  // namespace kbsim::explain
