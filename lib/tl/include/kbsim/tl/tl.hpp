#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kbsim/sim/task.hpp"
#include "kbsim/tl/arguments.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/composite.hpp"
#include "kbsim/tl/descriptor.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/gather.hpp"
#include "kbsim/tl/masked.hpp"
#include "kbsim/tl/operators.hpp"
#include "kbsim/tl/pending.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/range.hpp"
#include "kbsim/tl/signal.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

struct SendArgs {
  Dir dir;
  const Tile& src;
  int tag = 0;
};

/// A block of memory instead of a tile.
struct SendFromArgs {
  Dir dir;
  Ptr src;
  Shape shape;
  int tag = 0;
};

struct RecvArgs {
  Dir dir = Dir::any;
  Shape shape;
  DType dtype = f16;
  int tag = 0;
  std::optional<Ptr> dst = {};  // memory of that dtype that the tile is stored in
};

struct Call;  // internal

/// The language of kernels. One rule: co_await means "leaves the PE". An operation that leaves the PE has
/// started when the call returns; awaiting it waits for its completion. Commands to the PE's own engines are
/// queued in program order and not awaited. Mistakes are KernelFaults with the kernel's file and line.
class TL {
 public:
  using Here = std::source_location;

  explicit TL(PeBackend& pe) : pe_{pe} {}

  /// Number of blocks of b that hold a: a / b, rounded up. Takes no time. KernelFault unless b is positive.
  [[nodiscard]] static std::int64_t cdiv(std::int64_t a, std::int64_t b, Here at = Here::current());

  /// The program's place in the grid of its launch, and the grid's size, as Triton's. Axis 0: PEs of the cube
  /// that take part; 1: cubes of the package that take part; 2: packages of a collective, else one. Places
  /// are numbered from 0 in the order of the PEs' coordinates.
  ///
  /// Where cubes have different numbers of PEs there is no grid: axis 0 counts this cube's PEs, and a kernel
  /// that asks for num_programs(0) and for axis 1 is a KernelFault, since their product would skip work.
  [[nodiscard]] int program_id(int axis, Here at = Here::current()) const;
  [[nodiscard]] int num_programs(int axis, Here at = Here::current()) const;
  /// The PE that runs this, by its coordinates on the machine.
  [[nodiscard]] PeCoord place() const { return pe_.place(); }
  /// The machine's sizes, whatever takes part in the launch.
  [[nodiscard]] MachineShape machine() const { return pe_.machine(); }

  /// A contiguous row-major block of `from`'s memory, into TCM. `dtype` must be `from`'s.
  [[nodiscard]] Pending<Tile> load(Ptr from, Shape shape, DType dtype, Here at = Here::current());
  /// Done when the memory has acknowledged; the tile may be let go at once.
  [[nodiscard]] Pending<void> store(Ptr to, const Tile& tile, Here at = Here::current());
  /// `tl.load(from, shape, dtype, {.mask = m, .other = 0})` and `tl.store(to, tile, {.mask = m})` move only
  /// the elements whose mask is true; other addresses need no memory. They start when the mask is known, as a
  /// gather. Elements that follow one another are one request; without a true element there is none.
  [[nodiscard]] Pending<Tile> load(Ptr from, Shape shape, DType dtype, LoadMask args,
                                   Here at = Here::current());
  [[nodiscard]] Pending<void> store(Ptr to, const Tile& tile, StoreMask args, Here at = Here::current());

  /// A row-major block of memory to other memory, of one dtype: a load and, when its tile is in TCM, a store,
  /// by one command and without the kernel. Blocks may overlap.
  [[nodiscard]] Pending<void> copy(Ptr to, Ptr from, Shape shape, Here at = Here::current());

  /// Loads and stores blocks of a tensor, ragged edges included.
  [[nodiscard]] Descriptor make_desc(const DescArgs& args, Here at = Here::current()) const {
    return {pe_, args, at};
  }
  [[nodiscard]] Descriptor make_desc(const TensorDescArgs& args, Here at = Here::current()) const {
    return {pe_, args, at};
  }

  /// The rows (or single elements) of `base` that `indices` (integers) name, into one tile of the indices'
  /// shape and a row. Starts when the indices are known, as an item does; consecutive rows are one request.
  [[nodiscard]] Pending<Tile> gather(Ptr base, const Tile& indices, GatherArgs args = {},
                                     Here at = Here::current());

