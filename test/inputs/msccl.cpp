#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/inputs/msccl/xml.hpp"

#include "files.hpp"

namespace kbsim::inputs::test::msccl_test {
namespace {

const std::filesystem::path kPlans = std::filesystem::path{KBSIM_SOURCE_DIR} / "test/inputs/msccl";

std::string contents(const std::string& name) { return kbsim::test::contents(kPlans / name); }

// The file with one piece of its text, the first, replaced.
std::string changed(const std::string& name, const std::string& from, const std::string& to) {
  std::string text = contents(name);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_msccl({"p.xml", text});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void check_error(const std::string& from, const std::string& to, const std::string& expected) {
  CAPTURE(to);
  CHECK(error_of(changed("all_reduce.xml", from, to)) == expected);
}

}  // namespace

TEST_CASE("MSCCL XML: a file is read, is right, and is equal when it was written and read again") {
  for (const char* name : {"all_gather.xml", "all_reduce.xml", "ring.xml"}) {
    CAPTURE(name);
    const ccl::Plan plan = parse_msccl({name, contents(name)});
    CHECK(ccl::judge(plan).right());
    CHECK(parse_msccl({"again", to_msccl(plan)}).same_steps(plan));
  }
}

TEST_CASE("MSCCL XML: attributes that aren't known are refused with their place") {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& expected) {
    CAPTURE(to);
    CHECK_THROWS_WITH_AS((void)parse_msccl({"p.xml", changed("all_reduce.xml", from, to)}),
                         doctest::Contains(expected.c_str()), Unsupported);
  };
  refused("ngpus=", "nsockets=\"2\" ngpus=", "attribute 'nsockets' of <algo> isn't known");
  refused("<gpu id=", "<gpu numa=\"1\" id=", "attribute 'numa' of <gpu> isn't known");
  refused("<tb id=", "<tb warps=\"4\" id=", "attribute 'warps' of <tb> isn't known");
  refused("<step s=", "<step scale=\"2\" s=", "attribute 'scale' of <step> isn't known");
  refused("ngpus=", "redop=\"max\" ngpus=", "redop 'max' of a plan isn't run");
  for (const char* idle : {"redop=\"sum\"", "minBytes=\"0\"", "outofplace=\"1\"", "maxBytes=\"9\""})
    CHECK_NOTHROW(
        (void)parse_msccl({"p.xml", changed("all_reduce.xml", "ngpus=", std::string{idle} + " ngpus=")}));
  CHECK(error_of(changed("all_reduce.xml", "ngpus=", "ngpus=\"2\" ngpus=")).find("ngpus stands twice") !=
        std::string::npos);
}

TEST_CASE("MSCCL XML: thread blocks, steps and dependencies are those of the file") {
  const ccl::Plan plan = parse_msccl({"p.xml", contents("all_reduce.xml")});
  CHECK(plan.name == "by_scratch");
  CHECK(plan.protocol == "LL");
  CHECK(plan.ranks() == 2);
  CHECK(plan.scratch_chunks == std::vector<int>{2, 4});
  const PlanBlock& block = plan.blocks[0][1];
  CHECK(block.id == 3);
  CHECK(block.steps[1].op == PlanOp::reduce);
  CHECK(block.steps[1].src == PlanChunk{PlanBuffer::scratch, 0});
  CHECK(block.steps[1].count == 2);
  CHECK(block.steps[1].after_block == 0);
  CHECK(block.steps[1].after_step == 1);
  CHECK(plan.blocks[0][0].steps[1].awaited);
  CHECK(to_string(plan.place(block.steps[1])) == "p.xml:9:7");
}

TEST_CASE("MSCCL XML: a mistake is reported with its line and column") {
  check_error("type=\"re\"", "type=\"rex\"",
              "p.xml:9:19: there is no step type 'rex'; expected s, r, rcs, rrc, rrs, rrcs, re, cpy, nop");
  check_error("srcbuf=\"s\"", "srcbuf=\"x\"", "p.xml:9:29: there is no buffer 'x'; expected i, o or s");
  check_error("srcoff=\"0\" dstbuf=\"s\" dstoff=\"0\" cnt=\"2\"",
              "srcoff=\"1\" dstbuf=\"s\" dstoff=\"0\" cnt=\"2\"",
              "p.xml:4:39: chunks 1 to 2 of buffer 'i' aren't there: it has 2");
  check_error("depid=\"0\"", "depid=\"7\"", "p.xml:8:84: gpu 0 has no thread block 7 to wait for");
  check_error("deps=\"1\"", "deps=\"9\"", "p.xml:9:91: thread block 0 has no step 9 to wait for: it has 2");
  check_error("depid=\"-1\" deps=\"-1\"", "deps=\"1\"",
              "p.xml:4:80: a wait for step 1, of no thread block: expected depid, too");
  check_error("coll=\"allreduce\"", "coll=\"allreduse\"",
              "p.xml:1:79: there is no collective 'allreduse', did you mean 'allreduce'?");
  check_error("i_chunks=\"2\"", "i_chunks=\"3\"",
              "p.xml:2:15: i_chunks must be 2 by nchunksperloop and the collective, got 3");
  check_error("cnt=\"2\"", "cnt=\"99999999999999999999\"",
              "p.xml:4:72: cnt must be a whole number from 1 to 1048576, got '99999999999999999999'");
  check_error("send=\"1\"", "send=\"0\"", "p.xml:3:16: send: rank 0 is this one");
  check_error("send=\"1\"", "send=\"-1\"",
              "p.xml:4:19: 's' sends, and thread block 0 has no peer to send to");
  check_error("gpu id=\"1\"", "gpu id=\"0\"", "p.xml:12:8: there are two gpus 0");
  check_error("</algo>", "", "p.xml:21:1: this isn't XML: Start-end tags mismatch");
}

TEST_CASE("MSCCL XML: steps go by their numbers, however they stand in the file") {
  const char* kPlan =
      R"(<algo coll="allreduce" ngpus="1" nchunksperloop="2" inplace="1"><gpu id="0" s_chunks="1"><tb id="0">{}</tb></gpu></algo>)";
  const std::string first = R"(<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1"/>)";
  const std::string second = R"(<step s="1" type="nop" depid="0" deps="0"/>)";
  const auto plan = [&](const std::string& steps) {
    return parse_msccl({"p.xml", fmt::format(fmt::runtime(kPlan), steps)});
  };
  CHECK(plan(second + first).same_steps(plan(first + second)));
  CHECK(error_of(fmt::format(fmt::runtime(kPlan), first + first)).ends_with("there are two steps 0"));
  CHECK(error_of(fmt::format(fmt::runtime(kPlan), second)).ends_with("there is no step 0 before this one"));
}

