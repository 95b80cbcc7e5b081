// Reports of runs that are stopped before their end.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::stopped_test {

using namespace kbsim::test;

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in{line};
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

// The numbers in a column.
std::vector<double> column(const std::filesystem::path& file, const std::string& name) {
  std::istringstream lines{contents(file)};
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> head = cells_of(line);
  const auto at = static_cast<std::size_t>(std::ranges::find(head, name) - head.begin());
  REQUIRE(at < head.size());
  std::vector<double> numbers;
  while (std::getline(lines, line)) numbers.push_back(std::stod(cells_of(line).at(at)));
  return numbers;
}

}  // namespace

TEST_CASE("A run that meets a limit lists the waits, and no cycle: it isn't a deadlock") {
  for (const char* limit : {"--max-sim-time 1500", "--stop-at 1500", "--max-events 2500"}) {
    const Outcome outcome = run_kbsim(kMainJob + " --quiet " + limit);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(outcome.err.find(" processes wait") != std::string::npos);
    CHECK(outcome.err.find("intercube_allreduce on sip0.cube0.pe0 waits for ") != std::string::npos);
    CHECK(outcome.err.find("cycle") == std::string::npos);
    CHECK(outcome.err.find("never issued") == std::string::npos);
  }
}

TEST_CASE("A run that is interrupted: no unit and no link was busy for longer than it ran") {
  const std::filesystem::path folder = fresh_place("interrupted");
  const Outcome outcome = run_script(
      "timeout --preserve-status --signal=INT 4 $KBSIM --topology topology.yaml --bench gpt3_qkv_upload "
      "--timing-only --quiet --no-report --exact-packets --out " +
      folder.string());
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  for (const char* file : {"units.csv", "links.csv"}) {
    for (const double utilization : column(folder / file, "utilization")) {
      CHECK(utilization >= 0.0);
      CHECK(utilization <= 1.0);
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace kbsim::contract::stopped_test
