// kbsim traffic as a user types it.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

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
  for (const char* key : {"min", "mean", "max", "fairness", "own_share"})
    CHECK_MESSAGE(all.at("sources").at(key).to_number<double>() > 0.0, key);
  CHECK(all.at("sources").at("silent") == 0);
  CHECK(all.at("accepted_GBps").to_number<double>() ==
        doctest::Approx(all.at("accepted").to_number<double>() * 16 * 256));
  CHECK(all.size() == 12);
}

TEST_CASE("Traffic: a closed loop has round trips, two sizes have a latency each") {
  const boost::json::object all =
      measured("--scope mesh:2x2 --outstanding 2 --reply 64 --bytes 16,80 --mix 0.25 --packets 2000")
          .as_object();
  for (const char* key : {"mean", "p50", "p95", "p99", "max"})
    CHECK_MESSAGE(all.at("round_trip_ns").at(key).to_number<double>() > 0.0, key);
  const boost::json::array& sizes = all.at("sizes").as_array();
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[0].at("bytes") == 16);
  CHECK(sizes[1].at("bytes") == 80);
  CHECK(sizes[0].at("packets").as_int64() + sizes[1].at("packets").as_int64() ==
        all.at("packets").as_int64());
  CHECK(all.size() == 14);
}

TEST_CASE("Traffic: a matrix is rates as it stands, and shares of a load") {
  const std::string file = written("matrix.csv", "0,0.2\n0.7,0\n");
  const std::string scope = "--scope mesh:2x1 --packets 20000 --pattern file:" + file;
  const auto most = [&](const std::string& more) {
    return measured(scope + more).at("sources").at("max").to_number<double>();
  };
  CHECK(most("") == doctest::Approx(0.7).epsilon(0.02));
  CHECK(most(" --load 0.5") == doctest::Approx(0.5).epsilon(0.03));
  CHECK(most(" --rate 0.09") == doctest::Approx(0.14).epsilon(0.03));
  refuses(scope + "x --load 0.5", {file + "x: no such file"});
  refuses("--scope mesh:2x1 --pattern file:/tmp", {"file:/tmp: is a folder, expected a file"});
  refuses("--scope mesh:2x1 --pattern file:/dev/zero", {"file:/dev/zero: is larger than 64 MiB"});
  refuses("--scope mesh:2x2 --pattern file:" + file, {file + ":1: 2 numbers, expected 4"});
  refuses("--scope mesh:2x1 --load 0.5 --pattern file:" + written("wrong.csv", "0,1\n0,one\n"),
          {"wrong.csv:2:3: found 'one'"});
}

TEST_CASE("Traffic: what a source gets is in the text and in a file") {
  const std::string folder = written("traffic-sources", "") + ".d";
  const Outcome outcome =
      run_kbsim(kTraffic + "--scope mesh:2x2 --to-self none --rate 2 --packets 1000 --quiet --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(outcome.out.find("fairness (Jain)") != std::string::npos);
  CHECK(outcome.out.find("own node   is the target of 0.00 % of all packets; no source is silent\n") !=
        std::string::npos);
  std::ifstream file{folder + "/sources.csv"};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "load,source,offered,accepted,packets,latency_mean_ns");
  CHECK(lines[4].find(",e1_1,") != std::string::npos);
}

TEST_CASE("Traffic: sources that are silent are counted in words") {
  const std::string one = written("one_silent.csv", "0, 0.2\n0, 0\n");
  for (const auto& [options, said] :
       {std::pair<std::string, std::string>{"--scope link --load 0.5", "no source is silent"},
        {"--scope mesh:2x1 --pattern file:" + one, "1 of 2 sources is silent"},
        {"--scope mesh:2x2 --pattern transpose --load 0.5", "2 of 4 sources are silent"}}) {
    const Outcome outcome = run_kbsim(kTraffic + options + " --packets 100 --quiet");
    CHECK_MESSAGE(outcome.out.find(" % of all packets; " + said + "\n") != std::string::npos, outcome.out);
  }
}

