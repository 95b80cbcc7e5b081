#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/program_place.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/oplog/parameters.hpp"
#include "kbsim/tl/composite.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/memory_command.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

class TensorLayout;

/// One command to an engine of the PE itself: done in program order, never awaited. oplog defines kind,
/// params and inputs. A fill of rank 0 is a number that the next command carries; prints and checks are
/// recorded. Neither takes time.
struct EngineCommand {
  oplog::OpKind kind = oplog::OpKind::binary;
  oplog::Parameters params;
  std::array<TilePtr, 3> inputs;  // the kind's operands, the rest null
  Shape shape;                    // of the result
  DType dtype = f16;              // of the result
  std::string_view label;         // of a print or check; valid during the call
  std::source_location at;
};

/// The interface of a PE to kernels. The machine and the mock implement it.
/// Commands are checked before they get here; a backend's own checks throw KernelFault.
class PeBackend {
 public:
  virtual ~PeBackend() = default;

  [[nodiscard]] virtual const ProgramPlace& grid() const = 0;
  [[nodiscard]] virtual PeCoord place() const = 0;
  [[nodiscard]] virtual MachineShape machine() const = 0;
  /// The layout of the tensor at this virtual address; null if it is row-major there.
  [[nodiscard]] virtual std::shared_ptr<const TensorLayout> layout(std::uint64_t /*va*/) const {
    return nullptr;
  }

  /// The issue clock: when the kernel's next command would be issued.
  [[nodiscard]] virtual Time clock() const = 0;
  /// The kernel has observed a completion at `t`.
  virtual void observe(Time t) = 0;
  /// The kernel has observed that the operation it awaited completed at `done`.
  virtual void awaited(const PendingState& pending, Time done);

  /// The kernel has made a call that takes no time. It counts as a command, so that an endless loop of such
  /// calls is a fault, too.
  virtual void count(const std::source_location& at) = 0;
  /// The PE's CPU works for `time` before it issues the next command. It counts as a command; backends
  /// without time do nothing else.
  virtual void work(Time /*time*/, const std::source_location& at) { count(at); }
  [[nodiscard]] virtual TilePtr execute(const EngineCommand& command) = 0;
  /// The same bytes under another shape and dtype: no command, no time, no memory.
  [[nodiscard]] virtual TilePtr view(const TilePtr& tile, Shape shape, DType dtype) = 0;
  /// Names the kernel's work between two readings of the issue clock.
  virtual void range(std::string_view name, Time begin, Time end) = 0;

  /// A load, store, gather, ...: see MemoryOps. Each kind's struct defines the result.
  [[nodiscard]] virtual PendingPtr issue(const MemoryCommand& command) = 0;
  [[nodiscard]] virtual PendingPtr send(Dir dir, const TilePtr& tile, int tag, std::source_location at) = 0;
  [[nodiscard]] virtual PendingPtr recv(Dir dir, Shape shape, DType dtype, int tag,
                                        std::source_location at) = 0;

  [[nodiscard]] virtual PendingPtr composite(const CompositeCommand& command) = 0;
  /// Done when every PE of this SIP that runs the same launch has reached its barrier of the same number.
  [[nodiscard]] virtual PendingPtr barrier(std::source_location at) = 0;
  /// Done when all earlier commands to this PE's units are done.
  [[nodiscard]] virtual PendingPtr sync(std::source_location at) = 0;
  /// Completed with the value of an element.
  [[nodiscard]] virtual PendingPtr item(const TilePtr& tile, std::int64_t element,
                                        std::source_location at) = 0;

  /// A Pending was dropped that was never awaited or detached: a fault when the kernel ends.
  virtual void dropped(const PendingState& pending) noexcept = 0;
  /// A Pending was detached: the kernel's end waits for it.
  virtual void detached(PendingPtr pending) = 0;
};

}  // namespace kbsim
