#pragma once

#include <cstdint>
#include <source_location>
#include <type_traits>

#include "kbsim/sim/task.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/descriptor.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/operators.hpp"
#include "kbsim/tl/pending.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

struct SendArgs {
  Dir dir;
  const Tile& src;
  int tag = 0;
};

struct RecvArgs {
  Dir dir;
  Shape shape;
  DType dtype = f16;
  int tag = 0;
};

/// What a kernel speaks. One rule: co_await means "leaves the PE". What leaves the PE has started when the
/// call returns and is awaited for its completion; commands to the PE's own engines are queued in program
/// order and not awaited. Mistakes are KernelFaults with the kernel's file and line.
class TL {
 public:
  using Here = std::source_location;

  explicit TL(PeBackend& pe) : pe_{pe} {}

  /// Axis 0: PE in the cube, 1: cube in the SIP, 2: SIP.
  [[nodiscard]] int program_id(int axis, Here at = Here::current()) const;
  [[nodiscard]] int num_programs(int axis, Here at = Here::current()) const;

  /// A contiguous row-major block of `from`'s memory, into TCM. `dtype` must be `from`'s.
  [[nodiscard]] Pending<Tile> load(Ptr from, Shape shape, DType dtype, Here at = Here::current());
  /// Done when the memory has acknowledged; the tile may be let go at once.
  [[nodiscard]] Pending<void> store(Ptr to, const Tile& tile, Here at = Here::current());

  /// Loads and stores blocks of a tensor, ragged edges included.
  [[nodiscard]] Descriptor make_desc(const DescArgs& args, Here at = Here::current()) const {
    return {pe_, args, at};
  }

  /// To the neighbour that `dir` names, in order per direction; done when the source has left.
  [[nodiscard]] Pending<void> send(SendArgs args, Here at = Here::current());
  /// The next tile from `dir`, in the order of the recv calls; it lives in its slot until let go.
  [[nodiscard]] Pending<Tile> recv(RecvArgs args, Here at = Here::current());

  [[nodiscard]] Tile full(Shape shape, double value, DType dtype = f32, Here at = Here::current());
  [[nodiscard]] Tile zeros(Shape shape, DType dtype = f32, Here at = Here::current());

  /// Element by element; a NaN gives way to a number.
  [[nodiscard]] Tile maximum(const Tile& a, const Tile& b, Here at = Here::current());
  [[nodiscard]] Tile minimum(const Tile& a, const Tile& b, Here at = Here::current());

  /// When the next command would be issued; may be ahead of the units.
  [[nodiscard]] Time clock() const { return pe_.clock(); }

 private:
  PeBackend& pe_;
};

static_assert(std::is_aggregate_v<SendArgs> && std::is_trivially_destructible_v<SendArgs>);
static_assert(std::is_aggregate_v<RecvArgs> && std::is_trivially_destructible_v<RecvArgs>);

}  // namespace kbsim
