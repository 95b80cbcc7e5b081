#include "kbsim/report/run_summary.hpp"

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

using namespace kbsim;
using namespace kbsim::report;

namespace {

RunSummary run() {
  return {.simulated = 1500_ns,
          .events = 3'000'000,
          .digest = {},
          .wall = std::chrono::duration<double>{1.5},
          .peak_memory = 3_MiB};
}

}  // namespace

TEST_CASE("Run summary: one line with simulated time, events, wall seconds, rate, memory and digest") {
  CHECK(to_text(run()) ==
        "simulated 1500 ns, 3000000 events, 1.500 s wall, 2.00 M events/s, 1 us simulated a second, 3.0 MiB "
        "peak "
        "memory, digest " +
            to_string(Digest{}));
}

TEST_CASE("Run summary: tensors that were resident are said, in both; without any neither says so") {
  RunSummary with = run();
  with.resident = 5_MiB;
  CHECK(to_text(with) ==
        "simulated 1500 ns, 3000000 events, 1.500 s wall, 2.00 M events/s, 1 us simulated a second, 3.0 MiB "
        "peak "
        "memory, 5.0 MiB of tensors resident from the start, digest " +
            to_string(Digest{}));
  CHECK(to_json(with).at("resident_bytes") == 5 * 1024 * 1024);
  CHECK(!to_json(run()).contains("resident_bytes"));
}

TEST_CASE("Run summary: the memory of the race check is printed apart, if it ran") {
  RunSummary looked = run();
  looked.race_memory = 512_KiB;
  CHECK(to_text(looked).find(" 3.0 MiB peak memory (0.50 MiB to look for races), digest ") !=
        std::string::npos);
  CHECK(to_json(looked).at("host").at("race_memory_bytes") == 512 * 1024);
  CHECK(!to_json(run()).at("host").as_object().contains("race_memory_bytes"));
}

TEST_CASE("Run summary: the JSON has what the run found and, apart, what it took; not how many events") {
  const boost::json::object json = to_json(run());
  CHECK(json.at("simulated_ps") == 1'500'000);
  const boost::json::object& host = json.at("host").as_object();
  CHECK(host.at("wall_s") == 1.5);
  CHECK(host.at("peak_memory_bytes") == 3 * 1024 * 1024);
  CHECK(boost::json::serialize(json).find("events") == std::string::npos);
}

TEST_CASE("Run summary: equal runs on another host differ in the member host only") {
  RunSummary other = run();
  other.wall *= 2;
  other.peak_memory = 5_MiB;
  boost::json::object a = to_json(run());
  boost::json::object b = to_json(other);
  CHECK(a != b);
  a.erase("host");
  b.erase("host");
  CHECK(a == b);
}

TEST_CASE("Run summary: a run that took no time has no rate") {
  RunSummary instant = run();
  instant.wall = {};
  CHECK(to_text(instant).find("inf") == std::string::npos);
}

TEST_CASE("Peak memory: is measured, and never falls") {
  const Bytes before = peak_memory();
  CHECK(before > 1_MiB);
  CHECK(peak_memory() >= before);
}
