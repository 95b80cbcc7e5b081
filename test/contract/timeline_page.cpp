// --trace FILE.html in a real browser, without a screen: skipped where Debian's chromium isn't installed.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::timeline_page_test {

using namespace kbsim::test;

namespace {

std::string page_of(const std::string& options) {
  const std::string file = written("run.html", "");
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --trace " + file + " " + options);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return contents(file);
}

}  // namespace

TEST_CASE("Timeline page: asks nothing of any network, and is small") {
  const std::string page = page_of("");
  CHECK(page.size() < 2'000'000);
  for (const char* request : {"http:", "https:", "src=", "href=", "import(", "fetch(", "url("})
    CHECK_MESSAGE(page.find(request) == std::string::npos, request);
}

TEST_CASE("Timeline page: opens, zooms, pans, finds and names, by mouse and by keys") {
  if (!has_chromium()) return;
  const std::string page = page_of("");
  CHECK(printed_by(page, "told = document.title + ' ' + (timeline.start.length === data.length.length)") ==
        "kbsim ccl_allreduce true");
  CHECK(printed_by(page,
                   "const {view, canvas} = timeline; const before = view.to - view.from; "
                   "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -1}));"
                   "told = Math.round((view.to - view.from) / before * 100)") == "80");
  CHECK(
      printed_by(page,
                 "const {view, zoom, canvas} = timeline; zoom(0.5, (view.from + view.to) / 2); const from = "
                 "view.from;"
                 "canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));"
                 "told = view.from > from") == "true");
  CHECK(printed_by(page,
                   "const field = document.getElementById('search'); field.value = 'recv e';"
                   "const {data, name, rows, rowOf, state, next} = timeline;"
                   "field.dispatchEvent(new Event('input')); next();"
                   "told = state.found.length > 10 && state.found.every(i => "
                   "data.strings[name[i]].toLowerCase().includes('recv e') ||"
                   " rows[rowOf(i)].label.includes('recv e')) && state.current === 0") == "true");
  CHECK(printed_by(page,
                   "const {name, start, length, show, reveal, draw, xOf, firstY, textOf, sliceAt} = timeline;"
                   "const i = Array.from(name).findIndex(one => data.strings[one] === 'load');"
                   "show(start[i], start[i] + length[i]); reveal(i); draw();"
                   "const place = {x: xOf(start[i] + length[i] / 2), y: firstY() + 5};"
                   "told = textOf(sliceAt(place.x, place.y)).split('\\n')[0]") == "load");
}

TEST_CASE("Timeline page: draws what is there, where it is") {
  if (!has_chromium()) return;
  CHECK(printed_by(
            page_of(""),
            "const {name, start, length, kind, pen, show, reveal, draw, xOf, firstY} = timeline;"
            "const i = Array.from(name).findIndex(one => data.strings[one] === 'load');"
            "show(start[i], start[i] + length[i]); reveal(i); draw();"
            "const ratio = window.devicePixelRatio || 1;"
            "const dot = pen.getImageData(xOf(start[i] + length[i] / 2) * ratio, (firstY() + 15) * "
            "ratio, 1, 1).data;"
            "told = '#' + Array.from(dot.slice(0, 3)).map(c => c.toString(16).padStart(2, '0')).join('') "
            "+ ' ' +"
            "data.kinds[kind[i]].color") == "#6baed6 #6baed6");
}

TEST_CASE("Timeline page: a hundred thousand slices are drawn in less than a fifth of a second") {
  if (!has_chromium()) return;
  const std::string file = written("run.html", "");
  const Outcome outcome = run_kbsim(
      "--topology topology.yaml --bench ccl -b 512K -e 512K -c 0 --algorithm chunked_ring_allreduce --quiet "
      "--trace-units '*' --trace " +
      file);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(printed_by(contents(file),
                   "timeline.draw(); const begin = performance.now(); timeline.draw(); const took = "
                   "performance.now() - begin;"
                   "told = (timeline.start.length > 100000) + ' ' + (took < 200 ? 'quick' : took)") ==
        "true quick");
}

}  // namespace kbsim::contract::timeline_page_test