TEST_CASE("Traffic: options of packets that do nothing, or can't be, are refused") {
  refuses("--scope link --load 0.5 --mix 0.5", {"--mix 0.5", "no effect without two sizes"});
  refuses("--scope link --load 0.5 --reply 64", {"--reply 64", "no effect without --outstanding"});
  refuses("--scope link --load 0.5 --bytes 16,16", {"--bytes 16,16: expected two sizes that differ"});
  refuses("--scope link --load 0.5 --bytes 16,0", {"--bytes 16,0", "at least a byte"});
  refuses("--scope link --load 0.5 --bytes 16,80 --mix 1", {"--mix 1: expected", "below 1"});
  refuses("--scope link --outstanding 0", {"--outstanding must be 1 to 65536, got 0"});
  refuses("--scope link --outstanding 1 --load 0.5", {"expected one of", "2"});
  refuses("--scope link --outstanding 1 --arrivals poisson", {"--arrivals poisson", "no effect"});
  refuses("--scope link --outstanding 1 --reply 64", {"--scope link", "no way back"});
  refuses("--scope mesh:2x2 --outstanding 1 --bytes 0 --reply 64",
          {"--bytes 0: expected from 1", "expected from 1"});
  refuses("--scope link --outstanding 1 --reply 0", {"--reply 0", "at least a byte"});
  refuses("--scope link --load 0.5 --to-self none", {"--to-self none", "no effect on uniform"});
  refuses("--scope mesh:2x2 --load 0.5 --to-self self", {"random, all or none"});
  refuses("--scope link --load 0.5 --injection-gbs 64", {"--scope link", "no endpoint there has a link"});
  refuses("--scope mesh:2x2 --load 0.5 --ejection-gbs 0", {"--ejection-gbs 0", "0.001"});
  refuses("--scope mesh:2x2 --load 0.5 --pattern all-to-one:4", {"0 to 3"});
  refuses("--scope mesh:2x2 --pattern uniform", {"none"});
}

TEST_CASE("Traffic: mean latency is the latency without load and the waits") {
  const boost::json::value all = measured("--scope sip0.cube0.noc --load 0.7 --packets 5000");
  const auto number = [&](const char* key) { return all.at(key).to_number<double>(); };
  CHECK(all.at("latency_ns").at("mean").to_number<double>() ==
        doctest::Approx(number("zero_load_ns") + number("wait_services") * number("service_ns")));
}

TEST_CASE("Traffic: shuffled ties and the number of threads change no number") {
  for (const std::string load : {"--load 0.6", "--outstanding 3 --reply 16 --bytes 16,80 --to-self none"}) {
    const std::string point = "--scope torus:4x4 --pattern hotspot:0.1 --packets 5000 " + load;
    CHECK(measured(point) == measured(point + " --shuffle-ties 3"));
  }
  const std::string sweep = "--scope mesh:2x2 --sweep --packets 1000";
  CHECK(measured(sweep + " --num-threads 1") == measured(sweep + " --num-threads 4"));
}

TEST_CASE("Traffic: a sweep leaves its data, script and what repeats it") {
  const std::string folder = written("traffic-out", "") + ".d";
  const Outcome outcome = run_kbsim(kTraffic + "--scope mesh:2x2 --sweep --packets 1000 --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  for (const char* file :
       {"results.csv", "sources.csv", "links.csv", "summary.json", "run.json", "config.resolved.yaml",
        "load_latency.csv", "load_latency.gp", "network.json", "report.html"})
    CHECK_MESSAGE(std::filesystem::exists(std::filesystem::path{folder} / file), file);
  const bool drawn = std::filesystem::exists(std::filesystem::path{folder} / "load_latency.png") &&
                     std::filesystem::exists(std::filesystem::path{folder} / "load_latency.svg");
  CHECK(drawn == (outcome.err.find("gnuplot isn't installed") == std::string::npos));
  CHECK(outcome.err.find("arning") == std::string::npos);
  const std::string script = kbsim::test::contents(std::filesystem::path{folder} / "load_latency.gp");
  CHECK(script.find("title \"p99\"") != std::string::npos);
  CHECK(script.find("linecolor \"gray50\" title \"all that is offered\"\n") != std::string::npos);
}

