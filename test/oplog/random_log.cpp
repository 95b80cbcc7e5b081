#include "random_log.hpp"

#include <limits>
#include <random>

#include "kbsim/oplog/rules.hpp"

namespace kbsim::test {
namespace {

using namespace kbsim::oplog;

class Maker {
 public:
  Maker(std::uint32_t seed, OpLog& log) : random_{seed}, log_{log} {
    (void)log.add_lane("sip0.cube0.pe0");
    (void)log.add_lane("rank0");
  }

  void literal() {
    Op op = made(OpKind::literal, Shape{upto(3) + 1, upto(3) + 1}, f32);
    std::vector<std::byte> data(static_cast<std::size_t>(op.shape.bytes(f32).count()));
    for (std::byte& b : data) b = static_cast<std::byte>(upto(255));
    op.data = std::make_shared<const std::vector<std::byte>>(std::move(data));
    keep(std::move(op));
  }
  void any() {
    const auto kind = static_cast<OpKind>(upto(static_cast<int>(kOpKinds) - 1));
    switch (kind) {
      case OpKind::literal: return literal();
      case OpKind::fill:
      case OpKind::arange: return numbers(kind);
      case OpKind::binary: return binary();
      case OpKind::ternary: return ternary();
      case OpKind::reduce: return reduce();
      case OpKind::topk: return topk();
      case OpKind::permute: return permute();
      case OpKind::broadcast: return repeat();
      case OpKind::concat: return concat();
      case OpKind::slice: return slice();
      case OpKind::dot: return dot();
      default: return one_input(kind);
    }
  }

  void range() {
    const Time begin{upto(1'000'000)};
    log_.add_range(static_cast<std::uint32_t>(upto(1)),
                   {.name = std::string(static_cast<std::size_t>(upto(200)), 'r'),
                    .begin = begin,
                    .end = begin + Time{upto(1'000'000)}});
  }

 private:
  int upto(int most) { return std::uniform_int_distribution{0, most}(random_); }
  const Op& picked() {
    return *log_.find(values_[static_cast<std::size_t>(upto(static_cast<int>(values_.size()) - 1))]);
  }

