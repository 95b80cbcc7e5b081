// Views of report.html: findings, operations, roofline, traffic and memory have the figures of their files.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::report_page_views_test {

using namespace kbsim::test;
using namespace report_page_test;

namespace {

namespace json = boost::json;

std::string ran(const std::string& name, const std::string& command, int exit = 0) {
  const std::string folder = fresh_place("report_views_" + name).string();
  const Outcome outcome = run_kbsim(command + " --quiet --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == exit, outcome.err);
  return folder;
}

const std::string& usual_folder() {
  static const std::string folder = ran("usual", kMainJob);
  return folder;
}

using Rows = std::vector<std::map<std::string, std::string>>;

// Cells of a line; those in quotes may have commas.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

Rows rows_of(const std::string& folder, const std::string& name) {
  std::istringstream in{contents(folder + "/" + name)};
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells_of(line);
  Rows rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    REQUIRE(cells.size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == 0) rows.emplace_back();
      rows.back()[names[i]] = cells[i];
    }
  }
  return rows;
}

double number(const std::map<std::string, std::string>& row, const std::string& column) {
  return std::stod(row.at(column));
}

constexpr std::string_view kData = R"(<script id="data" type="application/json">)";

// The page with other data of its first run.
std::string changed(std::string page, auto change) {
  const std::size_t begin = page.find(kData) + kData.size();
  const std::size_t end = page.find("</script>", begin);
  json::value data = json::parse(page.substr(begin, end - begin));
  change(data.at(0).as_object());
  std::string text;
  for (const char c : json::serialize(data)) c == '<' ? text += "\\u003c" : text += c;
  return page.replace(begin, end - begin, text);
}

void without_findings(json::object& run) { run.at("explain").as_object().erase("findings"); }

const std::string kFindings =
    "told = JSON.stringify([...document.querySelectorAll('#findings-list li')].map(one => [one.dataset.id, "
    "one.textContent]));";

}  // namespace

TEST_CASE("Report page: findings of explain.json stand by their gain, and a click shows the evidence") {
  const std::string page = changed(page_in(usual_folder()), [](json::object& run) {
    run.at("explain").as_object()["findings"] = json::parse(
        R"([{"id": "a", "title": "Small", "gain_ps": 8187, "simulated": true, "evidence": "<b>seen</b>", "place": "sip0.cube0.pe0", "key": null},
            {"id": "b", "title": "Large", "gain_ps": 81871, "simulated": false, "evidence": "two slots", "place": "host>switch", "key": "sip.ucie.overhead_ns"}])");
  });
  if (!has_chromium()) return;
  CHECK(printed_by(page,
                   "const all = [...document.querySelectorAll('#findings-list li')];"
                   "told = all.map(one => one.textContent).join('|');"
                   "all[1].click(); told += '|' + byId('panel').textContent.includes('<b>seen</b>');"
                   "all[0].click(); told += '|' + byId('panel').querySelectorAll('input[type=range]').length;"
                   "[...byId('panel').querySelectorAll('button')].find(one => one.textContent === "
                   "'host>switch').click();"
                   "told += '|' + app.picked.kind + ' ' + app.picked.of;") ==
        "Large: 81.87 ns (10.0 %) less, estimatedtwo slots|Small: 8.187 ns (1.0 %) less, "
        "simulated&lt;b&gt;seen&lt;/b&gt;|true|1|link host&gt;switch");
}

