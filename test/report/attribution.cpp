#include <doctest/doctest.h>

#include "kbsim/report/run_summary.hpp"

using namespace kbsim;
using namespace kbsim::report;

namespace {

const hw::Attribution kMessages{
    .messages = 4, .split = {.overhead = 40_ns, .wire = 30_ns, .drain = 20_ns, .queueing = 10_ns}};

}  // namespace

TEST_CASE("Attribution: the text gives each part's share of the messages' time") {
  CHECK(to_text(kMessages) == "4 messages: 40.0 % overhead, 30.0 % wire, 20.0 % drain, 10.0 % queueing");
}

TEST_CASE("Attribution: without messages there are no shares to divide") {
  CHECK(to_text(hw::Attribution{}) == "0 messages: 0.0 % overhead, 0.0 % wire, 0.0 % drain, 0.0 % queueing");
}

TEST_CASE("Attribution: the JSON is in nanoseconds, and its parts sum to the total") {
  const auto json = to_json(kMessages);
  const auto ns = [&](const char* key) { return json.at(key).to_number<double>(); };
  CHECK(ns("total_ns") == 100.0);
  CHECK(ns("overhead_ns") + ns("wire_ns") + ns("drain_ns") + ns("queue_ns") == ns("total_ns"));
}
