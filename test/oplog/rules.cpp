#include "kbsim/oplog/rules.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::oplog {
namespace {

struct Input {
  Shape shape;
  DType dtype = f32;
};

/// Whether an operation with these inputs is recorded.
bool recorded(OpKind kind, const Parameters& params, Shape shape, DType dtype,
              const std::vector<Input>& inputs) {
  OpLog log;
  log.add_lane("pe0");
  Op op{.id = log.reserve(0), .kind = kind, .params = params, .dtype = dtype, .shape = shape};
  for (const Input& input : inputs) {
    const std::int64_t bytes = input.shape.bytes(input.dtype).count();
    op.inputs.push_back({.slices = {{{}, 0, bytes}}, .shape = input.shape, .dtype = input.dtype});
  }
  try {
    log.record(std::move(op));
    return true;
  } catch (const InternalError&) {
    return false;
  }
}

TEST_CASE("Rules: shapes broadcast from their last axes") {
  CHECK(broadcast({2, 3}, {3}) == Shape{2, 3});
  CHECK(broadcast({2, 1}, {1, 3}) == Shape{2, 3});
  CHECK(broadcast({}, {4}) == Shape{4});
  CHECK(broadcast({1, 1}, {4}) == Shape{1, 4});
  CHECK(!broadcast({2, 3}, {2}));
  CHECK(!broadcast({2}, {3}));
}

TEST_CASE("Rules: reduced, permuted and multiplied shapes") {
  CHECK(reduced({2, 3, 4}, 1, false) == Shape{2, 4});
  CHECK(reduced({2, 3, 4}, 1, true) == Shape{2, 1, 4});
  CHECK(reduced({3}, 0, false) == Shape{});
  CHECK(permuted({2, 3, 4}, {2, 0, 1}) == Shape{4, 2, 3});
  CHECK(!permuted({2, 3}, {0, 0}));
  CHECK(!permuted({2, 3}, {0, 2}));
  CHECK(product({2, 3}, {3, 4}) == Shape{2, 4});
  CHECK(product({5, 2, 3}, {5, 3, 4}) == Shape{5, 2, 4});
  CHECK(!product({5, 2, 3}, {6, 3, 4}));
  CHECK(!product({2, 3}, {2, 3}));
  CHECK(!product({3}, {3}));
}

TEST_CASE("Rules: elementwise operations are recorded only with what broadcasts, in dtypes they have") {
  CHECK(recorded(OpKind::unary, {.unary = UnaryOp::exp}, {4}, f16, {{{4}, f16}}));
  CHECK(!recorded(OpKind::unary, {.unary = UnaryOp::exp}, {4}, i32, {{{4}, i32}}));
  CHECK(!recorded(OpKind::unary, {.unary = UnaryOp::abs}, {4}, f32, {{{4}, f16}}));
  CHECK(!recorded(OpKind::unary, {.unary = UnaryOp::abs}, {2, 2}, f32, {{{4}}}));
  CHECK(recorded(OpKind::binary, {}, {2, 3}, f32, {{{2, 1}}, {{3}}}));
  CHECK(!recorded(OpKind::binary, {}, {2, 3}, f32, {{{2, 1}}, {{2}}}));
  CHECK(recorded(OpKind::binary, {.binary = BinaryOp::lt}, {2}, DType::boolean, {{{2}}, {{2}}}));
  CHECK(!recorded(OpKind::binary, {.binary = BinaryOp::lt}, {2}, f32, {{{2}}, {{2}}}));
  CHECK(!recorded(OpKind::binary, {.binary = BinaryOp::shl}, {2}, f32, {{{2}}, {{2}}}));
  CHECK(recorded(OpKind::ternary, {}, {2, 3}, f32, {{{2, 1}, DType::boolean}, {{3}}, {{}}}));
  CHECK(!recorded(OpKind::ternary, {}, {2}, f32, {{{2}}, {{2}}, {{2}}}));
  CHECK(!recorded(OpKind::ternary, {.ternary = TernaryOp::fma}, {2}, i32,
                  {{{2}, i32}, {{2}, i32}, {{2}, i32}}));
}

TEST_CASE("Rules: operations along an axis are recorded only with an axis and a shape that fit") {
  CHECK(recorded(OpKind::reduce, {.axis = 1}, {2}, f32, {{{2, 3}, f16}}));
  CHECK(recorded(OpKind::reduce, {.axis = 1}, {2, 1}, f16, {{{2, 3}, f16}}));
  CHECK(!recorded(OpKind::reduce, {.axis = 1}, {3}, f16, {{{2, 3}, f16}}));
  CHECK(!recorded(OpKind::reduce, {.axis = 2}, {2}, f16, {{{2, 3}, f16}}));
  CHECK(!recorded(OpKind::reduce, {.axis = 1}, {2}, i32, {{{2, 3}, f16}}));
  CHECK(recorded(OpKind::reduce, {.reduce = ReduceOp::argmax, .axis = 1}, {2}, i32, {{{2, 3}, f16}}));
  CHECK(!recorded(OpKind::reduce, {.reduce = ReduceOp::argmax, .axis = 1}, {2}, f16, {{{2, 3}, f16}}));
  CHECK(!recorded(OpKind::cumsum, {.axis = -1}, {3}, f32, {{{3}}}));
  CHECK(recorded(OpKind::topk, {}, {2, 3}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::topk, {}, {2, 4}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::topk, {.indices = true}, {2, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::softmax, {}, {3}, i32, {{{3}, i32}}));
}

TEST_CASE("Rules: a cast rounds toward zero only from a float into a narrower one") {
  CHECK(recorded(OpKind::cast, {.round = Round::rtz}, {2}, f16, {{{2}, f32}}));
  CHECK(recorded(OpKind::cast, {.round = Round::rtz}, {2}, DType::f8e5m2, {{{2}, bf16}}));
  CHECK(!recorded(OpKind::cast, {.round = Round::rtz}, {2}, f16, {{{2}, bf16}}));
  CHECK(!recorded(OpKind::cast, {.round = Round::rtz}, {2}, f32, {{{2}, f16}}));
  CHECK(!recorded(OpKind::cast, {.round = Round::rtz}, {2}, i32, {{{2}, f64}}));
  CHECK(!recorded(OpKind::cast, {.round = Round::rtz}, {2}, f16, {{{2}, i32}}));
}

TEST_CASE("Rules: moves and products are recorded only if their shapes follow") {
  CHECK(recorded(OpKind::permute, {.axes = {1, 0}}, {3, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::permute, {.axes = {1, 0}}, {2, 3}, f32, {{{2, 3}}}));
  CHECK(recorded(OpKind::broadcast, {}, {4, 2, 3}, f32, {{{2, 1}}}));
  CHECK(!recorded(OpKind::broadcast, {}, {2, 1}, f32, {{{2, 3}}}));
  CHECK(recorded(OpKind::concat, {.axis = 1}, {2, 7}, f32, {{{2, 3}}, {{2, 4}}}));
  CHECK(!recorded(OpKind::concat, {.axis = 1}, {2, 8}, f32, {{{2, 3}}, {{2, 4}}}));
  CHECK(!recorded(OpKind::concat, {.axis = 0}, {4, 3}, f32, {{{2, 3}}, {{2, 4}}}));
  CHECK(recorded(OpKind::slice, {.axis = 1, .scalar = 1}, {2, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::slice, {.axis = 1, .scalar = 2}, {2, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::slice, {.axis = 1, .scalar = -1}, {2, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::slice, {.axis = 1, .scalar = 0.5}, {2, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::slice, {.axis = 1, .scalar = std::nan("")}, {2, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::slice, {.axis = 0, .scalar = 0}, {2, 2}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::slice, {.axis = 0, .scalar = 0}, {3}, f32, {{{2, 3}}}));
  CHECK(!recorded(OpKind::slice, {.axis = 1, .scalar = 1}, {2, 2}, f16, {{{2, 3}}}));
  CHECK(recorded(OpKind::dot, {}, {2, 4}, f32, {{{2, 3}, bf16}, {{3, 4}, bf16}, {{2, 4}}}));
  CHECK(!recorded(OpKind::dot, {}, {2, 4}, f32, {{{2, 3}, bf16}, {{3, 4}, f16}}));
  CHECK(!recorded(OpKind::dot, {}, {2, 4}, f32, {{{2, 3}, bf16}, {{3, 4}, bf16}, {{2, 4}, f16}}));
  CHECK(!recorded(OpKind::dot, {}, {2, 4}, i32, {{{2, 3}, bf16}, {{3, 4}, bf16}}));
  CHECK(!recorded(OpKind::dot, {}, {2, 4}, i32, {{{2, 3}, i32}, {{3, 4}, i32}}));
}

}  // namespace
}  // namespace kbsim::oplog