TEST_CASE("Report page: without findings of its own a run's ranks are compared, and the slow one is named") {
  const std::string head =
      "launch,kernel,rank,sip,pes,start_ns,duration_ns,read_bytes,written_bytes,gemm_utilization,"
      "math_utilization,dma_utilization\n";
  const std::string page = changed(page_in(usual_folder()), [&](json::object& run) {
    without_findings(run);
    run.at("tables").as_object()["launches.csv"] = head +
                                                   "0,k,0,0,1,1400,100,0,0,0,0,0\n"
                                                   "1,k,1,1,1,1400,100,0,0,0,0,0\n"
                                                   "2,k,2,2,1,1490,400,0,0,0.25,0,0.5\n";
  });
  if (!has_chromium()) return;
  const json::value all = json::parse(printed_by(page, kFindings));
  std::map<std::string, std::string> texts;
  for (const json::value& one : all.as_array())
    texts[std::string{one.at(0).as_string()}] = std::string{one.at(1).as_string()};
  CHECK(
      texts["slow rank"] ==
      "Rank 2 is slower than the others: 200 ns (24.4 %) less, estimatedk: rank 2 takes 400 ns from 1.49 µs "
      "on; 3 ranks take 200 ns on average.");
  CHECK(texts["late rank"] ==
        "Rank 2 comes late: 60 ns (7.3 %) less, estimatedk: rank 2 begins at 1.49 µs and takes 400 ns; 3 "
        "ranks begin at 1.43 µs on average.");
  CHECK(texts["low MAC utilisation"].find("300 ns (36.6 %) less") != std::string::npos);
  CHECK(all.at(0).at(0).as_string() == "low MAC utilisation");  // the greatest gain first
}

TEST_CASE("Report page: a deadlock's cycle is a finding, and is drawn on the machine") {
  const std::string folder = ran(
      "stuck",
      kMainJob + " --plugin " KBSIM_BINARY
                 "/contract/plugins/plugin_stuck.so --set ccl.algorithms.intercube_allreduce.kernel=stuck",
      8);
  if (!has_chromium()) return;
  CHECK(printed_by(
            page_in(folder),
            "told = document.querySelector('#findings-list li').textContent + '|' + "
            "[...document.querySelectorAll('#drawing .stuck')].map(one => one.dataset.of).join() + '|' + "
            "document.querySelectorAll('#drawing .stuck-arrow polygon').length;") ==
        "Deadlocksip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued; sip0.cube1.pe0 recv W ← "
        "sip0.cube0.pe0 send E: never issued.|sip0.cube0,sip0.cube1|2");
}

TEST_CASE("Report page: two runs have a cause, both meters, timelines on one axis and results that differ") {
  const std::string other = ran("other", kMainJob + " --set sip.ucie.overhead_ns=12");
  const std::string file = written("two.html", "");
  REQUIRE(run_kbsim("report " + other + " --against " + usual_folder() + " --out " + file).exit == 0);
  if (!has_chromium()) return;
  const std::string printed =
      printed_by(contents(file),
                 "told = document.querySelector('#differences .headline').textContent + '|' + "
                 "document.querySelectorAll('#both-meters tr').length + '|';"
                 "const [a, b] = compare.timelines; a.show(50_000, 250_000);"
                 "told += [a, b].map(one => one.view.from + '-' + one.view.to).join() + '|';"
                 "const text = byId('differences').textContent;"
                 "told += text.includes('latency_ns1002.715818.715-184') + '|' + "
                 "text.indexOf('first run (') + ' ' + byId('order').textContent.startsWith('first run: ');");
  CAPTURE(printed);
  CHECK(printed.find("takes 818.7 ns, the first run (") != std::string::npos);
  CHECK(printed.find("1.003 µs: 18.4 % less; overhead −184 ns of −184 ns; ucie −184 ns, most at ") !=
        std::string::npos);
  CHECK(printed.find("; sip.ucie.overhead_ns 12 → 8.|9|50000-250000,50000-250000|true|") !=
        std::string::npos);
  REQUIRE(run_kbsim("report " + other + " --against " + other + " --out " + file).exit == 0);
  CHECK(
      printed_by(contents(file),
                 "told = byId('equal').textContent + '|' + "
                 "document.querySelector('#differences .headline').textContent") ==
      "The runs are equal: their times, paths, timelines, tables and configurations are the same.|Both take "
      "1.003 µs.");
}

