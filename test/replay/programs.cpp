// Random programs on one memory, with operands that overlap, are updated in place and reuse slots: replaying
// the graph of values must give the results of an interpreter that executes step by step.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/oplog/log_memory.hpp"
#include "kbsim/oplog/rules.hpp"
#include "kbsim/replay/execute.hpp"
#include "kbsim/replay/replay.hpp"

#include "samples.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;
using oplog::OpKind;

constexpr std::int64_t kMemory = 512;  // bytes
constexpr std::array<DType, 12> kAll{f16,       bf16,           f32,           f64,
                                     DType::i8, DType::i16,     i32,           DType::i64,
                                     DType::u8, DType::boolean, DType::f8e4m3, DType::f8e5m2};

struct Region {
  std::int64_t address;
  Shape shape;
  DType dtype;
  [[nodiscard]] std::int64_t bytes() const { return shape.bytes(dtype).count(); }
};

class Program {
 public:
  /// Regions begin at multiples of `slot` bytes, or of their item's size if that is more.
  Program(unsigned seed, int slot) : samples_{seed}, slot_{slot} { log_.add_lane("program"); }

  void step() {
    switch (samples_.below(10)) {
      case 0: return fill();
      case 1: return moved(OpKind::copy);
      case 2: return moved(OpKind::cast);
      case 3: return binary();
      case 4: return unary();
      case 5: return reduce();
      case 6: return permute();
      case 7: return concat();
      case 8: return slice();
      default: return dot();
    }
  }

  /// A region of the memory, read by the interpreter and by replay.
  void check_somewhere(Replay& replay) {
    const Region region = somewhere(shape(), dtype());
    REQUIRE(replay.evaluate(operand(region)) == bytes(region));
  }
  void check_all(Replay& replay) {
    const Region all{0, {kMemory}, DType::u8};
    REQUIRE(replay.evaluate(operand(all)) == bytes(all));
  }

  [[nodiscard]] const oplog::OpLog& log() const { return log_; }

 private:
  Shape shape() {
    return samples_.below(2) == 0 ? Shape{1 + samples_.below(6)}
                                  : Shape{1 + samples_.below(4), 1 + samples_.below(4)};
  }
  DType dtype() { return kAll[static_cast<std::size_t>(samples_.below(12))]; }
  DType number() {
    const DType any = dtype();
    return any == DType::boolean ? f32 : any;
  }

  Region somewhere(const Shape& shape, DType dtype) {
    const std::int64_t step = std::max<std::int64_t>(slot_, itemsize(dtype));
    const std::int64_t places = (kMemory - shape.bytes(dtype).count()) / step + 1;
    return {samples_.below(static_cast<int>(places)) * step, shape, dtype};
  }

  [[nodiscard]] oplog::Operand operand(const Region& r) const {
    return {.slices = image_.read(r.address, r.bytes()), .shape = r.shape, .dtype = r.dtype};
  }
  [[nodiscard]] Buffer bytes(const Region& r) const {
    const auto from = memory_.begin() + r.address;
    return {from, from + r.bytes()};
  }

  /// Executes at once for the interpreter, and records.
  void perform(OpKind kind, const oplog::Parameters& params, const Region& out,
               const std::vector<Region>& inputs) {
    Op op{.id = log_.reserve(0), .kind = kind, .params = params, .dtype = out.dtype, .shape = out.shape};
    op.end = Time{op.id.seq};
    std::vector<Buffer> contents;
    std::vector<std::span<const std::byte>> views;
    for (const Region& input : inputs) {
      op.inputs.push_back(operand(input));
      contents.push_back(bytes(input));
    }
    views.assign(contents.begin(), contents.end());
    std::ranges::copy(execute(op, views), memory_.begin() + out.address);
    const oplog::Slice made{.value = op.id, .offset = 0, .bytes = out.bytes()};
    log_.record(std::move(op));
    image_.write(out.address, made);
  }

