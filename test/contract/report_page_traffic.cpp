// report.html of kbsim traffic: loads, networks of files, a memory's slice, recorded traces.
#include <algorithm>
#include <filesystem>
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::report_page_test {

using namespace kbsim::test;

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

// The folder of a run of kbsim traffic.
std::string traffic(const std::string& name, const std::string& options) {
  const std::string folder = fresh_place("report_" + name).string();
  const Outcome run =
      run_kbsim(fmt::format("traffic --topology topology.yaml {} --quiet --out {}", options, folder));
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  return folder;
}

}  // namespace

TEST_CASE(
    "Report page: a sweep of traffic has its curves with the bound, its network by load, and its tables") {
  const std::string folder = traffic("traffic", "--scope mesh:4x4 --sweep --packets 1000 --warmup 100");
  CHECK(page_in(folder).size() < 2'000'000);
  const std::string rows = contents(folder + "/results.csv");
  const auto points = std::ranges::count(rows, '\n') - 1;
  if (!has_chromium()) return;
  const std::string printed = printed_by(
      page_in(folder),
      "const say = (name, value) => { told += name + (value ? ' ' : ' NOT '); };"
      "const of = name => document.querySelector(`#drawing [data-of=\"${name}\"]`);"
      "told = " +
          kViews +
          " + ' ';"
          "say('curves', document.querySelectorAll('#figures .uplot canvas').length === 2);"
          "say('bound', [...document.querySelectorAll('#figures .u-series')].some(one => "
          "one.textContent.includes('bound')));"
          "say('nodes', document.querySelectorAll('#drawing rect').length === 32);"
          "say('links', document.querySelectorAll('#drawing path').length === 24);"
          "const link = document.querySelector('#drawing [data-of=\"r1_1|r1_2\"]'), busiest = "
          "+link.dataset.value;"
          "say('full', busiest > 0.5);"
          "byId('time').value = 0; byId('time').dispatchEvent(new Event('input'));"
          "say('slid', +link.dataset.value > 0 && +link.dataset.value < 0.2 && "
          "byId('window').textContent.endsWith('% of the bound'));"
          "link.dispatchEvent(new MouseEvent('click')); say('clicked', document.querySelectorAll('#curve "
          "canvas').length === 1);"
          "say('answer', byId('answer').textContent.includes('of a bound of 1 packets'));"
          "const table = lists.all().find(one => one.box.textContent.startsWith('results.csv'));"
          "told += table.rows().length + ' ' + document.title.split(',')[0];");
  CHECK(printed ==
        fmt::format("result,machine,curves,lists,ran curves bound nodes links full slid clicked answer {} "
                    "kbsim mesh:4x4",
                    points));
}

TEST_CASE(
    "Report page: traffic on a part of the machine colours the machine; kbsim report gives the same page") {
  const std::string folder =
      traffic("traffic_sip", "--scope sip0.cubes --load 0.5 --packets 500 --warmup 50");
  CHECK(!fs::exists(folder + "/network.json"));
  const std::string page = page_in(folder);
  REQUIRE(run_kbsim("report " + folder).exit == 0);
  CHECK(page_in(folder) == page);
  if (!has_chromium()) return;
  CHECK(printed_by(page,
                   "told = document.querySelectorAll('#drawing [data-of][style]').length > 20;"
                   "told += ' ' + byId('curves').hidden + ' ' + lists.all().length") == "true true 3");
}

namespace {

std::string page_of_network(const std::string& net) {
  const std::string file = written("net.yaml", net);
  return page_in(traffic("net", "--scope file:" + file + " --load 0.5 --packets 200 --warmup 10"));
}

// Positions of nodes in a network's drawing, by name, as "x y"; and the path of each link.
std::string layout_on(const std::string& page) {
  return printed_by(
      page,
      "const at = name => { const one = document.querySelector(`#drawing rect[data-of=\"${name}\"]`);"
      " return [+one.getAttribute('x'), +one.getAttribute('y')].map(Math.round); };"
      "const names = [...document.querySelectorAll('#drawing text')].map(one => one.textContent);"
      "told = JSON.stringify({places: names.map(name => [name, ...at(name)]),"
      " links: document.querySelectorAll('#drawing path').length, answer: byId('answer').textContent})");
}

}  // namespace