TEST_CASE("MSCCL XML: sends and receives match in number and size") {
  check_error("type=\"r\"", "type=\"nop\"",
              "p.xml:14:7: this is send 1 from rank 1 to rank 0 on channel 0, and only 0 are received");
  const std::string shorter =
      changed("all_gather.xml", "type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"o\" dstoff=\"1\" cnt=\"1\"",
              "type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"o\" dstoff=\"0\" cnt=\"2\"");
  CHECK(error_of(shorter) ==
        "p.xml:7:7: message 1 from rank 1 to rank 0 on channel 0 is received as 2 chunks (cnt), and sent as "
        "1 at "
        "line 12");
}

TEST_CASE("MSCCL XML: shares are whole chunks") {
  CHECK(error_of(changed("all_gather.xml", "nchunksperloop=\"2\"", "nchunksperloop=\"3\"")) ==
        "p.xml:1:49: 3 chunks aren't divisible by 2 ranks, as allgather needs");
}

TEST_CASE("MSCCL XML: steps that wait for each other are reported with their names") {
  const std::string text =
      error_of(changed("all_reduce.xml", "depid=\"-1\" deps=\"-1\"", "depid=\"3\" deps=\"1\""));
  CHECK(text.starts_with("p.xml:4:7: steps wait for each other in a circle:\n"));
  const auto says = [&](const std::string& line) { return text.find(line) != std::string::npos; };
  CHECK(
      says("rank 0, thread block 0, step 0 (s) waits for the end of step 1 after rank 0, thread block 3, "
           "step 0"));
  CHECK(
      says("rank 0, thread block 3, step 0 (nop) waits for the end of step 0 after rank 0, thread block 0"));
}

TEST_CASE("MSCCL XML: a plan that names no collective is identified by its arrivals") {
  const ccl::Plan plan = parse_msccl({"p.xml", changed("ring.xml", "allreduce", "custom")});
  CHECK(plan.custom);
  CHECK(ccl::judge(plan).right());
  const std::vector<std::string> arrives = ccl::describe(ccl::outputs_of(plan));
  CHECK(arrives.size() == static_cast<std::size_t>(plan.ranks() * plan.chunks));
  CHECK(arrives.front().starts_with("chunk 0 of rank 0's output: chunk 0 of rank 0 + chunk 0 of rank 1"));
  CHECK(!plan.same_steps(parse_msccl({"p.xml", contents("ring.xml")})));
}

