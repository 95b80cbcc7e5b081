// --trace and its kin, as a user types them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::tracing_test {

using namespace kbsim::test;

namespace {

namespace json = boost::json;

struct Traced {
  Outcome outcome;
  std::string file;
};

Traced traced(const std::string& suffix, const std::string& options, const std::string& job = kMainJob) {
  const std::string file = written("run" + suffix, "");
  std::filesystem::remove(file);
  return {.outcome = run_kbsim(job + " --trace " + file + " " + options), .file = file};
}

json::array events_of(const std::string& options, const std::string& job = kMainJob) {
  const Traced run = traced(".json", options, job);
  REQUIRE_MESSAGE(run.outcome.exit == 0, run.outcome.err);
  return json::parse(contents(run.file)).at("traceEvents").as_array();
}

std::string text_at(const json::value& event, const char* key) {
  return std::string{event.at(key).as_string()};
}
bool is(const json::value& event, const char* phase) { return text_at(event, "ph") == phase; }

// Names of threads by (pid, tid).
std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads_of(const json::array& events) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> names;
  for (const json::value& event : events) {
    if (is(event, "M") && text_at(event, "name") == "thread_name")
      names[{event.at("pid").as_int64(), event.at("tid").to_number<std::int64_t>()}] =
          text_at(event.at("args"), "name");
  }
  return names;
}

// Total length of slices in ps, by their thread's name.
std::map<std::string, std::int64_t> sums_of(const json::array& events) {
  const auto names = threads_of(events);
  std::map<std::string, std::int64_t> sums;
  for (const json::value& event : events) {
    if (is(event, "X"))
      sums[names.at({event.at("pid").as_int64(), event.at("tid").to_number<std::int64_t>()})] +=
          event.at("args").at("duration_ps").as_int64();
  }
  return sums;
}

// A column of a CSV by its first one, in ps.
std::map<std::string, std::int64_t> busy_of(const std::string& csv) {
  std::istringstream lines{contents(csv)};
  std::string line;
  std::getline(lines, line);
  std::map<std::string, std::int64_t> busy;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream in{line};
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    busy[cells.at(0)] = static_cast<std::int64_t>(std::stod(cells.at(4)) * 1000.0 + 0.5);
  }
  return busy;
}

std::string result_of(const std::string& text) {
  const auto json = json::parse(text).as_object();
  return fmt::format("{} {}", text_at(json.at("run"), "digest"),
                     json::serialize(json.at("run").at("simulated_ps")));
}

}  // namespace

TEST_CASE("--trace: no time, digest or number is another one, whatever is recorded") {
  const std::string without = result_of(run_kbsim(kMainJob + " --json --quiet").out);
  for (const char* options : {"", "--trace-units '*'", "--trace-units '*' --trace-packets"}) {
    CAPTURE(options);
    const Traced run = traced(".pftrace", std::string{"--json --quiet "} + options);
    CHECK(run.outcome.exit == 0);
    CHECK(result_of(run.outcome.out) == without);
  }
}

TEST_CASE("--trace: protoc decodes it by our schema; each slice that begins ends, each flow too") {
  const Traced run = traced(".pftrace", "--quiet --trace-units '*'");
  REQUIRE_MESSAGE(run.outcome.exit == 0, run.outcome.err);
  const Outcome text = run_script("protoc --decode=kbsim.perfetto.Trace -I " KBSIM_SOURCE_DIR
                                  "/lib/trace/src perfetto.proto < " +
                                  run.file);
  REQUIRE_MESSAGE(text.exit == 0, text.err);
  std::map<std::string, int> kinds;
  std::map<std::string, int> begun;
  std::map<std::string, int> ended;
  std::istringstream lines{text.out};
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with("type: ")) ++kinds[line.substr(6)];
    if (line.starts_with("flow_ids: ")) ++begun[line.substr(10)];
    if (line.starts_with("terminating_flow_ids: ")) ++ended[line.substr(22)];
  }
  CHECK(kinds["TYPE_SLICE_BEGIN"] > 1000);
  CHECK(kinds["TYPE_SLICE_BEGIN"] == kinds["TYPE_SLICE_END"]);
  CHECK(kinds["TYPE_COUNTER"] > 100);
  CHECK(begun.size() > 50);
  CHECK(begun == ended);
  for (const auto& [flow, times] : begun) CHECK(times == 1);
}

