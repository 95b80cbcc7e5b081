// Texts before a run: help, error messages, completion, the manual page, progress.
#include <filesystem>
#include <sstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::help_test {

using namespace kbsim::test;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void refuses(const std::string& arguments, const std::string& error) {
  CAPTURE(arguments);
  const Outcome outcome = run_kbsim(arguments);
  CHECK(outcome.exit == 2);
  CHECK(outcome.err == error + "\n");
}

// All that a command shows on a terminal of `columns` columns, with "\r\n" at the ends of lines.
std::string on_terminal(int columns, const std::string& arguments) {
  return run_script("export KBSIM; script -qec 'stty cols " + std::to_string(columns) +
                    "; timeout 60 $KBSIM " + arguments + "' /dev/null </dev/null")
      .out;
}

// The lines that a terminal shows of a bar, each begun by "\r\033[K".
std::vector<std::string> bars(const std::string& shown) {
  std::vector<std::string> lines;
  constexpr std::string_view kBegin = "\r\033[K";
  for (std::size_t at = shown.find(kBegin); at != std::string::npos; at = shown.find(kBegin, at + 1)) {
    const std::size_t begin = at + kBegin.size();
    const std::string line = shown.substr(begin, shown.find_first_of("\r\n", begin) - begin);
    if (line.starts_with("points")) lines.push_back(line);
  }
  return lines;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines{text};
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    longest = std::max(longest, line.size());
  }
  return longest;
}

// Bash's completions after these words; the last one is unfinished.
std::string offered(const std::string& words) {
  return run_script("export KBSIM; bash -c 'source <($KBSIM completion bash); COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kbsim; echo ${COMPREPLY[@]}'")
      .out;
}

}  // namespace

TEST_CASE("--topology: without it the machine is topology.yaml, and run.json and the run's end say so") {
  const std::string out = written("unnamed", "") + ".d";
  const Outcome unnamed = run_kbsim("--bench gemm_single_pe --out " + out);
  REQUIRE_MESSAGE(unnamed.exit == 0, unnamed.err);
  CHECK(unnamed.err.ends_with(", on topology.yaml\n"));
  const boost::json::value record = boost::json::parse(contents(out + "/run.json"));
  CHECK(record.at("command") == boost::json::array{"kbsim", "run", "--topology", "topology.yaml", "--bench",
                                                   "gemm_single_pe", "--out", out});
  CHECK(boost::json::parse(contents(out + "/summary.json")).at("topology").as_string() == "topology.yaml");

  const Outcome named = run_kbsim("--topology topology.yaml --bench gemm_single_pe");
  CHECK(named.out == unnamed.out);
  CHECK(!says(named.err, "topology.yaml"));
  CHECK(run_kbsim("topology").out == run_kbsim("topology topology.yaml").out);
  CHECK(run_kbsim("probe --case pe-local-hbm").exit == 0);
  for (const char* unfinished :
       {"--bench", "--bench gemm_single_pe --out", "--bench milestone-1h-gemm --set"})
    CHECK(says(run_kbsim(unfinished).err, "the required argument for option"));
  CHECK(says(run_kbsim("traffic --scope link --load 0.5 --packets 100").err, ", on topology.yaml\n"));
  for (const char* command : {"run", "probe", "traffic", "topology"})
    CHECK(says(run_kbsim(std::string{command} + " --help").out, "--topology FILE (=topology.yaml)"));
}

TEST_CASE("--topology: a topology.yaml of the current folder comes before the installed one") {
  const Outcome outcome = run_script(
      "mkdir -p mine && cd mine && echo 'no_such: 1' > topology.yaml && $KBSIM --bench gemm_single_pe");
  CHECK(outcome.exit == 2);
  CHECK(says(outcome.err, "topology.yaml:1:1: no_such: unknown key"));
}