  void fill() {
    const double value = samples_.below(200) - 100;
    perform(OpKind::fill, {.scalar = value}, somewhere(shape(), dtype()), {});
  }
  void moved(OpKind kind) {
    const Shape s = shape();
    const DType from = dtype();
    perform(kind, {}, somewhere(s, kind == OpKind::copy ? from : dtype()), {somewhere(s, from)});
  }
  void binary() {
    constexpr std::array<oplog::BinaryOp, 6> kBinaryOps{oplog::BinaryOp::add,     oplog::BinaryOp::sub,
                                                        oplog::BinaryOp::mul,     oplog::BinaryOp::maximum,
                                                        oplog::BinaryOp::minimum, oplog::BinaryOp::lt};
    const oplog::BinaryOp op = kBinaryOps[static_cast<std::size_t>(samples_.below(6))];
    const Shape s = shape();
    const DType t = number();
    const Shape other = samples_.below(3) == 0 ? Shape{1} : s;
    const Region a = somewhere(s, t);
    const bool compares = oplog::is_comparison(op);
    const bool in_place = !compares && samples_.below(3) == 0;
    perform(OpKind::binary, {.binary = op}, in_place ? a : somewhere(s, compares ? DType::boolean : t),
            {a, somewhere(other, t)});
  }
  void unary() {
    const Shape s = shape();
    const DType t = number();
    const auto op = samples_.below(2) == 0 ? oplog::UnaryOp::neg : oplog::UnaryOp::abs;
    perform(OpKind::unary, {.unary = op}, somewhere(s, t), {somewhere(s, t)});
  }
  void reduce() {
    const Shape s = shape();
    const DType t = number();
    const int axis = samples_.below(s.rank());
    const oplog::Parameters params{.reduce = oplog::ReduceOp::sum, .axis = static_cast<std::int8_t>(axis)};
    perform(OpKind::reduce, params, somewhere(oplog::reduced(s, axis, true), t), {somewhere(s, t)});
  }
  void permute() {
    const Shape s{1 + samples_.below(4), 1 + samples_.below(4)};
    const DType t = dtype();
    perform(OpKind::permute, {.axes = {1, 0}}, somewhere({s[1], s[0]}, t), {somewhere(s, t)});
  }
  void concat() {
    const Shape s = shape();
    const DType t = dtype();
    perform(OpKind::concat, {}, somewhere(oplog::with_extent(s, 0, 2 * s[0]), t),
            {somewhere(s, t), somewhere(s, t)});
  }
  void slice() {
    const Shape s = shape();
    const DType t = dtype();
    const int begin = samples_.below(static_cast<int>(s[0]));
    perform(OpKind::slice, {.scalar = static_cast<double>(begin)},
            somewhere(oplog::with_extent(s, 0, s[0] - begin), t), {somewhere(s, t)});
  }
  void dot() {
    const std::int64_t m = 1 + samples_.below(4);
    const std::int64_t k = 1 + samples_.below(4);
    const Region acc = somewhere({m, 2}, f32);
    perform(OpKind::dot, {}, acc, {somewhere({m, k}, bf16), somewhere({k, 2}, bf16), acc});
  }

  Samples samples_;
  std::int64_t slot_;
  oplog::OpLog log_;
  oplog::MemoryImage image_;
  Buffer memory_ = Buffer(kMemory, std::byte{0xff});  // unwritten memory
};

TEST_CASE("Replay: equals an interpreter on thousands of random programs, whatever overlaps") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    Program program{seed, seed % 2 == 0 ? 1 : 64};
    for (int i = 0; i < 40; ++i) program.step();
    Replay replay{program.log(), 1};
    program.check_all(replay);
  }
}

TEST_CASE("Replay: asked in the middle of a program, again and again, equals the interpreter then") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Program program{seed, 1};
    Replay replay{program.log(), 1};
    for (int i = 0; i < 60; ++i) {
      program.step();
      if (i % 7 == 0) program.check_somewhere(replay);
      if (i % 29 == 0) replay.release_all();
    }
    program.check_all(replay);
  }
}

TEST_CASE("Replay: slots written over hundreds of times, on any number of threads with the same bits") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Program program{seed, 128};  // four slots
    for (int i = 0; i < 2000; ++i) program.step();
    Replay one{program.log(), 1};
    program.check_all(one);
    const Digest digest = one.run();
    one.release_all();
    CHECK(one.counters().live == 0_B);
    for (const unsigned threads : {2U, 4U}) {
      Replay many{program.log(), threads};
      CHECK(many.run().value() == digest.value());
      program.check_all(many);
    }
  }
}

}  // namespace
}  // namespace kbsim::replay