TEST_CASE("Traffic: a load, a rate or a count out of range is refused") {
  refuses("--scope link --load 1.5", {"--load 1.5", "at most 1"});
  refuses("--scope link --load -0.5", {"--load -0.5", "above 0"});
  refuses("--scope link --load 0", {"--load 0", "above 0"});
  refuses("--scope link --load nan", {"--load nan"});
  refuses("--scope link --rate 101", {"--rate 101: expected above 0 and at most 100", "at most 100"});
  refuses("--scope link --rate 1e-300", {"longer than simulated time"});
  refuses("--scope link --load 0.5 --packets 0", {"--packets must be 1 to 50000000, got 0"});
  refuses("--scope link --load 0.5 --warmup -3", {"--warmup must be 0 to 50000000, got -3"});
  refuses("--scope link --load 0.5 --bytes 0", {"--bytes 0: expected from 1", "expected from 1"});
  refuses("--scope link --load 0.5 --num-threads -1", {"--num-threads must be 0 to 1024, got -1"});
  refuses("--scope link --load 0.5 --seed -1", {"--seed must be 0 to", "got -1"});
  refuses("--scope link --load 0.5 --shuffle-ties -1", {"--shuffle-ties must be 0 to", "got -1"});
  refuses("--scope link", {"--load", "--rate", "--sweep", "none"});
  refuses("--scope link --load 0.5 --rate 0.5", {"expected one of", "2"});
}

TEST_CASE("Traffic: a mistake of all loads of a sweep is reported once, before any is simulated") {
  const auto printed = [](const std::string& options) {
    const Outcome outcome = run_kbsim("traffic --scope link --sweep " + options);
    CHECK(outcome.exit == 2);
    return outcome.err;
  };
  CHECK(printed("--packets 0") == "kbsim: --packets must be 1 to 50000000, got 0\n");
  CHECK(printed("--warmup -3") == "kbsim: --warmup must be 0 to 50000000, got -3\n");
  CHECK(printed("--bytes 0") == "kbsim: --bytes 0: expected from 1 to 1073741824 bytes\n");
}

TEST_CASE("Traffic: a seed is refused where nothing is drawn at random") {
  refuses("--scope mesh:2x2 --pattern neighbour --arrivals saturated --seed 3", {"--seed 3: has no effect"});
  refuses("--scope link --outstanding 2 --seed 3", {"--seed 3: has no effect"});
  const std::string few = "--scope mesh:2x2 --packets 50 --warmup 5 --seed 3 ";
  (void)measured(few + "--arrivals saturated");
  (void)measured(few + "--pattern neighbour --load 0.5");
  (void)measured(few + "--pattern neighbour --outstanding 2 --bytes 16,80");
}

TEST_CASE("Traffic: a router's setting that no packet meets is refused, a wrong one where it is given") {
  const std::string iq = "--scope mesh:2x2 --rate 0.1 --set cube.noc.router.impl=builtin.router_iq ";
  refuses(iq + "--set cube.noc.router.packet_flits=2",
          {"no packet is larger than a flit (--bytes, flit_bytes)"});
  (void)measured(iq + "--packets 50 --bytes 512 --set cube.noc.router.packet_flits=1");
  (void)measured(iq +
                 "--packets 50 --set cube.noc.router.flit_bytes=64 --set cube.noc.router.packet_flits=2");
  const std::string arbiter = "--set cube.noc.router.arbiter=oldest";
  refuses(iq + arbiter, {arbiter + ": ", "did you mean 'oldest_first'?"});
  const std::string torus = "--scope torus:4x4 --rate 0.1 --set cube.noc.router.impl=builtin.router_iq ";
  refuses(torus + "--set cube.noc.router.vcs=1", {"--set cube.noc.router.vcs=1: ", "expected at least 2"});
}

TEST_CASE("Traffic: links are busy for no more than a window, however short and far beyond the bound") {
  const boost::json::value result = measured("--scope mesh:4x4 --rate 100 --packets 5000 --warmup 500");
  for (const boost::json::value& link : result.as_object().at("links").as_array()) {
    const double utilization = link.at("utilization").to_number<double>();
    CHECK(utilization >= 0.0);
    CHECK(utilization <= 1.0);
  }
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
  refuses("--scope mesh:1x1 --load 0.5 --pattern neighbour", {"no endpoint sends"});
}

TEST_CASE("Traffic: --help shows scopes, patterns and examples") {
  const Outcome help = run_kbsim("traffic --help");
  CHECK(help.exit == 0);
  for (const char* text :
       {"torus:WxH", "permutation:SEED", "file:M.csv", "saturated", "--outstanding", "examples:"})
    CHECK(help.out.find(text) != std::string::npos);
}

}  // namespace kbsim::contract::traffic_test
