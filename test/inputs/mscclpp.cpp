#include "kbsim/inputs/msccl/mscclpp.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"

#include "files.hpp"

namespace kbsim::inputs::test::mscclpp_test {
namespace {

const std::filesystem::path kPlans = std::filesystem::path{KBSIM_SOURCE_DIR} / "test/inputs/mscclpp";

std::string plan_text(const std::string& name) { return kbsim::test::contents(kPlans / name); }

// The file with the first of these pieces of its text replaced.
std::string replaced(const std::string& name, const std::string& from, const std::string& to) {
  std::string text = plan_text(name);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string mistake(const std::string& text) {
  try {
    (void)parse_mscclpp({"p.json", text});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string mistake(const std::string& name, const std::string& from, const std::string& to) {
  return mistake(replaced(name, from, to));
}

}  // namespace

TEST_CASE("MSCCL++: puts, reads, packets and groups of thread blocks are right, and end with one slot") {
  for (const char* name : {"puts.json", "reads.json", "packets.json", "groups.json"}) {
    CAPTURE(name);
    const ccl::Plan plan = parse_mscclpp({name, plan_text(name)});
    CHECK(ccl::judge(plan).problems.empty());
    CHECK(ccl::judge(plan).unwritten == 0);
    CHECK(ccl::least_slots(plan, true) == 1);
  }
}

TEST_CASE("MSCCL++: keys that aren't known are refused with their place, at each level") {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& key) {
    CAPTURE(to);
    const std::string text = replaced("puts.json", from, to);
    CHECK_THROWS_AS((void)parse_mscclpp({"p.json", text}), Unsupported);
    CHECK(mistake(text).find("key '" + key + "' isn't known") != std::string::npos);
  };
  refused("\"gpus\"", "\"loops\": 3, \"gpus\"", "loops");
  refused("\"scratch_chunks\"", "\"nvls\": 1, \"scratch_chunks\"", "nvls");
  refused("\"connected_to\"", "\"rate\": 1, \"connected_to\"", "rate");
  refused("\"ops\"", "\"priority\": 1, \"ops\"", "priority");
  refused("\"src_buff\"", "\"scale\": 2, \"src_buff\"", "scale");
  refused("\"index\"", "\"stride\": 2, \"index\"", "stride");
  CHECK(mistake("puts.json", "\"gpus\"", "\"name\": \"a\", \"gpus\"").find("name stands twice") !=
        std::string::npos);
  CHECK(mistake("puts.json", "\"gpus\"", "\"min_message_size\": 0, \"gpus\"").empty());
}

TEST_CASE(
    "MSCCL++: a plan that names no collective is identified by its arrivals, of buffers of any length") {
  const ccl::Plan plan = parse_mscclpp({"p.json", plan_text("custom.json")});
  CHECK(plan.custom);
  CHECK(ccl::judge(plan).right());
  CHECK(plan.chunks == 3);
  CHECK(plan.in_chunks == std::vector<int>{1, 3});
  CHECK(plan.out_chunks == std::vector<int>{2, 0});
  CHECK(ccl::describe(ccl::outputs_of(plan)) ==
        std::vector<std::string>{"chunk 0 of rank 0's output: chunk 0 of rank 0",
                                 "chunk 1 of rank 0's output: chunk 2 of rank 1"});
  CHECK(ccl::judge(parse_mscclpp({"p.json", replaced("puts.json", "allreduce", "custom")})).right());
  CHECK(mistake("custom.json", "false", "true").find("of a custom plan in place") != std::string::npos);
  CHECK(mistake("custom.json", R"("index":2)", R"("index":3)").find("aren't there: it has 3") !=
        std::string::npos);
}

TEST_CASE("MSCCL++: a put is a message that the peer's memory stores, and a signal is one of no chunks") {
  const ccl::Plan plan = parse_mscclpp({"p.json", plan_text("puts.json")});
  REQUIRE(plan.blocks[0].size() == 3);  // two of the file, and the memory as rank 1 writes it
  const PlanBlock& memory = plan.blocks[0][2];
  CHECK(memory.id == 2);
  CHECK(memory.steps[0].op == PlanOp::recv);
  CHECK(memory.steps[0].dst == PlanChunk{PlanBuffer::scratch, 0});
  CHECK(memory.steps[0].count == 2);
  CHECK(memory.steps[1].op == PlanOp::recv);
  CHECK(memory.steps[1].count == 0);
  const PlanStep& wait = plan.blocks[0][0].steps[2];
  CHECK(wait.after_block == 2);
  CHECK(wait.after_step == 1);
}

TEST_CASE("MSCCL++: a mistake is reported with its line and column") {
  CHECK(mistake("puts.json", "\"put\"", "\"putt\"") ==
        "p.json:4:13: there is no operation 'putt', did you mean 'put'?");
  CHECK(mistake("puts.json", "\"type\":\"i\"", "\"type\":\"x\"") ==
        "p.json:4:39: there is no buffer 'x'; expected i, o or s");
  CHECK(mistake("puts.json", "\"size\":2", "\"size\":9") == "p.json:4:5: 9 chunks go to 2 chunks");
  CHECK(mistake("reads.json", "\"type\":\"i\",\"index\":0", "\"type\":\"i\",\"index\":7") ==
        "p.json:7:5: 'rres': chunks 7 to 7 of rank 0's buffer 'i' aren't there: it has 2");
  CHECK(mistake("puts.json", "{\"name\":\"signal\",\"channel_type\":\"memory\",\"channel_ids\":[0]}",
                "{\"name\":\"nop\"}") ==
        "p.json:22:5: 'wait' waits for signal 1 of rank 0 on this channel or semaphore, and 0 are given");
  CHECK(mistake("packets.json", "\"ppkt\"", "\"put\"")
            .ends_with("'respkt' waits for packets in chunk 0 of rank 1's scratch, and no step writes them"));
  CHECK(mistake("puts.json", "\"num_threadblocks\":2", "\"num_threadblocks\":3")
            .ends_with("barrier 0 is of 3 thread blocks, and 2 come to it"));
  CHECK(mistake("puts.json", "]}\n", "]").starts_with("p.json:"));
  CHECK(mistake("{\"gpus\": [1, ]}").starts_with("p.json:1:"));
  CHECK(mistake("").starts_with("p.json:1:1: this isn't JSON"));
}

TEST_CASE("MSCCL++: operations that need a switch, and what isn't translated, are named with their place") {
  CHECK(mistake("reads.json", "\"rres\"", "\"glres\"") ==
        "p.json:7:5: 'glres' (rank 0, thread block 0) needs a switch that reduces");
  CHECK_THROWS_AS((void)parse_mscclpp({"p.json", replaced("reads.json", "\"rres\"", "\"glres\"")}),
                  Unsupported);
  CHECK_THROWS_AS((void)parse_mscclpp({"p.json", replaced("reads.json", "\"sum\"", "\"min\"")}), Unsupported);
}

TEST_CASE("MSCCL++: a plan of the older form is named as such") {
  const char* old =
      R"({"collective": "sendrecv", "gpus": [{"id": 0, "inputChunks": 1, "threadblocks": []}]})";
  CHECK_THROWS_WITH_AS((void)parse_mscclpp({"p.json", old}),
                       doctest::Contains("a plan of the older form of MSCCL++ (inputChunks)"), Unsupported);
}

TEST_CASE("MSCCL++: a plan may begin with a byte order mark") {
  CHECK(parse_mscclpp({"p.json", "\xef\xbb\xbf" + plan_text("puts.json")}).ranks() ==
        parse_mscclpp({"p.json", plan_text("puts.json")}).ranks());
}

TEST_CASE("MSCCL++: a plan that lacks an operation is judged wrong") {
  const ccl::Plan plan = parse_mscclpp({"p.json", replaced("puts.json", "\"put\"", "\"nop\"")});
  CHECK(!ccl::judge(plan).right());
}

// The files aren't part of the project: KBSIM_INPUTS names their folder.
TEST_CASE("MSCCL++: plans of others are right") {
  const char* inputs = std::getenv("KBSIM_INPUTS");  // NOLINT(concurrency-mt-unsafe)
  if (inputs == nullptr) {
    MESSAGE("skipped: KBSIM_INPUTS names no folder of inputs");
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator{std::filesystem::path{inputs} / "msccl"}) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    CHECK(ccl::judge(parse_mscclpp(Text::read(entry.path()))).right());
  }
}

}  // namespace kbsim::inputs::test::mscclpp_test