  Op made(OpKind kind, Shape shape, DType dtype) {
    const auto lane = static_cast<std::uint32_t>(upto(1));
    if (upto(9) == 0) (void)log_.reserve(lane);  // one that never ends
    return {.id = log_.reserve(lane),
            .kind = kind,
            .dtype = dtype,
            .shape = shape,
            .unit = upto(3) == 0 ? NodeId{} : NodeId{static_cast<std::uint32_t>(upto(500))},
            .start = Time{upto(1'000'000)},
            .end = Time{upto(1'000'000)}};
  }
  // All of a value, as one slice or as two; the second may be unwritten memory.
  Operand whole(const Op& value) {
    const std::int64_t bytes = value.shape.bytes(value.dtype).count();
    Operand input{.slices = {}, .shape = value.shape, .dtype = value.dtype};
    const std::int64_t cut = upto(3) == 0 ? 4 : bytes;
    input.slices.push_back({value.id, 0, cut});
    if (cut < bytes) input.slices.push_back({upto(1) == 0 ? value.id : ValueId{}, cut, bytes - cut});
    return input;
  }
  void keep(Op op) {
    const ValueId id = op.id;
    const bool usable = op.dtype == f32 && op.shape.rank() == 2;
    log_.record(std::move(op));
    if (usable) values_.push_back(id);
  }
  void numbers(OpKind kind) {
    Op op = made(kind, Shape{upto(3) + 1, 2}, f32);
    op.params.scalar = upto(3) == 0 ? std::numeric_limits<double>::quiet_NaN() : upto(100) / 8.0;
    keep(std::move(op));
  }
  void one_input(OpKind kind) {
    const Op& in = picked();
    Op op = made(kind, in.shape, kind == OpKind::cast ? static_cast<DType>(upto(11)) : f32);
    op.params.unary = static_cast<UnaryOp>(kind == OpKind::unary ? upto(15) : 0);
    if (op.params.unary == UnaryOp::invert) op.params.unary = UnaryOp::neg;
    const bool along = kind == OpKind::cumsum || kind == OpKind::softmax || kind >= OpKind::cumsum_reverse;
    if (along) op.params.axis = static_cast<std::int8_t>(upto(1));
    op.inputs.push_back(whole(in));
    if (kind == OpKind::cast && makes_narrower(f32, op.dtype)) op.params.round = static_cast<Round>(upto(1));
    if (only_reports(kind)) op.data = std::make_shared<const std::vector<std::byte>>(3, std::byte{'x'});
    keep(std::move(op));
  }
  void binary() {
    const Op& in = picked();
    const auto code = static_cast<BinaryOp>(upto(static_cast<int>(BinaryOp::ne)));
    Op op = made(OpKind::binary, in.shape, is_comparison(code) ? DType::boolean : f32);
    op.params.binary = code;
    op.params.nan = static_cast<Nan>(upto(1));
    op.inputs = {whole(in), whole(in)};
    keep(std::move(op));
  }
  void ternary() {
    const Op& in = picked();
    Op op = made(OpKind::ternary, in.shape, f32);
    op.params.ternary = upto(1) == 0 ? TernaryOp::fma : TernaryOp::clamp;
    op.inputs = {whole(in), whole(in), whole(in)};
    keep(std::move(op));
  }
  void reduce() {
    const Op& in = picked();
    const auto code = static_cast<ReduceOp>(upto(5));
    const int axis = upto(1);
    Op op = made(OpKind::reduce, reduced(in.shape, axis, upto(1) == 0), gives_index(code) ? i32 : f32);
    op.params.reduce = code;
    op.params.axis = static_cast<std::int8_t>(axis);
    op.inputs.push_back(whole(in));
    keep(std::move(op));
  }
  void topk() {
    const Op& in = picked();
    Op op = made(OpKind::topk, Shape{in.shape[0], 1}, f32);
    op.params.indices = upto(1) == 0;
    if (op.params.indices) op.dtype = i32;
    op.inputs.push_back(whole(in));
    keep(std::move(op));
  }
  void permute() {
    const Op& in = picked();
    Op op = made(OpKind::permute, Shape{in.shape[1], in.shape[0]}, f32);
    op.params.axes = {1, 0};
    op.inputs.push_back(whole(in));
    keep(std::move(op));
  }
  void repeat() {
    const Op& in = picked();
    Op op = made(OpKind::broadcast, Shape{3, in.shape[0], in.shape[1]}, f32);
    op.inputs.push_back(whole(in));
    keep(std::move(op));
  }
  void slice() {
    const Op& in = picked();
    const int axis = upto(1);
    const int begin = upto(static_cast<int>(in.shape[axis]) - 1);
    Op op = made(OpKind::slice, with_extent(in.shape, axis, in.shape[axis] - begin), f32);
    op.params.axis = static_cast<std::int8_t>(axis);
    op.params.scalar = begin;
    op.inputs.push_back(whole(in));
    keep(std::move(op));
  }
  void concat() {
    const Op& in = picked();
    if (in.shape[0] > 64) return;
    Op op = made(OpKind::concat, Shape{2 * in.shape[0], in.shape[1]}, f32);
    op.inputs = {whole(in), whole(in)};
    keep(std::move(op));
  }
  void dot() {
    const Op& in = picked();
    Op ones = made(OpKind::fill, Shape{in.shape[1], 2}, f32);
    ones.params.scalar = 1.0;
    const Operand b{
        .slices = {{ones.id, 0, ones.shape.bytes(f32).count()}}, .shape = ones.shape, .dtype = f32};
    keep(std::move(ones));
    Op op = made(OpKind::dot, Shape{in.shape[0], 2}, f32);
    op.inputs = {whole(in), b};
    keep(std::move(op));
  }

  std::mt19937 random_;
  OpLog& log_;
  std::vector<ValueId> values_;
};

}  // namespace

oplog::OpLog random_log(std::uint32_t seed, int operations) {
  oplog::OpLog log;
  Maker maker{seed, log};
  maker.literal();
  for (int i = 0; i < operations; ++i) maker.any();
  for (int i = 0; i < operations / 8; ++i) maker.range();
  return log;
}

}  // namespace kbsim::test
