#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

#include "kbsim/hw/message.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/tl/pending.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::hw {

class PeIpcq;
class KernelContext;

/// A tile in a PE's TCM. When the last handle goes, its bytes are free, and its slot if it lives in one.
class PeTile : public TileState {
 public:
  /// KernelFault naming `at` if the TCM has no room.
  PeTile(std::shared_ptr<KernelContext> owner, Shape shape, DType dtype, oplog::Slices contents, Time ready,
         const std::source_location& at);
  /// The same bytes as `base`, in its place.
  PeTile(std::shared_ptr<PeTile> base, Shape shape, DType dtype);
  ~PeTile() override;

  [[nodiscard]] Bytes size() const { return shape().bytes(dtype()); }
  [[nodiscard]] oplog::Operand operand() const {
    return {.slices = contents_, .shape = shape(), .dtype = dtype()};
  }
  /// From when on its elements can be used.
  [[nodiscard]] Time ready() const { return ready_; }
  /// Somebody uses it until then.
  void used_until(Time t) {
    last_use_ = std::max(last_use_, t);
    if (base_) base_->used_until(t);
  }
  /// It lives in this slot of a queue, which is let go with it.
  void lives_in(PeIpcq& ipcq, std::size_t queue, std::size_t slot) {
    ipcq_ = &ipcq;
    queue_ = queue;
    slot_ = slot;
  }

 private:
  std::shared_ptr<KernelContext> context_;
  oplog::Slices contents_;
  Time ready_;
  Time last_use_;
  std::shared_ptr<PeTile> base_;  // holds the bytes, if this one doesn't
  PeIpcq* ipcq_ = nullptr;
  std::size_t queue_ = 0;
  std::size_t slot_ = 0;
};

/// A stretch of memory and the bytes of a tile that lie in it.
struct Piece {
  topology::PhysRange memory;
  std::int64_t offset = 0;  // in the tile
};

/// Memory to TCM. The rest of the tile is `pad`, whose value is recorded as `padding`.
struct LoadCommand {
  std::vector<Piece> from;  // in ascending order of offset
  Shape shape;
  DType dtype = DType::f16;
  oplog::ValueId padding;  // none if there is no rest
  double pad = 0.0;
};

/// TCM to memory; what of the tile is in no piece isn't written.
struct StoreCommand {
  std::vector<Piece> to;
  TilePtr tile;
};

/// TCM to a slot of a neighbour's ring.
struct SlotCommand {
  topology::PhysRange slot;
  NodeId receiver;
  SlotHeader header;
  TilePtr tile;
};

/// One transfer of the DMA: recorded as `value` in the kernel's lane, seen by the kernel as `pending`.
struct DmaCommand {
  std::variant<LoadCommand, StoreCommand, SlotCommand> move;
  std::shared_ptr<KernelContext> kernel;
  oplog::ValueId value;
  PendingPtr pending;
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
};

struct RecvCommand {
  std::size_t queue = 0;
  Shape shape;
  DType dtype = DType::f16;
  int tag = 0;
  std::shared_ptr<KernelContext> kernel;
  PendingPtr pending;
  std::uint64_t order = 0;  // of the kernel's commands
};

/// What a kernel hands to the units of its PE.
using PeCommand = std::variant<DmaCommand, SendCommand, RecvCommand>;

}  // namespace kbsim::hw
