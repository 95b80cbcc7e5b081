// Signals in the midst of each kind of command.
#include <filesystem>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::signals_test {

using namespace kbsim::test;

namespace {

struct Signal {
  const char* name;
  int exit;
};
const std::vector<Signal> kStops{{"INT", 130}, {"TERM", 143}, {"HUP", 129}};

const std::string kLongRun = kMainJob +
                             " --quiet --set system.sips.count=64 --set sip.cube_mesh.w=8 --set "
                             "sip.cube_mesh.h=4 --set ccl.algorithms.intercube_allreduce.n_elem=2048";
const std::string kSweep =
    "traffic --topology topology.yaml --scope mesh:16x16 --sweep --packets 100000 --num-threads 1";

// Runs a command in the background and, when `ready` holds, gives it signals from the shell; $pid is its
// number.
Outcome run_with(const std::string& command, const std::string& ready, const std::string& signals) {
  return run_script("timeout 120 $KBSIM " + command +
                    " 2>said & outer=$!; tries=0; until pid=$(pgrep -P $outer) && " + ready +
                    " || [ $((tries += 1)) -gt 2000 ]; do sleep 0.02; done; " + signals +
                    "; wait $outer; code=$?; cat said >&2; exit $code");
}

// Holds once the handlers of HUP, INT, TERM and USR1 are installed. Without the handler of USR1 the process
// is still the timeout(1) that it is forked from.
const std::string kCatches =
    "caught=$(awk '/^SigCgt/{print $2}' /proc/$pid/status) && [ $((0x$caught & 0x4203)) -eq $((0x4203)) ]";

// Asks for the command's progress until its output matches `answer`.
std::string ask_until(const std::string& answer) {
  return "tries=0; until grep -Eq '" + answer +
         "' said || [ $((tries += 1)) -gt 500 ]; do kill -USR1 $pid; sleep 0.1; done; ";
}

std::string folder_for(const std::string& name) { return written(name, "") + ".d"; }

boost::json::object json_in(const std::string& file) {
  return boost::json::parse(contents(file)).as_object();
}

// True if the folder is marked as one whose CSV files aren't whole.
bool is_marked(const std::string& folder) { return std::filesystem::exists(folder + "/PARTIAL"); }

// A folder in which `gnuplot` is a program that draws for long.
std::string slow_gnuplot() {
  const std::string folder = folder_for("slow");
  std::filesystem::create_directories(folder);
  const std::string program = written("slow.d/gnuplot", "#!/bin/sh\ntouch drawing\nsleep 0.5\ntouch drawn\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  return folder;
}

}  // namespace

// The configuration is a pipe, which is empty until the signal has arrived.
TEST_CASE("Signals: a page that is interrupted leaves no half of it, and the results as they are") {
  const std::string folder = folder_for("stopped-page");
  REQUIRE(run_kbsim(kMainJob + " --quiet --no-report --out " + folder).exit == 0);
  const std::string read = folder + "/config.resolved.yaml";
  const std::string kept = contents(read);
  const Outcome outcome = run_script(
      "mv " + read + " resolved; mkfifo " + read + "; $KBSIM report " + folder +
      " & pid=$!; tries=0; until caught=$(awk '/^SigCgt/{print $2}' /proc/$pid/status) && "
      "[ $((0x$caught & 0x4003)) -eq $((0x4003)) ] || [ $((tries += 1)) -gt 1000 ]; do sleep 0.02; done; "
      "kill -TERM $pid; while kill -0 $pid; do timeout 1 cp resolved " +
      read + "; done 2> /dev/null; wait $pid; code=$?; rm " + read + "; mv resolved " + read +
      "; exit $code");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 143);
  CHECK(outcome.err == "kbsim: interrupted: " + folder + "/report.html isn't written\n");
  CHECK(contents(read) == kept);
  CHECK(!std::filesystem::exists(folder + "/report.html"));
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    CHECK(entry.path().extension() != ".part");
}