TEST_CASE("Report page: rows of two evaluations are joined by their inputs") {
  const std::string command = "--topology topology.yaml --bench ccl -b 1K -e 4K -f 4";
  const std::string one = ran("rows", command);
  const std::string two = ran("rows2", command + " --set sip.ucie.overhead_ns=12");
  const std::string file = written("rows.html", "");
  REQUIRE(run_kbsim("report " + one + " --against " + two + " --out " + file).exit == 0);
  if (!has_chromium()) return;
  const json::value rows =
      json::parse(printed_by(contents(file),
                             "const tables = [...document.querySelectorAll('#differences h3')].find(one => "
                             "one.textContent.startsWith('rows, joined')).parentElement;"
                             "told = JSON.stringify([...tables.querySelectorAll('tbody tr')].map(one => "
                             "[...one.children].map(cell => +cell.textContent)));"));
  const Rows first = rows_of(one, "results.csv");
  const Rows second = rows_of(two, "results.csv");
  REQUIRE(rows.as_array().size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(rows.at(i).at(0).as_int64() == static_cast<std::int64_t>(i) + 1);
    CHECK(rows.at(i).at(1).as_int64() == static_cast<std::int64_t>(i) + 1);
    CHECK(rows.at(i).at(4).to_number<double>() == doctest::Approx(number(first[i], "time")).epsilon(1e-8));
    CHECK(rows.at(i).at(5).to_number<double>() == doctest::Approx(number(second[i], "time")).epsilon(1e-8));
  }
}

TEST_CASE(
    "Report page: a model's operations sum to their file, and each dot of the roofline is one of them") {
  const std::string folder =
      ran("llm", "--topology topology.yaml --bench llm --phase prefill --prompt 8 --layers 1 --on cube");
  const Rows operations = rows_of(folder, "operations.csv");
  const Rows results = rows_of(folder, "results.csv");
  if (!has_chromium()) return;
  const json::value page = json::parse(printed_by(
      page_in(folder),
      "const lines = [...document.querySelectorAll('#operations tr[data-us]')];"
      "const dots = [...document.querySelectorAll('#roofline .dot')].map(one => [one.dataset.name, "
      "+one.dataset.x, +one.dataset.y]);"
      "lines[0].click(); const picked = app.picked.of;"
      "document.querySelector('#roofline .dot').dispatchEvent(new MouseEvent('click'));"
      "told = JSON.stringify({sum: +document.querySelector('#operations h3').dataset.us, sorted: "
      "lines.map(one => +one.dataset.us), first: lines[0].dataset.name, picked, dots, dot: app.picked.of, "
      "peak: +document.querySelector('#roofline [data-peak]').dataset.peak, "
      "bandwidth: +document.querySelector('#roofline [data-bandwidth]').dataset.bandwidth})"));
  double sum = 0.0;
  for (const auto& row : operations) sum += number(row, "path_us");
  CHECK(page.at("sum").to_number<double>() == doctest::Approx(sum).epsilon(1e-9));
  CHECK(page.at("sorted").as_array().size() == operations.size());
  double before = 1e9;
  for (const json::value& us : page.at("sorted").as_array()) {
    CHECK(us.to_number<double>() <= before);
    before = us.to_number<double>();
  }
  CHECK(page.at("picked") == page.at("first"));
  CHECK(page.at("peak").to_number<double>() == doctest::Approx(number(results[0], "peak_flop_per_s")));
  CHECK(page.at("bandwidth").to_number<double>() ==
        doctest::Approx(number(results[0], "peak_hbm_bytes_per_s")));
  std::size_t dots = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const double flop = number(operations[i], "flop");
    const double bytes = number(operations[i], "hbm_bytes");
    if (flop <= 0.0 || bytes <= 0.0) continue;
    REQUIRE(dots < page.at("dots").as_array().size());
    const json::value& dot = page.at("dots").at(dots++);
    CHECK(std::string{dot.at(0).as_string()} == operations[i].at("operation"));
    CHECK(dot.at(1).to_number<double>() == doctest::Approx(flop / bytes).epsilon(1e-9));
    CHECK(dot.at(2).to_number<double>() ==
          doctest::Approx(number(operations[i], "flop_per_s")).epsilon(1e-9));
  }
  CHECK(dots == page.at("dots").as_array().size());
  CHECK(page.at("dot") == page.at("dots").at(0).at(0));
}

