// Collectives by the command: every operation of every type is right, and what is wrong is counted.
#include <cstdint>
#include <map>
#include <sstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

using namespace kbsim::test;

namespace {

const std::string kCcl = "--topology topology.yaml --bench ccl --quiet --json ";
const std::string kOneCube = "--set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 ";

boost::json::array rows_of(const Outcome& outcome) {
  REQUIRE_MESSAGE(!outcome.out.empty(), outcome.err);
  return boost::json::parse(outcome.out).at("rows").as_array();
}

double number(const boost::json::value& row, const char* key) { return row.at(key).to_number<double>(); }

}  // namespace

TEST_CASE("--bench ccl: sums, products, extremes of every type are right, by each way of reducing") {
  const std::string few = kCcl + kOneCube + "--set system.sips.count=3 -b 96 -e 1K -f 8 ";
  for (const char* algorithm : {"ring_allreduce_tcm", "tree_allreduce", "pipelined_ring_allreduce",
                                "hierarchical_allreduce", "ring_reduce", "ring_reduce_scatter"}) {
    for (const char* type : {"half", "bfloat16", "float", "double", "int8", "uint8", "int32"}) {
      for (const char* op : {"sum", "prod", "max", "min"}) {
        CAPTURE(algorithm);
        CAPTURE(type);
        CAPTURE(op);
        const Outcome outcome = run_kbsim(few + "--algorithm " + algorithm + " -d " + type + " -o " + op);
        CHECK_MESSAGE(outcome.exit == 0, outcome.err);
        for (const boost::json::value& row : rows_of(outcome)) CHECK(number(row, "nwrong") == 0);
      }
    }
  }
}

TEST_CASE("--bench ccl: wrong elements of all parts of all ranks count, whichever is looked at last") {
  const std::string forgetful = kCcl + "--plugin " KBSIM_BINARY
                                       "/contract/plugins/plugin_forgetful.so --algorithm ring_broadcast "
                                       "--set ccl.algorithms.ring_broadcast.kernel=forgetful "
                                       "--set ccl.algorithms.ring_broadcast.mapper=all_pes "
                                       "--set ccl.algorithms.ring_broadcast.validator=multi_pe_sip_local ";
  const int parts = 8;
  const double elements = 256;
  for (const char* root : {"0", "1"}) {
    CAPTURE(root);
    const Outcome outcome = run_kbsim(forgetful + kOneCube + "-b 512 -e 512 -r " + root);
    CHECK(outcome.exit == 7);
    const double wrong = number(rows_of(outcome)[0], "nwrong");
    CHECK(wrong > 0.6 * elements * parts);  // of all ranks but the root, whose own numbers are right
    CHECK(wrong <= elements * parts);
  }
}

TEST_CASE("--bench ccl: the bus factor is nccl-tests' for any number of ranks") {
  for (const int ranks : {2, 3, 5, 7, 8, 12, 16, 31}) {
    CAPTURE(ranks);
    const double others = (ranks - 1.0) / ranks;
    const std::map<std::string, double> factors{{"chunked_ring_allreduce", 2 * others},
                                                {"ring_all_gather", others},
                                                {"ring_reduce_scatter", others},
                                                {"ring_all_to_all", others},
                                                {"ring_broadcast", 1.0},
                                                {"ring_reduce", 1.0},
                                                {"hello_send", 1.0}};
    for (const auto& [algorithm, factor] : factors) {
      CAPTURE(algorithm);
      const Outcome outcome =
          run_kbsim(kCcl + kOneCube + "--set cube.pe_layout.pe_per_corner=1 --set system.sips.count=" +
                    std::to_string(ranks) + " --algorithm " + algorithm + " -c 0 -b 1K -e 1K");
      REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
      const boost::json::value row = rows_of(outcome)[0];
      CHECK(number(row, "bus_bw") == doctest::Approx(factor * number(row, "alg_bw")).epsilon(1e-9));
    }
  }
}
