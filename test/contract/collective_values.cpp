// Wrong values in a collective's outputs are counted, and decide the command's exit code.
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::collective_values_test {

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
    CHECK(wrong > 0.6 * elements * parts);  // on all ranks but the root, whose own numbers are right
    CHECK(wrong <= elements * parts);
  }
}

}  // namespace kbsim::contract::collective_values_test