TEST_CASE("MSCCL XML: a custom plan that reads what nothing has written isn't right") {
  const ccl::Plan plan = parse_msccl(
      {"p.xml",
       R"(<algo coll="custom" ngpus="1" nchunksperloop="1" inplace="0"><gpu id="0" s_chunks="1"><tb id="0">
          <step s="0" type="cpy" srcbuf="s" srcoff="0" dstbuf="o" dstoff="0" cnt="1"/></tb></gpu></algo>)"});
  CHECK(!ccl::judge(plan).right());
  CHECK(ccl::judge(plan).problems.front() == "1 chunk is read that nothing has written");
}

TEST_CASE("MSCCL XML: a custom plan's buffers are as long as each rank says, up to nchunksperloop") {
  const auto one_rank = [](const std::string& of_algo, const std::string& of_gpu, const char* source) {
    return parse_msccl({"p.xml", fmt::format(R"(<algo coll="custom" ngpus="1" nchunksperloop="4" {}>
<gpu id="0" {}><tb id="0"><step s="0" type="cpy" srcbuf="i" srcoff="{}" dstbuf="o" dstoff="0" cnt="1"/></tb></gpu></algo>)",
                                             of_algo, of_gpu, source)});
  };
  const ccl::Plan plan = one_rank("", R"(i_chunks="3" o_chunks="1")", "2");
  CHECK(plan.chunks_of(PlanBuffer::input, 0) == 3);
  CHECK(plan.chunks_of(PlanBuffer::output, 0) == 1);
  CHECK(ccl::describe(ccl::outputs_of(plan)) ==
        std::vector<std::string>{"chunk 0 of rank 0's output: chunk 2 of rank 0"});
  CHECK(one_rank("", "", "3").chunks_of(PlanBuffer::output, 0) == 4);
  CHECK_THROWS_WITH_AS((void)one_rank("", R"(i_chunks="3" o_chunks="1")", "3"),
                       doctest::Contains("chunks 3 to 3 of buffer 'i' aren't there: it has 3"), InputError);
  CHECK_THROWS_WITH_AS((void)one_rank("", R"(i_chunks="5")", "0"),
                       doctest::Contains("p.xml:2:13: i_chunks must be a whole number from 0 to 4, got '5'"),
                       InputError);
  CHECK_THROWS_WITH_AS((void)one_rank(R"(inplace="1")", R"(i_chunks="4" o_chunks="1")", "0"),
                       doctest::Contains("o_chunks is 1 of a custom plan in place, and nchunksperloop 4"),
                       Unsupported);
}

TEST_CASE("MSCCL XML: hostile files are refused") {
  CHECK(!error_of("").empty());
  CHECK(!error_of("<algo/>").empty());
  CHECK(!error_of("<other/>").empty());
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "<a>";
  CHECK(!error_of(deep).empty());
}

TEST_CASE("MSCCL XML: a plan may begin with a byte order mark, which moves no column") {
  const ccl::Plan plan = parse_msccl({"p.xml", contents("ring.xml")});
  CHECK(parse_msccl({"p.xml", "\xef\xbb\xbf" + contents("ring.xml")}).same_steps(plan));
  CHECK(error_of("\xef\xbb\xbf<other/>") == error_of("<other/>"));
}

// The files aren't part of the project: KBSIM_INPUTS names their folder.
TEST_CASE("MSCCL XML: plans of others are right, and equal when they were written and read again") {
  const char* inputs = std::getenv("KBSIM_INPUTS");  // NOLINT(concurrency-mt-unsafe)
  if (inputs == nullptr) {
    MESSAGE("skipped: KBSIM_INPUTS names no folder of inputs");
    return;
  }
  int plans = 0;
  for (const auto& entry : std::filesystem::directory_iterator{std::filesystem::path{inputs} / "msccl"}) {
    if (entry.path().extension() != ".xml") continue;
    CAPTURE(entry.path().string());
    const ccl::Plan plan = parse_msccl(Text::read(entry.path()));
    CHECK(ccl::judge(plan).right());
    CHECK(parse_msccl({"again", to_msccl(plan)}).same_steps(plan));
    ++plans;
  }
  CHECK(plans > 0);
}

}  // namespace kbsim::inputs::test::msccl_test
