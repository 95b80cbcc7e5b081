#include "kbsim/evaluate/run_evaluation.hpp"

#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/evaluate/reuse.hpp"

#include "files.hpp"
#include "support.hpp"

namespace kbsim::evaluate::test::run_evaluation_test {

using kbsim::test::contents;
using kbsim::test::fresh_place;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

// Rows as simulations leave them.
Simulated two_rows(json::value correct = true, bool whole = true) {
  return {.rows = {json::object{{"size", 1}, {"correct", true}, {"simulated_ns", 10.0}, {"events", 7}},
                   json::object{{"size", 2}, {"correct", correct}, {"simulated_ns", 20.0}, {"events", 8}}},
          .whole = whole};
}

struct ToyOptions {
  std::string label = "plain";
  std::string file;

  static void describe(auto& f) {
    f.add("label,l", &ToyOptions::label, "a text of the rows");
    f.add("file,f", &ToyOptions::file, "what a run writes").called("FILE").output();
  }
};

Evaluation toy(const Simulated& result) {
  return {.doc = "for a test",
          .run = [result](const EvaluationRequest&) { return result; },
          .text = [](const Rows&) { return std::string{}; },
          .figures =
              [](const Rows& rows, const report::OutputFolder& folder) {
                folder.write("figure.txt", std::to_string(rows.size()));
              },
          .options = described_options<ToyOptions>()};
}

struct Run {
  config::MachineSpec machine = evaluate::test::machine(2);
  config::CclSpec ccl = {};
  std::string label = "plain";
  std::string file = {};
  EvaluateOptions options = {.name = "toy", .quiet = true};

  [[nodiscard]] EvaluationRequest request() const {
    std::map<std::string, std::string> given;
    if (label != "plain") given["label"] = label;
    if (!file.empty()) given["file"] = file;
    return {.machine = machine, .ccl = ccl, .own = {described_options<ToyOptions>(), given}};
  }
  [[nodiscard]] ExitCode operator()(const Evaluation& evaluation) const {
    return run_evaluation(evaluation, request(), options, {"--bench", "toy"});
  }
};

}  // namespace

TEST_CASE("run_evaluation: wrong numbers, an interrupt, and unchecked numbers have their exits") {
  const Run run;
  CHECK(run(toy(two_rows())) == ExitCode::ok);
  CHECK(run(toy(two_rows(false))) == ExitCode::wrong_values);
  CHECK(run(toy(two_rows(nullptr))) == ExitCode::ok);
  CHECK(run(toy(two_rows(true, false))) == ExitCode::interrupted);
  CHECK(run(toy({.rows = {}, .whole = false})) == ExitCode::interrupted);
}

TEST_CASE("run_evaluation: the folder has rows, table, figures and what ran; no row has its events") {
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  CHECK(run(toy(two_rows())) == ExitCode::ok);
  const json::object summary = json::parse(contents(place / "summary.json")).as_object();
  CHECK(summary.at("bench") == "toy");
  CHECK(summary.at("correct") == true);
  CHECK(summary.at("rows").as_array().size() == 2);
  CHECK(!summary.at("rows").as_array()[0].as_object().contains("events"));
  CHECK(contents(place / "results.csv") == "size,correct,simulated_ns\n1,true,10\n2,true,20\n");
  CHECK(contents(place / "figure.txt") == "2");
  const json::object record = json::parse(contents(place / "run.json")).as_object();
  CHECK(record.at("command") == json::array{"kbsim", "run", "--bench", "toy"});
  CHECK(record.at("options") == json::object{{"label", "plain"}});
  CHECK(!record.contains("interrupted"));
  CHECK(fs::exists(place / "config.resolved.yaml"));
}

TEST_CASE("run_evaluation: deadlocked simulations are reported after the rows of the others are kept") {
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  const DeadlockReport report{DeadlockError{7_ns, {}}, WaitGraph{}};
  Simulated some = two_rows();
  some.deadlocks = {{"size 3", report}, {"size 4", report}};
  const auto text_of = [&](const Simulated& simulated) {
    try {
      (void)run(toy(simulated));
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::deadlock);
      return std::string{error.what()};
    }
    return std::string{};
  };
  CHECK(text_of(some) == "size 3: " + report::to_text(report, false) +
                             "\n2 of 4 simulations are deadlocked; this is the first; " + place.string() +
                             "/deadlock.json has a report of each");
  const json::object summary = json::parse(contents(place / "summary.json")).as_object();
  CHECK(summary.at("rows").as_array().size() == 2);
  CHECK(summary.at("deadlocks") == 2);
  CHECK(summary.at("interrupted") == true);
  CHECK(contents(place / "figure.txt") == "2");
  CHECK(json::parse(contents(place / "deadlock.json")).at("deadlocks").as_array().size() == 2);
  CHECK(json::parse(contents(place / "run.json")).at("interrupted") == true);
  run.options.out.clear();
  CHECK(text_of({.rows = {}, .deadlocks = {{"size 3", report}}}) ==
        "size 3: " + report::to_text(report, false) + "; --out DIR keeps a report of each");
  run.options.out = place.string();
  CHECK(run(toy(two_rows())) == ExitCode::ok);
  CHECK(!fs::exists(place / "deadlock.json"));
}

