// report.html of --out, and kbsim report, in a real browser without a screen.
#include "report_page.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::report_page_test {

using namespace kbsim::test;

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

std::string ran(const std::string& name, const std::string& options = "", int exit = 0) {
  const std::string folder = fresh_place("report_" + name).string();
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --out " + folder + " " + options);
  REQUIRE_MESSAGE(outcome.exit == exit, outcome.err);
  return folder;
}

const std::string& usual_folder() {
  static const std::string folder = ran("usual");
  return folder;
}

}  // namespace

TEST_CASE("Report page: of the default run it is small, and its folder has what it shows") {
  const std::string page = page_in(usual_folder());
  CHECK(page.size() < 2'000'000);
  for (const char* request : {"src=", "href=\"http", "import(", "fetch(", "url(", "XMLHttpRequest"})
    CHECK_MESSAGE(page.find(request) == std::string::npos, request);
  for (const char* file : {"explain.json", "spans.json"}) CHECK(fs::exists(usual_folder() + "/" + file));
  CHECK(page.find("MIT License") != std::string::npos);
}

TEST_CASE("Report page: opens with every view, without an error or a request; its bar is explain.json's") {
  if (!has_chromium()) return;
  const std::string printed = printed_by(
      page_in(usual_folder()),
      "const measured = document.title;" + kWholeRun + "const seen = " + kViews +
          ";const bar = [...document.querySelectorAll('#bar .part')].map(one => [one.dataset.reason, "
          "+one.dataset.ps]);"
          "const wide = [...document.querySelectorAll('#bar .part')].reduce((sum, one) => sum + "
          "one.offsetWidth, 0);"
          "told = JSON.stringify({seen, bar, full: Math.abs(wide - byId('bar').clientWidth) < 12,"
          " measured, verdict: byId('verdict').textContent, answer: byId('answer').textContent,"
          " colored: document.querySelectorAll('#drawing [data-of][style]').length > 20,"
          " path: timeline.timeline.state.path.length, rows: timeline.timeline.rows.length, arrows: "
          "timeline.timeline.state.arrows})");
  REQUIRE_MESSAGE(printed.starts_with("{"), printed);
  const json::value page = json::parse(printed);
  const json::value explained = json::parse(contents(usual_folder() + "/explain.json"));
  const json::value& whole = explained.at("paths").at(0);
  const json::array& reasons = whole.at("reasons").as_array();
  std::int64_t sum = 0;
  REQUIRE(page.at("bar").as_array().size() == reasons.size());
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    CHECK(page.at("bar").at(i).at(0) == reasons[i].at("name"));
    CHECK(page.at("bar").at(i).at(1) == reasons[i].at("ps"));
    sum += page.at("bar").at(i).at(1).as_int64();
  }
  CHECK(sum == whole.at("length_ps").as_int64());
  CHECK(json::serialize(page.at("seen")) ==
        R"(["result","why","findings","machine","timeline","matrix","memory","keys","slack","lists","ran"])");
  CHECK(page.at("full").as_bool());
  CHECK(page.at("colored").as_bool());
  CHECK(page.at("path").as_int64() == static_cast<std::int64_t>(whole.at("path").as_array().size()));
  CHECK(page.at("rows").as_int64() > 50);
  CHECK(page.at("arrows").as_int64() > 10);
  CHECK(std::string{page.at("verdict").as_string()}.find("All numbers are right. digest 21806a183ed53e2c") ==
        0);
  CHECK(page.at("measured").as_string() == "kbsim ccl_allreduce, 818.7 ns");
  CHECK(std::string{page.at("answer").as_string()}.find("sip.ucie.overhead_ns matters most") !=
        std::string::npos);
}