TEST_CASE("Report page: a layer's dot is at its roof's share, by the peaks of its PEs") {
  const std::string folder = ran("gemm", "--topology topology.yaml --bench gemm");
  const Rows results = rows_of(folder, "results.csv");
  REQUIRE(results.at(0).at("roofline") == "HBM");
  if (!has_chromium()) return;
  const json::value dot = json::parse(
      printed_by(page_in(folder),
                 "const one = roofline.all[0]; told = JSON.stringify([one.rate / (one.bandwidth * "
                 "one.flop / one.bytes), one.rate / one.peak])"));
  CHECK(dot.at(0).to_number<double>() ==
        doctest::Approx(number(results[0], "roofline_share")).epsilon(2e-3));  // rounds bursts up
  CHECK(dot.at(1).to_number<double>() == doctest::Approx(number(results[0], "utilization")).epsilon(1e-6));
}

TEST_CASE("Report page: messages between packages sum to what the algorithm sends, and links to their file") {
  // Per package 15 cubes send to a root and get the sum back; the two roots exchange theirs: 8 f16 each.
  constexpr int kMessages = 2 * (15 + 15 + 1);
  constexpr int kBytes = 8 * 2;
  double carried = 0.0;
  const Rows links = rows_of(usual_folder(), "links.csv");
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string& link = links[i].at("link");
    const std::size_t to = link.find('>') + 1;
    if (link.substr(0, std::min(link.find('.'), to - 1)) != link.substr(to, link.find('.', to) - to))
      carried += number(links[i], "bytes");
  }
  if (!has_chromium()) return;
  const json::value page = json::parse(printed_by(
      page_in(usual_folder()),
      "const cells = () => [...document.querySelectorAll('#matrix-table td[data-bytes]')].map(one => "
      "+one.dataset.bytes), total = () => +document.querySelector('#matrix-table "
      "[data-total]').dataset.total;"
      "const set = (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event('change')); };"
      "const packages = [...cells(), total()];"
      "document.querySelectorAll('#matrix-table .heated')[1].click(); const picked = app.picked;"
      "set('matrix-level', 2); const cubes = [total(), cells().length];"
      "set('matrix-source', 'links'); const links = [total(), cells().reduce((a, b) => a + b, 0)];"
      "told = JSON.stringify({packages, cubes, links, picked: picked.of, count: "
      "picked.facts.find(([name]) => name === 'messages')[1]})"));
  CHECK(json::serialize(page.at("packages")) ==
        fmt::format("[{},{},{},{},{}]", 30 * kBytes, kBytes, kBytes, 30 * kBytes, kMessages * kBytes));
  CHECK(json::serialize(page.at("cubes")) == fmt::format("[{},{}]", kMessages * kBytes, 32 * 32));
  CHECK(page.at("picked").as_string() == "sip0 → sip1");
  CHECK(page.at("count").as_int64() == 1);
  CHECK(page.at("links").at(0).to_number<double>() == carried);
  CHECK(page.at("links").at(1).to_number<double>() == carried);
}

TEST_CASE("Report page: memory of tensors is memory.csv's, and tiles in TCM are what a kernel holds") {
  const Rows changes = rows_of(usual_folder(), "memory.csv");
  std::map<std::string, std::int64_t> held;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    std::int64_t& bytes = held[changes[i].at("sip") + changes[i].at("memory")];
    const auto change = static_cast<std::int64_t>(number(changes[i], "bytes"));
    bytes += changes[i].at("change") == "free" ? -change : change;
    CHECK(bytes >= 0);
    most = std::max(most, bytes);
  }
  REQUIRE(most > 0);
  if (!has_chromium()) return;
  const json::value page = json::parse(printed_by(
      page_in(usual_folder()),
      "const names = [...document.querySelectorAll('#memory-tensors button')];"
      "names[0].click();"
      "told = JSON.stringify({most: memory.memories[0].most, tiles: memory.tcms[0].most, "
      "picked: app.picked.of, first: memory.memories[0].tensors[0].name, size: "
      "memory.tcms[0].size, areas: document.querySelectorAll('#memory-tensors polygon').length})"));
  CHECK(page.at("most").as_int64() == most);
  CHECK(page.at("picked") == page.at("first"));
  CHECK(page.at("areas").as_int64() > 0);
  CHECK(page.at("size").as_int64() > 0);
}

}  // namespace kbsim::contract::report_page_views_test
