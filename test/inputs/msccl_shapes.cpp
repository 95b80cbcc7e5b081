// Plans of other shapes than the samples': as MSCCL's tools write them, for few ranks.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/inputs/msccl/xml.hpp"

namespace kbsim::inputs::test::msccl_shapes_test {
namespace {

using config::Collective;

const std::filesystem::path kPlans = std::filesystem::path{KBSIM_SOURCE_DIR} / "test/inputs/plans";

struct Shape {
  Collective collective;
  int ranks;
  int slots;  // the least
};
const std::map<std::string, Shape> kShapes{
    {"allgather_ring_in0.xml", {Collective::all_gather, 3, 2}},
    {"allgather_ring_in1.xml", {Collective::all_gather, 3, 2}},
    {"allreduce_rhd.xml", {Collective::all_reduce, 4, 1}},
    {"allreduce_ring_inst.xml", {Collective::all_reduce, 3, 2}},
    {"allreduce_ring_out.xml", {Collective::all_reduce, 3, 2}},
    {"allreduce_three_chunks.xml", {Collective::all_reduce, 4, 1}},
    {"alltoall_pairs.xml", {Collective::all_to_all, 3, 1}},
    {"alltoall_two_step.xml", {Collective::all_to_all, 4, 1}},
    {"broadcast_tree_in0.xml", {Collective::broadcast, 4, 1}},
    {"custom_gather.xml", {Collective::sendrecv, 3, 1}},
    {"custom_next.xml", {Collective::sendrecv, 3, 1}},
    {"hier_allreduce.xml", {Collective::all_reduce, 4, 1}},
    {"reduce_chain.xml", {Collective::reduce, 4, 1}},
    {"reduce_scatter_ring_in0.xml", {Collective::reduce_scatter, 3, 1}},
    {"reduce_scatter_ring_in1.xml", {Collective::reduce_scatter, 3, 1}},
    {"sendrecv.xml", {Collective::sendrecv, 3, 1}},
    {"styles.xml", {Collective::all_gather, 2, 1}}};

ccl::Plan with_collective(const std::string& name) {
  const std::string text = R"(<algo coll=")" + name + R"(" ngpus="2" nchunksperloop="2" inplace="1">
    <gpu id="0"><tb id="0" send="1" recv="1">
      <step s="0" type="s" srcbuf="o" srcoff="0" cnt="1"/>
      <step s="1" type="r" dstbuf="o" dstoff="1" cnt="1"/></tb></gpu>
    <gpu id="1"><tb id="0" send="0" recv="0">
      <step s="0" type="s" srcbuf="o" srcoff="1" cnt="1"/>
      <step s="1" type="r" dstbuf="o" dstoff="0" cnt="1"/></tb></gpu></algo>)";
  return parse_msccl({"p.xml", text});
}

}  // namespace

TEST_CASE(
    "MSCCL XML: plans of all shapes are right, end with few slots, and are written and read back equal") {
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator{kPlans}) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    REQUIRE(kShapes.contains(name));
    const Shape& shape = kShapes.at(name);
    const ccl::Plan plan = read_plan(entry.path().string());
    CHECK(plan.collective == shape.collective);
    CHECK(plan.ranks() == shape.ranks);
    CHECK(ccl::judge(plan).right());
    CHECK(ccl::least_slots(plan, true) == shape.slots);
    CHECK(parse_msccl({"again", to_msccl(plan)}).same_steps(plan));
    ++seen;
  }
  CHECK(seen == kShapes.size());
}

TEST_CASE("MSCCL XML: a collective's name has letters of either case, and lines or none") {
  for (const char* name : {"allgather", "AllGather", "all_gather", "ALLGATHER"}) {
    CAPTURE(name);
    CHECK(with_collective(name).collective == Collective::all_gather);
  }
  CHECK(with_collective("Custom").custom);
  CHECK(with_collective("custom").collective_name() == "custom");
  CHECK_THROWS_WITH_AS((void)with_collective("alltonext"),
                       doctest::Contains("p.xml:1:7: there is no collective 'alltonext'"), InputError);
}

}  // namespace kbsim::inputs::test::msccl_shapes_test
