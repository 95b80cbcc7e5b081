// report.html of a sweep in a real browser: what it draws and lists, against the sweep's tables and
// definitions.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/sweep/analysis.hpp"

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::sweep_page_test {

using namespace kbsim::test;
using namespace kbsim::sweep;
using report_page_test::kViews;
using report_page_test::page_in;

namespace {

namespace json = boost::json;

// Hands of a reader, for scripts.
const std::string kHands =
    "const say = (name, value) => { told += name + (value ? ' ' : ' NOT '); };"
    "const choose = (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event('change')); };"
    "const key = (canvas, name) => canvas.dispatchEvent(new KeyboardEvent('keydown', {key: name}));"
    "const clickAt = (canvas, [x, y]) => { const box = canvas.getBoundingClientRect();"
    " canvas.dispatchEvent(new MouseEvent('click', {clientX: box.left + x, clientY: box.top + y})); };"
    "const checks = axis => [...document.querySelectorAll(`fieldset[data-axis=\"${axis}\"] input`)];"
    "const panel = () => byId('panel').querySelector('h2').textContent;";

std::string with_hands(const std::string& page, const std::string& script) {
  return printed_by(page, kHands + script);
}

using Metrics = std::function<std::vector<Metric>(std::size_t point, const std::vector<std::string>& values)>;

// A sweep whose points have these metrics; those without any have failed.
struct Made {
  Made(const Draft& draft, const Metrics& metrics_of)
      : tables{.plan = plan_of(draft), .cache = {}, .rows = {}} {
    static const Record done{.key = "k"};
    static const Record failed{.key = "f", .exit = 8, .message = "deadlock, of <b>two</b>"};
    for (std::size_t i = 0; i < tables.plan.points.size(); ++i) {
      Row row{.point = i,
              .values = values_of(tables.plan, tables.plan.points[i]),
              .command = command_of(tables.plan, tables.plan.points[i]),
              .key = "k",
              .record = &done,
              .metrics = {}};
      row.metrics = metrics_of(i, row.values);
      if (row.metrics.empty()) row.record = &failed;
      tables.rows.push_back(std::move(row));
    }
  }
  [[nodiscard]] std::string page() const { return report_html(tables, chosen_metric(tables, "")); }

  Tables tables;
};

Draft draft_of(const std::vector<std::pair<std::string, std::string>>& axes) {
  Draft draft{.bench = "b"};
  for (const auto& [name, values] : axes) draft.vary(name, {.text = values});
  return draft;
}

Metric time_of(double ns) { return {.name = "t_ns", .unit = "ns", .value = ns}; }

// The folder of a sweep of three axes; made once.
const std::string& swept() {
  static const std::string folder = [] {
    std::string place = fresh_place("sweep_page").string();
    const Outcome outcome = run_kbsim(
        "sweep --quiet --bench ccl_allreduce --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 --set "
        "system.sips.count=2,3,4 --set cube.noc.link_bw_gbs=64..256*2 --set cube.noc.router.overhead_ns=1,2 "
        "--out " +
        place);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return place;
  }();
  return folder;
}

// Lines of results.csv of one metric: the values of the axes, then the number.
struct Line {
  std::size_t point;
  std::vector<std::string> axes;
  double value;
};
std::vector<Line> results_of(const std::string& metric) {
  std::vector<Line> lines;
  std::istringstream in{contents(swept() + "/results.csv")};
  std::string text;
  while (std::getline(in, text)) {
    std::vector<std::string> cells;
    std::istringstream line{text};
    for (std::string cell; std::getline(line, cell, ',');) cells.push_back(cell);
    if (cells.at(4) == metric)
      lines.push_back({std::stoul(cells[0]), {cells[1], cells[2], cells[3]}, std::stod(cells.at(6))});
  }
  return lines;
}

// The least value by the texts of the two axes, in rows of the second; of points that `keeps` keeps.
json::array least_of(const std::vector<Line>& lines, std::size_t x, std::size_t y,
                     const std::function<bool(const Line&)>& keeps) {
  std::map<double, std::map<double, double>> least;
  for (const Line& line : lines) {
    if (!keeps(line)) continue;
    auto& row = least[std::stod(line.axes[y])];
    const auto [cell, is_new] = row.emplace(std::stod(line.axes[x]), line.value);
    if (!is_new) cell->second = std::min(cell->second, line.value);
  }
  json::array rows;
  for (const auto& [_, row] : least) {
    json::array cells;
    for (const auto& [key, value] : row) cells.emplace_back(value);
    rows.push_back(std::move(cells));
  }
  return rows;
}

void check_equal(const json::value& found, const json::array& expected) {
  REQUIRE(found.as_array().size() == expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    REQUIRE(found.at(j).as_array().size() == expected[j].as_array().size());
    for (std::size_t i = 0; i < expected[j].as_array().size(); ++i)
      CHECK(found.at(j).at(i).to_number<double>() ==
            doctest::Approx(expected[j].at(i).to_number<double>()).epsilon(1e-11));
  }
}

// Points that no other beats: at least as good in both and better in one, or equal with a smaller number.
std::vector<std::size_t> unbeaten(const std::vector<std::pair<double, double>>& points, bool larger_a,
                                  bool larger_b) {
  const auto sign = [](bool larger) { return larger ? -1.0 : 1.0; };
  std::vector<std::size_t> front;
  for (std::size_t p = 0; p < points.size(); ++p) {
    bool beaten = false;
    for (std::size_t q = 0; q < points.size(); ++q) {
      const double a = sign(larger_a) * (points[q].first - points[p].first);
      const double b = sign(larger_b) * (points[q].second - points[p].second);
      beaten = beaten || (a <= 0.0 && b <= 0.0 && (a < 0.0 || b < 0.0 || q < p));
    }
    if (!beaten) front.push_back(p);
  }
  return front;
}

}  // namespace

TEST_CASE("Sweep page: twenty lines are drawn, each in its colour; a logarithmic axis has equal steps") {
  if (!has_chromium()) return;
  const Made made{draft_of({{"x.n", "1..32*2"}, {"m", "1..20"}}), [](std::size_t, const auto& values) {
                    return std::vector{time_of(10.0 * std::stod(values[1]) + std::stod(values[0]) / 32.0)};
                  }};
  CHECK(
      with_hands(
          made.page(),
          "choose('x', 'x.n'); const {plane} = curves, all = curves.lines(), marks = plane.scene.marks;"
          "told += `${all.length} lines, ${byId('curves').querySelectorAll('.entry').length} names, "
          "${marks.length} points `;"
          "say('named', all.every(line => line.label.startsWith('m ')));"
          "say('styles', new Set(all.map(line => line.color + line.style)).size === 20);"
          "const pixel = ([x, y]) => '#' + [...plane.canvas.getContext('2d').getImageData(x, y, 1, "
          "1).data].slice(0, 3).map(one => one.toString(16).padStart(2, '0')).join('');"
          "say('drawn', marks.filter(mark => mark.point !== app.best).every(mark => "
          "pixel(plane.at(mark)) === mark.color));"
          "const steps = () => { const at = plane.scene.marks.filter(mark => mark.group === 3).map(mark => "
          "plane.at(mark)[0]); return at.slice(1).map((x, i) => x - at[i]); };"
          "const equal = steps(); say('log', byId('log-x').ariaPressed === 'true' && equal.every(step => "
          "Math.abs(step - equal[0]) < 0.01));"
          "byId('log-x').click(); const linear = steps(); say('linear', linear.every((step, i) => "
          "Math.abs(step - linear[0] * 2 ** i) < 0.01));"
          "byId('log-y').click(); const height = t => plane.at(plane.scene.marks.find(mark => "
          "Math.abs(mark.y - t) < 0.05))[1];"
          "const [a, b, c] = [20, 40, 80].map(height); say('log y', Math.abs((a - b) / (b - c) - 1) < 0.02);"
          "const entry = byId('curves').querySelectorAll('.entry')[7]; entry.dispatchEvent(new "
          "MouseEvent('mouseenter')); const other = plane.scene.marks.find(mark => mark.group === 12);"
          "say('dimmed', pixel(plane.at(other)) !== other.color);"
          "entry.dispatchEvent(new MouseEvent('mouseleave')); say('lit', pixel(plane.at(other)) === "
          "other.color);"
          "clickAt(plane.canvas, plane.at(other)); say('picked', app.choice.point === other.point && "
          "panel() === `point ${other.point}`);"
          "plane.canvas.focus(); key(plane.canvas, 'ArrowRight'); key(plane.canvas, 'ArrowRight'); "
          "key(plane.canvas, 'Enter'); say('keys', app.choice.point !== other.point && panel() === `point "
          "${app.choice.point}`);") ==
      "20 lines, 20 names, 120 points named styles drawn log linear log y dimmed lit picked keys ");
}

TEST_CASE(
    "Sweep page: cells of the heat map are the least values of results.csv, or those of a chosen value") {
  if (!has_chromium()) return;
  const std::vector<Line> lines = results_of("latency_ns");
  REQUIRE(lines.size() == 18);
  const json::value page = json::parse(with_hands(
      page_in(swept()),
      "const all = {};"
      "choose('map-x', 'cube.noc.link_bw_gbs'); choose('map-y', 'system.sips.count'); all.best = map.table();"
      "choose('at-2', '1'); all.second = map.table();"
      "choose('map-x', 'system.sips.count'); choose('map-y', 'cube.noc.router.overhead_ns'); all.turned = "
      "map.table();"
      "all.csv = map.csv();"
      "clickAt(map.canvas, map.middle(2, 1)); all.point = app.sweep.number(app.choice.point);"
      "told = JSON.stringify(all);"));
  check_equal(page.at("best"), least_of(lines, 1, 0, [](const Line&) { return true; }));
  check_equal(page.at("second"), least_of(lines, 1, 0, [](const Line& line) { return line.axes[2] == "2"; }));
  const json::array turned = least_of(lines, 0, 2, [](const Line&) { return true; });
  check_equal(page.at("turned"), turned);
  CHECK(std::string{page.at("csv").as_string()}.starts_with(
      "cube.noc.router.overhead_ns / system.sips.count,2,3,4\n1,"));
  const Line& picked = lines.at(page.at("point").to_number<std::size_t>());
  CHECK(picked.axes[0] == "4");
  CHECK(picked.axes[2] == "2");
  CHECK(picked.value == doctest::Approx(turned.at(1).at(2).to_number<double>()));
}

TEST_CASE("Sweep page: the best point is that of best.txt, and the panel has all numbers and the command") {
  if (!has_chromium()) return;
  const std::vector<Line> lines = results_of("latency_ns");
  const Line& best = *std::ranges::min_element(lines, {}, &Line::value);
  const Line& worst = *std::ranges::max_element(lines, {}, &Line::value);
  const json::value page = json::parse(
      with_hands(page_in(swept()),
                 "const all = {views: " + kViews +
                     ", title: document.title, answer: byId('answer').textContent};"
                     "byId('best').click(); all.best = panel(); all.metrics = "
                     "[...byId('point-metrics').rows].map(row => "
                     "[row.cells[0].textContent, row.cells[1].title]);"
                     "all.commands = [...byId('panel').querySelectorAll('pre')].map(one => one.textContent);"
                     "all.open = byId('panel').querySelector('a').getAttribute('href');"
                     "byId('goal').click(); byId('best').click(); all.largest = panel();"
                     "told = JSON.stringify(all);"));
  CHECK(json::serialize(page.at("views")) == R"(["result","filters","curves","map","front","points"])");
  CHECK(page.at("best").as_string() == fmt::format("point {}", best.point));
  CHECK(page.at("largest").as_string() == fmt::format("point {}", worst.point));
  CHECK(std::string{page.at("title").as_string()}.starts_with("kbsim sweep ccl_allreduce, 18 points, best "));
  CHECK(std::string{page.at("answer").as_string()}.find("the best of 18 points, smaller is better") !=
        std::string::npos);
  std::map<std::string, std::string> metrics;
  for (const json::value& row : page.at("metrics").as_array())
    metrics[std::string{row.at(0).as_string()}] = row.at(1).as_string();
  CHECK(metrics.at("latency_ns") == fmt::format("{:.12g} ns", best.value));
  CHECK(metrics.size() > 10);
  const std::string command{page.at("commands").at(0).as_string()};
  CHECK(contents(swept() + "/best.txt").find("  " + command + "\n") != std::string::npos);
  CHECK(contents(swept() + "/points.csv").find(command + "\n") != std::string::npos);
  const std::string with_out{page.at("commands").at(1).as_string()};
  CHECK(with_out.starts_with("kbsim run --out /"));
  CHECK(with_out.ends_with(command.substr(std::string{"kbsim run"}.size())));
  CHECK(page.at("open").as_string() == fmt::format("point{}/report.html", best.point));
  // The command makes the page that the link opens.
  const std::size_t from = with_out.find("--out ") + 6;
  const std::string own = swept() + fmt::format("/point{}", best.point);
  const Outcome outcome =
      run_kbsim("run --out " + own + with_out.substr(with_out.find(' ', from)) + " --quiet");
  CHECK_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(page_in(own).find("</html>") != std::string::npos);
}

TEST_CASE("Sweep page: the front is what no other point beats, in each of four directions") {
  if (!has_chromium()) return;
  std::vector<std::pair<double, double>> points;
  const Made made{draft_of({{"x.n", "1..20"}, {"m", "1..15"}}), [&](std::size_t i, const auto&) {
                    points.emplace_back(static_cast<double>(i * 7919 % 41),
                                        static_cast<double>(i * 104'729 % 37));
                    return std::vector{time_of(points.back().first),
                                       Metric{.name = "cost", .unit = "1", .value = points.back().second}};
                  }};
  const json::value page = json::parse(with_hands(
      made.page(),
      "choose('a', 't_ns'); choose('b', 'cost'); const all = [];"
      "const add = () => all.push([front.front().map(app.sweep.number), front.plane.scene.marks.filter(mark "
      "=> mark.shape === 'ring').length, +byId('front-list').querySelector('h3').textContent.split(': "
      "')[1]]);"
      "add(); byId('goal-b').click(); add(); byId('goal-a').click(); add(); byId('goal-b').click(); add();"
      "told = JSON.stringify(all);"));
  const std::vector<std::pair<bool, bool>> goals{{false, false}, {false, true}, {true, true}, {true, false}};
  REQUIRE(page.as_array().size() == goals.size());
  for (std::size_t i = 0; i < goals.size(); ++i) {
    const std::vector<std::size_t> expected = unbeaten(points, goals[i].first, goals[i].second);
    std::vector<std::size_t> found;
    for (const json::value& point : page.at(i).at(0).as_array())
      found.push_back(point.to_number<std::size_t>());
    std::ranges::sort(found);
    CHECK(found == expected);
    CHECK(!expected.empty());
    CHECK(page.at(i).at(1).to_number<std::size_t>() == expected.size());
    CHECK(page.at(i).at(2).to_number<std::size_t>() == expected.size());
  }
}

TEST_CASE("Sweep page: --pareto is the page's front") {
  if (!has_chromium()) return;
  const std::string folder = fresh_place("sweep_front").string();
  const Outcome outcome = run_kbsim(
      "sweep --quiet --bench ccl_allreduce --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 --set "
      "system.sips.count=2,3,4 --pareto latency_ns,max:system.sips.count --out " +
      folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(with_hands(page_in(folder),
                   "told = [byId('a').value, byId('b').value, byId('goal-b').textContent, "
                   "front.front().length].join()") == "latency_ns,system.sips.count,larger is better,3");
}

TEST_CASE("Sweep page: filters leave points out of all views; the address restores each choice") {
  if (!has_chromium()) return;
  const Made made{
      draft_of({{"x.n", "1..8*2"}, {"m", "1..3"}, {"--k", "ring,tree"}}), [](std::size_t i, const auto&) {
        return std::vector{time_of(static_cast<double>(1 + i * 5 % 24)),
                           Metric{.name = "rate", .unit = "GB/s", .value = static_cast<double>(i)}};
      }};
  CHECK(
      with_hands(
          made.page(),
          "const ring = checks('k').find((one, i) => i === 0); ring.click();"
          "say('left', app.shown.length === 12 && byId('count').textContent === '12 of 24 points are shown');"
          "say('curves', curves.lines().length === 3); say('table', points.table().rows().length === 12);"
          "say('result', byId('answer').textContent.includes('the best of 12 points'));"
          "say('tree', points.table().rows().every(row => row[3] === 'tree'));"
          "say('chip', byId('chosen').textContent.includes('k: 1 of 2'));"
          "choose('metric', 'rate'); say('larger', byId('goal').textContent === 'larger is better' && "
          "app.sweep.number(app.best) === 23);"
          "choose('x', 'm'); byId('log-y').click(); choose('map-y', 'm'); choose('b', 'x.n'); "
          "byId('goal-b').click(); choose('at-2', '1'); clickAt(map.canvas, map.middle(1, 1));"
          "const shown = () => [curves.csv(), map.csv(), front.csv(), points.csv(), byId('x').value, "
          "byId('log-y').ariaPressed, byId('goal-b').textContent, byId('panel').textContent, "
          "byId('chosen').textContent].join('|');"
          "const before = shown(), address = location.hash;"
          "app.set({...app.choiceIn(''), all: true}); say('reset', shown() !== before && location.hash === "
          "'' && "
          "app.shown.length === 24);"
          "app.set({...app.choiceIn(address), all: true}); say('restored', shown() === before && "
          "location.hash === address);"
          "app.set({...app.choiceIn('#metric=no&x=<b>&not.k=none&point=99&point=&log_x=&at.m=7&only.zz=1&%E0'"
          "), "
          "all: true}); say('passed over', app.shown.length === 24 && app.metric.name === 't_ns' && "
          "app.choice.point === null);"
          "[...document.querySelectorAll('fieldset[data-axis=\"m\"] button')].find(one => one.textContent "
          "=== "
          "'none').click();"
          "say('none', app.shown.length === 0 && byId('answer').textContent.includes('The filters leave no "
          "point'));"
          "say('address', location.hash.includes('none.m=1'));") ==
      "left curves table result tree chip larger reset restored passed over none address ");
}

TEST_CASE("Sweep page: the table is sorted and searched; CSV files have all points") {
  if (!has_chromium()) return;
  CHECK(with_hands(page_in(swept()),
                   "const column = i => points.table().rows().map(row => +row[i]);"
                   "const rises = all => all.every((one, i) => !i || all[i - 1] <= one);"
                   "say('best first', rises(column(4)));"
                   "byId('points').querySelectorAll('th button')[0].click(); "
                   "byId('points').querySelectorAll('th button')[0].click(); say('sorted', rises(column(0)));"
                   "byId('points').querySelector('tbody tr').click(); say('kept', rises(column(0)) && "
                   "panel() === 'point 0' && byId('points').querySelectorAll('tr.marked').length === 1);"
                   "byId('search').value = '256'; byId('search').dispatchEvent(new Event('input'));"
                   "say('searched', points.table().rows().length > 0 && points.table().rows().every(row => "
                   "row.some(cell => cell.includes('256'))));"
                   "told += points.csv().trim().split('\\n').length + ' ' + "
                   "curves.csv().trim().split('\\n').length;") == "best first sorted kept searched 19 19");
}

TEST_CASE("Sweep page: names, values and messages of any text are text") {
  if (!has_chromium()) return;
  const std::string odd = "</script><script>document.title='taken'</script>\"'&<b>\u202eabc,";
  const std::string large(10'000, 'x');
  Made made{draft_of({{"x.n", "1,2"}, {"--k", "a,b"}}),
            [](std::size_t i, const auto&) { return std::vector{time_of(static_cast<double>(i + 1))}; }};
  const Record failed{.key = "f", .exit = 2, .message = odd + large};
  Plan& plan = made.tables.plan;
  plan.bench = odd;
  plan.axes[0].name = odd;
  plan.axes[1].values[0] = {.text = odd, .words = {"--k", odd}};
  plan.axes[1].values[1] = {.text = large, .words = {"--k", large}};
  for (Row& row : made.tables.rows) row.metrics.front().name = odd;
  made.tables.rows[3].record = &failed;
  made.tables.rows[3].metrics.clear();
  const json::value page = json::parse(with_hands(
      report_html(made.tables, odd),
      "const all = {scripts: document.querySelectorAll('main script, header script, aside script, main b "
      "b').length,"
      " title: document.title, lines: curves.lines().map(line => line.label.length), metric: "
      "app.metric.name};"
      "app.set({point: 0}); all.axes = [...byId('point-axes').rows].map(row => [...row.cells].map(cell => "
      "cell.textContent));"
      "all.command = byId('panel').querySelector('pre').textContent;"
      "app.set({point: 3}); all.reason = byId('panel').querySelector('.reason').textContent.length;"
      "app.keep(app.sweep.axes[1], i => i === 0); const address = location.hash; "
      "app.set({...app.choiceIn(''), "
      "all: true}); app.set({...app.choiceIn(address), all: true}); all.left = app.shown.length;"
      "all.wide = document.documentElement.scrollWidth > innerWidth;"
      "told = JSON.stringify(all).replace(/[<>&]/g, one => '\\\\u00' + one.charCodeAt(0).toString(16));"));
  CHECK(page.at("scripts").to_number<int>() == 0);
  CHECK(std::string{page.at("title").as_string()}.starts_with("kbsim sweep " + odd));
  CHECK(page.at("metric").as_string() == odd);
  CHECK(page.at("axes").at(0).at(0).as_string() == odd);
  CHECK(page.at("axes").at(1).at(1).as_string() == odd);
  CHECK(std::string{page.at("command").as_string()} == command_of(plan, plan.points[0]));
  CHECK(page.at("reason").to_number<int>() > 10'000);
  CHECK(page.at("left").to_number<int>() == 2);
  CHECK(!page.at("wide").as_bool());
}

TEST_CASE("Sweep page: no point, one point, none with a number, some without, an axis of words") {
  if (!has_chromium()) return;
  const auto shown = [](const Made& made) {
    return with_hands(made.page(),
                      "told = " + kViews +
                          ".join() + '; ' + (document.querySelector('.broken')?.textContent ?? '') + "
                          "byId('answer').textContent.slice(0, 60);");
  };
  const auto counted = [](std::size_t i, const auto&) {
    return std::vector{time_of(static_cast<double>(i + 1))};
  };
  Made none{draft_of({{"x.n", "1,2"}}), counted};
  none.tables.rows.clear();
  CHECK(shown(none).starts_with("result; The sweep has no points."));
  Made one{draft_of({{"x.n", "1,2"}}), counted};
  one.tables.rows.resize(1);
  CHECK(shown(one).starts_with("result,points; 1 nst_ns: the best of 1 point, smaller is better. point 0"));
  const Made failed{draft_of({{"x.n", "1..3"}}),
                    [](std::size_t, const auto&) { return std::vector<Metric>{}; }};
  CHECK(shown(failed).starts_with(
      "result,filters,points; No point that is shown has a number.3 of 3 points without a"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Made some{draft_of({{"--k", "ring,tree,star"}, {"m", "1,2"}}), [&](std::size_t i, const auto&) {
                    if (i == 1) return std::vector<Metric>{};
                    return std::vector{
                        time_of(i == 0 ? nan : static_cast<double>(10 - i)),
                        Metric{.name = "inf", .unit = "1", .value = 1.0 / static_cast<double>(i - 2)}};
                  }};
  CHECK(
      shown(some).starts_with("result,filters,curves,map,front,points; 5 nst_ns: the best of 4 of 6 points"));
  CHECK(
      with_hands(some.page(),
                 "say('words', app.x.name === 'm'); choose('x', 'k'); say('no log', byId('log-x').disabled);"
                 "say('ticks', curves.plane.scene.x.ticks.map(one => one[1]).join() === 'ring,tree,star');"
                 "say('gaps', byId('gaps').textContent.includes('2 points without a number'));"
                 "say('reasons', byId('reasons').rows.length === 3 && byId('reasons').textContent.includes("
                 "'deadlock, of <b>two</b>') && byId('failed').textContent.includes('1 failed'));"
                 "byId('reasons').querySelector('button').click(); say('why', "
                 "byId('panel').textContent.includes('exit code 8') || panel() === 'point 0');"
                 "say('empty', map.table().flat().filter(one => one === '').length === 2);") ==
      "words no log ticks gaps reasons why empty ");
}

TEST_CASE("Sweep page: ten thousand points open at once") {
  const Made made{
      draft_of({{"x.n", "1..1000000*2 random 20 seed 1"}, {"m", "1..50"}, {"k", "1..10"}}),
      [](std::size_t i, const auto&) {
        std::vector<Metric> all{time_of(static_cast<double>(i * 7919 % 10'007) / 3.0)};
        for (int j = 0; j < 70; ++j)
          all.push_back({.name = fmt::format("m{}_gbs", j), .unit = "GB/s", .value = std::sqrt(i + j)});
        return all;
      }};
  REQUIRE(made.tables.rows.size() == 10'000);
  const std::string page = made.page();
  CHECK(page.size() < 10'000'000);
  if (!has_chromium()) return;
  const std::string printed =
      printed_by(page,
                 "told = `${app.sweep.count} ${curves.lines().length} ${document.title.includes('10000')} "
                 "${performance.now()}`",
                 PageClock::real);
  CHECK(printed.starts_with("10000 200 true "));
  MESSAGE("opened in ", printed.substr(15), " ms");
}

}  // namespace kbsim::contract::sweep_page_test
