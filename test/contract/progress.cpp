// The progress of a long simulation on a terminal.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::progress_test {

using namespace kbsim::test;

namespace {

constexpr std::string_view kErase = "\r\033[K";

const std::string kLongRun = kMainJob +
                             " --set system.sips.count=64 --set sip.cube_mesh.w=8 --set sip.cube_mesh.h=4 "
                             "--set ccl.algorithms.intercube_allreduce.n_elem=65536 --timing-only";

// Starts a command on a terminal of 100 columns of its own; $1 is its number, in `file`.pid.
std::string start(const std::string& command, const std::string& file) {
  return "timeout 120 script -qefc 'stty cols 100; export NO_COLOR=1; echo $$ > " + file +
         ".pid; exec $KBSIM " + command + "' " + file + " < /dev/null > /dev/null & ";
}

// Waits until the output on the command's terminal, filtered by `part`, matches the pattern.
std::string until_shown(const std::string& pattern, const std::string& part = "cat") {
  return "tries=0; until " + part + " shown | grep -q '" + pattern +
         "' || [ $((tries += 1)) -gt 2000 ]; do sleep 0.02; done; ";
}

// All that the command showed. It gets USR1 once its output matches `first`, and TERM once it has answered
// and drawn a line with `word` again.
Outcome asked_and_stopped(const std::string& command, const std::string& before, const std::string& word,
                          const std::string& first) {
  return run_script("rm -f shown* other*; export KBSIM; " + before + start(command, "shown") + "outer=$!; " +
                    until_shown(first) + "kill -USR1 $(cat shown.pid); " +
                    until_shown(word, "sed '0,/kbsim: /d'") + "kill -TERM $(cat *.pid); wait $outer; " +
                    "code=$?; wait; cat shown; [ ! -f other ] || cat other >&2; exit $code");
}
Outcome asked_and_stopped(const std::string& command, const std::string& before = {},
                          const std::string& word = "simulating") {
  return asked_and_stopped(command, before, word, word);
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Checks that each message begins where the line in place has been erased.
void check_said(const std::string& shown) {
  for (std::size_t at = shown.find("kbsim: "); at != std::string::npos; at = shown.find("kbsim: ", at + 1))
    CHECK_MESSAGE(shown.substr(0, at).ends_with(kErase), shown);
}

}  // namespace

TEST_CASE("Progress: a long run has a line on a terminal, which goes before anything else is said") {
  const Outcome outcome = asked_and_stopped(kLongRun, start(kLongRun + " --quiet", "other"));
  CAPTURE(outcome.out);
  CHECK(outcome.exit == 143);
  CHECK(says(outcome.out, std::string{kErase} + "simulating: "));
  CHECK(says(outcome.out, " events/s, "));
  CHECK(says(outcome.out, " s wall" + std::string{kErase} + "kbsim: simulated "));
  CHECK(says(outcome.out, " s wall" + std::string{kErase} + "kbsim: interrupted; simulated time stands at "));
  check_said(outcome.out);
  CHECK(says(outcome.err, "kbsim: interrupted; simulated time stands at "));
  CHECK(!says(outcome.err, "\033[K"));  // with --quiet there is none
}

TEST_CASE("Progress: an evaluation's bar shows how far a long simulation is") {
  const Outcome outcome = asked_and_stopped(
      "--topology topology.yaml --bench ccl --algorithm chunked_ring_allreduce -c 0 -w 0 -n 20 "
      "--num-threads 1 --set system.sips.count=4 -b 64M -e 64M");
  CAPTURE(outcome.out);
  CHECK(outcome.exit == 143);
  CHECK(says(outcome.out, std::string{kErase} + "sizes 0/1, simulating: "));
  CHECK(says(outcome.out, " events/s, "));
  CHECK(says(outcome.out, "kbsim: 0 of 1 sizes have ended"));
  check_said(outcome.out);
}

TEST_CASE("Progress: a probe of a large machine shows how many of a line's transfers have ended") {
  const std::string large = "probe --json --set system.sips.count=64 --set sip.cube_mesh.w=8";
  const Outcome outcome = asked_and_stopped(large, start(large + " --quiet", "other"), "probing");
  CAPTURE(outcome.out);
  CHECK(outcome.exit == 143);
  CHECK(says(outcome.out, std::string{kErase} + "probing: "));
  CHECK(says(outcome.out, " of 11 transfers, "));
  CHECK(says(outcome.out, " of 11 transfers have ended"));
  CHECK(!says(outcome.err, "\033[K"));
}

TEST_CASE("Progress: a fit shows a line between what it says of each trial") {
  const auto event = [](const std::string& type, int cycle, const std::string& more) {
    return R"({"proc":"NCRISC","noc":"NOC_0","sx":1,"sy":1,"type":")" + type + R"(","timestamp":)" +
           std::to_string(cycle) + more + "}";
  };
  std::string trace;
  for (int i = 0; i < 30000; ++i) {
    trace += trace.empty() ? "[" : ",";
    trace += event("READ", 1000 * i, R"(,"dx":0,"dy":5,"num_bytes":4096)") + "," +
             event("READ_BARRIER_START", 1000 * i + 10, "") + "," +
             event("READ_BARRIER_END", 1000 * i + 500 + i % 7, "");
  }
  const std::string file = written("far.json", trace + "]");  // of the fitted half
  const Outcome outcome =
      asked_and_stopped("fit --rounds 100 --trace " + file, {}, "simulating", "wall.*fitted half");
  CAPTURE(outcome.out);
  CHECK(outcome.exit == 143);
  CHECK(says(outcome.out, "fitted half: "));
  CHECK(says(outcome.out, std::string{kErase} + "simulating: "));
  CHECK(says(outcome.out, std::string{kErase} + "fitted half: "));
}

}  // namespace kbsim::contract::progress_test
