// Programs that never wait: the effects of a signal and of the watchdog.
#include <filesystem>
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::watchdog_test {

using namespace kbsim::test;

namespace {

namespace fs = std::filesystem;

const std::string kPlugin = " --plugin " KBSIM_BINARY "/contract/plugins/plugin_loops.so ";

std::string job(const std::string& kernel, const std::string& bench = "ccl_allreduce") {
  return "--topology topology.yaml --bench " + bench + kPlugin +
         "--set ccl.algorithms.intercube_allreduce.kernel=" + kernel + " ";
}

const std::string kLoops = job("loops");
const std::string kHangs = "kbsim: kernel loops on sip0.cube2.pe0 hasn't returned for ";
const std::string kSince = " s of wall time since loops.cpp:17";

void check_says(const Outcome& outcome, const std::string& part) {
  CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, "expected '" << part << "' in:\n"
                                                                          << outcome.err);
}

int count_of(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Runs it in the background; $pid is its number. `does` begins once its signal handlers have been installed
// for a while: by then it loops.
Outcome run_with(const std::string& command, const std::string& does) {
  return run_script("timeout 120 $KBSIM " + command +
                    " 2>said & outer=$!; tries=0; until pid=$(pgrep -P $outer) && caught=$(awk "
                    "'/^SigCgt/{print $2}' /proc/$pid/status) && [ $((0x$caught & 0x4203)) -eq $((0x4203)) ]"
                    " || [ $((tries += 1)) -gt 500 ]; do sleep 0.02; done; sleep 1; " +
                    does + "; wait $outer; code=$?; cat said >&2; exit $code");
}

}  // namespace

TEST_CASE("Watchdog: --watchdog ends a kernel that loops, with its name, its line and exit code 8") {
  const std::string folder = fresh_place("watchdog").string();
  const Outcome outcome = run_kbsim(kLoops + "--watchdog 1 --out " + folder);
  CHECK(outcome.exit == 8);
  CHECK(outcome.out.empty());
  check_says(outcome, kHangs + "1");
  check_says(outcome, kSince + " (--watchdog 1)\n");
  const auto failure = boost::json::parse(contents(folder + "/failure.json")).as_object();
  CHECK(failure.at("exit_code") == 8);
  CHECK(std::string{failure.at("error").as_string()}.find("kernel loops on sip0.cube2.pe0") !=
        std::string::npos);
  CHECK(fs::exists(folder + "/PARTIAL"));
  CHECK(fs::exists(folder + "/report.html"));
  CHECK(!fs::exists(folder + "/.kbsim.earlier"));
  CHECK(!fs::exists(folder + "/summary.json"));
}

TEST_CASE("Watchdog: a kernel without a command is named with its launch, a host program by itself") {
  const Outcome kernel = run_kbsim(job("loops_at_once") + "--watchdog 0.5");
  CHECK(kernel.exit == 8);
  check_says(kernel, "kernel loops_at_once on sip0.cube2.pe0 hasn't returned for 0.");
  check_says(kernel, " s of wall time since its launch at ");
  const Outcome host =
      run_kbsim("--topology topology.yaml --bench loops_on_host" + kPlugin + "--watchdog 0.5");
  CHECK(host.exit == 8);
  check_says(host, "kbsim: the host program of bench loops_on_host hasn't returned for 0.");
}

TEST_CASE("Watchdog: sees a kernel of a run on several threads, and of an evaluation's simulations") {
  const Outcome threads = run_kbsim(kLoops + "--num-threads 2 --race off --watchdog 1");
  CHECK(threads.exit == 8);
  check_says(threads, "kbsim: kernel loops on sip");
  check_says(threads, kSince);
  const Outcome evaluation = run_kbsim(job("loops", "ccl") + "-b 1K -e 4K --num-threads 2 -c 0 --watchdog 1");
  CHECK(evaluation.exit == 8);
  check_says(evaluation, "kbsim: kernel loops on sip");
}

TEST_CASE("Watchdog: wall time changes no result, whatever the limit is that it keeps to") {
  const std::string thinks = job("thinks") + "--timing-only --json ";
  const Outcome plain = run_kbsim(thinks);
  const Outcome watched = run_kbsim(thinks + "--watchdog 60");
  CHECK(watched.exit == plain.exit);
  const auto digest = [](const Outcome& outcome) {
    return boost::json::parse(outcome.out).at("run").at("digest");
  };
  CHECK(digest(watched) == digest(plain));
  CHECK(run_kbsim(thinks + "--watchdog 0.2").exit == 8);
}

TEST_CASE("Watchdog: --watchdog takes seconds above 0") {
  for (const char* wrong : {"0", "-1", "nan", "inf", "soon"}) {
    const Outcome outcome = run_kbsim(kMainJob + " --watchdog " + wrong);
    CAPTURE(wrong);
    CHECK(outcome.exit == 2);
    check_says(outcome, "--watchdog");
  }
  CHECK(run_kbsim("probe --topology topology.yaml --case h2d-write --watchdog 30").exit == 0);
}

TEST_CASE("Signals: a kernel that loops is named after a signal's grace, and the signal again ends it") {
  struct Signal {
    const char* name;
    int exit;
  };
  for (const Signal& signal : {Signal{"INT", 130}, Signal{"TERM", 143}, Signal{"HUP", 129}}) {
    const Outcome outcome =
        run_with(kLoops, fmt::format("kill -{0} $pid; kill -{0} $pid; sleep 4; kill -{0} $pid", signal.name));
    CHECK(outcome.exit == signal.exit);
    CHECK(outcome.out.empty());
    CHECK(count_of(outcome.err, kHangs) == 1);
    check_says(outcome, kSince + fmt::format("; SIG{} again ends kbsim at once\n", signal.name));
  }
}

TEST_CASE("Signals: without any a kernel that loops is named once, and USR1 is answered meanwhile") {
  const Outcome outcome = run_with(kLoops, "sleep 5; kill -USR1 $pid; sleep 9; kill -KILL $pid");
  CHECK(outcome.exit == 137);
  CHECK(count_of(outcome.err, kHangs) == 1);
  check_says(outcome, kSince + "; Ctrl-C twice ends kbsim, --watchdog S does so by itself\n");
  CHECK(outcome.err.find("kbsim: simulated ") < outcome.err.find(kHangs));
}

}  // namespace kbsim::contract::watchdog_test