TEST_CASE("run_evaluation: failures are reported after the rows of the others are kept") {
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  Simulated some = two_rows();
  some.failures = {{"size 3", ExitCode::limit, "too long"},
                   {"size 4", ExitCode::unsupported, "no such thing"}};
  const std::string text = "size 3: too long\n2 of 4 simulations have failed; this is the first; " +
                           place.string() + "/summary.json names each";
  CHECK_THROWS_WITH_AS((void)run(toy(some)), text.c_str(), Error);
  const json::object summary = json::parse(contents(place / "summary.json")).as_object();
  CHECK(summary.at("rows").as_array().size() == 2);
  CHECK(summary.at("failures") ==
        json::array{json::object{{"simulation", "size 3"}, {"exit_code", 4}, {"message", "too long"}},
                    json::object{{"simulation", "size 4"}, {"exit_code", 5}, {"message", "no such thing"}}});
  CHECK(summary.at("interrupted") == true);
  CHECK(contents(place / "figure.txt") == "2");
  CHECK(json::parse(contents(place / "run.json")).at("interrupted") == true);
  CHECK(fs::exists(place / "PARTIAL"));
  run.options.out.clear();
  some.whole = false;
  CHECK_THROWS_WITH_AS((void)run(toy(some)), "size 3: too long\n2 simulations have failed; this is the first",
                       RowsMissing);
}

TEST_CASE("run_evaluation: where all have failed the folder says why") {
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  for (const ExitCode exit : {ExitCode::internal, ExitCode::limit, ExitCode::deadlock}) {
    const Simulated none{.failures = {{"size 3", exit, "no row"}}};
    CHECK_THROWS_WITH_AS((void)run(toy(none)), "no row", RowsMissing);
    const json::object summary = json::parse(contents(place / "summary.json")).as_object();
    CHECK(summary.at("rows").as_array().empty());
    CHECK(summary.at("failures").as_array().front().at("exit_code") == static_cast<int>(exit));
  }
}

TEST_CASE("run_evaluation: where all are refused an earlier run's results stay; after a row they don't") {
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  CHECK(run(toy(two_rows())) == ExitCode::ok);
  const std::string before = contents(place / "summary.json") + contents(place / "run.json");
  for (const ExitCode exit : {ExitCode::usage, ExitCode::unsupported}) {
    Simulated some{.failures = {{"size 3", exit, "no row"}, {"size 4", exit, "nor here"}}};
    CHECK_THROWS_WITH_AS((void)run(toy(some)), "size 3: no row\nnone of 2 simulations has a row", Error);
    CHECK(contents(place / "summary.json") + contents(place / "run.json") == before);
    CHECK_FALSE(fs::exists(place / "PARTIAL"));
  }
  Simulated some = two_rows();
  some.failures = {{"size 3", ExitCode::usage, "no row"}};
  CHECK_THROWS_WITH_AS((void)run(toy(some)), "size 3: no row", RowsMissing);
  CHECK(json::parse(contents(place / "summary.json")).as_object().contains("failures"));
  CHECK(fs::exists(place / "PARTIAL"));
}

TEST_CASE("run_evaluation: rows that a reference doesn't fit hide no failure of the others") {
  Run run;
  std::istringstream reference{"size,time\n100,1\n200,2\n"};
  run.options.reference = report::parse_csv(reference, "reference.csv");
  Simulated some = two_rows();
  for (json::value& row : some.rows) row.as_object()["time"] = 1.0;
  CHECK_THROWS_AS((void)run(toy(some)), UsageError);
  some.failures = {{"size 150", ExitCode::limit, "too long"}};
  CHECK_THROWS_WITH_AS((void)run(toy(some)), "size 150: too long", RowsMissing);
  some.failures.clear();
  some.whole = false;
  CHECK(run(toy(some)) == ExitCode::interrupted);
}

