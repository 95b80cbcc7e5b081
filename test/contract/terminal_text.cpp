// Texts on a terminal: lines of 80 columns, --wide, colours.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::terminal_text_test {

using namespace kbsim::test;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Commands to copy, and the paths in them, are as long as they are.
bool is_to_copy(const std::string& line) {
  const std::size_t text = line.find_first_not_of(' ');
  for (const char* begin : {"kbsim ", "A: kbsim ", "B: kbsim "})
    if (line.find(begin) == text) return true;
  return false;
}

std::string first_wide_line(const std::string& text) {
  constexpr std::size_t kColumns = 80;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (line.size() > kColumns && !is_to_copy(line)) return line;
  return "";
}

void fits(const std::string& arguments) {
  CAPTURE(arguments);
  const Outcome outcome = run_kbsim(arguments);
  CHECK_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(!outcome.out.empty());
  CHECK(first_wide_line(outcome.out) == "");
}

bool is_coloured(const std::string& text) { return text.find('\033') != std::string::npos; }

const std::string kModel =
    R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 16, "num_hidden_layers": 2, "intermediate_size": 128, "vocab_size": 256,
        "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu"})";

// The command on a terminal, with these variables of the environment.
std::string on_terminal(const std::string& environment, const std::string& arguments) {
  return run_script("export KBSIM; script -qec '" + environment + " timeout 60 $KBSIM " + arguments +
                    "' /dev/null </dev/null")
      .out;
}

}  // namespace

TEST_CASE("80 columns: benches and evaluations, with and without --explain" * doctest::skip(kSanitized)) {
  const std::string model = written("narrow.json", kModel);
  for (const std::string& bench :
       std::vector<std::string>{"ccl_allreduce", "ccl -b 1K -e 16K -f 4", "gemm --m 64 --n 64 --k 64",
                                "attention --panel single_user_prefill --ranks 2 --s_kv 32",
                                "tp_mlp --ranks 2 --tokens 8 --hidden 64 --ffn 128",
                                "llm --topology small.yaml --prompt 8 --context 16 --model " + model}) {
    fits("--bench " + bench);
    fits("--bench " + bench + " --dry-run");
    fits("explain --no-try --bench " + bench);
  }
  fits("explain --recheck --bench ccl_allreduce");
  fits("explain --bench ccl -b 1K -e 1K --of row:1");
  fits("--bench ccl_allreduce --verify-data");
  fits("--bench qkv_gemm --verify-data");
}

TEST_CASE("80 columns: commands on runs, machines and traffic" * doctest::skip(kSanitized)) {
  const std::string out = written("narrow", "") + ".d";
  const auto in = [&](const char* name) { return out + "/" + name; };
  fits("--bench ccl_allreduce --out " + in("a"));
  fits("--bench ccl_allreduce --set sip.ucie.overhead_ns=4 --out " + in("b"));
  fits("--bench ccl --algorithm ring_allreduce_tcm -b 1K -e 4K -f 4 --out " + in("c"));
  fits("sweep --bench ccl_allreduce --set system.sips.count=2,4 --out " + in("s"));
  fits("diff " + in("a") + " " + in("b"));
  fits("diff " + in("s") + " " + in("s"));
  fits("check " + in("a"));
  fits("correlate --results " + in("c") + "/results.csv --reference " + in("c") + "/results.csv");
  fits("whatif --bench ccl_allreduce --set system.sips.count=4");
  fits("whatif --bench ccl_allreduce --what ideal");
  fits("solve --bench ccl_allreduce --target 'latency<=700ns' --vary sip.ucie.overhead_ns=1..8");
  fits("solve --what slots --bench ccl --algorithm chunked_ring_allreduce -b 64K -e 64K");
  for (const char* command : {"list", "topology", "topology small.yaml", "probe", "probe --case pe-local-hbm",
                              "traffic --scope link --load 0.5 --packets 100",
                              "traffic --scope mesh:4x4 --sweep --packets 100 --warmup 10"})
    fits(command);
}

