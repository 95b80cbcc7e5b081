#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::inputs_of_others_test {

using namespace kbsim::test;

namespace {

void refused(const std::string& script, const std::string& why) {
  const Outcome outcome = run_script(script);
  CAPTURE(script);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find(why) != std::string::npos);
}

boost::json::object imported(const std::string& file) {
  const Outcome outcome = run_kbsim("import " + file + " --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  return boost::json::parse(outcome.out).as_object();
}

}  // namespace

TEST_CASE("Inputs of others: a pipe that would be read twice is refused without a wait") {
  for (const char* what : {"--bench gemm --layers pipe", "traffic --topology wormhole.yaml --trace pipe"})
    refused("rm -f pipe; mkfifo pipe; timeout 20 $KBSIM " + std::string{what}, "pipe: is read twice");
}

TEST_CASE("Inputs of others: a table without sizes and times is none of measured times") {
  refused("printf 'a,b\\n1,2\\n' > table.csv; $KBSIM import table.csv",
          "table.csv: no kind of file that is known");
  refused("printf 'hello world\\n1\\n' > text; $KBSIM import text", "text: no kind of file that is known");
}

TEST_CASE("kbsim import: what is in a plan, as kbsim ccl import says it, with the verdict of its check") {
  const std::string plans = std::string{KBSIM_SOURCE_DIR} + "/test/";
  const boost::json::object ring = imported(plans + "inputs/plans/allgather_ring_in1.xml");
  CHECK(ring.at("format") == "plan of MSCCL");
  CHECK(ring.at("ranks") == 3);
  CHECK(ring.at("channels") == 2);
  CHECK(ring.at("thread_blocks") == 6);
  CHECK(ring.at("steps_by_kind") == boost::json::object{{"s", 6}, {"r", 6}, {"rcs", 6}});
  CHECK(ring.at("chunks") == 6);
  CHECK(ring.at("correct") == true);
  const boost::json::object puts = imported(plans + "inputs/mscclpp/puts.json");
  CHECK(puts.at("format") == "plan of MSCCL++");
  CHECK(puts.at("correct") == true);
  const std::string wrong =
      R"(<algo coll="allreduce" ngpus="1" nchunksperloop="1" inplace="0"><gpu id="0"/></algo>)";
  const boost::json::object nothing = imported(written("wrong.xml", wrong));
  CHECK(nothing.at("correct") == false);
  CHECK(nothing.at("wrong_chunks") == 1);
}

TEST_CASE("kbsim import: events, barriers, places, bytes and cycles of a recorded NOC trace") {
  const std::string trace = R"([
    {"proc": "BRISC", "zone": "K", "zone_phase": "begin", "sx": 1, "sy": 1, "timestamp": 90},
    {"proc": "BRISC", "noc": "NOC_0", "sx": 1, "sy": 1, "dx": 3, "dy": 7, "num_bytes": 2048, "type": "READ", "timestamp": 100},
    {"proc": "BRISC", "noc": "NOC_1", "sx": 1, "sy": 1, "mcast_start_x": 2, "mcast_start_y": 2, "mcast_end_x": 4,
     "mcast_end_y": 4, "num_bytes": 64, "type": "WRITE_MULTICAST", "timestamp": 110},
    {"proc": "BRISC", "noc": "NOC_0", "sx": 1, "sy": 1, "type": "READ_BARRIER_START", "timestamp": 120},
    {"proc": "BRISC", "noc": "NOC_0", "sx": 1, "sy": 1, "type": "READ_BARRIER_END", "timestamp": 400}])";
  const boost::json::object found = imported(written("events.json", trace));
  CHECK(found.at("format") == "recorded NoC traffic");
  CHECK(found.at("events") == 4);
  CHECK(found.at("zones") == 1);
  CHECK(found.at("cores") == 1);
  CHECK(found.at("places") == 4);
  CHECK(found.at("extent") == "5 x 8");
  CHECK(found.at("networks") == 2);
  CHECK(found.at("reads") == 1);
  CHECK(found.at("multicasts") == 1);
  CHECK(found.at("bytes") == 2112);
  CHECK(found.at("barriers") == 1);
  CHECK(found.at("cycles") == 300);
}

