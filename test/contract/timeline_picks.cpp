// A reader picks slices and spans of time on a timeline, in a real browser.
#include <string>

#include <doctest/doctest.h>

#include "browser.hpp"
#include "timeline_hands.hpp"

namespace kbsim::contract::report_page_test {

using namespace kbsim::test;

namespace {

constexpr const char* kSelect = R"(
let one = timeline.timeline, hand = hands(one);
app.set({path: 0}); one.draw();
const {rows, start, length, kind, data} = one;
const brute = (fits, from, to) => {
  const all = new Map();
  rows.forEach(row => {
    if (!fits(row.label)) return;
    for (let i = row.first; i < row.last; ++i) {
      const end = start[i] + length[i], inside = length[i] ? end > from &&
          start[i] < to : start[i] >= from && start[i] < to;
      if (!inside) continue;
      const name = data.kinds[kind[i]].name, sum = all.get(name) ?? [0, 0, 0];
      all.set(name, [sum[0] + 1, sum[1] + Math.min(end, to) - Math.max(start[i], from),
          sum[2] + data.bytes[i]]);
    }
  });
  return [...all].map(([name, sum]) => [name, ...sum].join()).sort().join(';');
};
const shown = thing => thing.sums.map(one => [one.kind, one.count, one.ps,
    one.bytes].join()).sort().join(';');
const checked = (name, fits) => { const {kind, of, from, to} = app.picked; say(name,
    (kind === 'selection' && of === 'selection' && to > from && shown(app.picked) === brute(fits, from,
    to)) || shown(app.picked)); };
const left = one.place.left;
hand.drag(left + 300, hand.y('sip0.cube2'), left + 700, hand.y('sip0.cube2') + 3, {shiftKey: true});
checked('one line', label => label.startsWith('sip0.cube2.') &&
    label.split('>').every(end => end.startsWith('sip0.cube2.')));
say('panel', byId('panel').textContent.includes('dma') &&
    byId('panel').textContent.includes('slices in the selection'));
hand.drag(left + 650, hand.y('rank0.calls'), left + 100, hand.y('rank1.orders'), {shiftKey: true});
checked('lines, from the right', label => label.startsWith('rank'));
hand.drag(left + 333, 10, left + 555, 12);
checked('axis', () => true);
say('stays', one.view.from === app.range[0]);
byId('lines').value = 'pe_dma'; byId('lines').dispatchEvent(new Event('input'));
hand.drag(left + 333, 10, left + 655, 12);
checked('visible', label => label.includes('pe_dma'));
byId('lines').value = ''; byId('lines').dispatchEvent(new Event('input'));
hand.drag(left + 2, hand.y('sip0.cube2'), left + 8, hand.y('sip0.cube2'), {shiftKey: true});
say('empty', app.picked.sums.length === 0 &&
    byId('panel').textContent.includes('No slice is in the selection.'));
hand.drag(left + 300, 10, left + 500, 12);
const {from, to} = app.picked;
[...byId('panel').querySelectorAll('button')].find(one =>
    one.textContent.startsWith('show this time')).click();
say('shows', app.range.join() === [from, to].join());
hand.click(left + 300, hand.y('rank0.orders')); say('ends', one.state.selection === null);
)";

constexpr const char* kPeers = R"(
const one = timeline.timeline, hand = hands(one), {rows, start, length, kind, name, data} = one;
app.set({path: 0});
let wrong = 0, peers = 0, clicked = 0;
const show = i => { one.show(start[i] - 500, start[i] + length[i] + 500); one.reveal(i); one.draw(); };
for (let f = 0; f < data.flows.length; f += 7) {
  const [fromRow, fromTime, toRow, toTime] = data.flows[f];
  for (const [row, time, to, other] of [[fromRow, fromTime, true, toRow], [toRow, toTime, false,
      fromRow]]) {
    for (let i = rows[row].first; i < rows[row].last; ++i) {
      const launch = data.kinds[kind[i]].name === 'launch';
      if (to ? (launch ? start[i] : start[i] + length[i]) !== time : start[i] !== time &&
          start[i] + length[i] !== time) continue;
      if (rows[row].label.endsWith('.kernel') && data.kinds[kind[i]].name !== 'kernel') continue;
      show(i);
      hand.click(one.xOf(start[i] + length[i] / 2), one.firstY() + 5);
      const thing = app.picked;
      ++clicked;
      if (thing.kind !== 'slice') { ++wrong; continue; }
      if (thing.of !== data.strings[name[i]] && data.kinds[kind[i]].name !== 'kernel') ++wrong;
      if (thing.of === data.strings[name[i]]) {
        if (!thing.peers.some(peer => peer.to === to && peer.label === rows[other].label)) ++wrong;
        peers += thing.peers.length;
        if (thing.row !== rows[row].label || thing.from !== start[i] ||
            thing.length !== length[i]) ++wrong;
      }
      break;
    }
  }
}
say('right', wrong === 0 || wrong); say('clicked', clicked > 20 || clicked); say('peers', peers > 20 ||
    peers);
const launch = rows.findIndex(row => row.label === 'rank0.orders'),
    slice = Array.from(kind).findIndex((k, i) => data.kinds[k].name === 'launch' &&
    i >= rows[launch].first);
show(slice); hand.click(one.xOf(start[slice] + length[slice] / 2), one.firstY() + 5);
const wanted = data.flows.filter(flow =>
    flow[0] === one.rowOf(slice)).map(flow => 'true' + rows[flow[2]].label).sort().join();
say('all', app.picked.peers.map(peer => peer.to + peer.label).sort().join() === wanted &&
    wanted.length > 0);
say('panel', byId('panel').textContent.includes('sends to'));
hand.send('dblclick', one.xOf(start[slice] + length[slice] / 2), one.firstY() + 5);
say('zooms', Math.abs((one.view.to - one.view.from) / (1.2 * length[slice] + 100) - 1) < 0.01);
)";