  /// Elements of memory are read and replaced where the memory is, by x + v, the greater or smaller of x and
  /// v (a NaN gives way), x & v, x | v, x ^ v, or v; gives the old values. A number is a tile of one element.
  /// Each element is served alone, in order of arrival, so that none is lost; see applies() for the dtypes.
  [[nodiscard]] Pending<Tile> atomic_add(Ptr to, Operand value, Here at = Here::current());
  [[nodiscard]] Pending<Tile> atomic_max(Ptr to, Operand value, Here at = Here::current());
  [[nodiscard]] Pending<Tile> atomic_min(Ptr to, Operand value, Here at = Here::current());
  [[nodiscard]] Pending<Tile> atomic_and(Ptr to, Operand value, Here at = Here::current());
  [[nodiscard]] Pending<Tile> atomic_or(Ptr to, Operand value, Here at = Here::current());
  [[nodiscard]] Pending<Tile> atomic_xor(Ptr to, Operand value, Here at = Here::current());
  [[nodiscard]] Pending<Tile> atomic_xchg(Ptr to, Operand value, Here at = Here::current());
  /// An element that is `expected` becomes `desired`. Gives the old values in either case.
  [[nodiscard]] Pending<Tile> atomic_cas(Ptr to, Operand expected, Operand desired,
                                         Here at = Here::current());

  /// A store and, when the memory has acknowledged it, an atomic that sets the word `signal` to `value` or
  /// adds it. A PE that sees the new word sees the data. Done when the signal is acknowledged, too. Both are
  /// in the memory that this PE sees: that of its package.
  [[nodiscard]] Pending<void> put(PutArgs args, Here at = Here::current());
  /// Waits until the word is `equal`, or `at_least` this value. The memory keeps the request until the word
  /// meets the condition by a put or another atomic; a plain store doesn't wake it.
  [[nodiscard]] Pending<void> wait_signal(WaitSignalArgs args, Here at = Here::current());

  /// Sends to the neighbour that `dir` names, in order per direction; done when the source has left.
  [[nodiscard]] Pending<void> send(SendArgs args, Here at = Here::current());
  /// A row-major block of memory: a load and, when its tile is in TCM, a send, by one command and without the
  /// kernel. Later sends of that direction wait for it.
  [[nodiscard]] Pending<void> send(SendFromArgs args, Here at = Here::current());
  /// The next tile from `dir`, in the order of the recv calls; it keeps its slot until let go, if slots are
  /// in TCM. Without `dir`, the first tile to arrive (see Tile::from()); if several have, the queues take
  /// turns. With `dst` the tile goes on to memory, without the kernel: done, with an empty tile, when the
  /// memory has acknowledged; its slot is free then.
  [[nodiscard]] Pending<Tile> recv(RecvArgs args, Here at = Here::current());
  /// recv, by a name that says that its Pending is kept: the tile arrives while the kernel goes on.
  [[nodiscard]] Pending<Tile> recv_async(RecvArgs args, Here at = Here::current()) { return recv(args, at); }

  /// `co_await tl.wait(a, b);` awaits them all, in this order. Awaiting each one then gives its result.
  template <class... T>
    requires(sizeof...(T) > 0)
  [[nodiscard]] Task<> wait(Pending<T>&... all) {
    return wait_for({all.awaited()...});
  }

  [[nodiscard]] Tile full(Shape shape, Number value, DType dtype = f32, Here at = Here::current());
  [[nodiscard]] Tile zeros(Shape shape, DType dtype = f32, Here at = Here::current());
  /// begin, begin + 1, ... up to but not including `end`, in i32.
  [[nodiscard]] Tile arange(std::int64_t begin, std::int64_t end, Here at = Here::current());

  /// The same elements under another shape; reshape and unsqueeze take no time.
  [[nodiscard]] Tile reshape(const Tile& x, Shape shape, Here at = Here::current());
  [[nodiscard]] Tile unsqueeze(const Tile& x, Axis axis, Here at = Here::current());
  /// These move elements: trans swaps the last two axes; axis i of a permuted tile is axis axes[i] of `x`;
  /// axes of extent 1 are repeated to a shape of the same rank.
  [[nodiscard]] Tile trans(const Tile& x, Here at = Here::current());
  [[nodiscard]] Tile permute(const Tile& x, Shape axes, Here at = Here::current());
  [[nodiscard]] Tile broadcast_to(const Tile& x, Shape shape, Here at = Here::current());
  [[nodiscard]] Tile cat(const Tile& a, const Tile& b, AxisArgs args, Here at = Here::current());
  /// The elements `begin` to `end - 1` along an axis, moved to a tile of their own, wherever they lie; `x`
  /// may be let go. Only they take time. A slice of the whole axis is `x` itself.
  [[nodiscard]] Tile slice(const Tile& x, SliceArgs args, Here at = Here::current());

  /// Operators besides those of operators.hpp. A NaN equals nothing. floordiv takes integers, toward 0.
  [[nodiscard]] Tile eq(Operand a, Operand b, Here at = Here::current());
  [[nodiscard]] Tile ne(Operand a, Operand b, Here at = Here::current());
  [[nodiscard]] Tile floordiv(Operand a, Operand b, Here at = Here::current());

