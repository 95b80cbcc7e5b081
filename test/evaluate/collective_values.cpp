// Every collective of ccl.yaml, every type and operation: the values are right, the columns nccl-tests'.
#include <string>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/ccl_point.hpp"

namespace kbsim::evaluate::test::collective_values_test {
namespace {

CclPoint point(const std::string& algorithm, int ranks, Bytes size) {
  static const config::CclSpec ccl = config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml");
  CclPoint point{.machine = {}, .algorithm = ccl.resolve(algorithm), .size = size};
  point.machine.system.sips.count = ranks;
  point.machine.sip.cube_mesh = {.w = 1, .h = 1};
  return point;
}

CclPoint on_four_pes(CclPoint point) {
  point.machine.cube.pe_layout.pe_per_corner = 1;
  return point;
}

double number(const boost::json::object& row, const char* key) { return row.at(key).to_number<double>(); }

}  // namespace

TEST_CASE("simulate: sums, products, extremes of every type are right, by each way of reducing") {
  for (const char* algorithm :
       {"ring_allreduce_tcm", "tree_allreduce", "pipelined_ring_allreduce", "hierarchical_allreduce",
        "ring_reduce", "ring_reduce_scatter", "two_way_ring_allreduce", "line_reduce_scatter",
        "one_shot_allreduce", "one_shot_reduce_scatter", "doubling_allreduce", "halving_reduce_scatter"}) {
    for (const char* type : {"half", "bfloat16", "float", "double", "int8", "uint8", "int32"}) {
      for (const Reduction op : {Reduction::sum, Reduction::prod, Reduction::max, Reduction::min}) {
        for (const Bytes size : {96_B, 768_B}) {
          CAPTURE(algorithm);
          CAPTURE(type);
          CAPTURE(to_string(op));
          CAPTURE(to_string(size));
          CclPoint each = point(algorithm, 3, size);
          each.dtype = dtype_named(type);
          each.op = op;
          CHECK(number(simulate(each), "nwrong") == 0);
        }
      }
    }
  }
}

TEST_CASE("simulate: the bus factor is nccl-tests' for any number of ranks") {
  for (const int ranks : {2, 3, 4, 5, 7, 8, 12, 16, 31}) {
    const double others = (ranks - 1.0) / ranks;
    const auto check = [&](const char* algorithm, double factor) {
      CAPTURE(ranks);
      CAPTURE(algorithm);
      CclPoint each = on_four_pes(point(algorithm, ranks, 1024_B));
      each.repeats.check = false;
      const boost::json::object row = simulate(each);
      CHECK(number(row, "alg_bw") == doctest::Approx(number(row, "size") / number(row, "time") / 1000.0));
      CHECK(number(row, "bus_bw") == doctest::Approx(factor * number(row, "alg_bw")).epsilon(1e-9));
    };
    check("chunked_ring_allreduce", 2 * others);
    check("ring_all_gather", others);
    check("ring_reduce_scatter", others);
    check("ring_all_to_all", others);
    check("ring_broadcast", 1.0);
    check("ring_reduce", 1.0);
    check("hello_send", 1.0);
  }
}

TEST_CASE("simulate: the links between packages are as busy with warm-ups as without") {
  CclPoint each = on_four_pes(point("ring_allreduce_tcm", 2, 4096_B));
  const boost::json::object alone = simulate(each);
  CHECK(alone.at("package_links") != "0>1:0 1>0:0 1>0:0 0>1:0");
  each.repeats = {.warmup = 3, .iterations = 1};
  CHECK(simulate(each).at("package_links") == alone.at("package_links"));
  each.repeats = {.warmup = 3, .iterations = 2};
  CHECK(simulate(each).at("package_links") == alone.at("package_links"));
}

}  // namespace kbsim::evaluate::test::collective_values_test
