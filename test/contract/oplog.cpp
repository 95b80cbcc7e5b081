// --oplog and kbsim replay, as a user types them.

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::oplog_test {

using namespace kbsim::test;

namespace {

// The line of the op log in what a run or a replay prints.
std::string line_of(const std::string& out) {
  const std::size_t at = out.find("op log: ");
  REQUIRE(at != std::string::npos);
  return out.substr(at, out.find('\n', at) - at);
}

void check_refused(const std::string& file, const std::string& says) {
  const Outcome outcome = run_kbsim("replay " + file);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("kbsim: " + file + ": "));
  CHECK(outcome.err.find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("Replay command: a fresh process prints the checksums of the run, whatever the threads") {
  const std::string file = written("run.oplog", "");
  const Outcome run = run_kbsim(kMainJob + " --oplog " + file);
  REQUIRE(run.exit == 0);
  for (const char* threads : {"1", "2", "7"}) {
    const Outcome replay = run_kbsim("replay " + file + " --num-threads " + threads);
    CHECK(replay.exit == 0);
    CHECK(replay.out == line_of(run.out) + "\n");
  }
}

// The first line of a text that has a part.
std::string line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST_CASE("Replay command: says what the run said of prints and of a check that fails, and exits alike") {
  const std::string file = written("run.oplog", "");
  const Outcome run = run_kbsim(kMainJob + " --quiet --oplog " + file +
                                " --plugin " KBSIM_BINARY
                                "/contract/plugins/plugin_tells.so"
                                " --set ccl.algorithms.intercube_allreduce.kernel=reports");
  CAPTURE(run.err);
  REQUIRE(run.exit == 8);
  const std::string print = line_with(run.err, "] x f32 [3]: 0 1 2");
  const std::string check = line_with(run.err, "check_all: ");
  CHECK(print.starts_with("["));
  CHECK(print.find(" ns sip0.cube0.pe0] ") != std::string::npos);
  CHECK(check.starts_with("kbsim: ["));
  CHECK(check.find(" ns sip0.cube0.pe0] tells.cpp:13: check_all: not zero: element [0] of f32 [3] is 0") !=
        std::string::npos);
  const Outcome replay = run_kbsim("replay " + file);
  CHECK(replay.exit == 8);
  CHECK(line_with(replay.err, "] x f32") == print);
  CHECK(line_with(replay.err, "check_all: ") == check);
}

TEST_CASE("Replay command: its JSON has what the run's JSON has") {
  const std::string file = written("run.oplog", "");
  const Outcome run = run_kbsim(kMainJob + " --json --quiet --oplog " + file);
  const Outcome replay = run_kbsim("replay --json --quiet " + file);
  CHECK(replay.err.empty());
  CHECK(boost::json::parse(run.out).at("oplog") == boost::json::parse(replay.out).at("oplog"));
}

TEST_CASE("Replay command: a file that isn't there, isn't a log, is cut, damaged or of the future exits 2") {
  const std::string file = written("run.oplog", "");
  REQUIRE(run_kbsim(kMainJob + " --quiet --oplog " + file).exit == 0);
  const std::string log = contents(file);
  check_refused("nowhere.oplog", "nowhere.oplog: no such file");
  check_refused(".", "a folder");
  check_refused(written("empty.oplog", ""), "at byte 0: the file ends in the middle of the header");
  check_refused(written("text.oplog", "hello"), "at byte 0: not an op log");
  check_refused(written("cut.oplog", log.substr(0, log.size() / 2)), "truncated");
  std::string damaged = log;
  damaged[damaged.size() / 2] ^= 1;
  check_refused(written("damaged.oplog", damaged), "checksum of a section is wrong");
  CHECK(run_kbsim("replay").exit == 2);
}

TEST_CASE("Replay command: a log that can't be written is said, and leaves nothing half written") {
  const Outcome outcome = run_kbsim(kMainJob + " --oplog no/such/folder/run.oplog");
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("no/such/folder/run.oplog") != std::string::npos);
}

}  // namespace kbsim::contract::oplog_test