  /// The greater, or smaller, of two; a NaN gives way to a number unless {.nan = Nan::propagate}. bf16
  /// gives f32. clamp takes floats: the smaller of `high` and the greater of x and `low`.
  [[nodiscard]] Tile maximum(Operand a, Operand b, NanArgs args = {}, Here at = Here::current());
  [[nodiscard]] Tile minimum(Operand a, Operand b, NanArgs args = {}, Here at = Here::current());
  [[nodiscard]] Tile clamp(const Tile& x, Operand low, Operand high, NanArgs args = {},
                           Here at = Here::current());

  /// x where the condition (bool) is true, else y; all three broadcast.
  [[nodiscard]] Tile where(const Tile& condition, Operand x, Operand y, Here at = Here::current());
  /// a * b + c of floats, rounded once.
  [[nodiscard]] Tile fma(Operand a, Operand b, Operand c, Here at = Here::current());

  /// Functions of floats of any dtype, in that dtype; abs takes integers, too.
  [[nodiscard]] Tile abs(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::abs, x, at);
  }
  [[nodiscard]] Tile exp(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::exp, x, at);
  }
  [[nodiscard]] Tile exp2(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::exp2, x, at);
  }
  [[nodiscard]] Tile log(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::log, x, at);
  }
  [[nodiscard]] Tile log2(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::log2, x, at);
  }
  [[nodiscard]] Tile sqrt(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::sqrt, x, at);
  }
  [[nodiscard]] Tile rsqrt(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::rsqrt, x, at);
  }
  [[nodiscard]] Tile sin(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::sin, x, at);
  }
  [[nodiscard]] Tile cos(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::cos, x, at);
  }
  [[nodiscard]] Tile tanh(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::tanh, x, at);
  }
  [[nodiscard]] Tile sigmoid(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::sigmoid, x, at);
  }
  [[nodiscard]] Tile erf(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::erf, x, at);
  }
  [[nodiscard]] Tile floor(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::floor, x, at);
  }
  [[nodiscard]] Tile ceil(const Tile& x, Here at = Here::current()) {
    return unary(oplog::UnaryOp::ceil, x, at);
  }
  [[nodiscard]] Tile softmax(const Tile& x, AxisArgs args, Here at = Here::current());

  /// Along one axis, in ascending order of the index. Floats are added and multiplied in f32 (f64 in f64) and
  /// rounded once, to their own dtype; integers of less than 32 bits give i32.
  [[nodiscard]] Tile sum(const Tile& x, ReduceArgs args, Here at = Here::current());
  [[nodiscard]] Tile prod(const Tile& x, ReduceArgs args, Here at = Here::current());
  /// Elements of less than 32 bits give f32 or i32. NaN as in maximum; all NaN: NaN, and index 0.
  /// Indices are i32, of the first of equals.
  [[nodiscard]] Tile max(const Tile& x, ExtremeArgs args, Here at = Here::current());
  [[nodiscard]] Tile min(const Tile& x, ExtremeArgs args, Here at = Here::current());
  [[nodiscard]] Tile argmax(const Tile& x, ExtremeArgs args, Here at = Here::current());
  [[nodiscard]] Tile argmin(const Tile& x, ExtremeArgs args, Here at = Here::current());
  /// As sum and prod, of all elements up to each (with `reverse`, of each and all after it, from the last one
  /// on), but bf16 gives f32.
  [[nodiscard]] Tile cumsum(const Tile& x, ScanArgs args, Here at = Here::current());
  [[nodiscard]] Tile cumprod(const Tile& x, ScanArgs args, Here at = Here::current());
  /// x0, fn(x0, x1), fn(fn(x0, x1), x2), ... along an axis by an associative function `Tile fn(TL&, const
  /// Tile& a, const Tile& b)` of each element, where a has the earlier elements (with `reverse`, the later
  /// ones). It keeps shape and dtype. ceil(log2 n) steps of two slices, fn, one slice and a cat: step i
  /// combines the results of the 2^i elements before with those of the 2^i up to each one.
  template <class Function>
  [[nodiscard]] Tile associative_scan(const Tile& x, ScanArgs args, const Function& fn,
                                      Here at = Here::current()) {
    const auto combine = [&](const Tiles& a, const Tiles& b) { return Tiles{fn(*this, a[0], b[0])}; };
    return scanned({x}, args, combine, at)[0];
  }
  /// The same for several tiles of one shape at once: fn takes and gives std::array<Tile, N>.
  template <std::size_t N, class Function>
  [[nodiscard]] std::array<Tile, N> associative_scan(const std::array<Tile, N>& x, ScanArgs args,
                                                     const Function& fn, Here at = Here::current()) {
    const auto array = [](const Tiles& tiles) {
      std::array<Tile, N> all;
      std::ranges::copy(tiles, all.begin());
      return all;
    };
    const auto combine = [&](const Tiles& a, const Tiles& b) {
      const std::array<Tile, N> made = fn(*this, array(a), array(b));
      return Tiles{made.begin(), made.end()};
    };
    return array(scanned({x.begin(), x.end()}, args, combine, at));
  }
  /// The k largest along the last axis. Equal elements keep their order, and NaN comes last.
  [[nodiscard]] TopK topk(const Tile& x, std::int64_t k, Here at = Here::current());

  /// [.., m, k] times [.., k, n] of one dtype, on pe_gemm. f16, bf16, f8 and f32 give f32; f64 gives f64; i8
  /// and u8 give i32. With `acc`, of the result's dtype and shape: acc + a * b.
  [[nodiscard]] Tile dot(const Tile& a, const Tile& b, Here at = Here::current());
  [[nodiscard]] Tile dot(const Tile& a, const Tile& b, const Tile& acc, Here at = Here::current());

  /// Prints the elements of a tile when they are known, in the order of simulated time; takes no time.
  void print(std::string_view label, const Tile& x, Here at = Here::current());
  /// A fault of the kernel with this text and the first element that is 0, false or NaN. Elements are checked
  /// when they are known: at the end of the run, in the mock at once. Takes no time.
  void check_all(const Tile& condition, std::string_view text, Here at = Here::current());
  /// KernelFault with this text unless the condition holds now.
  void check(bool condition, std::string_view text, Here at = Here::current());
  /// `const auto r = tl.range("softmax");` names the kernel's work from here to the end of the block in the
  /// trace. The name is a literal, or `LastingName{text}` of a text made at run time.
  [[nodiscard]] RangeScope range(LastingName name, Here at = Here::current()) {
    pe_.count(at);
    return RangeScope{pe_, name};
  }

  /// A tensor that is left in memory, as a composite's operand or output.
  [[nodiscard]] Ref ref(Ptr ptr, Shape shape, DType dtype, Here at = Here::current()) const;
  /// One big operation, cut into tiles that pe_scheduler streams through DMA, GEMM and math by itself. Gives
  /// its result as a tile, or an empty one if it went to `out`.
  [[nodiscard]] Pending<Tile> composite(CompositeArgs args, Here at = Here::current());

  /// Waits until every PE of this SIP that runs the same launch has reached its barrier of the same number.
  /// It doesn't wait for operations in flight: await first those whose results other PEs need.
  [[nodiscard]] Pending<void> barrier(Here at = Here::current()) { return Pending<void>{pe_.barrier(at)}; }
  /// Waits until all units of this PE have finished their commands so far.
  [[nodiscard]] Pending<void> sync(Here at = Here::current()) { return Pending<void>{pe_.sync(at)}; }
  /// The number in a tile of one element, or at an index, as soon as it is ready: so that control flow may
  /// depend on data. Numbers of i64 are rounded to double.
  [[nodiscard]] Pending<double> item(const Tile& tile, Shape index = {}, Here at = Here::current());

  /// Issues a memory command of any kind, which the caller has checked: Tile, double or void is what awaiting
  /// it gives. A function over it is a call of one's own: `load_strided(tl, ...)`. Unsupported if the backend
  /// has no function for the kind.
  template <class Result, IsMemoryCommand Command>
  [[nodiscard]] Pending<Result> issue(const Command& command) {
    return Pending<Result>{pe_.issue(command)};
  }

  /// The PE's CPU works for `time` on what isn't a command (a library's code, say): the next command is
  /// issued so much later. KernelFault if the time is negative.
  void work(Time time, Here at = Here::current());
  /// When the next command would be issued; may be ahead of the units.
  [[nodiscard]] Time clock(Here at = Here::current()) const {
    pe_.count(at);
    return pe_.clock();
  }

 private:
  using Tiles = std::vector<Tile>;
  using Combine = std::function<Tiles(const Tiles& a, const Tiles& b)>;
  [[nodiscard]] Tiles scanned(Tiles x, ScanArgs args, const Combine& combine, Here at);
  static Task<> wait_for(std::vector<PendingPtr> all);
  [[nodiscard]] Tile unary(oplog::UnaryOp op, const Tile& x, Here at);

  void require_grid(const Call& call) const;

  PeBackend& pe_;
  mutable bool asked_count_ = false;  // called num_programs(0)
  mutable bool asked_cube_ = false;   // asked for axis 1
};

static_assert(kArguments<SendArgs> && kArguments<SendFromArgs> && kArguments<RecvArgs>);

}  // namespace kbsim