TEST_CASE("--trace: slices of links, ports and engines sum to the columns of units.csv, to the ps") {
  const std::string folder = fresh_place("traced").string();
  const json::array events = events_of("--quiet --trace-units '*' --out " + folder,
                                       "--topology topology.yaml --bench gemm_single_pe");
  const auto sums = sums_of(events);
  int compared = 0;
  for (const auto& [unit, busy] : busy_of(folder + "/units.csv")) {
    const bool is_server = unit.find("pe_gemm") != std::string::npos ||
                           unit.find("pe_math") != std::string::npos ||
                           unit.find("pe_tcm") != std::string::npos || unit.find("hbm") != std::string::npos;
    if (!is_server || busy == 0) continue;
    CAPTURE(unit);
    REQUIRE(sums.contains(unit));
    CHECK(sums.at(unit) == busy);
    ++compared;
  }
  CHECK(compared >= 3);
}

TEST_CASE("--trace: launches lead to kernels, sends to receives, and both ends of a flow are there") {
  const json::array events = events_of("--quiet");
  std::map<std::pair<std::string, std::string>, std::set<std::uint64_t>> flows;
  for (const json::value& event : events) {
    if (is(event, "s") || is(event, "f")) {
      const bool fresh = flows[{text_at(event, "name"), text_at(event, "ph")}]
                             .insert(event.at("id").to_number<std::uint64_t>())
                             .second;
      CHECK(fresh);
    }
  }
  for (const char* name : {"ac2g", "message"}) {
    CHECK(flows[{name, "s"}].size() > 10);
    CHECK(flows[{name, "s"}] == flows[{name, "f"}]);
  }
}

TEST_CASE("--trace: has ranks, collectives with their parts, kernels with the lines of their commands") {
  const json::array events = events_of("--quiet");
  std::set<std::string> names;
  std::set<std::string> categories;
  for (const json::value& event : events) {
    if (is(event, "X")) names.insert(text_at(event, "name")), categories.insert(text_at(event, "cat"));
  }
  for (const char* name : {"program", "all_reduce", "record_param_comms", "dispatch", "kernel", "report",
                           "cudaLaunchKernel", "ncclDevKernel_intercube_allreduce"})
    CHECK_MESSAGE(names.contains(name), name);
  CHECK(std::ranges::any_of(names, [](const auto& name) { return name.starts_with("tree_allreduce.cpp:"); }));
  for (const char* category : {"cpu_op", "cuda_runtime", "kernel", "gpu_memcpy", "wait", "queue"})
    CHECK_MESSAGE(categories.contains(category), category);
}

TEST_CASE("--trace-window, --trace-units: only those times and those names") {
  for (const json::value& event : events_of("--quiet --trace-window 2000:2100.5")) {
    if (!is(event, "X")) continue;
    CHECK(event.at("ts").to_number<double>() >= 2000.0);
    CHECK(event.at("ts").to_number<double>() + event.at("dur").to_number<double>() <= 2100.5001);
  }
  const json::array events = events_of("--quiet --trace-units 'sip1.cube0.pe0.*'");
  const auto names = threads_of(events);
  int slices = 0;
  for (const json::value& event : events) {
    if (!is(event, "X")) continue;
    ++slices;
    CHECK(names.at({event.at("pid").as_int64(), event.at("tid").to_number<std::int64_t>()})
              .starts_with("sip1.cube0.pe0."));
  }
  CHECK(slices > 5);
}

