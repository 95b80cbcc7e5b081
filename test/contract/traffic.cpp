// kbsim traffic as a user types it.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::traffic_test {

using namespace kbsim::test;

namespace {

const std::string kTraffic = "traffic --topology topology.yaml ";

void refuses(const std::string& arguments, const std::vector<std::string>& says) {
  const Outcome outcome = run_kbsim(kTraffic + arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  for (const std::string& text : says) CHECK_MESSAGE(outcome.err.find(text) != std::string::npos, text);
}

boost::json::value measured(const std::string& arguments) {
  const Outcome outcome = run_kbsim(kTraffic + arguments + " --json --quiet");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(outcome.err.empty());
  return boost::json::parse(outcome.out);
}

}  // namespace

TEST_CASE("Traffic: the JSON has the documented members") {
  const boost::json::object all = measured("--scope mesh:4x4 --load 0.5 --packets 2000").as_object();
  for (const char* key :
       {"offered", "accepted", "bound", "zero_load_ns", "service_ns", "wait_services", "packets"})
    CHECK_MESSAGE(all.at(key).to_number<double>() > 0.0, key);
  for (const char* key : {"mean", "p50", "p95", "p99", "max"})
    CHECK_MESSAGE(all.at("latency_ns").at(key).to_number<double>() > 0.0, key);
  CHECK(all.at("links").as_array().size() == 2 * (16 + 24));  // of 16 endpoints and between routers
  CHECK(all.at("links").at(0).at("link") == "e0_0>r0_0");
  CHECK(all.size() == 9);
}

TEST_CASE("Traffic: mean latency is the latency without load and the waits") {
  const boost::json::value all = measured("--scope sip0.cube0.noc --load 0.7 --packets 5000");
  const auto number = [&](const char* key) { return all.at(key).to_number<double>(); };
  CHECK(all.at("latency_ns").at("mean").to_number<double>() ==
        doctest::Approx(number("zero_load_ns") + number("wait_services") * number("service_ns")));
}

TEST_CASE("Traffic: shuffled ties and the number of threads change no number") {
  const std::string point = "--scope torus:4x4 --pattern hotspot:0.1 --load 0.6 --packets 5000";
  CHECK(measured(point) == measured(point + " --shuffle-ties 3"));
  const std::string sweep = "--scope mesh:2x2 --sweep --packets 1000";
  CHECK(measured(sweep + " --num-threads 1") == measured(sweep + " --num-threads 4"));
}

TEST_CASE("Traffic: a sweep leaves its data, script and what repeats it") {
  const std::string folder = written("traffic-out", "") + ".d";
  const Outcome outcome = run_kbsim(kTraffic + "--scope mesh:2x2 --sweep --packets 1000 --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  for (const char* file : {"results.csv", "links.csv", "summary.json", "run.json", "config.resolved.yaml",
                           "load_latency.csv", "load_latency.gp"})
    CHECK_MESSAGE(std::filesystem::exists(std::filesystem::path{folder} / file), file);
  const bool drawn = std::filesystem::exists(std::filesystem::path{folder} / "load_latency.png") &&
                     std::filesystem::exists(std::filesystem::path{folder} / "load_latency.svg");
  CHECK(drawn == (outcome.err.find("gnuplot isn't installed") == std::string::npos));
}

TEST_CASE("Traffic: a load, a rate or a count out of range is refused") {
  refuses("--scope link --load 1.5", {"--load 1.5", "at most 1"});
  refuses("--scope link --load -0.5", {"--load -0.5", "above 0"});
  refuses("--scope link --load 0", {"--load 0", "above 0"});
  refuses("--scope link --load nan", {"--load nan"});
  refuses("--scope link --rate 2", {"rate of 2", "at most 1"});
  refuses("--scope link --rate 1e-300", {"longer than simulated time"});
  refuses("--scope link --load 0.5 --packets 0", {"0 packets", "expected from 1"});
  refuses("--scope link --load 0.5 --bytes 0", {"0 bytes", "expected from 1"});
  refuses("--scope link --load 0.5 --num-threads -1", {"--num-threads must be 0 to 1024, got -1"});
  refuses("--scope link --load 0.5 --seed -1", {"--seed must be 0 to", "got -1"});
  refuses("--scope link", {"--load", "--rate", "--sweep", "none"});
  refuses("--scope link --load 0.5 --rate 0.5", {"expected one of", "2"});
}

TEST_CASE("Traffic: an unknown scope, pattern or arrival process gives the nearest name") {
  refuses("--scope mseh:8x8 --load 0.5", {"did you mean 'mesh'?", "torus:WxH"});
  refuses("--scope mesh:8 --load 0.5", {"e.g. mesh:8x8"});
  refuses("--scope mesh:0x3 --load 0.5", {"at least one router"});
  refuses("--scope sip9.cubes --load 0.5", {"no sip9", "sip0 to sip1"});
  refuses("--scope sip0.cube16.noc --load 0.5", {"no cube16", "cube15"});
  refuses("--scope link --load 0.5 --pattern unifrom", {"did you mean 'uniform'?"});
  refuses("--scope link --load 0.5 --pattern hotspot:2", {"at most 1"});
  refuses("--scope link --load 0.5 --arrivals possion", {"did you mean 'poisson'?"});
}

TEST_CASE("Traffic: a pattern that doesn't fit its scope is refused") {
  refuses("--scope mesh:4x3 --load 0.5 --pattern transpose", {"4 columns and 3 rows"});
  refuses("--scope mesh:1x1 --load 0.5 --pattern neighbour", {"nobody sends"});
}

TEST_CASE("Traffic: --help shows scopes, patterns and examples") {
  const Outcome help = run_kbsim("traffic --help");
  CHECK(help.exit == 0);
  for (const char* text : {"torus:WxH", "permutation:SEED", "saturated", "examples:"})
    CHECK(help.out.find(text) != std::string::npos);
}

}  // namespace kbsim::contract::traffic_test