TEST_CASE(
    "Help: kbsim help is --help, kbsim help COMMAND that of the command or bench, kbsim version --version") {
  for (const auto& [words, option] : {std::pair{"help", "--help"},
                                      {"help probe", "probe --help"},
                                      {"help run", "run -h"},
                                      {"help ccl", "--bench ccl --help"},
                                      {"version", "--version"}}) {
    CAPTURE(words);
    const Outcome outcome = run_kbsim(words);
    CHECK(outcome.exit == 0);
    CHECK(!outcome.out.empty());
    CHECK(outcome.out == run_kbsim(option).out);
  }
  refuses("help prboe", "kbsim: unknown command or bench 'prboe', did you mean 'probe'?");
  refuses("attention", "kbsim: 'attention' is a bench: kbsim --bench attention");
  for (const char* words : {"softmax", "help softmax"})
    refuses(
        words,
        "kbsim: unknown command or bench 'softmax', which is known as: kernel; kbsim list has what there is");
}

TEST_CASE("Help: a name with several meanings is explained by all of them") {
  const std::string file =
      "docs/tutorials/collective.md explains it,\n"
      "    docs/reference/configuration.md its keys (ccl.yaml)\n";
  CHECK(run_kbsim("help ccl")
            .out.ends_with("\n'ccl' is also\n  a command: kbsim ccl --help\n"
                           "  a file of collective algorithms: --ccl FILE, --set ccl.KEY=VALUE\n    " +
                           file));
  const std::string plans = run_kbsim("ccl --help").out;
  CHECK(says(plans, "\n'ccl' is also\n  a bench: kbsim --bench ccl --help\n"));
  CHECK(plans.ends_with(file));
  CHECK(run_kbsim("help gemm").out.ends_with("\n'gemm' is also\n  a kernel: kbsim list\n"));
  CHECK(says(run_kbsim("help topology").out,
             "docs/reference/configuration.md explains its keys (topology.yaml)\n"));
  CHECK(!says(run_kbsim("help probe").out, "is also"));
  CHECK(!says(run_kbsim("--bench chakra --help").out, "is also"));
  refuses("help cube",
          "kbsim: unknown command or bench 'cube', which is a section of the topology file: "
          "docs/reference/configuration.md explains its keys, --set cube.KEY=VALUE changes one");
}

TEST_CASE("Help: a bench's own options are shown without a machine, and no others") {
  const Outcome ccl = run_kbsim("--bench ccl --help");
  CHECK(ccl.exit == 0);
  for (const char* part : {"usage: kbsim [run] --bench ccl", "--minbytes", "--reference", "kbsim run --help"})
    CHECK_MESSAGE(says(ccl.out, part), part);
  for (const char* part : {"--dump-queues", "--stop-at"}) CHECK_MESSAGE(!says(ccl.out, part), part);
  CHECK(run_kbsim("run --bench=ccl --help").out == ccl.out);
  CHECK(says(run_kbsim("--bench gemm_single_pe --help").out, "no options of its own"));
  refuses("--bench ccll --help",
          "kbsim: unknown bench 'ccll', did you mean 'ccl'? (a bench of your own needs --plugin FILE)");
}

// Examples run in the order of the commands, in one folder: some read what others write. Examples of
// gemm_single_pe are left out, as they take long.
TEST_CASE("Help: explain has its own usage and examples") {
  const std::string text = run_kbsim("help explain").out;
  CHECK(text.starts_with("usage: kbsim explain --bench NAME "));
  CHECK(text.find("\n  kbsim explain --bench ccl_allreduce\n") != std::string::npos);
  CHECK(run_kbsim("help run").out.find("kbsim explain") == std::string::npos);
}

