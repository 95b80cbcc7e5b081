// Ranges that a host program names on the timeline.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/i_spans.hpp"

#include "program.hpp"

namespace kbsim::host::test::host_ranges_test {
namespace {

class Ranges final : public hw::ISpans {
 public:
  struct Row {
    const void* key;
    std::string name;
    int rank;
    Time start;
    Time end;
  };
  void add(const hw::Span&) override {}
  void open(const void* key, const hw::Span& span) override {
    if (span.kind != hw::SpanKind::range) return;
    CHECK(span.at.line() > 0);
    rows.push_back({key, std::string{span.what}, span.rank, span.start, Time::max()});
  }
  void close(const void* key, Time end, const hw::SpanFlow&) override {
    for (Row& row : rows) {
      if (row.key == key && row.end == Time::max()) row.end = end;
    }
  }

  std::vector<Row> rows;
};

Task<> names_its_work(Rank& rk, int) {
  const auto step = rk.range("step");
  co_await rk.session().sim().delay(10_ns);
  for (const int layer : {0, 1}) {
    const auto range = rk.range("layer " + std::to_string(layer));
    co_await rk.session().sim().delay(Time{1000 * (layer + 1)});
  }
  co_await rk.session().sim().delay(5_ns);
}

}  // namespace

TEST_CASE("rk.range: from the line to the end of its block, in simulated time, and takes none") {
  Program program;
  Ranges ranges;
  program.session.machine().fabric().record_spans(&ranges);
  program.run(names_its_work, 0);
  REQUIRE(ranges.rows.size() == 3);
  const auto check = [&](std::size_t i, const std::string& name, Time start, Time end) {
    CAPTURE(name);
    CHECK(ranges.rows[i].name == name);
    CHECK(ranges.rows[i].rank == 0);
    CHECK(ranges.rows[i].start == start);
    CHECK(ranges.rows[i].end == end);
  };
  check(0, "step", Time{0}, 18_ns);
  check(1, "layer 0", 10_ns, 11_ns);
  check(2, "layer 1", 11_ns, 13_ns);
}

TEST_CASE("rk.range: without a timeline it does nothing") { CHECK_NOTHROW(Program{}.run(names_its_work, 0)); }

}  // namespace kbsim::host::test::host_ranges_test