TEST_CASE("80 columns: the help of every command and of every bench") {
  const Outcome names = run_script(
      "export KBSIM; bash -c 'source <($KBSIM completion bash); COMP_WORDS=(kbsim help \"\"); COMP_CWORD=2; "
      "_kbsim; "
      "printf \"%s\\n\" ${COMPREPLY[@]}'");
  std::istringstream lines{names.out};
  std::size_t n = 0;
  for (std::string name; std::getline(lines, name); ++n) fits("help " + name);
  CHECK(n > 30);
  fits("help");
}

TEST_CASE("Help: the options of run stand in groups, machine first") {
  const std::string text = run_kbsim("help run").out;
  std::size_t at = 0;
  for (const char* title : {"machine", "what to run", "results", "checks", "explaining",
                            "records and timelines", "watching", "limits", "order of events", "threads"}) {
    const std::size_t found = text.find("\n\n" + std::string{title} + ":\n  --");
    CHECK_MESSAGE(found != std::string::npos, title);
    CHECK_MESSAGE(found >= at, title);
    at = found;
  }
  CHECK(says(run_kbsim("help --man").out, "\\fIrecords and timelines\\fR\n"));
}

TEST_CASE("Explain: the limit, its place and changes to try are the first lines") {
  for (const char* bench : {"ccl_allreduce", "ccl -b 1K -e 1K --of row:1"}) {
    CAPTURE(bench);
    const std::string text = run_kbsim("explain --bench " + std::string{bench}).out;
    std::istringstream lines{text};
    std::string first;
    std::string line;
    for (int i = 0; i < 5 && std::getline(lines, line); ++i) first += line + "\n";
    CHECK(first.starts_with("  limited by  overhead "));
    CHECK(says(unwrapped(first), "the longest part at sip0.cube0.hbm0,"));
    CHECK(says(first, "\n  try  sip.ucie.overhead_ns=7.2 "));
  }
}

TEST_CASE("--wide: all columns; the same text on a terminal of any width without it") {
  const std::string gemm = "--quiet --bench gemm --m 64 --n 64 --k 64";
  const Outcome narrow = run_kbsim(gemm);
  const Outcome wide = run_kbsim(gemm + " --wide");
  CHECK(!says(narrow.out, "kB moved"));
  CHECK(says(wide.out, "kB moved"));
  CHECK(says(run_kbsim("probe --case pe-local-hbm --wide").out, "drain_ns"));
  CHECK(says(run_kbsim("whatif --wide --bench ccl_allreduce --set system.sips.count=4").out,
             " total  speed-up  latency_ns  speed-up  limited by\n"));
  std::string shown = on_terminal("COLUMNS=200 NO_COLOR=1", gemm);
  std::erase(shown, '\r');
  CHECK(shown == narrow.out);
}

TEST_CASE("--wide: refused where it has no effect") {
  const std::string error = "kbsim: --wide has no effect with --json, which has all columns\n";
  for (const char* command : {"--bench gemm --m 64 --n 64 --k 64", "probe --case pe-tcm",
                              "whatif --bench ccl_allreduce --set system.sips.count=4"}) {
    const Outcome outcome = run_kbsim(std::string{command} + " --wide --json");
    CHECK(outcome.exit == 2);
    CHECK(outcome.err == error);
  }
  CHECK(says(run_kbsim("traffic --scope link --load 0.5 --wide").err, "unknown option '--wide'"));
  CHECK(says(
      run_kbsim("solve --bench ccl_allreduce --target 'latency<=1us' --vary sip.ucie.overhead_ns=1..2 --wide")
          .err,
      "--wide: many runs have no such output"));
  CHECK(says(run_kbsim("--bench ccl_allreduce --wide").err,
             "kbsim: --wide changes nothing here: ccl_allreduce prints no table\n"));
}