TEST_CASE("Report page: a network of a file stands in its columns, or in layers around its middle") {
  const std::string links = "links: {A<>M: {}, B<>M: {}, C<>M: {}, D<>M: {}}\n";
  const std::string star_page = page_of_network("nodes: [A, B, M, C, D]\nrouting: shortest\n" + links);
  const std::string grid_page = page_of_network(
      "nodes: [A, B, C, D]\ncolumns: 2\nrouting: shortest\nlinks: {A<>B: {}, A<>C: {}, B<>D: {}, C<>D: "
      "{}}\n");
  const std::string line_page =
      page_of_network("nodes: [A, B, C]\nrouting: shortest\nlinks: {A<>B: {}, B<>C: {}}\n");
  if (!has_chromium()) return;
  const json::value star = json::parse(layout_on(star_page));
  CHECK(star.at("links") == 4);
  const json::array& places = star.at("places").as_array();  // the middle first, then its neighbours
  REQUIRE(places.size() == 5);
  CHECK(places[0].at(0) == "M");
  for (std::size_t i = 1; i < places.size(); ++i) {
    CHECK(places[i].at(2) == places[1].at(2));
    CHECK(places[i].at(2).to_number<int>() > places[0].at(2).to_number<int>());
    if (i > 1) CHECK(places[i].at(1).to_number<int>() > places[i - 1].at(1).to_number<int>());
  }
  const json::value grid = json::parse(layout_on(grid_page));
  CHECK(grid.at("places").at(0).at(2) == grid.at("places").at(1).at(2));
  CHECK(grid.at("places").at(0).at(1) == grid.at("places").at(2).at(1));
  const json::value line = json::parse(layout_on(line_page));
  CHECK(line.at("places").at(0).at(2) == line.at("places").at(2).at(2));
  const std::string answer{line.at("answer").as_string()};
  CHECK_MESSAGE(answer.find("of an offered 0.5") != std::string::npos, answer);
  CHECK(answer.find("accepts up to") == std::string::npos);
}

TEST_CASE("Report page: accesses of a memory's slice have their rate, and the curve of their latencies") {
  const std::string folder = traffic("hbm", "--scope hbm --total 64KiB");
  if (!has_chromium()) return;
  const std::string printed =
      printed_by(page_in(folder), "told = " + kViews +
                                      " + ' ' +"
                                      "document.querySelectorAll('#figures canvas').length + ' ' + "
                                      "byId('answer-sentence').textContent + ' ' + document.title");
  CHECK_MESSAGE(printed.starts_with("result,curves,lists,ran 1 The slice moves "), printed);
  CHECK_MESSAGE(printed.find("kbsim hbm, stream, 100 % reads") != std::string::npos, printed);
}

TEST_CASE(
    "Report page: recorded traces have run.json and a page, and kbsim check and diff take their folder") {
  const auto event = [](const char* type, int cycle, const char* more) {
    return fmt::format(R"({{"proc":"NCRISC","noc":"NOC_0","sx":1,"sy":1,"type":"{}","timestamp":{},{}}})",
                       type, cycle, more);
  };
  const std::string trace =
      written("near.json", "[" + event("READ", 100, R"("dx":0,"dy":5,"num_bytes":4096)") + "," +
                               event("READ_BARRIER_START", 110, R"("num_bytes":0)") + "," +
                               event("READ_BARRIER_END", 500, R"("num_bytes":0)") + "]");
  const std::string folder = fresh_place("report_traces").string();
  const std::string slower = fresh_place("report_slower_traces").string();
  const std::string command = "traffic --trace " + trace + " --quiet --out ";
  REQUIRE(run_kbsim(command + folder).exit == 0);
  REQUIRE(run_kbsim(command + slower + " --set hop_ns=20").exit == 0);
  for (const char* file : {"run.json", "summary.json", "config.resolved.yaml", "barriers.csv", "report.html"})
    CHECK_MESSAGE(fs::exists(folder + "/" + file), file);
  CHECK(!fs::exists(folder + "/PARTIAL"));
  const Outcome check = run_kbsim("check " + folder);
  CHECK_MESSAGE(check.exit == 0, check.err);
  const Outcome same = run_kbsim("diff " + folder + " " + folder);
  CHECK_MESSAGE(same.exit == 0, same.err);
  const Outcome differ = run_kbsim("diff " + folder + " " + slower);
  CHECK_MESSAGE(differ.exit == 0, differ.err);
  CHECK_MESSAGE(differ.out.find("hop_ns") != std::string::npos, differ.out);
  const std::string page = page_in(folder);
  REQUIRE(run_kbsim("report " + folder).exit == 0);
  CHECK(page_in(folder) == page);
  if (!has_chromium()) return;
  const std::string printed = printed_by(
      page, "told = " + kViews +
                " + ' ' +"
                "document.querySelectorAll('#figures canvas').length + ' ' + "
                "[...document.querySelectorAll('#figures h3')].map(one => one.textContent) + ' ' + "
                "byId('answer-sentence').textContent");
  CHECK_MESSAGE(
      printed.starts_with("result,curves,lists,ran 1 errors of traces: 2,traces: 1,worst barriers: 2 "
                          "Mean error over 1 judged barriers: "),
      printed);
}

}  // namespace kbsim::contract::report_page_test
