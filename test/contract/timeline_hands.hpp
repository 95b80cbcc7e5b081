#pragma once

#include <string>

#include <doctest/doctest.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::report_page_test {

/// The page of the default run.
inline const std::string& page_of_run() {
  static const std::string page = [] {
    const std::string folder = test::fresh_place("report_timeline").string();
    const test::Outcome outcome = test::run_kbsim(test::kMainJob + " --quiet --out " + folder);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return page_in(folder);
  }();
  return page;
}

/// Functions of a script: say() what holds, the hands of a reader on a timeline, and a timeline made() of
/// slices.
inline const std::string kHands = R"(
const say = (name, value) => { told += name + (value === true ? ' ' : ` NOT(${value}) `); };
const hands = timeline => {
  const {canvas, lines, view} = timeline;
  const send = (kind, x, y, more = {}) => {
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent(kind, {clientX: box.left + canvas.clientLeft + x,
        clientY: box.top + canvas.clientTop + y, pointerId: 7, bubbles: true, ...more}));
  };
  const click = (x, y, more) => { send('pointerdown', x, y, more); send('pointerup', x, y, more); };
  const drag = (x, y, toX, toY, more) => { send('pointerdown', x, y, more); send('pointermove',
      (x + toX) / 2, (y + toY) / 2, more); send('pointermove', toX, toY, more); send('pointerup', toX,
      toY, more); };
  const labels = () => lines.all.filter(one => one.isFirst).map(one => one.node.label);
  const index = label => lines.all.findIndex(one => one.isFirst && one.node.label === label);
  const y = label => timeline.firstY() + (index(label) - view.top) * 18 + 9;
  const name = label => { if (y(label) > canvas.clientHeight - 18 ||
      y(label) < timeline.firstY()) timeline.scrollTo(index(label)); click(60, y(label)); };
  const key = (key, more = {}) => canvas.dispatchEvent(new KeyboardEvent('keydown', {key, ...more}));
  return {send, click, drag, labels, index, y, name, key};
};
// A timeline of slices [row, start, length, kind, name, bytes] and of flows, beside the page's own.
const kinds = ['program', 'engine', 'dma', 'wait', 'launch', 'queue', 'link', 'kernel', 'issue',
    'call'].map((name, i) => ({name, color: '#' + (i + 1).toString(16).repeat(6)}));
const made = (slices, flows = [], hooks = {}) => {
  const labels = [...new Set(slices.map(one => one[0]))], data = {begin: 0, end: Math.max(1,
      ...slices.map(one => one[1] + one[2])), kinds, strings: [''], rows: [], flows, idle: []};
  for (const column of ['start', 'length', 'name', 'at', 'kind', 'depth', 'bytes']) data[column] = [];
  for (const label of labels) {
    const own = slices.filter(one => one[0] === label).sort((a, b) => a[1] - b[1]),
        first = data.start.length;
    own.forEach(([, start, length, kind, name = 'x', bytes = 0], i) => {
      if (!data.strings.includes(name)) data.strings.push(name);
      const values = {start: start - (i ? own[i - 1][1] : 0), length, name: data.strings.indexOf(name),
          at: 0, kind: kinds.findIndex(one => one.name === kind), depth: 0, bytes};
      for (const [column, value] of Object.entries(values)) data[column].push(value);
    });
    data.rows.push({label: label.replace(/#\d+$/, ''), first, last: data.start.length,
        longest: Math.max(0, ...own.map(one => one[2]))});
  }
  const canvas = document.createElement('canvas');
  canvas.style.cssText = 'width: 900px; height: 400px; display: block';
  document.body.prepend(canvas);
  const one = makeTimeline(canvas, data, hooks);
  one.draw();
  return one;
};
)";

}  // namespace kbsim::contract::report_page_test