TEST_CASE("kbsim import: a model's configuration, and a mixture of experts that isn't run") {
  const std::string keys =
      R"("hidden_size": 64, "num_attention_heads": 8, "intermediate_size": 128, "vocab_size": 100,
         "num_hidden_layers": 1)";
  const boost::json::object model = imported(written("config.json", "{" + keys + "}"));
  CHECK(model.at("format") == "model configuration");
  CHECK(model.at("torch_dtype") == "f16 (assumed, no torch_dtype)");
  const std::string images = R"({"vision_config": {"size": 224, "time": 1}, )" + keys + "}";
  CHECK(imported(written("images.json", images)).at("format") == "model configuration");
  // 2 (64 (2 64 + 2 64 + 3 128) weights) and 4 of each of 64 columns for the one key
  CHECK(model.at("flop_of_a_layer_and_token").to_number<double>() ==
        2.0 * 64 * (4 * 64 + 3 * 128) + 4.0 * 64);
  CHECK(run_kbsim("import " + written("experts.json", "{" + keys + R"(, "num_local_experts": 8})")).exit ==
        5);
}

TEST_CASE("kbsim import: an error has the file's name, and the nearest of a misspelt key") {
  const auto says = [](const std::string& name, const std::string& text, const std::string& why, int exit) {
    const Outcome outcome = run_script("printf '" + text + "' > " + name + "; $KBSIM import " + name);
    CHECK(outcome.exit == exit);
    CHECK_MESSAGE(outcome.err.starts_with("kbsim: " + name + ":"), outcome.err);
    CHECK_MESSAGE(outcome.err.find(why) != std::string::npos, outcome.err);
    CHECK(outcome.err.find("--model") == std::string::npos);
  };
  says("a.json", R"({"hidden_size": 64, "num_atention_heads": 8})",
       "num_attention_heads is missing, and no other key says it: 'num_atention_heads' may be a misspelling "
       "of it\n",
       2);
  says("a.json", R"({"hidden_size": 64})",
       "num_attention_heads is missing, and no other key says it: add it\n", 2);
  says(
      "a.json",
      R"({"hidden_size": 64, "num_attention_heads": 8, "vocab_size": 100, "num_hidden_layers": 1, "intermediat_size": 128})",
      "take it out if it doesn't; did you mean 'intermediate_size'?\n", 5);
  says("a.json", R"({"hidden_size": 64, )", "not JSON", 2);
  says("a.json", R"({"hiden_size": 64, "num_attention_heads": 8})",
       "('hiden_size'; did you mean 'hidden_size'?)", 2);
  says("a.xml", R"(<algo ngpu="1"/>)",
       "'ngpu' of <algo> isn't known, and may change the plan: take it out if it "
       "doesn't; did you mean 'ngpus'?\n",
       5);
  says(
      "a.json",
      R"([{"proc": "BRISC", "noc": "NOC_0", "sx": 1, "sy": 1, "num_byte": 8, "type": "READ", "timestamp": 1}])",
      "field 'num_byte' of an event isn't known, and may change the traffic: take it out if it doesn't; did "
      "you mean "
      "'num_bytes'?\n",
      5);
  says("a.json", R"([{"sx": 1, "sy": 1, "timestmp": 1}])", "('timestmp'; did you mean 'timestamp'?)", 2);
}

TEST_CASE("kbsim import: a folder says how many files of which kind it has, and what to run") {
  const Outcome made = run_script(
      "rm -rf others empty && mkdir others empty && cp " KBSIM_SOURCE_DIR
      "/test/inputs/plans/reduce_chain.xml others && printf 'Layer,M,N,K\\na,1,2,3\\n' > others/net.csv && "
      "printf 'words\\n' > others/README && printf '<?xml version=\"1.0\"?>\\n<svg/>\\n' > others/a.svg && "
      "printf '<!doctype html>\\n<html lang=\"en\">\\n' > others/b.html && $KBSIM import others --json && "
      "! $KBSIM import empty && ! $KBSIM import others/b.html");
  CAPTURE(made.err);
  CHECK(made.exit == 0);
  const boost::json::object found = boost::json::parse(made.out).as_object();
  CHECK(found.at("plan of MSCCL") == 1);
  CHECK(found.at("layers of SCALE-Sim") == 1);
  CHECK(found.at("other file") == 3);
  CHECK(found.at("command") == "kbsim import others/FILE");
  CHECK(made.err.find("empty: no file is in it") != std::string::npos);
  CHECK(made.err.find("b.html: no kind of file that is known: it is a drawing or a page") !=
        std::string::npos);
}

