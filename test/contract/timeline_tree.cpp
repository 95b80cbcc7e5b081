// The tree of a timeline in a real browser: its lines are folded, filtered, pinned.
#include <string>

#include <doctest/doctest.h>

#include "browser.hpp"
#include "timeline_hands.hpp"

namespace kbsim::contract::report_page_test {

using namespace kbsim::test;

namespace {

constexpr const char* kFold = R"(
const one = timeline.timeline, {lines, state, view} = one, hand = hands(one), before = hand.labels();
say('ranks open', before.slice(0, 3).join() === 'rank0,rank0.calls,rank0.orders');
say('at most 46', lines.all.length <= 46 && lines.all.length > 20);
app.set({path: 0});
const pathOf = label => [...state.pathLines].filter(([node]) => node.label === label).flatMap(([,
    parts]) => parts);
const whole = () => [...state.pathLines.values()].flat().length === state.path.length,
    inCube = pathOf('sip0.cube3').length;
say('path in folded', inCube > 0 && whole() &&
    pathOf('sip0.cube3').every(part => part.place.includes('sip0.cube3.')));
say('cubes folded', lines.all.find(line => line.node.label === 'sip0.cube3').folded);
hand.name('sip0.cube3');
say('unfolds', hand.labels().includes('sip0.cube3.pe0') && app.picked.of === 'sip0.cube3');
hand.name('sip0.cube3.pe0');
say('units', hand.labels().includes('sip0.cube3.pe0.pe_dma') &&
    hand.labels().includes('sip0.cube3.pe0.pe_ipcq send'));
hand.name('sip0.cube3.pe0.kernel');
say('picks', app.picked.kind === 'unit' && app.picked.of === 'sip0.cube3.pe0.pe_cpu');
hand.name('sip0.cube3 links');
say('links', hand.labels().some(label => /^sip0\.cube3\.pe0\.pe_dma>sip0\.cube3\.noc/.test(label)));
say('path in units', lines.all.some(line => line.node.kind === 'link' &&
    pathOf(line.node.label).length) && pathOf('sip0.cube3').length < inCube && whole());
say('links within',
    hand.labels().filter(label =>
    label.includes('>')).every(label => label.split('>').every(end => end.startsWith('sip0.cube3.'))));
hand.name('sip0.cube3');
say('folds', hand.labels().join() === before.join());
hand.key('Escape'); view.top = 0; one.show(1e6, 2e6);
const from = view.from; hand.key('ArrowRight'); say('pans', view.from > from && state.focus === null);
hand.key('ArrowDown'); say('first', state.focus === 'rank0');
hand.key('ArrowLeft'); say('folds by key', !hand.labels().includes('rank0.calls'));
hand.key('ArrowRight'); say('unfolds by key', hand.labels().includes('rank0.calls') &&
    state.focus === 'rank0');
hand.key('ArrowRight'); say('goes in', state.focus === 'rank0.calls');
hand.key('ArrowLeft'); say('goes out', state.focus === 'rank0');
hand.key('ArrowDown'); hand.key('ArrowDown'); hand.key('ArrowDown'); say('passes lanes',
    state.focus === 'rank1');
hand.key('ArrowUp'); say('up', state.focus === 'rank0.orders');
const now = view.from; hand.key('ArrowRight', {shiftKey: true}); say('pans with shift',
    view.from > now);
say('says', byId('focused').textContent === 'rank0.orders');
)";

constexpr const char* kShares = R"(
const one = timeline.timeline, {data, tree, states, rows, start, length, kind, canvas, pen} = one;
app.set({path: 0, range: [1400000, 2150000]}); one.draw();
// By definition: in each piece of time between two edges of a PE, the first state with a slice over it.
const stateOf = (name, label) => (['engine', 'memory', 'issue'].includes(name) ? 0 : ['dma',
    'link'].includes(name) || (name === 'queue' && label.endsWith(' send')) ? 1 : ['wait',
    'queue'].includes(name) ? 2 : -1);
const piecesOf = label => {
  const own = [], edges = new Set();
  rows.forEach((row, index) => {
    if (!row.label.startsWith(label + '.') || row.label.includes('>')) return;
    for (let i = row.first; i < row.last; ++i) { own.push([start[i], start[i] + length[i],
        stateOf(data.kinds[kind[i]].name, row.label)]); edges.add(start[i]).add(start[i] + length[i]); }
  });
  const times = [...edges].sort((a, b) => a - b);
  return times.slice(1).map((to, i) => [times[i], to, [0, 1, 2].find(state => own.some(([a, b,
      its]) => its === state && a <= times[i] && b >= to))]);
};
const pes = of =>
    [...new Set(rows.map(row =>
    /^sip\d+\.cube\d+\.pe\d+(?=\.[^>]*$)/.exec(row.label)?.[0]).filter(label =>
    label?.startsWith(of + '.')))];
const known = new Map(), defined = (of, from, to) => {
  const all = pes(of), sums = [0, 0, 0];
  for (const pe of all) {
    if (!known.has(pe)) known.set(pe, piecesOf(pe));
    for (const [a, b, state] of known.get(pe)) if (state !== undefined && b > from &&
        a < to) sums[state] += Math.min(b, to) - Math.max(a, from);
  }
  return sums.map(sum => sum / (to - from) / all.length);
};
let worst = 0, sums = 0;
for (const of of ['sip0', 'sip1', 'sip0.cube0', 'sip1.cube7'])
  for (const [from, to, bins] of [[0, data.end, 60], [1400123.5, 2100456.25, 37], [1500000, 1500001,
      1]]) {
    const all = states.shares(tree.byId.get(of), from, to, bins);
    for (let bin = 0; bin < bins; ++bin) {
      const wanted = defined(of, from + (to - from) * bin / bins,
          from + (to - from) * (bin + 1) / bins);
      wanted.forEach((value, state) => { worst = Math.max(worst,
          Math.abs(value - all[state * bins + bin])); sums += value; });
    }
  }
say('equal', worst < 1e-5 || worst); say('something', sums > 10);
// The picture: as many pixels of a state's colour as its share of 14.
const hand = hands(one), index = hand.index('sip0.cube0'), colors = [[0xd1, 0x59, 0x0e], [0x3a, 0x85,
    0xc9], [0x8d, 0x8d, 0x93]], ratio = devicePixelRatio;
one.setPath(null); data.flows.length = 0; one.scrollTo(index); one.draw();
let drawn = 0, wrong = 0;
for (let bin = 5; bin < 300; ++bin) {
  const dots = pen.getImageData((one.place.left + 2 * bin + 0.5) * ratio, one.firstY() * ratio, 1,
      18 * ratio).data;
  const wanted = defined('sip0.cube0', one.timeOf(one.place.left + 2 * bin),
      one.timeOf(one.place.left + 2 * bin + 2));
  let sum = 0;
  wanted.forEach((value, state) => {
    let count = 0;
    for (let i = 0; i < dots.length; i += 4) if (colors[state].every((c,
        j) => dots[i + j] === c)) ++count;
    if (Math.abs(count - 14 * value) > 1.01) ++wrong;
    sum += count;
  });
  if (sum) ++drawn;
}
say('drawn', drawn > 100 || drawn); say('as high', wrong === 0 || wrong);
say('hover', one.textAt(one.place.left + 100, one.firstY() + 5).startsWith('sip0.cube0\n1 part, '));
)";