TEST_CASE("Help: the examples of every command run, but for want of a reader's own files" *
          doctest::skip(kSanitized)) {
  const Outcome outcome = run_script(R"(
here=$(mktemp -d); cd $here
kbsim() { timeout 60 $KBSIM "$@"; }
for command in run explain whatif solve diff traffic topology correlate fit ccl check report replay sweep; do
  kbsim help $command
done | sed -n 's/^  kbsim /kbsim /p' | awk '!seen[$0]++' | grep -v gemm_single_pe >examples
own='(M.csv|NET.yaml|measured.csv|all_reduce_perf.log|TRACES|A.json|plan.yaml|sweep1): no such f'
wc -l <examples | awk '{ print ($1 > 25 ? "many" : "few") }'
while read -r line; do
  eval "$line" >out 2>err </dev/null || grep -qE "$own" err || { echo "$line"; cat err; }
  ! grep -qE '[1-9][0-9]* failed' out err || { echo "$line"; cat out; }
done <examples
rm -r $here)");
  CHECK(outcome.out == "many\n");
}

TEST_CASE("Mistakes: a line each, with the nearest option") {
  refuses("--topolgy topology.yaml --bench ccl_allreduce",
          "kbsim: unknown option '--topolgy', did you mean '--topology'?");
  refuses("--bnch ccl_allreduce --jsn=1 --qqqq",
          "kbsim: unknown option '--bnch', did you mean '--bench'?\n"
          "kbsim: unknown option '--jsn', did you mean '--json'?\n"
          "kbsim: unknown option '--qqqq'; see --help");
  refuses("--bench ccl_allreduce --system.sips.count=4",
          "kbsim: unknown option '--system.sips.count', did you mean '--set system.sips.count=4'?");
  refuses("sweep --bench ccl_allreduce --out /nowhere/s --vary system.sips.count=2,4",
          "kbsim: unknown option '--system.sips.count', did you mean '--set system.sips.count=VALUE'?");
  refuses("--bench tp_mlp --tokns 3", "kbsim: unknown option '--tokns', did you mean '--tokens'?");
  refuses("probe -json", "kbsim: unknown option '-json', did you mean '--json'?");
  refuses("--bench ccl_allreduce 7", "kbsim: unexpected argument '7'; see --help");
  refuses("topology topology.yaml more",
          "kbsim: unexpected argument 'more'; usage: kbsim topology [FILE] [options]");
}

TEST_CASE("--set: a key without its path is refused with the whole keys that end so") {
  const Outcome outcome = run_kbsim("--bench ccl_allreduce --set link_bw_gbs=3");
  CHECK(outcome.exit == 2);
  CHECK_MESSAGE(outcome.err.starts_with("kbsim: --set link_bw_gbs=3: link_bw_gbs: unknown key"), outcome.err);
  CHECK_MESSAGE(says(outcome.err, "cube.noc.link_bw_gbs"), outcome.err);
  refuses("--bench ccl_allreduce --set pe_per_corner=1",
          "kbsim: --set pe_per_corner=1: pe_per_corner: unknown key, did you mean "
          "'cube.pe_layout.pe_per_corner'?");
  refuses("--bench ccl_allreduce --set pe_layout.pe_per_corner=1",
          "kbsim: --set pe_layout.pe_per_corner=1: pe_layout.pe_per_corner: unknown key, did you mean "
          "'cube.pe_layout.pe_per_corner'?");
  CHECK(says(run_kbsim("--bench ccl_allreduce --set n_slots=2").err, "ccl.defaults.n_slots"));
  CHECK(says(run_kbsim("--bench ccl_allreduce --set ccl.n_slots=2").err, "ccl.defaults.n_slots"));
}

TEST_CASE("Progress: one line of the terminal, of 40 columns and of 200") {
  const std::string sweep = "traffic --scope link --sweep --packets 100 --warmup 10";
  for (const int columns : {40, 200}) {
    CAPTURE(columns);
    const std::vector<std::string> lines = bars(on_terminal(columns, sweep));
    CHECK(!lines.empty());
    for (const std::string& line : lines) {
      CHECK_MESSAGE(line.size() < static_cast<std::size_t>(columns), line);
      CHECK_MESSAGE(says(line, "/13"), line);
      if (columns == 200) CHECK_MESSAGE(says(line, "] "), line);
    }
  }
}

