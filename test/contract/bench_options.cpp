// Arguments of benches of one's own: given, refused, listed, recorded and repeated; and a row a launch.
#include <filesystem>
#include <sstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::bench_options_test {

using namespace kbsim::test;

namespace {

std::string plugin(const std::string& name) {
  return " --plugin " KBSIM_BINARY "/contract/plugins/plugin_" + name + ".so ";
}

const std::string kAsks = plugin("asks") + "--bench asks ";
const std::string kRepeat = plugin("my_kernel") + "--bench my_repeat ";

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

boost::json::object ran(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments + " --json --quiet");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return boost::json::parse(outcome.out).as_object();
}

boost::json::object asked(const std::string& options) {
  return ran(kAsks + options).at("result").as_object();
}

void refuses(const std::string& arguments, const std::string& error) {
  const Outcome outcome = run_kbsim(arguments);
  CAPTURE(arguments);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "kbsim: " + error + "\n");
}

// The folder that a command wrote.
std::string folder_of(const std::string& command) {
  const std::string folder = written("own_bench", "") + ".d";
  std::filesystem::remove_all(folder);
  const Outcome outcome = run_kbsim(command + " --quiet --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return folder;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::istringstream in{contents(file)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("Options of a bench: they have its struct's values unless they are given") {
  CHECK(asked("") ==
        boost::json::parse(R"({"n": 3, "share": 0.5, "pause_ns": 10.0, "size": 4096, "twice": false,
                                            "order": "forward", "label": "plain", "given": false})"));
  CHECK(asked("--n=5 --share 1 --pause 0.25 -s 2KiB --twice 1 --order backward --label 'two  words'") ==
        boost::json::parse(R"({"n": 5, "share": 1.0, "pause_ns": 0.25, "size": 2048, "twice": true,
                               "order": "backward", "label": "two  words", "given": true})"));
  CHECK(asked("-n 7").at("n") == 7);
}

TEST_CASE("Options of a bench: a switch without a value is on") {
  CHECK(asked("--twice").at("twice") == true);
  CHECK(asked("--twice --n 5").at("twice") == true);
  CHECK(asked("--twice --n 5").at("n") == 5);
  CHECK(asked("--twice 0 --n 5").at("twice") == false);
}

TEST_CASE("Options of a bench: what can't be is one line with the place, and exit code 2") {
  refuses(kAsks + "--n 65", "--n must be 1 to 64, got 65");
  refuses(kAsks + "--n -1", "--n must be 1 to 64, got -1");
  refuses(kAsks + "--n many", "--n must be a whole number, 1 to 64, got 'many'");
  refuses(kAsks + "--share 1e9", "--share must be 0 to 1, got 1e9");
  refuses(kAsks + "--pause -3", "--pause must be at least 0 ns, got -3");
  refuses(kAsks + "--size 1", "--size must be 1 KiB to 1 MiB, got 1");
  refuses(kAsks + "--twice yes", "--twice must be 0 or 1, got yes");
  refuses(kAsks + "--order sideways", "--order sideways: expected forward or backward");
  refuses(kAsks + "--label ''", "--label is given nothing; leave it out, or give it a value");
  refuses(kAsks + "--lable x", "unknown option '--lable', did you mean '--label'?");
  refuses(kAsks + "--n 1 --n 2", "option '--n' cannot be specified more than once; see --help");
  refuses(kAsks + "--n", "the required argument for option '--n' is missing; see --help");
  refuses(kAsks + "5", "unexpected argument '5'; see --help");
  refuses(kAsks + "--n 9", "--n 9: a cube has 8 PEs");
  refuses(kAsks + "--n 9 --dry-run", "--n 9: a cube has 8 PEs");
  refuses("--bench gemm_single_pe --n 3",
          "unknown option '--n', did you mean '--no-report' or '--no-try' or '--num-threads'?");
  refuses("--bench gemm_single_pe --plugin ''",
          "--plugin is given nothing; leave it out, or give it a value");
  refuses("--bench gemm_single_pe --plugin",
          "the required argument for option '--plugin' is missing; see --help");
  refuses(plugin("asks") + "--bench ask --n 3",
          "unknown bench 'ask', did you mean 'asks'? (a bench of your own needs --plugin FILE)");
  refuses("--bench tp_mlp --tokens 3.5", "--tokens must be a whole number, 1 to 65536, got '3.5'");
}

TEST_CASE("Options of a bench: help, list and its JSON have names, defaults, ranges, units and sentences") {
  const Outcome help = run_kbsim(kAsks + "--help");
  CHECK(help.exit == 0);
  for (const char* part : {"says what it was asked\n", "-n [ --n ] N (=3)", "how many (1 to 64)",
                           "--pause NS (=10)", "between them (at least 0 ns)", "--twice 0|1 (=0)",
                           "--order forward|backward (=forward)", "-F [ --file ] FILE", "(1 KiB to 1"})
    CHECK_MESSAGE(says(help.out, part), part);
  CHECK(says(unwrapped(run_kbsim("list" + plugin("asks")).out),
             "says what it was asked (--n, --share, --pause, --size, --twice, --order, --label, --file)"));

  const boost::json::value all = boost::json::parse(run_kbsim("list --json" + plugin("asks")).out);
  const auto options_of = [&](const char* kind, const char* name) {
    for (const boost::json::value& bench : all.at(kind).as_array()) {
      if (bench.at("name") == name) return bench.at("options").as_array();
    }
    FAIL(name);
    return boost::json::array{};
  };
  const boost::json::array own = options_of("benches", "asks");
  CHECK(own.size() == 8);
  CHECK(own[0] == boost::json::parse(R"({"name": "n", "type": "integer", "brief": "n", "default": 3, "min": 1,
                                         "max": 64, "doc": "how many"})"));
  CHECK(own[2] == boost::json::parse(R"({"name": "pause", "type": "number", "unit": "ns", "default": 10.0,
                                         "min": 0.0, "doc": "between them"})"));
  CHECK(own[5] == boost::json::parse(R"({"name": "order", "type": "text", "default": "forward",
                                         "choices": ["forward", "backward"], "doc": "which end comes first"})"));
  CHECK(options_of("benches", "gemm_single_pe").empty());
  CHECK(options_of("evaluations", "tp_mlp").size() == 6);
  for (const char* kind : {"kernels", "algorithms", "topologies", "mappers", "validators", "component_models",
                           "routings", "arbiters", "request_policies", "memory_schedulers"})
    CHECK_MESSAGE(all.at(kind).as_array().size() > 0, kind);
}

TEST_CASE("Options of a bench: names of kbsim run's own are refused where they are registered, with both") {
  const Outcome taken = run_kbsim("list" + plugin("takes_options"));
  CHECK(taken.exit == 2);
  CHECK(says(taken.err,
             "its bench 'takes_long': its option --quiet is kbsim run's own --quiet (print no progress, no "
             "summary "));
  CHECK(
      says(taken.err,
           "its bench 'takes_short': -h, short for its option --height, is kbsim run's own -h, --help (this "
           "text)"));
  CHECK(run_kbsim(plugin("takes_options") + "--bench takes_long").err == taken.err);
  const Outcome twice = run_kbsim("list" + plugin("twice_described"));
  CHECK(twice.exit == 2);
  CHECK(says(twice.err, "its bench 'twice_described': --n is described twice"));
  CHECK(says(twice.err,
             "its bench 'twice_described': the default of an option: --n must be at least 1, got 0"));
}

TEST_CASE("Options of a bench: run.json has their values, and kbsim check runs with them again") {
  const std::string file = written("named_by_file", "");
  const std::string folder = folder_of(kAsks + "-n 5 --label='two words' -F " + file);
  const boost::json::value record = boost::json::parse(contents(folder + "/run.json"));
  CHECK(record.at("options") == boost::json::parse(R"({"n": 5, "share": 0.5, "pause": 10.0, "size": 4096,
                                                       "twice": 0, "order": "forward", "label": "two words"})"));
  const Outcome again = run_kbsim("check " + folder);
  CHECK_MESSAGE(again.exit == 0, (again.out + again.err));
  const std::string without = folder_of("--bench gemm_single_pe");
  CHECK(!boost::json::parse(contents(without + "/run.json")).as_object().contains("options"));
}

TEST_CASE("A bench that reports no rows has a row a launch: text, JSON, results.csv") {
  const Outcome text = run_kbsim(kRepeat + "--n 4 --by 1.5");
  CHECK(text.exit == 0);
  CHECK(says(text.out, "scale: every element is by^n\n"));
  CHECK(says(text.out, "\n       3  scale "));
  const std::string folder = folder_of(kRepeat + "--n 4 --by 1.5");
  const std::vector<std::string> rows = lines_of(folder + "/results.csv");
  REQUIRE(rows.size() == 5);
  CHECK(rows[0] ==
        "launch,kernel,rank,sip,pes,start_ns,duration_ns,read_bytes,written_bytes,gemm_utilization,"
        "math_utilization,dma_utilization");
  CHECK(contents(folder + "/launches.csv") == contents(folder + "/results.csv"));
  const boost::json::value summary = boost::json::parse(contents(folder + "/summary.json"));
  REQUIRE(summary.at("launches").as_array().size() == 4);
  const boost::json::value& last = summary.at("launches").at(3);
  CHECK(last.at("kernel") == "scale");
  CHECK(last.at("pes") == 1);
  CHECK(last.at("read_bytes") == 128);
  CHECK(last.at("written_bytes") == 128);
  CHECK(last.at("gemm_utilization") == 0.0);
  CHECK(run_kbsim("check " + folder).exit == 0);
}

TEST_CASE("Options of a bench: --dry-run has them as a command line gives them") {
  CHECK(says(run_kbsim(kRepeat + "--dry-run").out, "  options    --n 3 --by 2\n"));
  CHECK(says(run_kbsim(kRepeat + "--dry-run --by 1.25").out, "  options    --n 3 --by 1.25\n"));
}

TEST_CASE("A bench that reports its rows keeps them; launches.csv has the launches beside") {
  const std::string folder = folder_of("--bench gemm_single_pe");
  CHECK(lines_of(folder + "/results.csv").front().starts_with("m,k,n,"));
  CHECK(!boost::json::parse(contents(folder + "/summary.json")).as_object().contains("launches"));
  CHECK(lines_of(folder + "/launches.csv").size() == 2);
}

TEST_CASE("Options of a bench: copies on each package have them all") {
  const boost::json::object both = ran(kRepeat + "--n 2 --device all");
  const boost::json::array& launches = both.at("launches").as_array();
  CHECK(launches.size() == 4);
  CHECK(launches.at(0).at("sip") == 0);
  CHECK(launches.at(1).at("sip") == 1);
}

}  // namespace kbsim::contract::bench_options_test