TEST_CASE("run_evaluation: a file that can't be written costs no rows, and is reported last") {
  Run run;
  std::istringstream reference{"size,time\n100,1\n200,2\n"};
  bool printed = false;
  bool written = false;
  Simulated all = two_rows();
  for (json::value& row : all.rows) row.as_object()["time"] = 1.0;
  Evaluation full = toy(all);
  full.text = [&](const Rows&) {
    printed = true;
    return std::string{};
  };
  full.write = [&](const EvaluationRequest&, const Simulated& simulated) {
    CHECK(printed);
    CHECK(simulated.rows.size() == 2);
    written = true;
    throw UsageError{"no room"};
  };
  CHECK_THROWS_WITH_AS((void)run(full), "no room", UsageError);
  CHECK(written);
  run.options.reference = report::parse_csv(reference, "reference.csv");
  written = false;
  CHECK_THROWS_AS((void)run(full), UsageError);
  CHECK(written);
  const fs::path place = fresh_place("run_evaluation");
  fs::create_directories(place / "results.csv");
  run.options = {.name = "toy", .out = place.string(), .quiet = true};
  printed = false;
  CHECK_THROWS_AS((void)run(full), UsageError);
  CHECK(printed);
  CHECK_FALSE(fs::exists(place / "run.json"));
}

TEST_CASE("run_evaluation: with reuse nothing is simulated, and the text and figures are made again") {
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  CHECK(run(toy(two_rows())) == ExitCode::ok);
  const std::string record = contents(place / "run.json");
  fs::remove(place / "figure.txt");
  run.options.reuse = true;
  Evaluation unable = toy({});
  unable.run = [](const EvaluationRequest&) -> Simulated { throw UsageError{"was simulated"}; };
  CHECK_NOTHROW(require_same_run(unable, run.request(), run.options));
  CHECK(run(unable) == ExitCode::ok);
  CHECK(contents(place / "figure.txt") == "2");
  CHECK(contents(place / "run.json") == record);
}

TEST_CASE(
    "run_evaluation: with reuse the rows that are written again are those that were read, to the last "
    "digit") {
  Random random{1};
  Simulated odd = two_rows();
  for (json::value& row : odd.rows) {
    json::array& all = row.as_object()["label \\ \"1.5\""].emplace_array();
    for (int i = 0; i < 1000; ++i)
      all.emplace_back((random.uniform() - 0.5) * std::exp2(static_cast<double>(random.below(120)) - 60.0));
  }
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  CHECK(run(toy(odd)) == ExitCode::ok);
  const std::string summary = contents(place / "summary.json");
  const std::string table = contents(place / "results.csv");
  run.options.reuse = true;
  CHECK(run(toy({})) == ExitCode::ok);
  CHECK(contents(place / "summary.json") == summary);
  CHECK(contents(place / "results.csv") == table);
}

TEST_CASE(
    "require_same_run: rows of another machine, of other options, or of an interrupted run are refused") {
  const fs::path place = fresh_place("run_evaluation");
  Run run;
  run.options.out = place.string();
  const Evaluation evaluation = toy(two_rows());
  const auto refusal = [&] {
    try {
      require_same_run(evaluation, run.request(), run.options);
      return std::string{};
    } catch (const UsageError& error) {
      return std::string{error.what()};
    }
  };
  CHECK(refusal() == "--reuse: no " + (place / "summary.json").string() +
                         " (expected --out DIR with the results of an earlier run)");
  CHECK(run(evaluation) == ExitCode::ok);
  CHECK(refusal().empty());
  run.label = "fancy";
  CHECK(refusal() == "--reuse: the results in " + place.string() +
                         " are of another run: --label was \"plain\", and is \"fancy\" here");
  run.label = "plain";
  run.file = "rows.json";
  CHECK(refusal() == "--file (-f) has no effect beside --reuse: it is written by the run");
  run.file.clear();
  run.machine.system.sips.count = 3;
  CHECK(refusal() == "--reuse: the results in " + place.string() +
                         " are of another run: system.sips.count was 2, and is 3 here");
  run.machine.system.sips.count = 2;
  CHECK(run(toy(two_rows(true, false))) == ExitCode::interrupted);
  CHECK(refusal() == "--reuse: the run of " + place.string() + " was interrupted: rows are missing");
  CHECK(json::parse(contents(place / "summary.json")).at("interrupted") == true);
}

TEST_CASE("row_options: what rows hang on, given or not, and no file to write") {
  Run run;
  CHECK(row_options(toy({}), run.request()) == json::object{{"label", "plain"}});
  run.file = "rows.json";
  CHECK(row_options(toy({}), run.request()) == json::object{{"label", "plain"}});
}

}  // namespace kbsim::evaluate::test::run_evaluation_test