TEST_CASE("Report page: slider, click, zoom, search, sorting and what-if do what they say") {
  if (!has_chromium()) return;
  const std::string printed = printed_by(
      page_in(usual_folder()),
      "const input = (id, value, kind = 'input') => { byId(id).value = value; byId(id).dispatchEvent(new "
      "Event(kind)); };"
      "const colors = () => [...document.querySelectorAll('#drawing [data-of]')].map(one => "
      "one.dataset.value).join();"
      "const say = (name, value) => { told += name + (value ? ' ' : ' NOT '); };"
      "const before = colors(); input('time', 3); say('slid', colors() !== before && "
      "byId('window').textContent.includes('to'));"
      "input('time', -1); say('back', colors() === before);"
      "const link = document.querySelector('#drawing [data-of=\"sip0|sip1\"]');"
      "link.dispatchEvent(new MouseEvent('click')); say('curve', document.querySelectorAll('#curve "
      "canvas').length === 1);"
      "say('value', +link.dataset.value > 0);"
      "const here = () => [...document.querySelectorAll('#drawing .here')].map(one => one.dataset.of).join();"
      "const wedge = document.querySelector('#drawing .zoom'), corner = 'sip1.cube3';"
      "input('cube', 'sip0.cube5', 'change'); say('enlarged', here() === 'sip0.cube5' && "
      "wedge.style.visibility "
      "=== 'hidden');"
      "input('cube', corner, 'change'); say('wedge', here() === corner && wedge.style.visibility === '');"
      "const rows = () => document.querySelectorAll('#derivatives tbody tr').length, all = rows();"
      "document.querySelector('#bar [data-reason=\"wire\"]').click();"
      "say('filtered', rows() < all && rows() > 0 && app.segments.every(one => one.reason === 'wire')"
      " && timeline.timeline.state.path.length === app.segments.length && "
      "document.querySelectorAll('#drawing "
      ".apart').length > 0);"
      "byId('chosen').querySelector('button').click(); say('unfiltered', rows() === all);"
      "const {view, canvas} = timeline.timeline, length = view.to - view.from; canvas.focus();"
      "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, ctrlKey: true}));"
      "say('zoomed', Math.abs((view.to - view.from) / length - 0.8) < 0.01);"
      "const from = view.from; canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'})); "
      "say('panned', view.from > from);"
      "input('search', 'recv e'); say('found', timeline.timeline.state.found.length > 10 && "
      "byId('found').textContent.endsWith('found'));"
      "input('find', 'pe_gemm'); say('searched', lists.all().some(one => one.rows().length === 0));"
      "input('find', '');"
      "const table = lists.all()[0], head = table.box.querySelectorAll('th button')[3]; head.click();"
      "const counts = table.rows().map(row => +row[3]); say('sorted', counts.length > 3 && counts.every((n, "
      "i) => !i || counts[i - 1] >= n));"
      "const text = () => document.querySelector('#derivatives tbody tr').textContent, ten = text();"
      "input('better', 20); say('better', text() !== ten && text().startsWith('sip.ucie.overhead_ns'));"
      "input('path', 1, 'change'); say('launch', app.shownPath.of.startsWith('intercube_allreduce'));");
  CHECK(printed ==
        "slid back curve value enlarged wedge filtered unfiltered zoomed panned found searched sorted better "
        "launch ");
}

TEST_CASE("Report page: what-if says what the run with that key takes") {
  if (!has_chromium()) return;
  const std::string printed =
      printed_by(page_in(usual_folder()),
                 kWholeRun +
                     "const key = app.shownPath.keys.find(one => one.key === 'sip.ucie.overhead_ns');"
                     "told = app.shownPath.length_ps + changeOf(key, 7)");
  const Outcome run = run_kbsim(kMainJob + " --set sip.ucie.overhead_ns=7 --json --quiet");
  CHECK(printed == json::serialize(json::parse(run.out).at("run").at("simulated_ps")));
}

