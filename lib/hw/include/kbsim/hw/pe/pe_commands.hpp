#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/memory/atomic.hpp"
#include "kbsim/hw/pe/piece.hpp"
#include "kbsim/hw/pe/tcm_budget.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/tl/pending.hpp"
#include "kbsim/topology/virtual_memory.hpp"

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
  /// Of a command that may have to wait before it is issued.
  PeTile(std::shared_ptr<KernelContext> owner, Shape shape, DType dtype, oplog::Slices contents, Time ready,
         const std::source_location& at, std::optional<RingSlot> slot = {});
  /// The same bytes as `base`, in its place.
  PeTile(std::shared_ptr<PeTile> base, Shape shape, DType dtype);
  ~PeTile() override;

  /// Its command is issued: takes its bytes, for which there must be room.
  void take();
  [[nodiscard]] Bytes size() const { return shape().bytes(dtype()); }
  [[nodiscard]] oplog::Operand operand() const {
    return {.slices = contents_, .shape = shape(), .dtype = dtype()};
  }
  /// From when on its elements can be used; known once its command is issued, or it has arrived.
  [[nodiscard]] Time ready() const { return base_ ? base_->ready() : ready_; }
  /// It is there, or will be, at `t`.
  void arrived(Time t) { ready_ = last_use_ = t; }
  /// Somebody uses it until then.
  void used_until(Time t) {
    last_use_ = std::max(last_use_, t);
    if (base_) base_->used_until(t);
  }

 private:
  std::shared_ptr<KernelContext> context_;
  oplog::Slices contents_;
  Time ready_;
  Time last_use_;
  TcmBudget::Hold hold_;
  bool holds_ = false;
  std::shared_ptr<PeTile> base_;  // holds the bytes, if this one doesn't; no view of another itself
  std::optional<RingSlot> slot_;
};

/// Memory to TCM. The rest of the tile is `pad`, whose value is recorded as `padding`. An atomic loads what
/// its parts, one a piece, were before it; a wait for a signal its word, when that is so.
struct LoadCommand {
  std::vector<Piece> from;  // in ascending order of offset
  std::shared_ptr<PeTile> into;
  oplog::ValueId padding;  // none if there is no rest
  double pad = 0.0;
  std::shared_ptr<const Atomic> atomic;
  std::array<TilePtr, 2> operands;  // of the atomic: they stay in TCM as long as it is under way
  std::optional<Condition> until;
};

/// A slot outside TCM to TCM; then it is free.
struct FetchCommand {
  LoadCommand load;
  RingSlot slot;
};

/// TCM to memory; what of the tile is in no piece isn't written.
struct StoreCommand {
  std::vector<Piece> to;
  TilePtr tile;
};

/// What a composite moves for a tile of its own: into the scheduler's part of the TCM, or out of it. `parts`
/// is what memory held, by offset in the operand.
struct Stream {
  Stream(Simulation& sim, const Identity& what, const std::source_location& composite)
      : done{sim, what}, at{composite} {}
  Event done;
  std::source_location at;  // of the composite
  std::map<std::int64_t, oplog::Slices> parts;
};
struct StreamCommand {
  std::vector<Piece> pieces;
  bool in = true;
  std::shared_ptr<Stream> stream;
};

/// TCM to a slot of a neighbour's ring.
struct SlotCommand {
  topology::PhysRange slot;
  NodeId receiver;
  SlotHeader header;
  TilePtr tile;
  Bytes vc_chunk;  // as in QueueSet
};

/// One transfer of the DMA: recorded as `value` in the kernel's lane, seen by the kernel as `pending`. `call`
/// is what the kernel asked for, as a report of races names it: a literal; none of slots, which never race.
struct DmaCommand {
  std::variant<LoadCommand, FetchCommand, StoreCommand, SlotCommand, StreamCommand> move;
  std::shared_ptr<KernelContext> kernel;
  oplog::ValueId value;
  PendingPtr pending;
  std::string_view call = {};
  std::array<std::uint64_t, 2> order{};  // among those of one time: of the kernel, or queue and slot
};

struct SendCommand {
  std::size_t queue = 0;
  TilePtr tile;
  int tag = 0;
  std::shared_ptr<KernelContext> kernel;
  oplog::ValueId value;
  PendingPtr pending;
  std::uint64_t order = 0;  // of the kernel's commands
  Time taken{};             // by pe_ipcq
};

struct RecvCommand {
  std::optional<std::size_t> queue;  // none: any
  Shape shape;
  DType dtype = DType::f16;
  int tag = 0;
  std::shared_ptr<PeTile> into;  // if slots are fetched
  oplog::ValueId value;          // of the fetch
  std::shared_ptr<KernelContext> kernel;
  PendingPtr pending;
  std::uint64_t order = 0;  // of the kernel's commands
  Time taken{};             // by pe_ipcq
};

class CompositeJob;

/// What a kernel hands to the units of its PE.
using PeCommand = std::variant<DmaCommand, SendCommand, RecvCommand, std::shared_ptr<CompositeJob>>;

}  // namespace kbsim::hw