TEST_CASE("Colours: a terminal has them, a pipe has none; --color, NO_COLOR and TERM decide") {
  const std::string run = "--quiet --bench ccl_allreduce";
  const std::string plain = run_kbsim(run).out;
  CHECK(!is_coloured(plain));
  CHECK(run_kbsim(run + " --color never").out == plain);
  CHECK(is_coloured(run_kbsim(run + " --color always").out));
  CHECK(says(run_kbsim("--color=always " + run).out, "\033[32mOK\033[0m"));
  CHECK(is_coloured(on_terminal("NO_COLOR= TERM=xterm", run)));
  CHECK(!is_coloured(on_terminal("NO_COLOR=1 TERM=xterm", run)));
  CHECK(!is_coloured(on_terminal("NO_COLOR= TERM=dumb", run)));
  CHECK(!is_coloured(on_terminal("NO_COLOR= TERM=xterm", run + " --color never")));
  CHECK(is_coloured(on_terminal("NO_COLOR=1 TERM=dumb", run + " --color always")));
}

TEST_CASE("Colours: heads of tables, the answer of explain, and errors stand out") {
  const std::string always = " --color always";
  CHECK(says(run_kbsim("explain --bench ccl_allreduce" + always).out, "limited by  overhead 75 %"));
  CHECK(run_kbsim("explain --bench ccl_allreduce" + always).out.starts_with("\033[1m\033[35m  limited by"));
  CHECK(says(run_kbsim("explain --bench ccl_allreduce" + always).out, "\033[1m\033[36m  try  "));
  CHECK(says(run_kbsim("probe --case pe-tcm" + always).out, "\033[1m  case "));
  CHECK(says(run_kbsim("help probe" + always).out, "\033[1moptions of kbsim probe:\033[0m\n"));
  const Outcome mistake = run_kbsim("--bench nothing" + always);
  CHECK(mistake.exit == 2);
  CHECK(mistake.err.starts_with("\033[1m\033[31mkbsim: unknown bench"));
}

TEST_CASE("Colours: no escape sequence in JSON, in files or in a drawing, with --color always") {
  const std::string out = written("coloured", "") + ".d";
  CHECK(!is_coloured(run_kbsim("--bench ccl_allreduce --json --color always").out));
  CHECK(!is_coloured(run_kbsim("explain --bench ccl -b 1K -e 1K --of row:1 --json --color always").out));
  CHECK(run_kbsim("explain --bench ccl -b 1K -e 1K --of row:1 --color always --out " + out).exit == 0);
  CHECK(run_kbsim("topology --color always --out " + out + "/machine.txt").exit == 0);
  CHECK(run_kbsim("sweep --bench ccl_allreduce --set system.sips.count=2,4 --color always --out " + out +
                  "/sweep")
            .exit == 0);
  CHECK(!is_coloured(run_kbsim("topology --svg --color always").out));
  CHECK(!is_coloured(run_kbsim("help --man --color always").out));
  CHECK(!is_coloured(run_kbsim("completion bash --color always").out));
  CHECK(run_script("grep -rlI \"$(printf '\\033')\" " + out).out == "");
}

TEST_CASE("--color: a mode that isn't known is refused by every command") {
  for (const char* command : {"list", "help", "--bench ccl_allreduce", "probe", "version", "completion bash",
                              "whatif --bench ccl_allreduce --set system.sips.count=4"}) {
    CAPTURE(command);
    const Outcome outcome = run_kbsim(std::string{command} + " --color alway");
    CHECK(outcome.exit == 2);
    CHECK(outcome.err ==
          "kbsim: --color must be auto, always or never, got 'alway'; did you mean 'always'?\n");
  }
  CHECK(run_kbsim("list --color").exit == 2);
  CHECK(says(
      run_script(
          "export KBSIM; bash -c 'source <($KBSIM completion bash); COMP_WORDS=(kbsim list --color nev); "
          "COMP_CWORD=3; _kbsim; echo ${COMPREPLY[@]}'")
          .out,
      "never"));
}

}  // namespace kbsim::contract::terminal_text_test