TEST_CASE("Help: options are as wide as the terminal, of 40 columns and of 200") {
  CHECK(longest_line(on_terminal(200, "help ccl")) > 80);
  const std::string narrow = on_terminal(40, "help ccl");
  const std::string options =
      narrow.substr(narrow.find("options of"), narrow.find("\nand those") - narrow.find("options of"));
  CHECK(longest_line(options) <= 40);
}

TEST_CASE("Completion: bash is offered commands, benches, options and their values, as there are") {
  CHECK(offered("kbsim tra") == "traffic\n");
  CHECK(says(offered("kbsim \"\""), "probe"));
  CHECK(offered("kbsim --topo") == "--topology\n");
  CHECK(offered("kbsim --bench tp_m") == "tp_mlp\n");
  CHECK(offered("kbsim --bench = tp_m") == "tp_mlp\n");
  CHECK(offered("kbsim --bench tp_mlp --tok") == "--tokens\n");
  CHECK(offered("kbsim --bench ccl --tok") == "\n");
  CHECK(offered("kbsim run --race w") == "warn\n");
  for (const std::string command : {"explain", "whatif", "solve"}) {
    CAPTURE(command);
    CHECK(offered("kbsim " + command + " --topo") == "--topology\n");
    CHECK(offered("kbsim " + command + " --bench tp_m") == "tp_mlp\n");
    CHECK(offered("kbsim " + command + " --bench tp_mlp --tok") == "--tokens\n");
    CHECK(offered("kbsim " + command + " --race w") == "warn\n");
  }
  CHECK(offered("kbsim solve --ta") == "--target\n");
  CHECK(offered("kbsim whatif --oplo") == "\n");
  CHECK(offered("kbsim explain --recheck --o") == "--out --of --oplog\n");
  CHECK(offered("kbsim diff --topo") == "\n");
  CHECK(offered("kbsim run --algorithm ring_all_g") == "ring_all_gather\n");
  CHECK(offered("kbsim probe --case pe-loc") == "pe-local-hbm\n");
  CHECK(offered("kbsim help prob") == "probe\n");
  CHECK(offered("kbsim completion b") == "bash\n");
  const std::string options = offered("kbsim traffic --");
  for (const char* option : {"--scope", "--pattern", "--help"}) CHECK(says(options, option));
  refuses("completion fish", "kbsim: completion: expected bash or zsh, got fish");
  refuses("completion", "kbsim: completion: expected bash or zsh, got neither");
}

TEST_CASE("Completion: the script for zsh names every option, and zsh reads it where there is one") {
  const std::string script = run_kbsim("completion zsh").out;
  CHECK(script.starts_with("#compdef kbsim\n"));
  for (const char* part : {"'*--topology=[", ":FILE:_files'", "'*--tokens=[", ":DIR:_files -/'",
                           "[[ $command == (run|explain|whatif|solve) ]]"})
    CHECK_MESSAGE(says(script, part), part);
  const Outcome read =
      run_script("command -v zsh >/dev/null || exit 0; $KBSIM completion zsh > _kbsim && zsh -n _kbsim");
  CHECK_MESSAGE(read.exit == 0, read.err);
}

TEST_CASE("The manual page has every command, bench and option, and groff takes it without a warning") {
  const std::string page = run_kbsim("help --man").out;
  CHECK(page.starts_with(".TH KBSIM 1 "));
  for (const char* part : {".SS kbsim traffic\n", ".SS \\-\\-bench ccl\n", "\\fB\\-\\-timing\\-only\\fR\n",
                           "\\fB\\-b, \\-\\-minbytes\\fR \\fIBYTES\\fR\n", ".SH EXIT STATUS\n.TP\n0\n"})
    CHECK_MESSAGE(says(page, part), part);
  const Outcome groff =
      run_script("command -v groff >/dev/null || exit 0; $KBSIM help --man | groff -man -Tascii -ww -z");
  CHECK_MESSAGE(groff.exit == 0, groff.err);
  CHECK(groff.err.empty());
}

}  // namespace kbsim::contract::help_test