TEST_CASE("Signals: INT, TERM and HUP end a run with 130, 143 and 129; its folder has how far it was") {
  for (const Signal& signal : kStops) {
    const std::string folder = folder_for("stopped-run");
    const Outcome outcome =
        run_with(kLongRun + " --out " + folder, kCatches, fmt::format("kill -{} $pid", signal.name));
    CAPTURE(outcome.err);
    CHECK(outcome.exit == signal.exit);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("kbsim: interrupted; simulated time stands at "));
    CHECK(outcome.err.ends_with(" events\n"));
    CHECK(json_in(folder + "/run.json").at("interrupted") == true);
    CHECK(json_in(folder + "/summary.json").at("correct").is_null());
    CHECK(json_in(folder + "/failure.json").at("exit_code") == signal.exit);
    CHECK(is_marked(folder));
    CHECK(!std::filesystem::exists(folder + "/results.csv"));
  }
}

TEST_CASE("Signals: one that is sent twice, as by timeout(1), ends a run in an orderly way") {
  const Outcome outcome = run_with(kLongRun, kCatches, "kill -TERM $pid; kill -TERM $pid");
  CHECK(outcome.exit == 143);
  CHECK(outcome.err.starts_with("kbsim: interrupted; simulated time stands at "));
}

TEST_CASE("Signals: USR1 says where a run stands, and lets it go on") {
  const Outcome outcome = run_with(kLongRun, kCatches, ask_until("^kbsim: simulated") + "kill -INT $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.err.starts_with("kbsim: simulated "));
  CHECK(outcome.err.find(" ns so far, ") != std::string::npos);
  CHECK(outcome.err.find("interrupted") != std::string::npos);
}

TEST_CASE("Signals: a sweep writes and prints the points that have ended, and says that they aren't all") {
  for (const Signal& signal : kStops) {
    const std::string folder = folder_for("stopped-sweep");
    const Outcome outcome = run_with(kSweep + " --out " + folder, "grep -q 'points: 1 of' said",
                                     ask_until("have ended") + fmt::format("kill -{} $pid", signal.name));
    CAPTURE(outcome.err);
    CHECK(outcome.exit == signal.exit);
    CHECK(outcome.err.find(" of 15 points have ended\n") != std::string::npos);
    CHECK(outcome.err.find("kbsim: interrupted: ") != std::string::npos);
    CHECK(outcome.out.find("load") != std::string::npos);
    CHECK(outcome.out.ends_with("the rest is missing\n"));
    CHECK(json_in(folder + "/run.json").at("interrupted") == true);
    CHECK(json_in(folder + "/summary.json").at("result").at("interrupted") == true);
    CHECK(contents(folder + "/results.csv").find("\n0.05") != std::string::npos);
    CHECK(is_marked(folder));
    CHECK(!std::filesystem::exists(folder + "/load_latency.png"));
  }
}

TEST_CASE("Signals: an evaluation answers USR1 and goes on; INT keeps the rows that have ended" *
          doctest::skip(kbsim::test::kSanitized)) {
  const std::string folder = folder_for("stopped-evaluation");
  const Outcome outcome =
      run_with("--topology topology.yaml --bench ccl -b 1K -e 512K -f 2 --num-threads 1 --out " + folder,
               "grep -q ': [123] of' said", ask_until("have ended") + "kill -INT $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.err.find(" have ended\n") != std::string::npos);
  CHECK(outcome.out.ends_with("the rest is missing\n"));
  const boost::json::object summary = json_in(folder + "/summary.json");
  CHECK(summary.at("interrupted") == true);
  CHECK(!summary.at("rows").as_array().empty());
  CHECK(json_in(folder + "/run.json").at("interrupted") == true);
  CHECK(is_marked(folder));
  const std::string results = folder + "/results.csv";
  const Outcome compared = run_kbsim("correlate --results " + results + " --reference " + results);
  CHECK(compared.exit == 0);
  CHECK(compared.err == "kbsim: " + results + ": of a run that was interrupted: rows are missing\n");
  REQUIRE(run_kbsim("--bench ccl -b 1K -e 1K --quiet --out " + folder).exit == 0);
  CHECK(!is_marked(folder));
}

TEST_CASE(
    "Signals: an evaluation ends while it computes numbers; without a row its folder says that it was "
    "stopped") {
  const std::string folder = folder_for("stopped-numbers");
  REQUIRE(run_kbsim("--bench ccl -b 1K -e 1K --quiet --out " + folder).exit == 0);
  const Outcome outcome =
      run_with("--bench ccl -b 8M -e 8M --out " + folder, kCatches, "sleep 0.2; kill -INT $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.out.empty());
  CHECK(is_marked(folder));
  CHECK(json_in(folder + "/summary.json").at("rows").as_array().empty());
  CHECK(!std::filesystem::exists(folder + "/results.csv"));
  CHECK(run_kbsim("check " + folder).err.find("was interrupted") != std::string::npos);
}

TEST_CASE("Signals: while figures are drawn, what was measured is whole; other figures are left out") {
  const std::string folder = folder_for("stopped-figures");
  const std::string gnuplot = slow_gnuplot();
  const Outcome outcome =
      run_script("PATH=" + gnuplot +
                 ":$PATH timeout 120 $KBSIM --topology topology.yaml --bench ccl -b 1K -e 2K -f 2 --out " +
                 folder + " & outer=$!; tries=0; until [ -e " + folder +
                 "/drawing ] || [ $((tries += 1)) -gt 2000 ]; do sleep 0.02; done;"
                 " kill -TERM $(pgrep -P $outer); wait $outer");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 143);
  CHECK(std::filesystem::exists(folder + "/drawn"));  // that one wasn't cut
  CHECK(!is_marked(folder));
  CHECK(outcome.err.find(" is not drawn\n") != std::string::npos);
  CHECK(!json_in(folder + "/run.json").contains("interrupted"));
  CHECK(json_in(folder + "/summary.json").at("rows").as_array().size() == 2);
  CHECK(!outcome.out.empty());
}

TEST_CASE("Signals: a memory that is driven alone keeps what it has served, with its signal's exit code") {
  for (const Signal& signal : kStops) {
    const std::string folder = folder_for("stopped-memory");
    const Outcome outcome =
        run_with("traffic --topology reference_hbm4.yaml --scope hbm --total 1GiB --out " + folder, kCatches,
                 ask_until("[0-9]{4} events") + fmt::format("kill -{} $pid", signal.name));
    CAPTURE(outcome.err);
    CHECK(outcome.exit == signal.exit);
    CHECK(outcome.err.starts_with("kbsim: simulated "));
    CHECK(outcome.err.find("kbsim: interrupted after ") != std::string::npos);
    CHECK(outcome.out.find("efficiency 0.") != std::string::npos);
    CHECK(outcome.out.ends_with("interrupted: these are the accesses that had ended, the rest is missing\n"));
    CHECK(json_in(folder + "/summary.json").at("result").at("interrupted") == true);
    CHECK(is_marked(folder));
  }
}

TEST_CASE("Signals: single traffic keeps what it has measured, with its signal's exit code") {
  const std::string traffic =
      "traffic --topology topology.yaml --scope mesh:16x16 --packets 50000000 --warmup 100 ";
  for (const char* kind : {"--load 0.5", "--outstanding 2", "--arrivals saturated"}) {
    const std::string folder = folder_for("stopped-traffic");
    const Outcome outcome = run_with(traffic + kind + " --out " + folder, kCatches,
                                     ask_until("[0-9]{5} events") + "kill -HUP $pid");
    CAPTURE(kind);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 129);
    CHECK(outcome.err.starts_with("kbsim: simulated "));
    CHECK(outcome.err.find("kbsim: interrupted; simulated time stands at ") != std::string::npos);
    CHECK(outcome.out.find("accepted   0.") != std::string::npos);
    CHECK(
        outcome.out.ends_with("interrupted: these are the packets that had arrived, the rest is missing\n"));
    CHECK(json_in(folder + "/run.json").at("interrupted") == true);
    const boost::json::object result = json_in(folder + "/summary.json").at("result").as_object();
    CHECK(result.at("interrupted") == true);
    CHECK(result.at("packets").to_number<double>() > 0.0);
    CHECK(result.at("accepted").to_number<double>() > 0.0);
    CHECK(is_marked(folder));
  }
}

TEST_CASE("Signals: traffic that is still warming up has measured nothing, and prints nothing") {
  const std::string folder = folder_for("stopped-warmup");
  const Outcome outcome = run_with(
      "traffic --topology topology.yaml --scope mesh:16x16 --load 0.5 --warmup 50000000 --out " + folder,
      kCatches, "sleep 0.3; kill -INT $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.out.empty());
  CHECK(json_in(folder + "/summary.json").at("result").at("interrupted") == true);
  CHECK(is_marked(folder));
}

TEST_CASE("Signals: probe prints the cases that had ended, and says that they aren't all") {
  const std::string large = "probe --topology topology.yaml --bytes 6MiB";
  const Outcome text = run_with(large, kCatches, "sleep 0.3; kill -TERM $pid");
  CAPTURE(text.err);
  CHECK(text.exit == 143);
  CHECK(text.out.find("bottleneck") != std::string::npos);
  CHECK(text.out.ends_with("the rest is missing\n"));
  const Outcome json = run_with(large + " --json", kCatches, "kill -INT $pid");
  CHECK(json.exit == 130);
  CHECK(boost::json::parse(json.out).at("interrupted") == true);
}

TEST_CASE("Signals: replay ends with its signal's exit code, and says how far it was") {
  const std::string log = written("long.oplog", "");
  REQUIRE(run_kbsim("--topology topology.yaml --bench ccl_allreduce --set "
                    "ccl.algorithms.intercube_allreduce.n_elem=16384 --set system.sips.count=16 --oplog " +
                    log)
              .exit == 0);
  const Outcome outcome =
      run_with("replay " + log + " --num-threads 1", kCatches, "kill -USR1 $pid; kill -TERM $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 143);
  CHECK(outcome.err.find("operations have been computed\n") != std::string::npos);
}

// The largest of its settings runs for minutes. A worker that has been busy for `ticks` has begun one of the
// larger ones.
TEST_CASE("Signals: solve has the settings that have ended, and no remedy") {
  const int ticks = kSanitized ? 300 : 30;
  const std::string busy = fmt::format(
      "worker=$(pgrep -P $pid) && [ $(awk '{{print $14 + $15}}' /proc/$worker/stat) -ge {} ]", ticks);
  const Outcome outcome =
      run_with("solve " + kMainJob +
                   " --timing-only --quiet --jobs 1 --target 'latency<=1ps' --vary system.sips.count=2,256 "
                   "--vary ccl.algorithms.intercube_allreduce.n_elem=8,2048",
               busy, "kill -INT $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.out.find(" settings simulated; ") != std::string::npos);
  CHECK(outcome.out.find("--runs") == std::string::npos);
  CHECK(outcome.out.ends_with(" others are open\ninterrupted: the other settings weren't simulated\n"));
}

TEST_CASE("Signals: a SIGHUP that nohup ignores stays ignored") {
  const Outcome outcome = run_script(
      "nohup $KBSIM " + kMainJob +
      " --set system.sips.count=32 & pid=$!; tries=0; until caught=$(awk '/^SigCgt/{print $2}' "
      "/proc/$pid/status)"
      " && [ $((0x$caught & 0x4003)) -eq $((0x4002)) ] || [ $((tries += 1)) -gt 500 ]; do sleep 0.02; done;"
      " kill -HUP $pid; wait $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(!outcome.out.empty());
}

}  // namespace kbsim::contract::signals_test
