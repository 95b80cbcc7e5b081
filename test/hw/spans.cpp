// Spans that the machine reports: which unit did what, and when.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/i_spans.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::spans_test {
namespace {

constexpr PeCoord kSender{0, 0, 0};
constexpr PeCoord kReceiver{0, 1, 0};
constexpr Ptr kFloats{.va = kVa, .dtype = DType::f32};
constexpr Time kDispatch = 4_ns;

// Keeps them all, with texts of its own.
class Kept final : public ISpans {
 public:
  struct Row {
    Span span;
    std::string what;
    bool open = false;
  };

  void add(const Span& span) override { rows.push_back({.span = span, .what = std::string{span.what}}); }
  void open(const void* key, const Span& span) override {
    add(span);
    rows.back().open = true;
    open_[key] = &rows.back();
  }
  void close(const void* key, Time end, const SpanFlow& flow) override {
    REQUIRE(open_.contains(key));
    Row& row = *open_.at(key);
    row.span.end = end;
    row.open = false;
    if (flow.kind != SpanFlow::Kind::none)
      (row.span.kind == SpanKind::receive ? row.span.from : row.span.to) = flow;
    open_.erase(key);
  }

  [[nodiscard]] std::vector<Row> of(SpanKind kind, std::string_view what = {}) const {
    std::vector<Row> found;
    for (const Row& row : rows) {
      if (row.span.kind == kind && (what.empty() || row.what == what)) found.push_back(row);
    }
    return found;
  }
  // Total time of a unit or link in spans of this kind.
  template <class Of>
  [[nodiscard]] Time sum(SpanKind kind, Of of) const {
    Time all{};
    for (const Row& row : rows) {
      if (row.span.kind == kind && of(row.span)) all += row.span.end - row.span.start;
    }
    return all;
  }

  std::deque<Row> rows;

 private:
  std::map<const void*, Row*> open_;
};

struct Args {
  std::vector<Time>* seen = nullptr;  // of the issue clock
};

Task<> works(TL& tl, Args args) {
  const auto range = tl.range("whole");
  const Tile x = co_await tl.load(kFloats, {64, 64}, f32);
  args.seen->push_back(tl.clock());
  {
    const auto inner = tl.range("square");
    const Tile y = tl.dot(x, x) + x;
    co_await tl.send({.dir = {"to"}, .src = y});
  }
  args.seen->push_back(tl.clock());
  co_await tl.store(kFloats, x);
}

Task<> receives(TL& tl, Args args) {
  co_await tl.recv({.dir = {"from"}, .shape = {64, 64}, .dtype = f32});
  args.seen->push_back(tl.clock());
}

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

Task<> both(Rig* rig, std::vector<Time>* sent, std::vector<Time>* received) {
  co_await rig->connect(kSender, kReceiver, 2, 16_KiB);
  co_await rig->map(kSender, kVa, in_hbm(*rig->spec, kSender), 64_KiB);
  (void)rig->sim.spawn("receiver", launch(rig, kReceiver, bind_kernel("receives", receives, Args{received})));
  co_await launch(rig, kSender, bind_kernel("works", works, Args{sent}));
}

struct Run {
  Run() {
    rig.machine->fabric().record_spans(&spans);
    rig.run(both(&rig, &sent, &received));
  }
  Rig rig{small_machine()};
  Kept spans;
  std::vector<Time> sent;
  std::vector<Time> received;
};

}  // namespace

TEST_CASE("Spans: nothing is another time or digest, whether they are recorded or not") {
  const Run recorded;
  Rig rig{small_machine()};
  rig.machine->fabric().exact_packets();
  std::vector<Time> sent;
  std::vector<Time> received;
  rig.run(both(&rig, &sent, &received));
  CHECK(sent == recorded.sent);
  CHECK(received == recorded.received);
  CHECK(rig.sim.events() == recorded.rig.sim.events());
  CHECK(rig.machine->digest().value() == recorded.rig.machine->digest().value());
}

TEST_CASE("Spans: each link, memory port and engine is busy for the sum of its spans") {
  const Run run;
  const Fabric& fabric = run.rig.machine->fabric();
  for (std::uint32_t i = 0; i < fabric.links().size(); ++i) {
    CAPTURE(fabric.graph().link_name(LinkId{i}));
    CHECK(run.spans.sum(SpanKind::link, [&](const Span& span) { return span.link == LinkId{i}; }) ==
          fabric.links()[i].lane.busy());
  }
  for (std::uint32_t i = 0; i < fabric.graph().nodes().size(); ++i) {
    Time busy{};
    for (const UnitUse& use : run.rig.machine->component(NodeId{i}).use()) busy += use.busy;
    CAPTURE(fabric.graph().node(NodeId{i}).name);
    const auto is_it = [&](const Span& span) { return span.unit == NodeId{i}; };
    CHECK(run.spans.sum(SpanKind::work, is_it) + run.spans.sum(SpanKind::port, is_it) == busy);
  }
}