TEST_CASE("kbsim import: what it says to run next runs") {
  for (const char* file : {"/test/inputs/plans/reduce_chain.xml", "/test/inputs/layers/products"}) {
    const std::string command{imported(std::string{KBSIM_SOURCE_DIR} + file).at("command").as_string()};
    CAPTURE(command);
    REQUIRE(command.starts_with("kbsim "));
    CHECK(run_kbsim(command.substr(6) + " --dry-run").exit == 0);
  }
}

TEST_CASE("kbsim import: a model's command runs the model, the text has words in place of JSON") {
  const std::string config =
      written("two.json",
              R"({"hidden_size": 64, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 100,
          "num_hidden_layers": 2})");
  const std::string command{imported(config).at("command").as_string()};
  CHECK(command.starts_with("kbsim --bench llm --model "));
  CHECK(run_kbsim(command.substr(6) + " --dry-run").exit == 0);
  const Outcome text = run_kbsim("import " KBSIM_SOURCE_DIR "/test/inputs/plans/custom_next.xml");
  CAPTURE(text.out);
  CHECK(text.out.find("   name                     all_to_next_and_sum\n") != std::string::npos);
  CHECK(text.out.find("   scratch_chunks           0, 0, 0\n") != std::string::npos);
  CHECK(text.out.find("   steps_by_kind            s 2, r 2, re 2\n") != std::string::npos);
  CHECK(text.out.find("\n                            chunk 1 of rank 1's output: chunk 1 of rank 0\n") !=
        std::string::npos);
  CHECK(run_kbsim("import " + config).out.find("\n   flop_of_a_layer_and_token  ") != std::string::npos);
}

TEST_CASE("Inputs of others: no control character of a file comes to the terminal") {
  const std::string plan = "<algo name=\"a\033[2Jb\" proto=\"Simple\" coll=\"sendrecv\" ngpus=\"2\" ";
  const std::string named = written("named.xml", plan +
                                                     "nchunksperloop=\"1\" nchannels=\"1\">"
                                                     "<gpu id=\"0\"/><gpu id=\"1\"/></algo>");
  const Outcome text = run_kbsim("import " + named);
  CAPTURE(text.err);
  CHECK(text.exit == 0);
  CHECK((text.out + text.err).find('\033') == std::string::npos);
  CHECK(text.out.find("a?[2Jb") != std::string::npos);
  const Outcome cell = run_kbsim("correlate --reference " + written("b.csv", "size,time\n8,1\n") +
                                 " --results " + written("a.csv", "size,time\n8,\033[2J1\n"));
  CHECK(cell.exit == 2);
  CHECK(cell.err.find("'?[2J1' is no number") != std::string::npos);
}

TEST_CASE("Inputs of others: JSON that isn't is reported with its place, of a model, too") {
  refused("printf '{\"hidden_size\": 64,\n \"x\": 8y}' > m.json; $KBSIM import m.json",
          "m.json:2:8: not JSON");
  refused("printf '{\"hidden_size\": 64' > m.json; $KBSIM import m.json", "m.json:1:19: not JSON: it ends");
}

TEST_CASE("kbsim import: JSON of no kind is reported as such, with the list's name") {
  refused("printf '{\"chips\": 3}' > chips.json; $KBSIM import chips.json",
          "chips.json: no kind of file that is known: JSON with chips, which no input of kbsim has");
}

TEST_CASE("kbsim import: a mistake is reported for the kind that the file begins as") {
  refused("printf 'Layer, M, N, K,\\na,1,x,3\\n' > net.csv; $KBSIM import net.csv",
          "net.csv:2:5: 'x', expected a whole number");
  refused("printf '<algo coll=\"allreduce\"/>' > p.xml; $KBSIM import p.xml", "<algo> has no nchunksperloop");
}

}  // namespace kbsim::contract::inputs_of_others_test
