// Each row of an evaluation has its path, its timeline and its machine in the folder of --out.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::recorded_rows_test {

using namespace kbsim::test;
using report_page_test::page_in;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const std::string kQuick = "--topology topology.yaml --no-try --quiet ";

// The folder of a run that has ended well.
std::string folder_of(const std::string& name, const std::string& arguments) {
  std::string folder = fresh_place("rows_" + name).string();
  const Outcome outcome = run_kbsim(kQuick + arguments + " --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return folder;
}

json::value json_in(const std::string& file) { return json::parse(contents(file)); }

std::string row_in(const std::string& folder, std::size_t row) {
  return folder + "/rows/" + std::to_string(row);
}

json::array rows_of(const std::string& folder) {
  return json_in(folder + "/summary.json").at("rows").as_array();
}

json::value data_of(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at)).at(0);
}

// A row's path has its time, its segments sum to that, and its timeline has slices.
void check_row(const std::string& folder, std::size_t row, const char* time_us) {
  CAPTURE(row);
  const json::value path = json_in(row_in(folder, row) + "/explain.json").at("paths").at(0);
  const auto length = path.at("length_ps").to_number<std::int64_t>();
  CHECK(static_cast<double>(length) ==
        doctest::Approx(1e6 * rows_of(folder).at(row - 1).at(time_us).to_number<double>()));
  std::int64_t sum = 0;
  for (const json::value& part : path.at("path").as_array())
    sum += part.at("to_ps").to_number<std::int64_t>() - part.at("from_ps").to_number<std::int64_t>();
  CHECK(sum == length);
  const json::value spans = json_in(row_in(folder, row) + "/spans.json");
  CHECK(!spans.at("start").as_array().empty());
  CHECK(spans.at("title").as_string().ends_with(", row " + std::to_string(row)));
  for (const char* table : {"links.csv", "units.csv"}) CHECK(fs::exists(row_in(folder, row) + "/" + table));
}

}  // namespace

TEST_CASE("Recorded rows: each size of --bench ccl has its path and timeline, on any number of packages") {
  for (const int packages : {2, 4, 8}) {
    CAPTURE(packages);
    const std::string job =
        "--bench ccl -b 64 -e 1K -c 0 --set system.sips.count=" + std::to_string(packages);
    const std::string folder = folder_of("ccl" + std::to_string(packages), job);
    REQUIRE(rows_of(folder).size() == 3);
    for (std::size_t row = 1; row <= 3; ++row) {
      check_row(folder, row, "time");
      CHECK(!fs::exists(row_in(folder, row) + "/config.resolved.yaml"));  // it is the run's machine
    }
    const json::value explained = json_in(folder + "/explain.json");
    CHECK(explained.at("row") == 3);
    for (const json::value& limit : explained.at("limits").as_array()) CHECK(!limit.as_string().empty());
    const std::string plain = folder_of("plain", job + " --no-report");
    CHECK(contents(plain + "/results.csv") == contents(folder + "/results.csv"));
    const json::value run = json_in(folder + "/run.json").at("run");
    CHECK(run.at("digest") == json_in(plain + "/run.json").at("run").at("digest"));
    CHECK(run.at("simulated_ps") == json_in(plain + "/run.json").at("run").at("simulated_ps"));
  }
}

TEST_CASE("Recorded rows: layers of one size have a simulation each, and the machine of one package") {
  const std::string layers = written("twice.csv", "layer,m,n,k\na,32,32,64\nb,64,32,64\nc,32,32,64\n");
  const std::string folder = folder_of("gemm", "--bench gemm --num-threads 2 --layers " + layers);
  for (std::size_t row = 1; row <= 3; ++row) {
    check_row(folder, row, "time_us");
    CHECK(contents(row_in(folder, row) + "/config.resolved.yaml").find("count: 1") != std::string::npos);
  }
  const json::value data = data_of(page_in(folder));
  CHECK(data.at("drawings").as_array().size() == 1);
  CHECK(data.at("drawing") == data.at("drawings").at(0));
}