constexpr const char* kLegend = R"(
const one = timeline.timeline, hand = hands(one), {pen} = one,
    buttons = () => [...document.querySelectorAll('#legend button')];
say('kinds', ['computing', 'communicating', 'waiting', 'kernel', 'dma', 'link',
    'queue'].every(name => buttons().some(one => one.textContent === name)));
say('once', new Set(buttons().map(one => one.textContent)).size === buttons().length);
const i = Array.from(one.name).findIndex((name, i) => one.data.strings[name] === 'load' &&
    one.data.kinds[one.kind[i]].name === 'dma');
one.setPath(null); one.show(one.start[i], one.start[i] + one.length[i]); one.reveal(i);
const dot = () => { one.draw();
    return [...pen.getImageData((one.xOf(one.start[i] + one.length[i] / 2)) * devicePixelRatio,
    (one.firstY() + 15) * devicePixelRatio, 1, 1).data].join(); };
const strong = dot(), press = name => buttons().find(one => one.textContent === name).click();
press('link'); const pale = dot(); say('pale', pale !== strong);
press('dma'); say('strong', dot() === strong &&
    buttons().filter(one => one.getAttribute('aria-pressed') === 'true').length === 1);
press('communicating'); say('of the state', dot() === strong);
press('computing'); say('of another', dot() === pale);
press('computing'); say('none', dot() === strong && one.state.dim === null);
say('colours',
    buttons().every(one =>
    [...one.querySelectorAll('.swatch')].every(swatch => swatch.style.background)));
)";

constexpr const char* kTouch = R"(
const one = timeline.timeline, hand = hands(one), {view, place} = one;
app.set({path: 0}); one.draw();
const finger = (id, more = {}) => ({pointerType: 'touch', pointerId: id, ...more}),
    wide = view.to - view.from, x = place.left + 300, time = one.timeOf(x);
hand.send('pointerdown', x - 50, 200, finger(1)); hand.send('pointerdown', x + 50, 200, finger(2));
hand.send('pointermove', x - 100, 200, finger(1)); hand.send('pointermove', x + 100, 200, finger(2));
say('zoomed', Math.abs((view.to - view.from) / wide - 0.5) < 0.01 || (view.to - view.from) / wide);
    say('about the middle', Math.abs(one.timeOf(x) - time) < wide / 500);
hand.send('pointerup', x - 100, 200, finger(1)); hand.send('pointerup', x + 100, 200, finger(2));
const top = view.top, from = view.from;
hand.drag(x, 300, x, 100, finger(3)); say('page scrolls', view.top === top &&
    getComputedStyle(one.canvas).touchAction === 'pan-y');
hand.drag(x, 300, x - 100, 300, finger(3)); say('pans', view.from > from);
hand.drag(x, 300, x, 100); say('mouse moves lines', view.top > top);
)";

