#include "kbsim/base/digest.hpp"

#include <functional>
#include <set>

#include <doctest/doctest.h>

#include "kbsim/oplog/log.hpp"

namespace kbsim::oplog {
namespace {

using Change = std::function<void(Op&)>;

std::shared_ptr<const std::vector<std::byte>> data(std::vector<std::byte> bytes) {
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

/// Digest of a log whose second operation is `op` after `change`.
std::uint64_t digest(Op op, const Change& change = [](Op&) {}) {
  OpLog log;
  log.add_lane("pe0");
  log.record({.id = log.reserve(0), .kind = OpKind::fill, .shape = {2}});
  op.id = log.reserve(0);
  change(op);
  log.record(op);
  return log.digest().value();
}

Op binary() {
  const Operand input{.slices = {{{0, 0}, 0, 4}}, .shape = {2}, .dtype = f16};
  return {.kind = OpKind::binary, .dtype = f16, .shape = {2}, .inputs = {input, input}};
}

Op literal() { return {.kind = OpKind::literal, .shape = {2}, .data = data({std::byte{1}, {}, {}, {}})}; }

void check_all_differ(const Op& op, const std::vector<Change>& changes) {
  std::set<std::uint64_t> digests{digest(op)};
  for (const Change& change : changes) digests.insert(digest(op, change));
  CHECK(digests.size() == changes.size() + 1);
}

TEST_CASE("OpLog: equal logs have equal digests") {
  CHECK(digest(binary()) == digest(binary()));
  CHECK(digest(literal()) == digest(literal()));
}

TEST_CASE("OpLog: the digest changes with every field of an operation and its operands") {
  check_all_differ(binary(), {
                                 [](Op& op) { op.params.binary = BinaryOp::mul; },
                                 [](Op& op) { op.unit = NodeId{3}; },
                                 [](Op& op) { op.start = Time{1}; },
                                 [](Op& op) { op.end = Time{1}; },
                                 [](Op& op) { op.params.scalar = -0.0; },
                                 [](Op& op) { op.inputs[0].slices[0].value.seq = 1; },
                                 [](Op& op) { op.inputs[0].slices[0].value.lane = 1; },
                                 [](Op& op) { op.inputs[0].slices[0].offset = 1; },
                                 [](Op& op) { op.inputs[1].slices[0].offset = 1; },
                                 [](Op& op) { op.inputs[0].slices = {{{0, 0}, 0, 2}, {{0, 0}, 2, 2}}; },
                                 [](Op& op) { op.inputs[0].slices = {{{0, 0}, 0, 1}, {{0, 0}, 2, 3}}; },
                                 [](Op& op) { op.inputs[1] = {{{{0, 0}, 0, 2}}, {1}, f16}; },
                                 [](Op& op) { op.inputs[1] = {{{{0, 0}, 0, 2}}, {}, f16}; },
                                 [](Op& op) {
                                   op.shape = {2, 1};
                                   op.inputs[0].shape = op.inputs[1].shape = {2, 1};
                                 },
                                 [](Op& op) { op.dtype = op.inputs[0].dtype = op.inputs[1].dtype = bf16; },
                                 [](Op& op) {
                                   op.kind = OpKind::copy;
                                   op.inputs.pop_back();
                                 },
                                 [](Op& op) {
                                   op.kind = OpKind::cast;
                                   op.inputs.pop_back();
                                 },
                             });
}

TEST_CASE("OpLog: the digest changes with dtypes, literal contents and counts") {
  check_all_differ(literal(), {
                                  [](Op& op) { op.data = data({std::byte{2}, {}, {}, {}}); },
                                  [](Op& op) { op.data = data({std::byte{1}, {}, {}, std::byte{1}}); },
                                  [](Op& op) { op.dtype = bf16; },
                                  [](Op& op) { op.shape = {2, 1}; },
                                  [](Op& op) {
                                    op.shape = {1};
                                    op.data = data({std::byte{1}, {}});
                                  },
                                  [](Op& op) {
                                    op.kind = OpKind::fill;
                                    op.data = nullptr;
                                  },
                              });
}

/// Bytes 0, 1, 2 and so on, as if they were kept nowhere.
class Counted : public IContents {
 public:
  explicit Counted(std::int64_t size) : size_{size} {}
  [[nodiscard]] std::int64_t size() const override { return size_; }
  void read(std::int64_t first, std::span<std::byte> to) const override {
    for (std::byte& byte : to) byte = static_cast<std::byte>(first++);
  }

 private:
  std::int64_t size_;
};

TEST_CASE("OpLog: contents that are made when they are read have the digest of those that are kept") {
  for (const std::int64_t elements : {1, 32'767, 32'768, 32'769, 100'000}) {
    CAPTURE(elements);
    const Contents contents{std::make_shared<const Counted>(2 * elements)};
    CHECK(contents.kept() == nullptr);
    Op op{.kind = OpKind::literal, .shape = {elements}, .data = contents};
    const std::uint64_t of_made = digest(op);
    op.data = contents.all();
    CHECK(op.data.kept() != nullptr);
    CHECK(digest(op) == of_made);
    std::vector<std::byte> last(1);
    op.data.read(2 * elements - 1, last);
    CHECK(last[0] == static_cast<std::byte>(2 * elements - 1));
  }
}

TEST_CASE("OpLog: the digest changes with every parameter") {
  check_all_differ(literal(), {
                                  [](Op& op) { op.params.unary = UnaryOp::abs; },
                                  [](Op& op) { op.params.binary = BinaryOp::sub; },
                                  [](Op& op) { op.params.ternary = TernaryOp::fma; },
                                  [](Op& op) { op.params.reduce = ReduceOp::max; },
                                  [](Op& op) { op.params.nan = Nan::propagate; },
                                  [](Op& op) { op.params.round = Round::rtz; },
                                  [](Op& op) { op.params.indices = true; },
                                  [](Op& op) { op.params.axis = 1; },
                                  [](Op& op) { op.params.axes[0] = 1; },
                                  [](Op& op) { op.params.axes[4] = 1; },
                                  [](Op& op) { op.params.scalar = 1.0; },
                              });
}

TEST_CASE("OpLog: the digest distinguishes lanes, their names and operations under way") {
  const auto with = [](std::vector<std::string> lanes, int reserved) {
    OpLog log;
    for (std::string& name : lanes) log.add_lane(std::move(name));
    for (int i = 0; i < reserved; ++i) static_cast<void>(log.reserve(0));
    return log.digest().value();
  };
  const std::set<std::uint64_t> digests{with({}, 0),         with({"a"}, 0),  with({"b"}, 0),
                                        with({"a", "b"}, 0), with({"ab"}, 0), with({"a"}, 1)};
  CHECK(digests.size() == 6);
}

TEST_CASE("OpLog: the digest changes with every field of a range") {
  const auto with = [](const std::vector<NamedRange>& ranges) {
    OpLog log;
    log.add_lane("pe0");
    for (const NamedRange& range : ranges) log.add_range(0, range);
    return log.digest().value();
  };
  const std::set<std::uint64_t> digests{with({}), with({{"a", 1_ns, 2_ns}}), with({{"b", 1_ns, 2_ns}}),
                                        with({{"a", 0_ns, 2_ns}}), with({{"a", 1_ns, 3_ns}})};
  CHECK(digests.size() == 5);
}

}  // namespace
}  // namespace kbsim::oplog