TEST_CASE(
    "Report page: beside a second run it has both and what differs; a run against itself differs in "
    "nothing") {
  const std::string other = ran("other", "--set sip.ucie.overhead_ns=12");
  const std::string file = written("both.html", "");
  const std::string folder = usual_folder();
  REQUIRE(run_kbsim("report " + folder + " --against " + other + " --out " + file).exit == 0);
  const std::string both = contents(file);
  REQUIRE(run_kbsim("report " + folder + " --against " + folder + " --out " + file).exit == 0);
  if (!has_chromium()) return;
  const std::string report =
      "told = [...document.querySelectorAll('#differences h3')].map(one => one.textContent).join('|') + ' # "
      "' +"
      "[...document.querySelectorAll('#differences .scroll table')].slice(1, 2).map(one => "
      "one.querySelector('tbody tr')?.textContent).join('|')";
  const std::string printed =
      printed_by(both, report +
                           ";document.querySelectorAll('#verdict .run')[1].click();"
                           "told += ' # ' + byId('facts').textContent.includes('overhead_ns=12')");
  CAPTURE(printed);
  CHECK(printed.find("totals: 2|keys that differ: 1|results that differ: 5|critical paths, to one "
                     "scale|timelines, on one axis") == 0);
  CHECK(printed.find("sip.ucie.overhead_ns812 # ") != std::string::npos);
  CHECK(printed.ends_with("# true"));
  CHECK(printed_by(contents(file), report) ==
        "totals: 2|critical paths, to one scale|timelines, on one axis from the beginning of each critical "
        "path # ");
}

TEST_CASE("Report page: a deadlock's has its cycle, an exit code, and the timeline until then") {
  const std::string folder =
      ran("stuck",
          "--plugin " KBSIM_BINARY
          "/contract/plugins/plugin_stuck.so --set ccl.algorithms.intercube_allreduce.kernel=stuck",
          8);
  const json::value failure = json::parse(contents(folder + "/failure.json"));
  CHECK(failure.at("exit_code").as_int64() == 8);
  if (!has_chromium()) return;
  const std::string printed = printed_by(
      page_in(folder),
      "told = byId('verdict').textContent + '#' + document.querySelector('.cycles li').textContent + '#' +"
      "timeline.timeline.start.length + '#' + byId('notes').textContent");
  CAPTURE(printed);
  CHECK(printed.find("failed: exit code 8, deadlock or a fault in a kernel.") == 0);
  CHECK(printed.find(
            "cycle: sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued; sip0.cube1.pe0 recv W") !=
        std::string::npos);
  CHECK(printed.find("PARTIAL") != std::string::npos);
}

TEST_CASE("Report page: an evaluation's has its rows and its figures with their bounds") {
  const std::string folder = fresh_place("report_ccl").string();
  const Outcome run =
      run_kbsim("--topology topology.yaml --bench ccl -b 1K -e 16K -f 4 --quiet --out " + folder);
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  CHECK(!fs::exists(folder + "/spans.json"));
  if (!has_chromium()) return;
  CHECK(printed_by(
            page_in(folder),
            "told = document.querySelectorAll('#figures .uplot canvas').length + ' ' +"
            "[...document.querySelectorAll('#figures .u-series')].some(one => "
            "one.textContent.includes('128 GB/s')) + ' ' +"
            "lists.all().find(one => one.box.textContent.startsWith('results.csv')).rows().length + ' ' +"
            "byId('timeline').hidden") == "2 true 3 false");
}

TEST_CASE("Report page: a row of an evaluation is shown by a click, or the command that records it") {
  const std::string folder = fresh_place("report_row").string();
  const Outcome run = run_kbsim(
      "--topology topology.yaml --bench ccl -b 1K -e 1M -f 32 -c 0 --quiet --no-try --out " + folder);
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  if (!has_chromium()) return;
  CHECK(
      printed_by(
          page_in(folder),
          "const line = n => byId('rows').querySelectorAll('tbody tr')[n - 1];"
          "line(1).click(); told += byId('rows').textContent.includes('row 1 of 3') + ' ' + app.row + ' ';"
          "line(2).click(); told += app.row + ' ' + timeline.timeline.start.length + ' ';"
          "line(3).click(); told += byId('panel').querySelector('.command').textContent") ==
      fmt::format("true 1 2 {} kbsim run --topology topology.yaml --bench ccl -b 1K -e 1M -f 32 -c 0 --quiet "
                  "--no-try --explain --of row:3 --out row3",
                  json::parse(contents(folder + "/rows/2/spans.json")).at("start").as_array().size()));
}

