#include "kbsim/oplog/log.hpp"

#include <functional>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::oplog {
namespace {

struct Lane {  // a log with one lane and values 0:0 and 0:1 to read
  OpLog log;
  ValueId next;
  Lane() {
    log.add_lane("sip0.cube5.pe3");
    for (int i = 0; i < 2; ++i) {
      const ValueId id = log.reserve(0);
      log.record({.id = id, .kind = OpKind::fill, .dtype = f16, .shape = {16, 8}});
    }
    next = log.reserve(0);
  }

  [[nodiscard]] Op sum() const {
    Op op{.id = next, .kind = OpKind::binary, .dtype = f16, .shape = {16, 8}};
    for (const std::uint32_t seq : {0U, 1U}) {
      op.inputs.push_back({.slices = {{{0, seq}, 0, 256}}, .shape = {16, 8}, .dtype = f16});
    }
    return op;
  }
};

TEST_CASE("OpLog: ids count by lane, in the order of their reservation") {
  OpLog log;
  CHECK(log.add_lane("pe0") == 0);
  CHECK(log.add_lane("pe1") == 1);
  CHECK(log.reserve(1) == ValueId{1, 0});
  CHECK(log.reserve(0) == ValueId{0, 0});
  CHECK(log.reserve(1) == ValueId{1, 1});
  CHECK(log.lanes() == 2);
  CHECK(log.lane_name(1) == "pe1");
  CHECK_THROWS_AS(static_cast<void>(log.reserve(2)), InternalError);
}

struct Observed : IOpWatch {
  std::vector<ValueId> ids;
  std::vector<Time> ends;
  void reserved(ValueId id) override { ids.push_back(id); }
  void recorded(const Op& op, std::string_view call) override {
    ends.push_back(op.end);
    calls.emplace_back(call);
  }
  std::vector<std::string> calls = {};
};

TEST_CASE(
    "OpLog: a watch sees all that is reserved and recorded as long as it watches; the digest is the same") {
  Lane watched;
  Lane alone;
  Observed observed;
  watched.log.watch(&observed);
  for (Lane* lane : {&watched, &alone}) {
    Op op = lane->sum();
    op.end = 7_ns;
    lane->log.record(op, "load");
    CHECK(lane->log.reserve(0) == ValueId{0, 3});
    CHECK(lane->log.size() == 3);
  }
  CHECK(observed.ids == std::vector<ValueId>{{0, 3}});
  CHECK(observed.ends == std::vector<Time>{7_ns});
  CHECK(observed.calls == std::vector<std::string>{"load"});
  CHECK(watched.log.digest().value() == alone.log.digest().value());
  watched.log.watch(nullptr);
  CHECK(watched.log.reserve(0) == ValueId{0, 4});
  CHECK(observed.ids.size() == 1);
  OpLog times{Keep::times};
  (void)times.add_lane("pe0");
  times.watch(&observed);
  CHECK(!times.reserve(0).valid());
  times.record({.kind = OpKind::fill, .shape = {4}});
  CHECK(times.size() == 1);
  CHECK(observed.ids.size() == 1);
  CHECK(observed.ends.size() == 1);
}

TEST_CASE("OpLog: an operation that is announced can be found, and has its times from record(), once") {
  Lane lane;
  Op op = lane.sum();
  lane.log.announce(op);
  REQUIRE(lane.log.find(lane.next) != nullptr);
  CHECK(lane.log.find(lane.next)->kind == OpKind::binary);
  CHECK(lane.log.size() == 2);
  op.end = 7_ns;
  lane.log.record(op);
  CHECK(lane.log.find(lane.next)->end == 7_ns);
  CHECK(lane.log.size() == 3);
  CHECK_THROWS_AS(lane.log.record(op), InternalError);
  CHECK_THROWS_AS(lane.log.announce(op), InternalError);
}

TEST_CASE("OpLog: one of times alone keeps no operation and gives no id, but has a digest of what was when") {
  const auto digest = [](std::vector<Time> ends) {
    OpLog log{Keep::times};
    log.add_lane("pe0");
    for (const Time end : ends) {
      const ValueId id = log.reserve(0);
      CHECK_FALSE(id.valid());
      log.record({.id = id, .kind = OpKind::fill, .shape = {4}, .end = end});
    }
    CHECK(log.size() == ends.size());
    CHECK(log.ops(0).empty());
    return log.digest().value();
  };
  CHECK(digest({1_ns, 2_ns}) == digest({2_ns, 1_ns}));
  CHECK(digest({1_ns, 2_ns}) != digest({1_ns, 3_ns}));
  CHECK(digest({1_ns, 1_ns}) != digest({1_ns}));
}

TEST_CASE("OpLog: finds an operation from its record on, not while it is under way") {
  OpLog log;
  log.add_lane("pe0");
  const ValueId first = log.reserve(0);
  const ValueId second = log.reserve(0);
  log.record({.id = second, .kind = OpKind::fill, .params = {.scalar = 2.0}, .shape = {4}});
  CHECK(log.find(first) == nullptr);
  CHECK(log.find(second)->params.scalar == 2.0);
  CHECK(log.find({}) == nullptr);
  CHECK(log.find({0, 2}) == nullptr);
  CHECK(log.size() == 1);
  CHECK(log.ops(0).size() == 2);
}

TEST_CASE("OpLog: an operation stays where it is while the log grows") {
  Lane lane;
  const Op* first = lane.log.find({0, 0});
  for (int i = 0; i < 1000; ++i) static_cast<void>(lane.log.reserve(0));
  CHECK(lane.log.find({0, 0}) == first);
}

TEST_CASE("OpLog: an id is recorded once, and only if it was reserved") {
  Lane lane;
  lane.log.record(lane.sum());
  CHECK_THROWS_WITH_AS(lane.log.record(lane.sum()),
                       "sip0.cube5.pe3, operation 2 (add, f16 [16, 8]) is recorded twice", InternalError);
  Op op = lane.sum();
  op.id = {0, 3};
  CHECK_THROWS_WITH_AS(lane.log.record(op), "value 0:3 was never reserved", InternalError);
  op.id = {};
  CHECK_THROWS_WITH_AS(lane.log.record(op), "value none was never reserved", InternalError);
}

std::string refusal(const std::function<void(Op&)>& change) {
  Lane lane;
  Op op = lane.sum();
  change(op);
  try {
    lane.log.record(op);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "recorded";
}

TEST_CASE("OpLog: a second input has the shape of the first, or one element") {
  CHECK(refusal([](Op&) {}) == "recorded");
  CHECK(refusal([](Op& op) { op.inputs[1] = {{{{0, 1}, 6, 2}}, {1, 1}, f16}; }) == "recorded");
  CHECK(refusal([](Op& op) { op.inputs[1].shape = {8, 16}; }) ==
        "sip0.cube5.pe3, operation 2 (add, f16 [16, 8]): inputs f16 [16, 8] and f16 [8, 16] don't fit it");
  CHECK(refusal([](Op& op) { op.inputs[0].dtype = bf16; }) ==
        "sip0.cube5.pe3, operation 2 (add, f16 [16, 8]): inputs bf16 [16, 8] and f16 [16, 8] don't fit it");
  CHECK(refusal([](Op& op) { op.shape = {128}; }) ==
        "sip0.cube5.pe3, operation 2 (add, f16 [128]): inputs f16 [16, 8] and f16 [16, 8] don't fit it");
}

TEST_CASE("OpLog: the slices of an input sum to its bytes, and none is negative") {
  CHECK(refusal([](Op& op) { op.inputs[1].slices = {{{0, 1}, 0, 100}, {{}, 0, 156}}; }) == "recorded");
  CHECK(refusal([](Op& op) { op.inputs[1].slices.push_back({{0, 1}, 0, 2}); }) ==
        "sip0.cube5.pe3, operation 2 (add, f16 [16, 8]): input f16 [16, 8] needs 256 bytes, its slices have "
        "258");
  CHECK(refusal([](Op& op) { op.inputs[1].slices[0].offset = -2; }) ==
        "sip0.cube5.pe3, operation 2 (add, f16 [16, 8]): an input has a slice of 256 bytes at -2");
}

TEST_CASE("OpLog: every kind has its count of inputs") {
  CHECK(refusal([](Op& op) { op.inputs.pop_back(); }) ==
        "sip0.cube5.pe3, operation 2 (add, f16 [16, 8]): needs 2 inputs, has 1");
  CHECK(refusal([](Op& op) { op.kind = OpKind::copy; }) ==
        "sip0.cube5.pe3, operation 2 (copy, f16 [16, 8]): needs 1 input, has 2");
  CHECK(refusal([](Op& op) { op.kind = OpKind::fill; }) ==
        "sip0.cube5.pe3, operation 2 (fill, f16 [16, 8]): needs 0 inputs, has 2");
}

TEST_CASE("OpLog: a copy keeps dtype and count, a cast keeps the count") {
  const auto as = [](OpKind kind, const Shape& shape, DType dtype) {
    return refusal([&](Op& op) {
      op.inputs.pop_back();
      op.kind = kind;
      op.shape = shape;
      op.dtype = dtype;
    });
  };
  CHECK(as(OpKind::copy, {128}, f16) == "recorded");
  CHECK(as(OpKind::cast, {128}, f32) == "recorded");
  CHECK(as(OpKind::copy, {128}, bf16) ==
        "sip0.cube5.pe3, operation 2 (copy, bf16 [128]): input f16 [16, 8] has another dtype");
  CHECK(as(OpKind::copy, {64}, f16) ==
        "sip0.cube5.pe3, operation 2 (copy, f16 [64]): input f16 [16, 8] has another count of elements");
  CHECK(as(OpKind::cast, {64}, f32) ==
        "sip0.cube5.pe3, operation 2 (cast, f32 [64]): input f16 [16, 8] has another count of elements");
}

TEST_CASE("OpLog: a literal has the bytes of its shape") {
  const auto with = [](std::shared_ptr<const std::vector<std::byte>> data) {
    return refusal([&](Op& op) {
      op.inputs.clear();
      op.kind = OpKind::literal;
      op.data = data;
    });
  };
  CHECK(with(std::make_shared<std::vector<std::byte>>(256)) == "recorded");
  CHECK(with(std::make_shared<std::vector<std::byte>>(2)) ==
        "sip0.cube5.pe3, operation 2 (literal, f16 [16, 8]): needs 256 bytes of data, has 2");
  CHECK(with(nullptr) ==
        "sip0.cube5.pe3, operation 2 (literal, f16 [16, 8]): needs 256 bytes of data, has 0");
}

TEST_CASE("OpLog: kinds, operators and ids have names") {
  CHECK(to_string(OpKind::literal) == "literal");
  CHECK(to_string(OpKind::binary) == "binary");
  CHECK(to_string(BinaryOp::add) == "add");
  CHECK(to_string(BinaryOp::minimum) == "minimum");
  CHECK(to_string(ValueId{3, 17}) == "3:17");
  CHECK(to_string(ValueId{}) == "none");
}

}  // namespace
}  // namespace kbsim::oplog
