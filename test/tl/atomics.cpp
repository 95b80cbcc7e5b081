#include <doctest/doctest.h>

#include "fake_pe.hpp"

namespace kbsim::test::atomics_test {
namespace {

constexpr Ptr at(DType dtype, std::uint64_t va = 64) { return {.va = va, .dtype = dtype}; }

using Call = std::function<void(TL&, Ptr)>;

/// All dtypes that a call takes.
std::vector<DType> taken(const Call& call) {
  std::vector<DType> dtypes;
  for (int code = 0; code <= static_cast<int>(DType::f8e5m2); ++code) {
    const auto dtype = static_cast<DType>(code);
    Kernel k;
    if (fault([&] { call(k.tl, at(dtype)); }).empty()) dtypes.push_back(dtype);
  }
  return dtypes;
}

}  // namespace

TEST_CASE("Atomics: a command has its operation, its place, its tiles and its line") {
  Kernel k;
  const Tile x = k.tl.zeros({2, 3}, i32);
  const Tile y = k.tl.zeros({2, 3}, i32);
  k.tl.atomic_max(at(i32), x).detach();
  k.tl.atomic_cas(at(i32), x, y).detach();
  const auto line = static_cast<unsigned>(__LINE__ - 1);
  REQUIRE(k.pe.atomics.size() == 2);
  CHECK(k.pe.atomics[0].op == AtomicOp::max);
  CHECK(k.pe.atomics[0].operand == x.state());
  CHECK(k.pe.atomics[0].expected == nullptr);
  CHECK(k.pe.atomics[1].op == AtomicOp::compare_exchange);
  CHECK(k.pe.atomics[1].expected == x.state());
  CHECK(k.pe.atomics[1].operand == y.state());
  CHECK(k.pe.atomics[1].to == at(i32));
  CHECK(k.pe.atomics[1].at.line() == line);
}

TEST_CASE("Atomics: a number is a tile of one element and no command that takes time") {
  Kernel k;
  k.tl.atomic_add(at(f32), 1).detach();
  REQUIRE(k.pe.atomics.size() == 1);
  CHECK(k.pe.atomics[0].operand->shape() == Shape{1});
  CHECK(k.pe.atomics[0].operand->dtype() == f32);
  REQUIRE(k.pe.commands.size() == 1);
  CHECK(k.pe.commands[0].shape == Shape{});
}

TEST_CASE("Atomics: each is of the dtypes that Triton has it for") {
  CHECK(taken([](TL& tl, Ptr to) { tl.atomic_add(to, 1).detach(); }) ==
        std::vector<DType>{f16, bf16, f32, f64, i32, i64});
  for (const Call& call : {Call{[](TL& tl, Ptr to) { tl.atomic_max(to, 1).detach(); }},
                           Call{[](TL& tl, Ptr to) { tl.atomic_min(to, 1).detach(); }},
                           Call{[](TL& tl, Ptr to) { tl.atomic_xchg(to, 1).detach(); }}}) {
    CHECK(taken(call) == std::vector<DType>{f32, f64, i32, i64});
  }
  for (const Call& call : {Call{[](TL& tl, Ptr to) { tl.atomic_and(to, 1).detach(); }},
                           Call{[](TL& tl, Ptr to) { tl.atomic_or(to, 1).detach(); }},
                           Call{[](TL& tl, Ptr to) { tl.atomic_xor(to, 1).detach(); }}}) {
    CHECK(taken(call) == std::vector<DType>{i32, i64});
  }
  CHECK(taken([](TL& tl, Ptr to) { tl.atomic_cas(to, 0, 1).detach(); }) ==
        std::vector<DType>{DType::i16, i32, i64});
}

TEST_CASE("Atomics: wrong operands are reported with the call, the line and the remedy") {
  Kernel k;
  const Tile three = k.tl.zeros({3}, i32);
  const std::string kinds =
      "atomic_max: not of f16: atomics are of i32, i64, f32 and f64; add of f16 and bf16 too; and, or, xor "
      "of "
      "i32 and i64; cas of i16, i32 and i64";
  const std::string foreign =
      "atomic_add: the tile of [1] lives on another PE, or was left by another kernel; send it, or store it";
  const Tile others = k.other_tl.zeros({1}, i32);
  CHECK(fault([&] { k.tl.atomic_max(at(f16), 1).detach(); }) == here(__LINE__, kinds));
  CHECK(fault([&] { k.tl.atomic_add(at(f32), three).detach(); }) ==
        here(__LINE__, "atomic_add: a tile of i32 on memory of f32; convert it with .to(f32)"));
  CHECK(fault([&] { k.tl.atomic_add(at(i32, 66), three).detach(); }) ==
        here(__LINE__, "atomic_add: 0x42 is not aligned to the 4 B of i32"));
  CHECK(fault([&] { k.tl.atomic_cas(at(i32), 0, three).detach(); }) ==
        here(__LINE__, "atomic_cas: expected is [1], but desired is [3]"));
  CHECK(fault([&] { k.tl.atomic_xchg(at(i32), Tile{}).detach(); }) ==
        here(__LINE__, "atomic_xchg: the tile is empty (never assigned, or moved from)"));
  CHECK(fault([&] { k.tl.atomic_add(at(i32), others).detach(); }) == here(__LINE__, foreign));
  CHECK(fault([&] { k.tl.atomic_add(at(i32), std::int64_t{1} << 40).detach(); }) ==
        here(__LINE__, "atomic_add: 1099511627776 is out of range of i32"));
}

}  // namespace kbsim::test::atomics_test