TEST_CASE(
    "Report page: launches and operations with their shares, lines and slacks, as explain.json has them") {
  const std::string folder = fresh_place("report_slack").string();
  const Outcome run = run_kbsim("explain " + kMainJob + " --quiet --out " + folder);
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  const json::value explained = json::parse(contents(folder + "/explain.json"));
  const json::value& whole = explained.at("paths").at(0);
  const json::array& ops = whole.at("ops").as_array();
  const json::value& first = ops.at(0);
  const auto* const of_kernel = std::ranges::find_if(
      ops, [](const json::value& op) { return op.at("line").as_string().starts_with("kernels/"); });
  REQUIRE(of_kernel != ops.end());
  const json::value& slack = whole.at("op_slack").at(0);
  if (!has_chromium()) return;
  const std::string printed = printed_by(
      page_in(folder),
      kWholeRun +
          "const rows = i => slack.all()[i].rows(), find = (i, cell, text) => rows(i).find(row => row[cell] "
          "=== "
          "text);"
          "const own = [...document.querySelectorAll('#slack h3')].map(one => one.textContent.split(':')[0]);"
          "const top = rows(1)[0], of = find(1, 0, '" +
          std::string{of_kernel->at("op").as_string()} +
          "'), sums = rows(1).map(row => +row[3]);"
          "const sorted = sums.every((n, i) => !i || sums[i - 1] >= n);"
          "slack.all()[1].box.querySelectorAll('th button')[5].click();"
          "const by = rows(1).map(row => +row[5]), again = by.every((n, i) => !i || by[i - 1] >= n);"
          "byId('findop').value = '" +
          std::string{slack.at("op").as_string()} +
          "'; byId('findop').dispatchEvent(new Event('input'));"
          "const found = find(1, 0, '" +
          std::string{slack.at("op").as_string()} +
          "');"
          "byId('findop').value = ''; byId('findop').dispatchEvent(new Event('input'));"
          "const launches = rows(0).length;"
          "document.querySelector('#bar [data-reason=\"memory access\"]').click();"
          "const filtered = rows(1).every(row => row[5] === '0');"
          "told = JSON.stringify({own, top, sorted, again, found, launches, filtered, of})");
  REQUIRE_MESSAGE(printed.starts_with("{"), printed);
  const json::value page = json::parse(printed);
  CHECK(json::serialize(page.at("own")) == R"(["launches","operations of the run"])");
  CHECK(page.at("top").at(0) == first.at("op"));
  CHECK(page.at("top").at(1) == first.at("what"));
  CHECK(page.at("of").at(1) == of_kernel->at("what"));
  CHECK(page.at("of").at(2) == of_kernel->at("line"));
  CHECK(page.at("found").at(2) == slack.at("line"));
  CHECK(std::stod(std::string{page.at("top").at(3).as_string()}) * 1000.0 ==
        doctest::Approx(first.at("ps").to_number<double>()));
  for (const char* flag : {"sorted", "again", "filtered"}) CHECK_MESSAGE(page.at(flag).as_bool(), flag);
  CHECK(page.at("launches") == 3);
  CHECK(page.at("found").at(3) == "0");
  CHECK(std::stod(std::string{page.at("found").at(5).as_string()}) * 1000.0 ==
        doctest::Approx(slack.at("ps").to_number<double>()));
}

TEST_CASE("Report page: a row of an evaluation has its path and its operations") {
  const std::string folder = fresh_place("report_row").string();
  const Outcome run =
      run_kbsim("explain --topology topology.yaml --bench gemm --of row:1 --quiet --out " + folder);
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  if (!has_chromium()) return;
  CHECK(
      printed_by(
          page_in(folder),
          "told = byId('why').hidden + ' ' + byId('slack').hidden + ' ' + "
          "byId('answer-sentence').textContent.startsWith('critical path of row:1, divided_matmul') + ' ' + "
          "document.querySelectorAll('#bar .part').length")
          .starts_with("false false true "));
}