TEST_CASE("Recorded rows: the page has each row, and draws the machine of the explained one") {
  const std::string folder = folder_of("mlp", "--bench tp_mlp");
  const json::value data = data_of(page_in(folder));
  const json::array& rows = data.at("rows").as_array();
  REQUIRE(rows.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(rows[i].at("row") == i + 1);
    CHECK(rows[i].at("drawing") == i);
    CHECK(rows[i].at("explain").at("paths").at(0).at("path").at("length").as_array().size() > 1);
    CHECK(rows[i].at("spans").at("start").as_array().size() > 1);
  }
  CHECK(data.at("drawing") == data.at("drawings").at(2));
  CHECK(run_kbsim("report " + folder + " --quiet --out " + folder + "/again.html").exit == 0);
  CHECK(contents(folder + "/again.html") == page_in(folder));
  const std::string asked = folder_of("mlp_of", "--bench tp_mlp --explain --of row:1");
  CHECK(json_in(asked + "/explain.json").at("row") == 1);
  CHECK(data_of(page_in(asked)).at("drawing") == data.at("drawings").at(0));
}

TEST_CASE("Recorded rows: the last row and then short ones, up to 200 000 events; a long row has no folder") {
  const std::string folder = folder_of("budget", "--bench ccl -b 1K -e 1M -f 32 -c 0");
  REQUIRE(rows_of(folder).size() == 3);
  CHECK(fs::exists(row_in(folder, 1)));
  CHECK(!fs::exists(row_in(folder, 3)));
  const json::value explained = json_in(folder + "/explain.json");
  CHECK(explained.at("paths").as_array().empty());
  CHECK(explained.at("why_not").as_string().starts_with("row 3 has "));
  CHECK(!explained.at("limits").at(0).as_string().empty());
  CHECK(explained.at("limits").at(2).as_string().empty());
}

TEST_CASE("Recorded rows: --no-report records none, and a later run's rows replace those of an earlier one") {
  const std::string folder = folder_of("stale", "--bench ccl -b 64 -e 1K -c 0");
  CHECK(fs::exists(row_in(folder, 3)));
  CHECK(run_kbsim(kQuick + "--bench ccl -b 64 -e 256 -c 0 --out " + folder).exit == 0);
  CHECK(fs::exists(row_in(folder, 2)));
  CHECK(!fs::exists(row_in(folder, 3)));
  const auto before = fs::last_write_time(row_in(folder, 1) + "/spans.json");
  CHECK(run_kbsim(kQuick + "--bench ccl -b 64 -e 256 -c 0 --reuse --out " + folder).exit == 0);
  CHECK(fs::last_write_time(row_in(folder, 1) + "/spans.json") == before);
  CHECK(run_kbsim(kQuick + "--bench ccl -b 64 -e 256 -c 0 --no-report --out " + folder).exit == 0);
  CHECK(!fs::exists(folder + "/rows"));
  fs::create_directories(folder + "/rows/mine");
  const Outcome refused = run_kbsim(kQuick + "--bench ccl -b 64 -e 256 -c 0 --out " + folder);
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("rows there isn't of an earlier run") != std::string::npos);
  CHECK(fs::exists(folder + "/rows/mine"));
}

TEST_CASE("Recorded rows: a model's phases show a step of one layer of each kind") {
  const std::string folder = folder_of("llm", "--bench llm --timing-only --phase decode --context 64");
  const json::value explained = json_in(row_in(folder, 1) + "/explain.json");
  CHECK(explained.at("paths").at(0).at("of").as_string().starts_with("row:1, decode of 1 layer "));
  CHECK(!json_in(row_in(folder, 1) + "/spans.json").at("start").as_array().empty());
  const std::string large = folder_of("llm_large", "--bench llm --timing-only --phase prefill");
  CHECK(!fs::exists(large + "/rows"));
  const std::string why{json_in(large + "/explain.json").at("why_not").as_string()};
  CHECK(why.starts_with("row 1 isn't simulated again for a page: stopped at "));
  CHECK(why.find('\n') == std::string::npos);
}

}  // namespace kbsim::contract::recorded_rows_test
