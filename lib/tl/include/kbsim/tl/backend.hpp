#pragma once

#include <array>
#include <memory>
#include <source_location>

#include "kbsim/base/shape.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

class PendingState;
using PendingPtr = std::shared_ptr<PendingState>;

/// One command to an engine of the PE itself: done in program order, never awaited.
struct EngineCommand {
  oplog::OpKind kind = oplog::OpKind::binary;
  oplog::BinaryOp binary = oplog::BinaryOp::add;
  std::array<TilePtr, 2> inputs;  // as many as the kind takes
  Shape shape;                    // of the result
  DType dtype = f16;              // of the result
  double scalar = 0.0;
  std::source_location at;
};

/// What a PE must offer to kernels: the machine implements it, and so does the mock.
/// Commands are checked before they come here; a backend's own checks throw KernelFault.
class PeBackend {
 public:
  virtual ~PeBackend() = default;

  /// Axis 0: PE in the cube, 1: cube in the SIP, 2: SIP.
  [[nodiscard]] virtual int program_id(int axis) const = 0;
  [[nodiscard]] virtual int num_programs(int axis) const = 0;

  /// The issue clock: when the kernel's next command would be issued.
  [[nodiscard]] virtual Time clock() const = 0;
  /// The kernel has seen something that was done at `t`.
  virtual void observe(Time t) = 0;

  [[nodiscard]] virtual TilePtr execute(const EngineCommand& command) = 0;

  [[nodiscard]] virtual PendingPtr load(Ptr from, Shape shape, DType dtype, std::source_location at) = 0;
  [[nodiscard]] virtual PendingPtr store(Ptr to, const TilePtr& tile, std::source_location at) = 0;
  [[nodiscard]] virtual PendingPtr send(Dir dir, const TilePtr& tile, int tag, std::source_location at) = 0;
  [[nodiscard]] virtual PendingPtr recv(Dir dir, Shape shape, DType dtype, int tag,
                                        std::source_location at) = 0;

  /// A Pending was dropped that nobody had awaited or detached: a fault when the kernel ends.
  virtual void dropped(const PendingState& pending) noexcept = 0;
  /// One was detached: the kernel's end waits for it.
  virtual void detached(PendingPtr pending) = 0;
};

}  // namespace kbsim