namespace {

// The largest number in use of a series of spans.json, in whole units; -1 if there is no series of that name.
double most_used(const std::string& folder, const std::string& name) {
  double most = -1.0;
  const json::value spans = json::parse(contents(folder + "/spans.json"));
  for (const json::value& one : spans.at("series").as_array()) {
    if (one.at("name").as_string() != name) continue;
    for (const json::value& value : one.at("values").as_array())
      most = std::max(most, value.to_number<double>() / 1000.0);
  }
  return most;
}

}  // namespace

TEST_CASE(
    "Report page: slots in use are all that there are where they limit, and one where a vector is a tile") {
  const std::string ring =
      "--timing-only --set ccl.defaults.algorithm=chunked_ring_allreduce --set "
      "ccl.algorithms.chunked_ring_allreduce.n_elem=65536 --set "
      "ccl.algorithms.chunked_ring_allreduce.n_slots=";
  CHECK(most_used(ran("slots2", ring + "2"), "least free slots") == 2.0);
  CHECK(most_used(usual_folder(), "least free slots") == 1.0);
  CHECK(most_used(usual_folder(), "free credits") == -1.0);  // queues are without limit
  const std::string queued = ran("credits", "--set cube.noc.router.impl=builtin.router_vc");
  CHECK(most_used(queued, "least free credits") > 0.0);
  CHECK(most_used(queued, "free credits") <= most_used(queued, "least free credits"));
}

TEST_CASE("Report page: what can't be explained, stopped early or isn't recorded has one all the same") {
  const std::string silent = ran("silent", "--set cube.hbm_ctrl.impl=silent --plugin " KBSIM_BINARY
                                           "/contract/plugins/plugin_silent.so");
  const json::value explained = json::parse(contents(silent + "/explain.json"));
  CHECK(explained.at("paths").as_array().empty());
  CHECK(page_in(silent).find("kbsim explain names it") != std::string::npos);
  const std::string early = ran("early", "--stop-at 1500", 4);
  CHECK(json::parse(contents(early + "/failure.json")).at("meaning").as_string() == "limit reached");
  CHECK(fs::exists(early + "/report.html"));
  const std::string bare = ran("bare", "--stop-at 1500 --no-report", 4);
  CHECK(json::parse(contents(bare + "/failure.json")).at("meaning").as_string() == "limit reached");
  CHECK(!fs::exists(bare + "/report.html"));
  const std::string none = ran("none", "--no-report");
  for (const char* file : {"report.html", "explain.json", "spans.json"})
    CHECK(!fs::exists(none + "/" + file));
  CHECK(run_kbsim("report " + none).exit == 0);
  CHECK(fs::exists(none + "/report.html"));
}

TEST_CASE("kbsim report: a folder of no run is reported, and nothing is written") {
  const auto refused = [](const std::string& arguments, const std::string& says) {
    const Outcome outcome = run_kbsim(arguments);
    CAPTURE(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(says) != std::string::npos);
  };
  refused("report no_such_folder", "no such folder");
  const std::string folder = fresh_place("report_nothing").string();
  fs::create_directories(folder);
  refused("report " + folder, "has nothing of a run");
  std::ofstream{folder + "/run.json"} << "{\"run\": ";
  refused("report " + folder, "run.json: isn't what a run wrote with --out");
  CHECK(!fs::exists(folder + "/report.html"));
  std::ofstream{folder + "/plan.json"} << "{}\n";
  refused("report " + folder, "kbsim sweep merge");
  refused(kMainJob + " --no-report", "--no-report has no effect without --out");
}

TEST_CASE("Report page: texts of others can't end its scripts or ask for anything") {
  const std::string folder = fresh_place("report_texts").string();
  fs::create_directories(folder);
  std::ofstream{folder + "/run.json"}
      << R"({"command": ["kbsim", "</script><img src=x onerror=told=1>"], "run": {}})";
  REQUIRE(run_kbsim("report " + folder).exit == 0);
  CHECK(page_in(folder).find("<img") == std::string::npos);
  if (!has_chromium()) return;
  CHECK(printed_by(page_in(folder), "told = byId('facts').textContent.includes('<img src=x')") == "true");
}

}  // namespace kbsim::contract::report_page_test