TEST_CASE("Spans: time before a packet's start is the time that it waited for its link") {
  const Run run;
  std::map<std::uint32_t, Time> waited;
  for (const Kept::Row& row : run.spans.of(SpanKind::link))
    waited[row.span.link.value()] += row.span.start - row.span.ready;
  for (const auto& [link, time] : waited)
    CHECK(time == run.rig.machine->fabric().links()[link].lane.waited());
}

TEST_CASE("Spans: an operation's span is its record in the op log, with the kernel's line") {
  const Run run;
  std::multiset<std::tuple<std::uint32_t, Time, Time>> recorded;
  const std::uint32_t lane = run.rig.machine->lane(kSender);
  for (const oplog::Op& op : run.rig.log.ops(lane)) {
    if (op.kind == oplog::OpKind::dot || op.kind == oplog::OpKind::binary)
      recorded.emplace(op.unit.value(), op.start, op.end);
  }
  REQUIRE(recorded.size() == 2);
  std::multiset<std::tuple<std::uint32_t, Time, Time>> published;
  for (const Kept::Row& row : run.spans.of(SpanKind::work)) {
    published.emplace(row.span.unit.value(), row.span.start, row.span.end);
    CHECK(to_place(row.span.at).file == "spans.cpp");
  }
  CHECK(published == recorded);
}

TEST_CASE("Spans: a kernel lasts as long as its launch says; its ranges are the log's, inside it") {
  const Run run;
  const auto kernel = run.spans.of(SpanKind::kernel, "works").at(0).span;
  const auto& ranges = run.rig.log.ranges(run.rig.machine->lane(kSender));
  REQUIRE(ranges.size() == 2);
  for (const oplog::NamedRange& range : ranges) {
    const auto published = run.spans.of(SpanKind::range, range.name);
    REQUIRE(published.size() == 1);
    CHECK(published[0].span.start == range.begin);
    CHECK(published[0].span.end == range.end);
    CHECK(kernel.start <= range.begin);
    CHECK(range.end <= kernel.end);
  }
}

TEST_CASE("Spans: a kernel's commands and waits fill its time up to its last command") {
  const Run run;
  const auto kernel = run.spans.of(SpanKind::kernel, "works").at(0).span;
  const auto is_its = [&](const Span& span) { return span.unit == kernel.unit; };
  const auto issues = run.spans.of(SpanKind::issue, "works");
  CHECK(issues.size() == 5);  // load, dot, add, send, store
  for (const Kept::Row& row : issues) CHECK(row.span.end - row.span.start == kDispatch);
  CHECK(run.spans.sum(SpanKind::issue, is_its) + run.spans.sum(SpanKind::wait, is_its) ==
        kernel.end - kernel.start);
}

TEST_CASE("Spans: a send leads to the receive that it ends, a launch to each of its kernels") {
  const Run run;
  const auto send = run.spans.of(SpanKind::send).at(0).span;
  const auto receive = run.spans.of(SpanKind::receive).at(0).span;
  CHECK(send.to.kind == SpanFlow::Kind::message);
  CHECK(send.to == receive.from);
  CHECK(send.end < receive.end);
  CHECK(receive.end == run.received.at(0));
  std::set<std::uint64_t> orders;
  for (const Kept::Row& row : run.spans.of(SpanKind::order)) {
    if (row.span.to.kind == SpanFlow::Kind::launch) orders.insert(row.span.to.a);
  }
  const auto kernels = run.spans.of(SpanKind::kernel);
  CHECK(kernels.size() == 2);
  for (const Kept::Row& row : kernels) CHECK(orders.erase(row.span.from.a) == 1);
  CHECK(orders.empty());
}

TEST_CASE("Spans: what was begun has ended, when all has") {
  const Run run;
  CHECK(std::ranges::none_of(run.spans.rows, &Kept::Row::open));
  const auto load = run.spans.of(SpanKind::transfer, "load").at(0).span;
  CHECK(load.bytes == 16_KiB);
  CHECK(load.end == run.sent.at(0));
}

}  // namespace kbsim::hw::test::spans_test
