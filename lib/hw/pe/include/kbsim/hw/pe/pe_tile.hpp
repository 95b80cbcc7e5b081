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

/// Where a tile that was received lives, until it is let go.
struct RingSlot {
  IIpcq* ipcq = nullptr;
  std::size_t queue = 0;
  std::size_t slot = 0;
};

/// A tile in a PE's TCM. When the last handle has gone and the last consumer is done, its bytes are free, or
/// its slot if it lives in one.
class PeTile : public TileState {
 public:
  /// Of a command that may have to wait before it is issued. Without contents it is as if nobody wrote it:
  /// of a log that keeps times only.
  PeTile(std::shared_ptr<KernelContext> owner, Shape shape, DType dtype, oplog::Slices contents, Time ready,
         const std::source_location& at, std::optional<RingSlot> slot = {});
  /// The same bytes as `base`, in its place.
  PeTile(std::shared_ptr<PeTile> base, Shape shape, DType dtype);
  ~PeTile() override;

  /// Its command is issued: takes its bytes, for which there must be room.
  void take();
  [[nodiscard]] Bytes size() const { return shape().bytes(dtype()); }
  [[nodiscard]] oplog::Operand operand() const;
  /// From when on its elements can be used; known once its command is issued, or it has arrived.
  [[nodiscard]] Time ready() const { return base_ ? base_->ready() : ready_; }
  /// Where causes are kept: why it can be.
  [[nodiscard]] const Cause& why() const { return base_ ? base_->why() : ready_why_; }
  /// It is there, or will be, at `t`.
  void arrived(Time t);
  /// No kernel holds it: it goes when its unit lets it go, whatever the issue clock says.
  void held_by_unit() { held_by_unit_ = true; }
  /// Somebody uses it until then.
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
  std::shared_ptr<PeTile> base_;  // holds the bytes, if this one doesn't; no view of another itself
  std::optional<RingSlot> slot_;
};

}  // namespace kbsim::hw
