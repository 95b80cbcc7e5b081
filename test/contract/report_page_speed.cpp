// Time of a frame of a page's timeline, in a real browser. It never fails on a time: test_contract
// -tc="Report page: a million*" --no-skip
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::report_page_test {

using namespace kbsim::test;

namespace {

// The default run's slices, repeated one after the other up to a million. The view goes from begin to end in
// 60 frames, at five widths. Reading a pixel back waits until all is drawn.
constexpr const char* kPan = R"(
const of = app.runs[0].raw.spans, times = Math.ceil(1e6 / of.start.length);
const data = {...of, end: of.end * times, flows: [], series: [], rows: [], start: []};
for (const name of ['length', 'name', 'at', 'kind', 'depth', 'bytes']) data[name] = [];
for (const row of of.rows) {
  const first = data.start.length;
  for (let i = 0, last = 0; i < times; ++i)
    for (let slice = row.first, at = i * of.end; slice < row.last; ++slice) {
      data.start.push((at += of.start[slice]) - last);
      last = at;
      for (const name of ['length', 'name', 'at', 'kind', 'depth', 'bytes']) data[name].push(of[name][slice]);
    }
  data.rows.push({...row, first, last: data.start.length});
}
const canvas = byId('canvas').cloneNode(false);
byId('canvas').replaceWith(canvas);
const timeline = makeTimeline(canvas, data), {view} = timeline, frames = 60;
const widths = [1, 0.3, 0.1, 0.01, 0.001].map(width => {
  const all = [];
  for (let frame = 0; frame < frames; ++frame) {
    view.from = data.end * (1 - width) * frame / frames;
    view.to = view.from + data.end * width;
    const begin = performance.now();
    timeline.draw();
    canvas.getContext('2d').getImageData(300, 100, 1, 1);
    all.push(performance.now() - begin);
  }
  all.sort((a, b) => a - b);
  return {width, median: all[frames / 2], longest: all[frames - 1]};
});
told = JSON.stringify({slices: data.start.length, frames: timeline.state.frames, widths});
)";

}  // namespace

TEST_CASE("Report page: a million slices of a timeline are panned" * doctest::skip()) {
  if (!has_chromium()) return;
  const std::string folder = fresh_place("report_million").string();
  REQUIRE(run_kbsim(kMainJob + " --quiet --out " + folder).exit == 0);
  const std::string printed = printed_by(page_in(folder), kPan, PageClock::real);
  REQUIRE_MESSAGE(printed.starts_with("{"), printed);
  const boost::json::value measured = boost::json::parse(printed);
  CHECK(measured.at("slices").to_number<int>() >= 1'000'000);
  CHECK(measured.at("frames").to_number<int>() >= 300);
  for (const boost::json::value& one : measured.at("widths").as_array())
    MESSAGE(one.at("width").to_number<double>(), " of the run in sight: a frame takes ",
            one.at("median").to_number<double>(), " ms, the longest ", one.at("longest").to_number<double>(),
            " ms");
}

}  // namespace kbsim::contract::report_page_test
