// Contents of a collective's spans: its size, its number of ranks, and its phases.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/i_spans.hpp"

#include "program.hpp"

namespace kbsim::host::test::collective_spans_test {
namespace {

class Collectives final : public hw::ISpans {
 public:
  struct Row {
    hw::SpanKind kind{};
    int rank = 0;
    std::string dtype;
    std::string what;
    Time start{};
    Time end{};
    Bytes bytes;
    std::uint64_t ranks = 0;
    std::uint64_t elements = 0;
  };
  void add(const hw::Span& span) override {
    if (span.kind != hw::SpanKind::collective && span.kind != hw::SpanKind::phase) return;
    rows.push_back({.kind = span.kind,
                    .rank = span.rank,
                    .dtype = std::string{span.part},
                    .what = std::string{span.what},
                    .start = span.start,
                    .end = span.end,
                    .bytes = span.bytes,
                    .ranks = span.count,
                    .elements = span.id});
  }
  void open(const void*, const hw::Span&) override {}
  void close(const void*, Time, const hw::SpanFlow&) override {}

  std::vector<Row> rows;
};

Task<> reduces(Rank& rank, DType dtype) {
  const Tensor x = co_await rank.torch.full({4, 8}, 1.0, dtype, {.dp = kRows});
  co_await rank.dist.all_reduce(x);
}

Task<> on_two(Rank& main, DType dtype) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(reduces, dtype, {.nprocs = 2});
}

}  // namespace

TEST_CASE("Spans of a collective: its elements, their bytes by the dtype's size, and its ranks") {
  for (const DType dtype : {i8, f16, f32, f64}) {
    CAPTURE(to_string(dtype));
    Program program;
    Collectives spans;
    program.session.machine().fabric().record_spans(&spans);
    program.run(on_two, dtype);
    REQUIRE(spans.rows.size() == 2 * 4);  // one per rank, and its three phases
    for (const auto& row : spans.rows) {
      CHECK(row.dtype == to_string(dtype));
      CHECK(row.elements == 32);
      CHECK(row.bytes == Bytes{32 * itemsize(dtype)});
      CHECK(row.ranks == 2);
    }
  }
}

TEST_CASE("Spans of a collective: dispatch, kernel and report follow one another from its call to its end") {
  Program program;
  Collectives spans;
  program.session.machine().fabric().record_spans(&spans);
  program.run(on_two, f16);
  for (const int rank : {0, 1}) {
    std::vector<Collectives::Row> own;
    std::ranges::copy_if(spans.rows, std::back_inserter(own),
                         [&](const Collectives::Row& row) { return row.rank == rank; });
    REQUIRE(own.size() == 4);
    CHECK(own[0].kind == hw::SpanKind::collective);
    CHECK(own[0].what == "all_reduce");
    Time at = own[0].start;
    for (const auto& [phase, name] : {std::pair{1, "dispatch"}, {2, "kernel"}, {3, "report"}}) {
      const Collectives::Row& row = own[static_cast<std::size_t>(phase)];
      CHECK(row.what == name);
      CHECK(row.start == at);
      CHECK(row.end > at);
      at = row.end;
    }
    CHECK(at == own[0].end);
  }
}

}  // namespace kbsim::host::test::collective_spans_test