constexpr const char* kAlike = R"(
const pe = (label, shift, more = 0) => [[label + '.pe_dma', 10 + shift, 20, 'dma'], [label + '.pe_dma',
    50 + shift, 5 + more, 'dma'], [label + '.pe_gemm', 30 + shift, 30, 'engine']];
const all = [0, 1, 2, 3].flatMap(i => pe('sip0.cube0.pe' + i, 0)).concat(pe('sip0.cube0.pe4', 1),
    pe('sip0.cube0.pe5', 0, 1), pe('sip0.cube0.pe6', 0), pe('sip0.cube0.pe7', 0));
const one = made(all), hand = hands(one);
const names = () => one.lines.all.map(line => line.node.name);
one.fold(one.lines.nodeById('sip0'), true); one.fold(one.lines.nodeById('sip0.cube0'), true);
for (const id of ['pe4', 'pe5']) one.fold(one.lines.nodeById('sip0.cube0.' + id), false);
say('alike', names().join() === 'sip0,cube0,pe0 … pe3 (4 alike),pe4,pe5,pe6, pe7 (2 alike)' ||
    names().join());
hand.name('sip0.cube0.pe0 … sip0.cube0.pe3 (4 alike)');
say('unfolds', names().slice(2, 7).join() === 'pe0 … pe3 (4 alike),pe0,pe1,pe2,pe3' || names().join());
hand.name('sip0.cube0.pe2');
say('members', names().includes('pe_gemm'));
const shares = id => one.states.shares(one.lines.nodeById(id), 0, 60, 6).join();
say('as one', shares('alike sip0.cube0.pe0') === shares('sip0.cube0.pe3') &&
    shares('sip0.cube0.pe3') !== shares('sip0.cube0.pe4'));
hand.name('sip0.cube0.pe0 … sip0.cube0.pe3 (4 alike)');
one.reveal(one.rows.find(row => row.label === 'sip0.cube0.pe1.pe_gemm').first);
say('revealed', one.lines.all[one.view.top].node.label === 'sip0.cube0.pe1.pe_gemm');
// Units alone: they stand as the first of them.
const two = made([0, 1, 2].map(i => ['sip0.cube0.hbm' + i, 5, 10, 'engine'])), other = hands(two);
const group = 'sip0.cube0.hbm0 … sip0.cube0.hbm2 (3 alike)';
two.fold(two.lines.nodeById('sip0.cube0'), true);
say('one lane', two.lines.all.map(line => line.row).join() === '-1,-1,0' ||
    two.lines.all.map(line => line.row + line.node.label).join());
