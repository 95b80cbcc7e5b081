#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>

#include "kbsim/hw/pe/tcm_budget.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim::hw {

class IIpcq;
class KernelContext;

/// The slot that holds a received tile until it is released.
struct RingSlot {
  IIpcq* ipcq = nullptr;
  std::size_t queue = 0;
  std::size_t slot = 0;
};

/// A tile in a PE's TCM. When the last handle has gone and the last consumer is done, its bytes are free, or
/// its slot if it lives in one.
class PeTile : public TileState {
 public:
  /// The tile of a command that may wait before it is issued. Without contents (a log that keeps times only)
  /// it reads as bytes that were never written.
  PeTile(std::shared_ptr<KernelContext> owner, Shape shape, DType dtype, oplog::Slices contents, Time ready,
         const std::source_location& at, std::optional<RingSlot> slot = {});
  /// The same bytes as `base`, in its place.
  PeTile(std::shared_ptr<PeTile> base, Shape shape, DType dtype);
  ~PeTile() override;

  /// Its command is issued: takes its bytes; there must be room.
  void take();
  [[nodiscard]] Bytes size() const { return shape().bytes(dtype()); }
  [[nodiscard]] oplog::Operand operand() const;
  /// When its elements can be used; known once its command is issued, or it has arrived.
  [[nodiscard]] Time ready() const { return base_ ? base_->ready() : ready_; }
  /// Cause of ready(), if causes are kept.
  [[nodiscard]] const Cause& why() const { return base_ ? base_->why() : ready_why_; }
  /// It is ready at `t`, now or later.
  void arrived(Time t);
  /// No kernel holds it: its slot is freed when its unit releases it, regardless of the issue clock.
  void held_by_unit() { held_by_unit_ = true; }
  /// A consumer uses it until `t`.
  void used_until(Time t, const Cause& why) {
    if (t >= last_use_) last_use_why_ = why;
    last_use_ = std::max(last_use_, t);
    if (base_) base_->used_until(t, why);
  }

 private:
  std::shared_ptr<KernelContext> context_;
  oplog::Slices contents_;
  Time ready_;
  Time last_use_;
  Cause ready_why_;  // of these two, if causes are kept
  Cause last_use_why_;
  TcmBudget::Hold hold_;
  bool holds_ = false;
  bool held_by_unit_ = false;
  std::shared_ptr<PeTile> base_;  // holds the bytes of a view; never a view itself
  std::optional<RingSlot> slot_;
};

}  // namespace kbsim::hw
