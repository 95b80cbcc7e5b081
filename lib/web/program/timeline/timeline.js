// The canvas of a timeline: rows of slices to zoom, pan and search.
import {timeText} from "../quantity.js";

/**
 * `data` is what write_page_data() wrote.
 * @param {HTMLCanvasElement} canvas
 * @param {any} data
 * @param {{details?: HTMLElement, range?: HTMLElement, found?: HTMLElement, wheel?: "ctrl", moved?: (from: number, to: number) => void, picked?: (thing: any) => void}} hooks
 *   details shows what the pointer is at, range and found show texts; moved() gets the times in view after a
 *   zoom or pan, picked() what was clicked
 */
export function makeTimeline(canvas, data, hooks = {}) {
  const rowHeight = 18, axisHeight = 24, blockSize = 64, narrowBelow = 5;
  // Slices of a row stand together, in ascending order of their starts, of which the file has the differences.
  const {name, at, bytes: size, rows, strings} = data;
  const start = new Float64Array(data.start.length), length = Float64Array.from(data.length);
  const kind = Uint8Array.from(data.kind), depth = Uint8Array.from(data.depth);
  for (const row of rows)
    for (let i = row.first, time = 0; i < row.last; ++i) start[i] = time += data.start[i];
  const longest = new Float64Array(Math.ceil(start.length / blockSize));  // of blocks of slices
  length.forEach((one, i) => { const block = i / blockSize | 0; if (one > longest[block]) longest[block] = one; });

  const pen = canvas.getContext("2d");
  const view = {from: data.begin, to: Math.max(data.end, data.begin + 1), top: 0};
  const state = {found: [], current: -1, path: null, pathRows: new Map(), frames: 0};
  let isFound = null, foundIn = null, pending = false, colors = {}, left = 0, scale = 1, width = 0, height = 0;

  const shift = () => (state.path ? rowHeight + 4 : 0);
  const firstY = () => axisHeight + shift();
  const xOf = time => left + (time - view.from) * scale;
  const timeOf = x => view.from + (x - left) / scale;

  // The first of a row's slices that may reach to `time`.
  function firstAt(row, time) {
    let low = row.first, high = row.last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] < time - row.longest) low = middle + 1; else high = middle;
    }
    return low;
  }

  function measure() {
    const ratio = window.devicePixelRatio || 1;
    width = canvas.clientWidth; height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    left = Math.min(260, width / 3);
    scale = (width - left) / (view.to - view.from);
    const style = getComputedStyle(document.documentElement);
    for (const one of ["text", "back", "line", "band", "mark"]) colors[one] = style.getPropertyValue("--" + one);
  }

  function tick(all) {
    const power = 10 ** Math.floor(Math.log10(all / 8));
    return [1, 2, 5, 10].map(step => step * power).find(step => step * 8 >= all);
  }

  function drawAxis() {
    const step = Math.max(1, tick(view.to - view.from));
    pen.strokeStyle = colors.line; pen.fillStyle = colors.text; pen.textAlign = "center";
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const x = xOf(time);
      if (x < left) continue;
      pen.beginPath(); pen.moveTo(x, axisHeight - 4); pen.lineTo(x, height); pen.stroke();
      pen.fillText(timeText(time), x, 14);
    }
  }

  function drawName(text, x, y, wide) {
    const letters = Math.floor((wide - 4) / 6);
    pen.fillStyle = "#111"; pen.textAlign = "left";
    pen.fillText(text.length > letters ? text.slice(0, letters) : text, x + 3, y + 12);
  }

  // Colours of kinds as pixels have them.
  const pixels = data.kinds.map(({color}) => {
    const one = new OffscreenCanvas(1, 1).getContext("2d");
    one.fillStyle = color;
    one.fillRect(0, 0, 1, 1);
    return new Uint32Array(one.getImageData(0, 0, 1, 1).data.buffer)[0];
  });
  const pale = pixels.map(one => ((one & 0xffffff) | 0x40000000) >>> 0);  // of what a search hasn't found
  let strip = null, strips = null;  // the narrow slices of a row, and of all that are shown

  function makeStrips(shown) {
    const wide = Math.max(1, Math.ceil(width - left));
    if (strip?.width !== wide) strip = new ImageData(wide, 1);
    if (strips?.canvas.width !== wide || strips.canvas.height < shown)
      strips = new OffscreenCanvas(wide, shown).getContext("2d");
  }

  // Narrow slices are pixels of the row's strip; blocks of such in a pixel are passed over.
  function drawRow(row, y, line) {
    const last = new Float64Array(256).fill(-1);  // what is drawn so far, in pixels, by depth
    const pixel = 1 / scale, narrow = new Uint32Array(strip.data.buffer);
    let color = -1, alpha = -1, narrows = false;
    narrow.fill(0);
    for (let i = firstAt(row, view.from); i < row.last && start[i] < view.to; ++i) {
      if (i % blockSize === 0 && !foundIn?.[i / blockSize] && i + blockSize < row.last && longest[i / blockSize] < pixel) {
        const right = xOf(start[i + blockSize - 1]) + 1;
        if (right <= last[depth[i]] + 0.5) { i += blockSize - 1; continue; }
      }
      const end = start[i] + length[i];
      if (end < view.from) continue;
      const inset = depth[i], right = Math.min(width, left + (end - view.from) * scale);
      const found = isFound !== null && isFound[i] === 1;
      if (right <= last[inset] + 0.5 && !found) continue;
      const x = Math.max(left, left + (start[i] - view.from) * scale), wide = Math.max(0.6, right - x);
      if (wide < narrowBelow && (!found || i !== state.found[state.current])) {
        const column = x - left | 0, end = Math.max(column + 1, Math.round(right - left));
        if (isFound === null || found) narrow.fill(pixels[kind[i]], column, end);
        else for (let at = column; at < end; ++at) if (narrow[at] === 0) narrow[at] = pale[kind[i]];
        last[inset] = left + end;
        narrows = true;
        continue;
      }
      last[inset] = x + wide;
      const shade = isFound !== null && !found ? 0.25 : 1;
      if (alpha !== shade) pen.globalAlpha = alpha = shade;
      if (color !== kind[i]) { color = kind[i]; pen.fillStyle = data.kinds[color].color; }
      const lower = Math.min(inset, 4);
      pen.fillRect(x, y + 1 + lower, wide, rowHeight - 2 - 2 * lower);
      if (i === state.found[state.current]) {
        pen.globalAlpha = 1; pen.strokeStyle = colors.mark; pen.lineWidth = 2;
        pen.strokeRect(x, y + 1, wide, rowHeight - 2); pen.lineWidth = 1; alpha = -1;
      }
      if (wide > 30) { drawName(strings[name[i]], x, y, wide); color = -1; }
    }
    pen.globalAlpha = 1;
    if (!narrows) return;
    strips.putImageData(strip, 0, line);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(strips.canvas, 0, line, strip.width, 1, left, y + 2, strip.width, rowHeight - 4);
  }

  // The path's parts that were at this row's unit: a line under their slices.
  function drawPathIn(index, y) {
    const parts = state.pathRows.get(index);
    if (!parts) return;
    for (const i of parts) {
      const {from, to, color} = state.path[i];
      if (to < view.from || from > view.to) continue;
      pen.fillStyle = color;
      pen.fillRect(xOf(from), y + rowHeight - 4, Math.max(1, (to - from) * scale), 4);
    }
  }

  function drawPath() {
    if (!state.path) return;
    const y = axisHeight;
    let drawn = -1;
    pen.save(); pen.beginPath(); pen.rect(left, y, width - left, rowHeight); pen.clip();
    for (const {from, to, color, text} of state.path) {
      if (to < view.from || from > view.to) continue;
      const x = xOf(from), right = xOf(to);
      if (right <= drawn + 0.3) continue;
      drawn = right;
      pen.fillStyle = color;
      pen.fillRect(x, y, Math.max(0.5, right - x), rowHeight);
      if (right - x > 40) drawName(text, Math.max(x, left), y + 1, right - x);
    }
    pen.restore();
    pen.fillStyle = colors.text; pen.textAlign = "right";
    pen.fillText("critical path", left - 6, y + 13);
  }

  function drawFlows() {
    pen.strokeStyle = colors.text; pen.fillStyle = colors.text; pen.globalAlpha = 0.35;
    const yOf = row => firstY() + (row - view.top) * rowHeight + rowHeight / 2;
    let drawn = 0;
    pen.beginPath();
    for (const [fromRow, fromTime, toRow, toTime] of data.flows) {
      if (toTime < view.from || fromTime > view.to) continue;
      const a = yOf(fromRow), b = yOf(toRow);
      if ((a < firstY() && b < firstY()) || (a > height && b > height)) continue;
      if (++drawn > 500) break;  // more hide the slices
      const x = xOf(toTime), from = xOf(fromTime), angle = Math.atan2(b - a, x - from);
      pen.moveTo(from, a); pen.lineTo(x, b);
      for (const side of [-0.4, 0.4]) {
        pen.moveTo(x, b); pen.lineTo(x - 6 * Math.cos(angle + side), b - 6 * Math.sin(angle + side));
      }
    }
    pen.stroke();
    pen.globalAlpha = 1;
    state.arrows = drawn;
  }

  function drawRows() {
    const shown = Math.ceil((height - firstY()) / rowHeight);
    makeStrips(shown);
    for (let i = 0; i < shown && view.top + i < rows.length; ++i) {
      const row = rows[view.top + i], y = firstY() + i * rowHeight;
      if ((view.top + i) % 2) {
        pen.globalAlpha = 0.5; pen.fillStyle = colors.band; pen.fillRect(0, y, width, rowHeight); pen.globalAlpha = 1;
      }
      pen.save(); pen.beginPath(); pen.rect(left, y, width, rowHeight); pen.clip();
      drawRow(row, y, i);
      drawPathIn(view.top + i, y);
      pen.restore();
      pen.fillStyle = colors.text; pen.textAlign = "right";
      pen.fillText(row.label, left - 6, y + 12);
    }
  }

  function draw() {
    pending = false;
    ++state.frames;
    measure();
    pen.font = "11px sans-serif";
    pen.fillStyle = colors.back;
    pen.fillRect(0, 0, width, height);
    if (!(scale > 0)) return;
    drawAxis();
    drawRows();
    drawPath();
    pen.save(); pen.beginPath(); pen.rect(left, firstY(), width, height); pen.clip();
    drawFlows();
    pen.restore();
    if (hooks.range) hooks.range.textContent = timeText(view.from) + " to " + timeText(view.to);
  }
  function redraw() { if (!pending) { pending = true; requestAnimationFrame(draw); } }

  function zoom(factor, time) {
    const least = 100, from = time - (time - view.from) * factor, to = time + (view.to - time) * factor;
    if (to - from < least) return;
    show(from, to);
  }
  /** Shows a range of time; `says`: the reader did it. */
  function show(from, to, says = true) {
    const all = data.end - data.begin, wide = Math.min(to - from, Math.max(1, all * 1.1));
    from = Math.min(Math.max(from, data.begin - all * 0.05), data.end + all * 0.05 - wide);
    view.from = from; view.to = from + wide;
    if (says) hooks.moved?.(view.from, view.to);
    redraw();
  }
  function scroll(count) {
    view.top = Math.max(0, Math.min(rows.length - 1, view.top + count));
    redraw();
  }

  function sliceAt(x, y) {
    const row = rows[view.top + Math.floor((y - firstY()) / rowHeight)];
    if (!row || y < firstY() || x < left) return -1;
    const time = timeOf(x), near = 2 / scale;
    let best = -1;
    for (let i = firstAt(row, time - near); i < row.last && start[i] <= time + near; ++i)
      if (start[i] + length[i] >= time - near && (best < 0 || depth[i] >= depth[best])) best = i;
    return best;
  }
  function partAt(x, y) {
    if (!state.path || y < axisHeight || y >= firstY() || x < left) return null;
    const time = timeOf(x);
    return state.path.find(part => part.from <= time && time < part.to) ?? null;
  }
  function rowOf(slice) { return rows.findIndex(row => slice >= row.first && slice < row.last); }
  function textOf(i) {
    return [strings[name[i]], data.kinds[kind[i]].name + " on " + rows[rowOf(i)].label,
            timeText(start[i]) + ", for " + timeText(length[i]),
            size[i] ? size[i] + " B" : "", data.idle?.[i] ? "busy for " + timeText(length[i] - data.idle[i]) + " of it" : "", strings[at[i]]].filter(Boolean).join("\n");
  }
  function textAt(x, y) {
    const part = partAt(x, y);
    if (part) return part.text + "\n" + part.place + "\n" + timeText(part.from) + ", for " + timeText(part.to - part.from);
    const i = sliceAt(x, y);
    return i < 0 ? "" : textOf(i);
  }

  function search(text) {
    text = text.toLowerCase();
    state.found = []; state.current = -1; isFound = foundIn = null;
    if (text) {
      const fits = strings.map(one => one.toLowerCase().includes(text));
      isFound = new Uint8Array(start.length);
      foundIn = new Uint8Array(longest.length);
      for (const row of rows) {
        const whole = row.label.toLowerCase().includes(text);
        for (let i = row.first; i < row.last; ++i)
          if (whole || fits[name[i]] || (at[i] && fits[at[i]])) { isFound[i] = foundIn[i / blockSize | 0] = 1; state.found.push(i); }
      }
    }
    if (hooks.found) hooks.found.textContent = text ? state.found.length + " found" : "";
    redraw();
  }
  function next() {
    if (!state.found.length) return;
    state.current = (state.current + 1) % state.found.length;
    const i = state.found[state.current], half = Math.max(length[i] * 2, (view.to - view.from) / 2);
    const row = rowOf(i), shown = Math.floor((canvas.clientHeight - firstY()) / rowHeight);
    if (row < view.top || row >= view.top + shown) view.top = Math.max(0, row - (shown >> 1));
    show(start[i] + length[i] / 2 - half, start[i] + length[i] / 2 + half);
  }

  /// The critical path on top: parts {from, to, color, text, place} in the order of time; null: none.
  function setPath(parts) {
    state.path = parts;
    state.pathRows = new Map();
    const byLabel = new Map();
    rows.forEach((row, i) => {
      const label = row.label.replace(/ (read|write|send|recv)$/, "").replace(/\.kernel$/, ".pe_cpu");
      if (!byLabel.has(label)) byLabel.set(label, i);
    });
    (parts ?? []).forEach((part, i) => {
      const row = byLabel.get(part.place);
      if (row === undefined) return;
      if (!state.pathRows.has(row)) state.pathRows.set(row, []);
      state.pathRows.get(row).push(i);
    });
    redraw();
  }

  let held = null;
  canvas.addEventListener("wheel", event => {
    if (hooks.wheel === "ctrl" && !event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    if (event.shiftKey) return scroll(Math.sign(event.deltaY));
    zoom(event.deltaY > 0 ? 1.25 : 0.8, timeOf(event.offsetX));
  }, {passive: false});
  canvas.addEventListener("pointerdown", event => {
    held = {x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, top: view.top};
    canvas.setPointerCapture?.(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", event => {
    if (held) {
      const moved = (held.x - event.offsetX) / scale;
      view.top = Math.max(0, Math.min(rows.length - 1, held.top + Math.round((held.y - event.offsetY) / rowHeight)));
      return show(held.from + moved, held.to + moved);
    }
    const details = hooks.details;
    if (!details) return;
    details.textContent = textAt(event.offsetX, event.offsetY);
    details.style.display = details.textContent ? "block" : "none";
    details.style.left = Math.min(event.clientX + 14, window.innerWidth - 280) + "px";
    details.style.top = Math.min(event.clientY + 14, window.innerHeight - 90) + "px";
  });
  canvas.addEventListener("pointerleave", () => { if (hooks.details) hooks.details.style.display = "none"; });
  canvas.addEventListener("keydown", event => {
    const step = (view.to - view.from) / 10, middle = (view.from + view.to) / 2;
    const keys = {ArrowLeft: () => show(view.from - step, view.to - step), ArrowRight: () => show(view.from + step, view.to + step),
                  ArrowUp: () => scroll(-1), ArrowDown: () => scroll(1), "+": () => zoom(0.8, middle), "-": () => zoom(1.25, middle),
                  "0": () => show(data.begin, data.end), Enter: next};
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  window.addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener?.("change", redraw);
  return {data, rows, start, length, name, at, kind, depth, view, state, pen, canvas, firstY, xOf, timeOf, timeText, draw,
          redraw, zoom, show, scroll, sliceAt, rowOf, textOf, textAt, search, next, setPath};
}