other.name(group);
say('three lanes', two.lines.all.map(line => line.row).join() === '-1,-1,-1,0,1,2' ||
    two.lines.all.map(line => line.row).join());
)";

constexpr const char* kFilter = R"(
const one = timeline.timeline, hand = hands(one), before = hand.labels().join(), field = byId('lines');
const set = text => { field.value = text; field.dispatchEvent(new Event('input')); };
set('cube3.pe0.pe_dma'); const fits = hand.labels();
say('parents', ['sip0', 'sip0.cube3', 'sip0.cube3.pe0', 'sip0.cube3.pe0.pe_dma', 'sip1',
    'sip1.cube3.pe0.pe_dma'].every(label => fits.includes(label)));
say('only', one.rows.every((row, i) => one.lines.lineOfRow[i] < 0 ||
    row.label.toLowerCase().includes('cube3.pe0.pe_dma')));
set('*.pe_math'); say('glob',
    hand.labels().filter(label => /^sip.*pe_/.test(label)).every(label => label.endsWith('.pe_math')) &&
    hand.labels().filter(label => label.endsWith('.pe_math')).length === 24);
set('sip?.cube1'); say('one letter', hand.labels().join() === 'sip0,sip0.cube1,sip1,sip1.cube1');
hand.name('sip0.cube1'); say('within', hand.labels().includes('sip0.cube1.pe0') &&
    !hand.labels().includes('sip0.cube2'));
hand.name('sip0'); say('folds', hand.labels().join() === 'sip0,sip1,sip1.cube1');
set(''); app.set({path: 0}); one.draw(); const arrows = one.state.arrows; set('rank'); one.draw();
    say('arrows', arrows > 10 && one.state.arrows === 0);
set('no such line'); one.draw(); say('none', one.lines.all.length === 0 &&
    one.state.empty === 'No line fits the filter.');
set(''); hand.name('sip0.cube1'); say('back', hand.labels().join() === before);
set('pe_math'); one.search('load'); one.next();
const line = one.lines.all[one.lines.lineOfRow[one.rowOf(one.state.found[0])]];
say('search opens', line.row === one.rowOf(one.state.found[0]) && field.value === '');
set('a*'.repeat(30) + 'b'); say('hard glob', one.lines.all.length === 0);
)";

constexpr const char* kPin = R"(
const one = timeline.timeline, hand = hands(one);
one.setPath(one.state.path ?? []);
const y = one.firstY();
hand.click(8, hand.y('sip0.cube2'));
say('pinned', one.lines.pinned.map(line => line.node.label).join() === 'sip0.cube2' &&
    one.firstY() === y + 22);
hand.key('ArrowDown'); hand.key('p');
say('by key', one.lines.pinned.map(line => line.node.label).join() === 'sip0.cube2,sip0.cube3');
one.scrollTo(30); one.draw();
const middle = one.place.pinsY + 9;
say('stays', one.lineAt(middle).node.label === 'sip0.cube2' && one.textAt(700,
    middle).startsWith('sip0.cube2'));
hand.name('sip0.cube9');
hand.click(8, middle); say('unpinned',
    one.lines.pinned.map(line => line.node.label).join() === 'sip0.cube3');
const raw = app.run.raw;
app.runs[0] = {...app.runs[0]}; app.set({at: 0});
const two = timeline.timeline;
say('shown anew', two !== one && two.lines.pinned.map(line => line.node.label).join() === 'sip0.cube3' &&
    hands(two).labels().includes('sip0.cube9.pe0'));
say('one canvas', document.querySelectorAll('#canvas').length === 1);
for (let i = 0; i < 200; ++i) two.pin(two.lines.nodeById(two.rows[i * 7].label));
two.draw(); say('many pins', two.firstY() < two.canvas.clientHeight * 0.7);
)";

}  // namespace

TEST_CASE("Timeline: a name unfolds its part and folds it again, by mouse and by keys") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kFold) ==
        "ranks open at most 46 path in folded cubes folded unfolds units picks links path in units links "
        "within folds pans first folds by key unfolds by key goes in goes out passes lanes up pans with "
        "shift says ");
}

TEST_CASE("Timeline: a folded line is as high as the shares of its PEs' states") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kShares) == "equal something drawn as high hover ");
}

TEST_CASE("Timeline: neighbours with alike slices are one line, which unfolds") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kAlike) ==
        "alike unfolds members as one revealed one lane three lanes ");
}

TEST_CASE("Timeline: a filter leaves lines that fit, and those around them") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kFilter) ==
        "parents only glob one letter within folds arrows none back search opens hard glob ");
}

TEST_CASE("Timeline: a pinned line stays on top, when a run is shown anew as well") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kPin) ==
        "pinned by key stays unpinned shown anew one canvas many pins ");
}

}  // namespace kbsim::contract::report_page_test
