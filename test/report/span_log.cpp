// A log of spans replays its calls to several receivers, in order.
#include "kbsim/report/span_log.hpp"

#include <cstddef>
#include <source_location>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace kbsim::report_span_log_test {

using namespace kbsim::report;
using hw::Span;
using hw::SpanKind;

namespace {

// The calls that it received, as texts.
class Recorded final : public hw::ISpans {
 public:
  void add(const Span& span) override { all.push_back("add " + text(span)); }
  void open(const void* key, const Span& span) override {
    all.push_back(fmt::format("open {} {}", key, text(span)));
  }
  void close(const void* key, Time end, const hw::SpanFlow& flow) override {
    all.push_back(fmt::format("close {} {} {}", key, end.count(), flow.b));
  }
  void take(const hw::Taken& what) override {
    all.push_back(fmt::format("take {} {} {} {}", what.part, what.at.count(), what.change, what.all));
  }
  std::vector<std::string> all;

 private:
  static std::string text(const Span& span) {
    return fmt::format("{} {} {} {}|{}|{} {} {} {} {} {} {} {} {} {}", static_cast<int>(span.kind),
                       span.unit.value(), span.link.value(), span.part, span.what, span.detail,
                       span.at.line(), span.ready.count(), span.start.count(), span.end.count(),
                       span.bytes.count(), span.count, span.id, span.rank, span.to.b);
  }
};

// Calls with texts that are gone after the call, at addresses where other texts were before.
void record(hw::ISpans& to, int round) {
  const std::string what = fmt::format("of round {}, and not short", round);
  const Time start{1000 * round};
  to.add({.kind = SpanKind::link,
          .link = LinkId{7},
          .what = what,
          .ready = start,
          .start = start + 1_ps,
          .end = start + 5_ps,
          .bytes = 64_B,
          .count = 2,
          .id = static_cast<std::uint64_t>(round)});
  to.add_packet({.link = LinkId{8},
                 .what = "a literal",
                 .ready = start,
                 .start = start + 2_ps,
                 .end = start + 6_ps,
                 .bytes = 32_B,
                 .id = static_cast<std::uint64_t>(round)});
  to.add({.kind = SpanKind::port, .unit = NodeId{3}, .part = "read", .what = what, .end = start});
  to.open(&to, {.kind = SpanKind::call,
                .rank = 1,
                .what = "dot",
                .detail = what,
                .at = std::source_location::current(),
                .start = start,
                .to = {.kind = hw::SpanFlow::Kind::message, .b = 9}});
  to.take({.unit = NodeId{2}, .part = what, .at = start, .change = -1, .all = 4});
  to.add({.kind = SpanKind::work, .unit = NodeId{5}, .what = what, .start = start, .group = round});
  to.close(&to, start + 7_ps, {.kind = hw::SpanFlow::Kind::message, .b = 11});
}

}  // namespace

TEST_CASE("SpanLog: each receiver gets all of it, in order of arrival") {
  Recorded first;
  Recorded second;
  Recorded expected;
  SpanLog log;
  log.add_to(&first);
  log.add_to(nullptr);
  log.add_to(&second);
  constexpr int kEach = 7;  // of a round
  constexpr int kRounds = static_cast<int>(SpanLog::kMost) / kEach + 100;
  for (int round = 0; round < kRounds; ++round) record(log, round);
  CHECK(first.all.size() >= SpanLog::kMost);  // it holds no more than that
  CHECK(first.all.size() < kEach * kRounds);
  log.flush();
  for (int round = 0; round < kRounds; ++round) record(expected, round);
  REQUIRE(first.all.size() == kEach * kRounds);
  for (std::size_t i = 0; i < expected.all.size(); ++i) {
    if (i % kEach == 3 || i % kEach == 6) continue;  // the key is another address
    REQUIRE(first.all[i] == expected.all[i]);
  }
  CHECK(first.all == second.all);
  log.flush();
  CHECK(first.all.size() == kEach * kRounds);
}

}  // namespace kbsim::report_span_log_test