TEST_CASE("--trace-dir: a file a rank, each with what it is of how many") {
  const std::string folder = fresh_place("trace_dir").string();
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --trace-dir " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  for (int rank = 0; rank < 2; ++rank) {
    const json::value trace = json::parse(contents(fmt::format("{}/rank{}.json", folder, rank)));
    CHECK(trace.at("distributedInfo").at("rank").as_int64() == rank);
    CHECK(trace.at("distributedInfo").at("world_size").as_int64() == 2);
  }
}

TEST_CASE("--trace: its size is said before it is written, and is its size") {
  const Traced run = traced(".pftrace", "");
  REQUIRE(run.outcome.exit == 0);
  CHECK(run.outcome.err.find("trace: ") != std::string::npos);
  CHECK(run.outcome.err.find("slices on ") != std::string::npos);
  CHECK(run.outcome.err.find(run.file) != std::string::npos);
  const auto size = std::filesystem::file_size(run.file);
  CHECK(run.outcome.err.find(fmt::format(", {} B, to ", size)) != std::string::npos);
  const Traced limited = traced(".pftrace", "--trace-limit 100");
  CHECK(limited.outcome.err.find("has the first 100 slices") != std::string::npos);
  CHECK(std::filesystem::file_size(limited.file) < size);
}

TEST_CASE("--trace: impossible settings are reported before anything runs") {
  const auto refused = [](const std::string& options, const std::string& says, int exit = 2) {
    const Outcome outcome = run_kbsim(kMainJob + " " + options);
    CAPTURE(options);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == exit);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(says) != std::string::npos);
  };
  refused("--trace run.txt", "expected a name that ends in .pftrace (Perfetto), .json");
  refused("--trace no/such/folder/run.json",
          "can't write 'no/such/folder/run.json': No such file or directory; make the folder "
          "'no/such/folder' first");
  refused("--trace-dir /dev/null/x", "--trace-dir /dev/null/x: /dev/null is a file, expected a folder");
  refused("--trace-window 1:2", "--trace-window has no effect without --trace FILE");
  refused("--trace-units x", "--trace-units has no effect without");
  for (const char* window : {"5", "5:5", "7:5", "-1:5", "a:b", "1:2x", ":"})
    refused(fmt::format("--trace run.json --trace-window={}", window), "must be FROM:TO, two times in ns");
  refused("--trace run.json --trace-units sip7.*", "no rank, unit or link has such a name");
  refused("--trace run.json --trace-unit ps", "is of Perfetto's format");
  refused("--trace run.pftrace --trace-unit us", "must be ns or ps, got 'us'");
  refused("--trace run.json --trace-packets", "--trace-packets: packets are slices of links");
}

TEST_CASE("--dry-run: names the trace, and makes neither file nor folder") {
  const std::string folder = fresh_place("trace_dry").string();
  const Outcome outcome = run_kbsim(kMainJob + " --dry-run --trace-dir " + folder);
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find(folder) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("--trace: a full disk is an error that names the file") {
  const Outcome outcome =
      run_script("ln -s /dev/full run.json; $KBSIM " + kMainJob + " --quiet --trace run.json");
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("can't write 'run.json': No space left on device") != std::string::npos);
}

TEST_CASE("--trace: of evaluations that run one simulation, and no others") {
  const Traced one = traced(".json", "--quiet -b 4K -e 4K", "--topology topology.yaml --bench ccl");
  CHECK_MESSAGE(one.outcome.exit == 0, one.outcome.err);
  CHECK_FALSE(json::parse(contents(one.file)).at("traceEvents").as_array().empty());
  const Traced two = traced(".json", "--quiet -b 1K -e 4K", "--topology topology.yaml --bench ccl");
  CHECK(two.outcome.exit == 2);
  CHECK(two.outcome.err.find("--trace is of a single simulation") != std::string::npos);
  const Traced many = traced(".json", "--quiet", "--topology topology.yaml --bench milestone-1h-gemm");
  CHECK(many.outcome.exit == 5);
  CHECK(many.outcome.err.find("is an evaluation") != std::string::npos);
}