constexpr const char* kStrange = R"(
const picked = [], legend = document.createElement('div');
const none = made([]); none.draw();
say('no slices', none.state.empty === 'This timeline has no slices.' && none.lines.all.length === 0);
const noneHand = hands(none); noneHand.click(500, 60); noneHand.click(30, 60);
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'p', ' ', 'Enter', '0', '+',
    '-']) noneHand.key(key);
noneHand.drag(400, 5, 600, 5); none.search('x'); none.next(); none.setPath([]); none.filter('x');
    none.draw();
const one = made([['sip0.cube0.pe0.pe_dma', 5, 0, 'dma'], ['sip0.cube0.pe0.pe_dma', 9, 1, 'dma']]);
    say('one of no length', one.lines.all.length === 4 && one.state.empty === '');
one.show(6, 8); one.draw(); say('gap', one.state.empty === 'No slices on these lines in this time.');
one.show(1e9, 2e9); one.draw(); say('apart', one.view.to - one.view.from >= 1);
const dots = 'a.'.repeat(5000) + 'b', long = 'x'.repeat(10000),
    script = '<script>alert(1)</' + 'script>', turned = '\u202esip0.\u2066cube0\u202c';
const odd = made([dots, long, script, turned, '', '.', '...', '>', 'a>', '>b', 'a>b>c', 'sip0',
    'sip0.cube0', 'sip0.cube0.pe0', 'sip0 links', 'alike sip0', '__proto__',
    'constructor.x>constructor.y']
  .map((label, i) => [label, i * 10, 50, kinds[i % kinds.length].name, label]), [[0, 1, 1, 2], [99, 1,
      98, 2], [-1, 0, 0, 1]], {picked: thing => picked.push(thing), legend});
for (let i = 0; i < odd.lines.all.length; ++i) { const line = odd.lines.all[i];
    if (line.folded) odd.fold(line.node, true); }
odd.draw();
say('all stand', odd.rows.every((_, i) => odd.lines.lineOfRow[i] >= 0));
const hand = hands(odd);
odd.rows.forEach((row, i) => { odd.reveal(i); odd.draw(); hand.click(8, odd.firstY() + 5);
    odd.reveal(i); odd.draw(); hand.click(odd.xOf(i * 10 + 25), odd.firstY() + 5);
    odd.textAt(odd.xOf(i * 10 + 25), odd.firstY() + 5); odd.textAt(20, odd.firstY() + 5); });
say('picks', odd.rows.every(row => picked.some(thing => thing.kind === 'slice' &&
    thing.row === row.label)));
say('no markup', !document.querySelector('canvas script'));
odd.filter('?'); odd.filter('*'); odd.filter('[('); odd.filter(long); say('long filter',
    odd.lines.all.length === 1);
const same = made(Array.from({length: 200}, (_, i) => ['sip0.cube0.pe0.pe_dma#' + i, i, 1000 - i,
    'dma']));
say('many lanes', same.tree.byId.get('sip0.cube0.pe0.pe_dma').rows.length === 200 &&
    same.lines.all.length < 10 || same.lines.all.length);
same.reveal(150); say('lane', same.lines.all[same.view.top].row === 150);
const huge = made([['sip0.cube0.pe0.pe_dma', 0, 9e15, 'dma'], ['sip0.cube0.pe1.pe_dma', 1, 1, 'dma'],
    ['sip0.cube0.pe1.pe_dma', 8e15, 1, 'engine']]); huge.draw(); say('huge', huge.state.empty === '');
const flat = made([['a', 0, 0, 'dma']]); flat.data.kinds = []; say('flat', true);
)";

}  // namespace

TEST_CASE("Timeline: a selection has the sums of the slices in it, by kind") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kSelect) ==
        "one line panel lines, from the right axis stays visible empty shows ends ");
}

TEST_CASE("Timeline: a slice is shown with both ends of its arrows") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kPeers) == "right clicked peers all panel zooms ");
}

TEST_CASE("Timeline: a kind of the legend makes all others pale") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kLegend) ==
        "kinds once pale strong of the state of another none colours ");
}

TEST_CASE("Timeline: two fingers zoom, one leaves the page to scroll") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kTouch) ==
        "zoomed about the middle page scrolls pans mouse moves lines ");
}

TEST_CASE("Timeline: none, one, long and hostile slices and labels are drawn") {
  if (!has_chromium()) return;
  CHECK(printed_by(page_of_run(), kHands + kStrange) ==
        "no slices one of no length gap apart all stand picks no markup long filter many lanes lane huge "
        "flat ");
}

}  // namespace kbsim::contract::report_page_test
