#include "kbsim/oplog/op_table.hpp"

#include <set>

#include <doctest/doctest.h>

#include "kbsim/oplog/rules.hpp"

namespace kbsim::oplog {
namespace {

template <class Rows>
std::set<std::string_view> names(const Rows& rows) {
  std::set<std::string_view> all;
  for (const auto& row : rows) all.insert(row.name);
  return all;
}

TEST_CASE("Op table: each code has a name of its own") {
  std::set<std::string_view> kinds;
  for (std::size_t i = 0; i < kOpKinds; ++i) kinds.insert(to_string(static_cast<OpKind>(i)));
  CHECK(kinds.size() == kOpKinds);
  CHECK(!kinds.contains(""));
  CHECK(names(kUnaryOps).size() == kUnaryOps.size());
  CHECK(names(kBinaryOps).size() == kBinaryOps.size());
  CHECK(names(kTernaryOps).size() == kTernaryOps.size());
  CHECK(names(kReduceOps).size() == kReduceOps.size());
}

TEST_CASE("Op table: an operation computes with the dtypes of its row") {
  CHECK(applies(UnaryOp::neg, DType::i8));
  CHECK(!applies(UnaryOp::neg, DType::boolean));
  CHECK(applies(UnaryOp::invert, DType::boolean));
  CHECK(!applies(UnaryOp::invert, f32));
  CHECK(!applies(UnaryOp::exp, i32));
  CHECK(applies(BinaryOp::lt, DType::boolean));
  CHECK(!applies(BinaryOp::add, DType::boolean));
  CHECK(applies(BinaryOp::bit_xor, DType::boolean));
  CHECK(!applies(BinaryOp::shr, DType::boolean));
  CHECK(applies(TernaryOp::where, DType::boolean));
  CHECK(!applies(TernaryOp::fma, i32));
}

TEST_CASE("Op table: a unary operation costs as its own row says, any other as its kind's") {
  CHECK(cost_class({.kind = OpKind::unary, .params = {.unary = UnaryOp::sqrt}}) == CostClass::transcendental);
  CHECK(cost_class({.kind = OpKind::unary, .params = {.unary = UnaryOp::floor}}) == CostClass::elementwise);
  CHECK(cost_class({.kind = OpKind::binary, .params = {.unary = UnaryOp::exp}}) == CostClass::elementwise);
  CHECK(cost_class({.kind = OpKind::topk}) == CostClass::reduce);
  CHECK(cost_class({.kind = OpKind::concat}) == CostClass::move);
  CHECK(cost_class({.kind = OpKind::dot}) == CostClass::product);
}

}  // namespace
}  // namespace kbsim::oplog
