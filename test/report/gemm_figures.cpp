#include "kbsim/report/gemm_figures.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <doctest/doctest.h>

using namespace kbsim;
using namespace kbsim::report;

namespace {

boost::json::object gemm_row(const char* shape, const char* staging, bool under_tile) {
  boost::json::object row{{"shape", shape}, {"staging", staging}, {"under_tile", under_tile}};
  for (const char* key : {"dma_in_span_ns", "fetch_span_ns", "gemm_span_ns", "dma_out_span_ns"})
    row[key] = 16.0;
  for (const char* key :
       {"mac_utilization", "useful_efficiency", "ideal_mac_utilization", "ideal_useful_efficiency"})
    row[key] = 0.25;
  return row;
}

boost::json::array gemm_rows() {
  boost::json::array rows;
  for (const char* staging : {"ref_ref", "load_ref", "load_load"}) {
    rows.push_back(gemm_row("16x32x16", staging, true));
    rows.push_back(gemm_row("64x256x64", staging, false));
    rows.push_back(gemm_row("512x512x512", staging, false));
  }
  return rows;
}

}  // namespace

TEST_CASE("checklist 27: the documents' three GEMM figures are of load_ref, without 512 x 512 x 512") {
  const std::vector<Figure> figures = load_ref_figures(gemm_rows());
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].data ==
        "run,dma_in_span_ns,fetch_span_ns,gemm_span_ns,dma_out_span_ns\n16x32x16*,16,16,16,16\n"
        "64x256x64,16,16,16,16\n");
  CHECK(figures[1].data == "run,mac_utilization,useful_efficiency\n16x32x16*,25,25\n64x256x64,25,25\n");
  CHECK(figures[2].data.starts_with(
      "run,ideal_mac_utilization,mac_utilization,ideal_useful_efficiency,useful_efficiency\n"));
  for (const Figure& figure : figures) CHECK(figure.script.find(figure.name + ".csv") != std::string::npos);
}

TEST_CASE("checklist 27: rows that have none of load_ref have none of these figures") {
  CHECK(load_ref_figures({gemm_row("16x32x16", "ref_ref", true)}).empty());
}