TEST_CASE("--trace: of a deadlock it has the waits, and of a stopped run all until then") {
  const Traced stuck = traced(".json", "--plugin " KBSIM_BINARY
                                       "/contract/plugins/plugin_stuck.so --set "
                                       "ccl.algorithms.intercube_allreduce.kernel=stuck");
  CHECK(stuck.outcome.exit == 8);
  const json::value trace = json::parse(contents(stuck.file));
  CHECK(text_at(trace, "traceName").find("did not end well") != std::string::npos);
  const auto waits = [](const json::value& event) {
    return is(event, "X") && text_at(event, "name") == "recv E" &&
           event.at("args").as_object().contains("unfinished");
  };
  CHECK(std::ranges::any_of(trace.at("traceEvents").as_array(), waits));
  const Traced stopped = traced(".json", "--stop-at 2000");
  CHECK(stopped.outcome.exit == 4);
  const json::value until = json::parse(contents(stopped.file));
  for (const json::value& event : until.at("traceEvents").as_array()) {
    if (is(event, "X") && text_at(event, "cat") != "issue" && text_at(event, "cat") != "engine")
      CHECK(event.at("ts").to_number<double>() <= 2000.0);
  }
}

TEST_CASE("--trace: outputs of one name are refused before anything runs") {
  const std::string folder = fresh_place("one_name").string();
  const auto refused = [&](const std::string& options, const std::string& why) {
    const Outcome outcome = run_kbsim(kMainJob + " " + options);
    CAPTURE(options);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/x.json";
  refused("--trace " + file + " --oplog " + file, "the trace has that name");
  refused("--trace " + file + " --oplog " + folder + "/../one_name/x.json", "");
  refused("--trace " + folder + "/summary.json --out " + folder, "--out writes a file of that name");
  refused("--trace " + folder + "/rank1.json --trace-dir " + folder, "--trace-dir");
  refused("--oplog " + file + " --trace-dir " + file, "the trace has that name");
  std::filesystem::remove_all(folder);
}

TEST_CASE("--trace-dir: an earlier run's ranks go; another file stays") {
  const std::string folder = fresh_place("ranks_of_before").string();
  std::filesystem::create_directories(folder);
  for (const char* name : {"/rank7.json", "/rank7.json.old"}) std::ofstream{folder + name} << "old";
  CHECK(run_kbsim(kMainJob + " --quiet --trace-dir " + folder).exit == 0);
  CHECK(std::filesystem::exists(folder + "/rank1.json"));
  CHECK_FALSE(std::filesystem::exists(folder + "/rank7.json"));
  CHECK(std::filesystem::exists(folder + "/rank7.json.old"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("--trace: a window after the end is reported, and a suffix may be in capitals") {
  const Traced run = traced(".JSON", "--quiet --trace-window 5000:6000");
  CHECK(run.outcome.exit == 0);
  CHECK(
      run.outcome.err.find("trace: has no slices: --trace-window begins at 5000 ns, and the run ended at ") !=
      std::string::npos);
  CHECK(contents(run.file).starts_with("{"));
}

TEST_CASE("--trace: without room for its slices the results are there, and the run says what is missing") {
  const std::string folder = fresh_place("no_room").string();
  std::filesystem::create_directories(folder);
  const Outcome outcome =
      run_script("TMPDIR=/proc timeout 60 $KBSIM " + kMainJob +
                 " --set system.sips.count=16 --quiet --trace-units '*' --trace-packets --out " + folder +
                 " --trace " + folder + "/all.pftrace");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("the temporary file of a trace's slices in /proc") != std::string::npos);
  CHECK(std::filesystem::exists(folder + "/results.csv"));
  std::filesystem::remove_all(folder);
}

}  // namespace kbsim::contract::tracing_test
