(() => {
  // dom.js
  function element(name, text, parent, attributes = {}) {
    const one = document.createElement(name);
    if (text !== void 0 && text !== null)
      one.textContent = String(text);
    for (const [key, value] of Object.entries(attributes))
      one.setAttribute(key, String(value));
    if (parent)
      parent.append(one);
    return one;
  }
  var byId = (id) => document.getElementById(id);
  function button(text, parent, act, attributes = {}) {
    const one = element("button", text, parent, { type: "button", ...attributes });
    one.addEventListener("click", act);
    return one;
  }

  // quantity.js
  var rounded = (value, digits) => String(+value.toPrecision(digits));
  function scaled(value, steps, digits) {
    const [step, unit] = steps.find(([one]) => Math.abs(value) >= one) ?? steps[steps.length - 1];
    return `${rounded(value / step, digits)} ${unit}`;
  }
  var times = [[1e12, "s"], [1e9, "ms"], [1e6, "\xB5s"], [1e3, "ns"], [1, "ps"]];
  var sizes = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
  var timeText = (ps) => ps === 0 ? "0 ns" : scaled(ps, times, 4);
  var share = (one) => one !== 0 && Math.abs(one) < 1e-3 ? "< 0.1 %" : (100 * one).toFixed(1) + " %";

  // timeline/colors.js
  function pixelOf(color) {
    const one = new OffscreenCanvas(1, 1).getContext("2d");
    one.fillStyle = color;
    one.fillRect(0, 0, 1, 1);
    return new Uint32Array(one.getImageData(0, 0, 1, 1).data.buffer)[0];
  }
  var paleOf = (pixel) => (pixel & 16777215 | 1073741824) >>> 0;
  function inkOn(pixel) {
    const parts = [pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255].map((part) => part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] > 0.18 ? "#111" : "#fff";
  }
  function pageColors() {
    const style = getComputedStyle(document.documentElement), all = (
      /** @type {Record<string, string>} */
      {}
    );
    for (const one of ["text", "back", "line", "band", "mark", "soft"])
      all[one] = style.getPropertyValue("--" + one) || "#888";
    return all;
  }

  // canvas.js
  function fitted(pen, text, width) {
    let few = text.length > 200 ? text.slice(0, 200) + "\u2026" : text;
    if (pen.measureText(few).width <= width)
      return few;
    let low = 0, high2 = few.length;
    while (low < high2) {
      const middle = low + high2 + 1 >> 1;
      if (pen.measureText(few.slice(0, middle) + "\u2026").width <= width)
        low = middle;
      else
        high2 = middle - 1;
    }
    return low ? few.slice(0, low) + "\u2026" : "";
  }

  // timeline/letters.js
  var plain = (text) => text.slice(0, 300).replace(/[\u0000-\u001f\u007f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\xB7");
  var widths = /* @__PURE__ */ new Map();
  function widthOf(pen, text) {
    let wide = widths.get(text);
    if (wide === void 0) {
      if (widths.size > 5e3)
        widths.clear();
      widths.set(text, wide = pen.measureText(text).width);
    }
    return wide;
  }
  function clipped(pen, text, wide) {
    const all = plain(text);
    return widthOf(pen, all) <= wide ? all : fitted(pen, all, wide);
  }

  // timeline/place.js
  var rowHeight = 18;
  var axisHeight = 24;
  var mostPinned = 0.5;
  function makePlace(canvas, view, above) {
    const place = {
      left: 0,
      width: 0,
      height: 0,
      get scale() {
        return (place.width - place.left) / (view.to - view.from);
      },
      get pathY() {
        return axisHeight;
      },
      get pinsY() {
        return axisHeight + (above().path ? rowHeight + 4 : 0);
      },
      /** Pinned lines that have room. */
      get pins() {
        return Math.min(above().pinned, Math.max(1, Math.floor(mostPinned * canvas.clientHeight / rowHeight)));
      },
      get firstY() {
        return place.pinsY + (above().pinned ? place.pins * rowHeight + 4 : 0);
      },
      /** Lines that are in sight. */
      get shown() {
        return Math.max(1, Math.floor((canvas.clientHeight - place.firstY) / rowHeight));
      },
      xOf: (time) => place.left + (time - view.from) * place.scale,
      timeOf: (x) => view.from + (x - place.left) / place.scale,
      /** Takes the canvas's size, at the screen's resolution. @param {CanvasRenderingContext2D} pen */
      measure(pen) {
        const ratio = window.devicePixelRatio || 1, wide = canvas.clientWidth, high2 = canvas.clientHeight;
        if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high2 * ratio)) {
          canvas.width = Math.round(wide * ratio);
          canvas.height = Math.round(high2 * ratio);
        }
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        place.width = wide;
        place.height = high2;
        place.left = Math.min(260, wide / 3);
      }
    };
    return place;
  }

  // timeline/draw_names.js
  var pinWidth = 16;
  var indent = 11;
  var foldWidth = 13;
  function makeNameDrawing({ pen, lines, state, place, colors }) {
    function drawPin(x, y, isPinned) {
      pen.beginPath();
      pen.arc(x + 8, y + 7, 3, 0, 2 * Math.PI);
      pen.moveTo(x + 8, y + 10);
      pen.lineTo(x + 8, y + 15);
      pen.strokeStyle = pen.fillStyle = isPinned ? colors.mark : colors.soft;
      pen.stroke();
      if (isPinned)
        pen.fill();
    }
    function drawFold(x, y, isOpen) {
      pen.fillStyle = colors.text;
      pen.beginPath();
      for (const [dx, dy] of isOpen ? [[0, 5], [8, 5], [4, 11]] : [[1, 4], [1, 12], [7, 8]])
        pen.lineTo(x + dx, y + dy);
      pen.fill();
    }
    return function drawLineName(line, y, isPinned) {
      const { node, isFirst } = line, { left } = place, isFocused = state.focus === node.id && !isPinned;
      if (isFocused) {
        pen.fillStyle = colors.band;
        pen.fillRect(0, y, left - 2, rowHeight);
      }
      if (isFocused && isFirst) {
        pen.strokeStyle = colors.mark;
        pen.strokeRect(0.5, y + 0.5, left - 3, rowHeight - 1);
      }
      if (!isFirst)
        return;
      const pins = lines.kept.pins.has(node.id);
      if (pins || isFocused || state.hover === node.id)
        drawPin(0, y, pins);
      const x = pinWidth + indent * Math.min(line.depth, 8) + foldWidth, isPart = node.children.length > 0;
      if (lines.isFoldable(node) && !isPinned)
        drawFold(x - foldWidth, y + 1, lines.isOpen(node));
      pen.font = isPart ? "600 11px sans-serif" : "11px sans-serif";
      pen.fillStyle = colors.text;
      pen.textAlign = "left";
      pen.fillText(clipped(pen, isPinned ? node.label : node.name, left - 6 - x), x, y + 13);
      pen.font = "11px sans-serif";
    };
  }

  // timeline/draw_path.js
  function makePathDrawing({ pen, view, state, place, colors }, drawName) {
    function drawParts(parts, y, high2, least, named) {
      let drawn = -1;
      for (const { from, to, color, text } of parts) {
        if (to < view.from || from > view.to)
          continue;
        const x = place.xOf(from), right = Math.max(x + least, place.xOf(to));
        if (right <= drawn + 0.3)
          continue;
        drawn = right;
        pen.fillStyle = color;
        pen.fillRect(x, y, right - x, high2);
        if (named && right - x > 40)
          drawName(text, Math.max(x, place.left), y + 1, right - Math.max(x, place.left), "#111");
      }
    }
    return {
      /** The line on top. */
      drawTop() {
        if (!state.path)
          return;
        pen.save();
        pen.beginPath();
        pen.rect(place.left, axisHeight, place.width - place.left, rowHeight);
        pen.clip();
        drawParts(state.path, axisHeight, rowHeight, 0.5, true);
        pen.restore();
        pen.fillStyle = colors.text;
        pen.textAlign = "right";
        pen.fillText("critical path", place.left - 6, axisHeight + 13);
      },
      /** The path's parts that are of a line. @param {any[] | undefined} parts @param {number} y */
      drawIn(parts, y) {
        if (parts)
          drawParts(parts, y + rowHeight - 4, 4, 1, false);
      }
    };
  }

  // timeline/states.js
  var states = [
    { name: "computing", color: "#d1590e", says: "an engine, a memory port or the issue of a command is busy" },
    { name: "communicating", color: "#3a85c9", says: "not computing, and a DMA transfer, a send or a link is under way" },
    { name: "waiting", color: "#8d8d93", says: "neither of them, and a wait or a receive has begun" },
    { name: "host", color: "#7b6fb0", says: "a rank is within a call or an order" }
  ];
  var stateOfKind = { engine: 0, memory: 0, issue: 0, dma: 1, link: 1, wait: 2, call: 3, collective: 3, order: 3, launch: 3 };
  var stateOf = (kind, label) => kind === "queue" ? label.endsWith(" send") ? 1 : 2 : stateOfKind[kind] ?? -1;
  function united(a, b) {
    if (!a.starts.length)
      return b;
    if (!b.starts.length)
      return a;
    const starts = [], ends = [];
    let i = 0, j = 0;
    while (i < a.starts.length || j < b.starts.length) {
      const takesA = j >= b.starts.length || i < a.starts.length && a.starts[i] <= b.starts[j];
      const from = takesA ? a.starts[i] : b.starts[j], to = takesA ? a.ends[i++] : b.ends[j++];
      if (ends.length && from <= ends[ends.length - 1])
        ends[ends.length - 1] = Math.max(to, ends[ends.length - 1]);
      else {
        starts.push(from);
        ends.push(to);
      }
    }
    return { starts, ends };
  }
  function unitedAll(lists) {
    while (lists.length > 1)
      lists = lists.flatMap((one, i) => i % 2 ? [] : i + 1 < lists.length ? united(one, lists[i + 1]) : one);
    return lists[0] ?? { starts: [], ends: [] };
  }
  function without(a, b) {
    if (!a.starts.length || !b.starts.length)
      return a;
    const starts = [], ends = [];
    for (let i = 0, j = 0; i < a.starts.length; ++i) {
      let from = a.starts[i];
      while (j < b.starts.length && b.ends[j] <= from)
        ++j;
      for (let k = j; from < a.ends[i]; ++k) {
        const to = k < b.starts.length ? Math.min(a.ends[i], b.starts[k]) : a.ends[i];
        if (to > from) {
          starts.push(from);
          ends.push(to);
        }
        if (k >= b.starts.length)
          break;
        from = b.ends[k];
      }
    }
    return { starts, ends };
  }
  function spansOfRow({ rows, start, length, kind, kinds }, index) {
    const row = rows[index], of = kinds.map((one) => stateOf(one.name, row.label));
    const all = states.map(() => ({ starts: [], ends: [] }));
    for (let i = row.first; i < row.last; ++i) {
      if (of[kind[i]] < 0 || length[i] === 0)
        continue;
      const { starts, ends } = all[of[kind[i]]], end = start[i] + length[i], last = ends.length - 1;
      if (last >= 0 && start[i] <= ends[last])
        ends[last] = Math.max(end, ends[last]);
      else {
        starts.push(start[i]);
        ends.push(end);
      }
    }
    return all;
  }
  function sumsOf(times2) {
    const sums = new Float64Array(times2.length + 1);
    times2.forEach((one, i) => {
      sums[i + 1] = sums[i] + one;
    });
    return sums;
  }
  function sorted(lists) {
    const all = new Float64Array(lists.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const one of lists) {
      all.set(one, at);
      at += one.length;
    }
    return all.sort();
  }
  function ramp(times2, sums) {
    let at = 0;
    return (time) => {
      let step = 1;
      while (at + step <= times2.length && times2[at + step - 1] < time) {
        at += step;
        step *= 2;
      }
      for (; step >= 1; step = step >> 1)
        if (at + step <= times2.length && times2[at + step - 1] < time)
          at += step;
      return time * at - sums[at];
    };
  }
  function makeStates(slices, tree) {
    const ofWhole = /* @__PURE__ */ new Map(), ofNode = /* @__PURE__ */ new Map();
    function spansOf(whole) {
      if (ofWhole.has(whole))
        return ofWhole.get(whole);
      const rows = tree.rowsOf(whole).map((index) => spansOfRow(slices, index)), all = [];
      let taken = (
        /** @type {Spans} */
        { starts: [], ends: [] }
      );
      for (let state = 0; state < states.length; ++state) {
        const own = unitedAll(rows.map((one) => one[state]));
        all.push(without(own, taken));
        taken = united(taken, own);
      }
      ofWhole.set(whole, all);
      return all;
    }
    function timesOf(node) {
      if (ofNode.has(node))
        return ofNode.get(node);
      const wholes = tree.wholesOf(node), spans = wholes.map(spansOf);
      const of = states.map((_, state) => {
        const starts = sorted(spans.map((one) => one[state].starts)), ends = sorted(spans.map((one) => one[state].ends));
        return { starts, ends, startSums: sumsOf(starts), endSums: sumsOf(ends) };
      });
      const times2 = { count: wholes.length, wholes, of };
      ofNode.set(node, times2);
      return times2;
    }
    function shares(node, from, to, count) {
      const { count: wholes, of } = timesOf(node), all = new Float32Array(states.length * count), wide = (to - from) / count;
      of.forEach(({ starts, ends, startSums, endSums }, state) => {
        if (!starts.length)
          return;
        const begun = ramp(starts, startSums), ended = ramp(ends, endSums);
        let before = begun(from) - ended(from);
        for (let bin = 0; bin < count; ++bin) {
          const time = from + (bin + 1) * wide, now = begun(time) - ended(time);
          all[state * count + bin] = (now - before) / (wide * wholes);
          before = now;
        }
      });
      return all;
    }
    return { shares, wholes: (node) => timesOf(node).wholes };
  }

  // timeline/draw_shares.js
  var binWidth = 2;
  var high = rowHeight - 4;
  function makeShareDrawing({ pen, view, state, place, states: known }) {
    const pixels = states.map((one) => pixelOf(one.color)), pale = pixels.map(paleOf);
    let image = null, dots = null, picture = null, bins = 1;
    function begin(shown) {
      bins = Math.max(1, Math.ceil((place.width - place.left) / binWidth));
      if (image?.width !== bins || image.height !== Math.max(1, shown) * rowHeight) {
        image = new ImageData(bins, Math.max(1, shown) * rowHeight);
        dots = new Uint32Array(image.data.buffer);
        picture = new OffscreenCanvas(image.width, image.height).getContext("2d");
      }
      dots.fill(0);
    }
    const borderOf = (bin) => view.from + bin * binWidth / place.scale;
    function add(node, line) {
      const all = known.shares(node, view.from, borderOf(bins), bins), bottom = line * rowHeight + rowHeight - 3;
      let any = false;
      for (let bin = 0; bin < bins; ++bin) {
        let sum = 0, below = 0;
        for (let at = 0; at < states.length; ++at) {
          const part = all[at * bins + bin];
          if (part <= 0)
            continue;
          sum += part;
          let top = Math.min(high, Math.round(sum * high));
          if (top === below && part > 2e-3 && top < high)
            ++top;
          const dot = state.dimStates?.[at] ? pale[at] : pixels[at];
          for (; below < top; ++below)
            dots[(bottom - below) * bins + bin] = dot;
        }
        any ||= below > 0;
      }
      return any;
    }
    function end() {
      picture.putImageData(image, 0, 0);
    }
    function show(first, last, y) {
      const top = first * rowHeight, tall = (last - first) * rowHeight;
      pen.imageSmoothingEnabled = false;
      if (tall > 0)
        pen.drawImage(picture.canvas, 0, top, bins, tall, place.left, y, bins * binWidth, tall);
    }
    function sharesAt(node, x) {
      const bin = Math.floor((x - place.left) / binWidth), all = known.shares(node, borderOf(bin), borderOf(bin + 1), 1);
      return { from: borderOf(bin), to: borderOf(bin + 1), of: [...all] };
    }
    return { begin, add, end, show, sharesAt };
  }

  // timeline/slices.js
  var blockSize = 64;
  function decode(data2) {
    const { name, at, bytes, strings, kinds } = data2, rows = data2.rows;
    const start = new Float64Array(data2.start.length), length = Float64Array.from(data2.length);
    const kind = Uint8Array.from(data2.kind), depth = Uint8Array.from(data2.depth);
    for (const row of rows)
      for (let i = row.first, time = 0; i < row.last; ++i)
        start[i] = time += data2.start[i];
    const longest = new Float64Array(Math.ceil(start.length / blockSize));
    length.forEach((one, i) => {
      const block = i / blockSize | 0;
      if (one > longest[block])
        longest[block] = one;
    });
    function firstAt(row, time) {
      let low = row.first, high2 = row.last;
      while (low < high2) {
        const middle = low + high2 >> 1;
        if (start[middle] < time - row.longest)
          low = middle + 1;
        else
          high2 = middle;
      }
      return low;
    }
    function sliceIn(row, time, near) {
      let best = -1;
      for (let i = firstAt(row, time - near); i < row.last && start[i] <= time + near; ++i)
        if (start[i] + length[i] >= time - near && (best < 0 || depth[i] >= depth[best]))
          best = i;
      return best;
    }
    function rowOf(slice) {
      let low = 0, high2 = rows.length;
      while (low < high2) {
        const middle = low + high2 >> 1;
        if (rows[middle].last <= slice)
          low = middle + 1;
        else
          high2 = middle;
      }
      return low < rows.length && slice >= rows[low].first ? low : -1;
    }
    return { data: data2, rows, start, length, kind, depth, longest, name, at, bytes, strings, kinds, firstAt, sliceIn, rowOf };
  }
  function searched({ rows, start, longest, strings, name, at }, text) {
    const wanted = text.toLowerCase(), found = [];
    if (!wanted)
      return null;
    const fits = strings.map((one) => one.toLowerCase().includes(wanted));
    const isFound = new Uint8Array(start.length), inBlock = new Uint8Array(longest.length);
    for (const row of rows) {
      const whole = row.label.toLowerCase().includes(wanted);
      for (let i = row.first; i < row.last; ++i)
        if (whole || fits[name[i]] || at[i] && fits[at[i]]) {
          isFound[i] = inBlock[i / blockSize | 0] = 1;
          found.push(i);
        }
    }
    return { found, isFound, inBlock };
  }

  // timeline/draw_slices.js
  var narrowBelow = 5;
  function makeSliceDrawing({ pen, slices, view, state, place, colors }) {
    const { start, length, kind, depth, longest, name, strings, kinds } = slices;
    const pixels = kinds.map((one) => pixelOf(one.color)), pale = pixels.map(paleOf), inks = pixels.map(inkOn);
    let strip = null, strips = null;
    function drawName(text, x, y, wide, ink) {
      const letters = Math.floor((wide - 4) / 6);
      pen.fillStyle = ink;
      pen.textAlign = "left";
      pen.fillText(plain(text.length > letters ? text.slice(0, letters) : text), x + 3, y + 12, wide - 4);
    }
    function begin(shown) {
      const wide = Math.max(1, Math.ceil(place.width - place.left));
      if (strip?.width !== wide)
        strip = new ImageData(wide, 1);
      if (strips?.canvas.width !== wide || strips.canvas.height < shown)
        strips = new OffscreenCanvas(wide, Math.max(1, shown)).getContext("2d");
    }
    function drawRow(row, y, line) {
      const { left, width, scale, xOf } = place, { marks, dim } = state;
      const last = new Float64Array(256).fill(-1);
      const pixel = 1 / scale, narrow = new Uint32Array(strip.data.buffer), chosen = state.found[state.current];
      let color = -1, alpha = -1, narrows = false, any = false;
      narrow.fill(0);
      for (let i = slices.firstAt(row, view.from); i < row.last && start[i] < view.to; ++i) {
        if (i % blockSize === 0 && !marks?.inBlock[i / blockSize] && i + blockSize < row.last && longest[i / blockSize] < pixel) {
          const right2 = xOf(start[i + blockSize - 1]) + 1;
          if (right2 <= last[depth[i]] + 0.5) {
            i += blockSize - 1;
            continue;
          }
        }
        const end = start[i] + length[i];
        if (end < view.from)
          continue;
        any = true;
        const inset = depth[i], right = Math.min(width, left + (end - view.from) * scale);
        const found = marks !== null && marks.isFound[i] === 1, weak = marks !== null && !found || dim !== null && dim[kind[i]] === 1;
        if (right <= last[inset] + 0.5 && !found)
          continue;
        const x = Math.max(left, left + (start[i] - view.from) * scale), wide = Math.max(0.6, right - x);
        if (wide < narrowBelow && (!found || i !== chosen)) {
          const column = x - left | 0, end2 = Math.max(column + 1, Math.round(right - left));
          if (!weak)
            narrow.fill(pixels[kind[i]], column, end2);
          else
            for (let at = column; at < end2; ++at)
              if (narrow[at] === 0)
                narrow[at] = pale[kind[i]];
          last[inset] = left + end2;
          narrows = true;
          continue;
        }
        last[inset] = x + wide;
        const shade = weak ? 0.25 : 1;
        if (alpha !== shade)
          pen.globalAlpha = alpha = shade;
        if (color !== kind[i]) {
          color = kind[i];
          pen.fillStyle = kinds[color].color;
        }
        const lower = Math.min(inset, 4);
        pen.fillRect(x, y + 1 + lower, wide, rowHeight - 2 - 2 * lower);
        if (i === chosen) {
          pen.globalAlpha = 1;
          pen.strokeStyle = colors.mark;
          pen.lineWidth = 2;
          pen.strokeRect(x, y + 1, wide, rowHeight - 2);
          pen.lineWidth = 1;
          alpha = -1;
        }
        if (wide > 30 && !weak) {
          drawName(strings[name[i]], x, y, wide, inks[kind[i]]);
          color = -1;
        }
      }
      pen.globalAlpha = 1;
      if (narrows) {
        strips.putImageData(strip, 0, line);
        pen.imageSmoothingEnabled = false;
        pen.drawImage(strips.canvas, 0, line, strip.width, 1, left, y + 2, strip.width, rowHeight - 4);
      }
      return any;
    }
    return { begin, drawRow, drawName };
  }

  // timeline/draw.js
  var mostArrows = 500;
  function stepOf(all) {
    const power = 10 ** Math.floor(Math.log10(all / 8));
    return [1, 2, 5, 10].map((step) => step * power).find((step) => step * 8 >= all);
  }
  function makeDrawing(chart) {
    const { pen, slices, lines, view, state, place, colors } = chart;
    const boxes = makeSliceDrawing(chart), shares = makeShareDrawing(chart), drawLineName = makeNameDrawing(chart);
    const path = makePathDrawing(chart, boxes.drawName);
    function drawAxis() {
      const step = Math.max(1, stepOf(view.to - view.from));
      pen.strokeStyle = colors.line;
      pen.fillStyle = colors.text;
      pen.textAlign = "center";
      for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
        const x = place.xOf(time);
        if (x < place.left)
          continue;
        pen.beginPath();
        pen.moveTo(x, axisHeight - 4);
        pen.lineTo(x, place.height);
        pen.stroke();
        pen.fillText(timeText(time), x, 14);
      }
    }
    function drawBand(y) {
      pen.globalAlpha = 0.5;
      pen.fillStyle = colors.band;
      pen.fillRect(0, y, place.width, rowHeight);
      pen.globalAlpha = 1;
    }
    function drawLine(line, y, number, isPinned) {
      pen.save();
      pen.beginPath();
      pen.rect(place.left, y, place.width, rowHeight);
      pen.clip();
      const any = line.row >= 0 && boxes.drawRow(slices.rows[line.row], y, number);
      if (line.isFirst)
        path.drawIn(isPinned ? state.pathPins.get(line.node) : state.pathLines.get(line.node), y);
      pen.restore();
      drawLineName(line, y, isPinned);
      return any;
    }
    function drawAll(all, y, first, isPinned) {
      all.forEach((_, i) => {
        if (i % 2)
          drawBand(y + i * rowHeight);
      });
      shares.show(first, first + all.length, y);
      return all.reduce((any, line, i) => drawLine(line, y + i * rowHeight, first + i, isPinned) || any, false);
    }
    function drawLines() {
      const shown = lines.all.slice(view.top, view.top + Math.max(1, Math.ceil((place.height - place.firstY) / rowHeight)));
      const pinned = lines.pinned.slice(0, place.pins), all = [...shown, ...pinned];
      boxes.begin(all.length);
      shares.begin(all.length);
      let any = all.reduce((any2, line, i) => line.folded && shares.add(line.node, i) || any2, false);
      shares.end();
      any = drawAll(shown, place.firstY, 0, false) || any;
      if (!pinned.length)
        return any;
      pen.fillStyle = colors.back;
      pen.fillRect(0, place.pinsY, place.width, place.firstY - place.pinsY);
      any = drawAll(pinned, place.pinsY, shown.length, true) || any;
      pen.fillStyle = colors.line;
      pen.fillRect(0, place.firstY - 3, place.width, 2);
      return any;
    }
    function drawEmpty() {
      const text = !slices.start.length ? "This timeline has no slices." : !lines.all.length ? "No line fits the filter." : "No slices on these lines in this time.";
      pen.fillStyle = colors.text;
      pen.textAlign = "center";
      pen.fillText(state.empty = text, (place.left + place.width) / 2, Math.min(place.height - 8, place.firstY + 40));
    }
    function drawScroll() {
      const high2 = place.height - place.firstY, all = lines.all.length;
      if (all <= place.shown)
        return;
      pen.fillStyle = colors.soft;
      pen.fillRect(place.width - 4, place.firstY + high2 * view.top / all, 3, Math.max(12, high2 * place.shown / all));
    }
    function drawFlows() {
      const yOf = (line) => place.firstY + (line - view.top) * rowHeight + rowHeight / 2;
      pen.strokeStyle = colors.text;
      pen.globalAlpha = 0.35;
      let drawn = 0;
      pen.beginPath();
      for (const [fromRow, fromTime, toRow, toTime] of slices.data.flows) {
        if (toTime < view.from || fromTime > view.to)
          continue;
        const one = lines.lineOfRow[fromRow], other = lines.lineOfRow[toRow];
        if (one === other || !(one >= 0) || !(other >= 0))
          continue;
        const a = yOf(one), b = yOf(other);
        if (a < place.firstY && b < place.firstY || a > place.height && b > place.height)
          continue;
        if (++drawn > mostArrows)
          break;
        const x = place.xOf(toTime), from = place.xOf(fromTime), angle = Math.atan2(b - a, x - from);
        pen.moveTo(from, a);
        pen.lineTo(x, b);
        for (const side of [-0.4, 0.4]) {
          pen.moveTo(x, b);
          pen.lineTo(x - 6 * Math.cos(angle + side), b - 6 * Math.sin(angle + side));
        }
      }
      pen.stroke();
      pen.globalAlpha = 1;
      state.arrows = Math.min(drawn, mostArrows);
    }
    function drawSelection() {
      const { selection } = state;
      if (!selection)
        return;
      const x = Math.max(place.left, place.xOf(selection.from)), right = Math.max(x + 1, place.xOf(selection.to));
      const y = selection.lines ? Math.max(place.firstY, place.firstY + (selection.lines[0] - view.top) * rowHeight) : axisHeight;
      const bottom = selection.lines ? place.firstY + (selection.lines[1] + 1 - view.top) * rowHeight : place.height;
      if (bottom <= y || right <= place.left)
        return;
      pen.fillStyle = pen.strokeStyle = colors.mark;
      pen.globalAlpha = 0.12;
      pen.fillRect(x, y, right - x, bottom - y);
      pen.globalAlpha = 1;
      pen.strokeRect(x + 0.5, y + 0.5, right - x - 1, bottom - y - 1);
    }
    function draw() {
      ++state.frames;
      place.measure(pen);
      Object.assign(colors, pageColors());
      pen.font = "11px sans-serif";
      pen.direction = "ltr";
      pen.fillStyle = colors.back;
      pen.fillRect(0, 0, place.width, place.height);
      state.empty = "";
      if (!(place.scale > 0))
        return;
      drawAxis();
      if (!drawLines())
        drawEmpty();
      path.drawTop();
      pen.save();
      pen.beginPath();
      pen.rect(place.left, place.firstY, place.width, place.height);
      pen.clip();
      drawFlows();
      pen.restore();
      drawScroll();
      drawSelection();
    }
    return { draw, sharesAt: shares.sharesAt };
  }

  // timeline/focus.js
  function makeFocus({ lines, view, state, place }, { fold, scrollTo, say }) {
    function focus(node) {
      state.focus = node?.id ?? null;
      say(node ? `${node.label.slice(0, 200)}${lines.isFoldable(node) ? lines.isOpen(node) ? ", open" : ", folded" : ""}` : "");
    }
    const focused = () => state.focus === null ? null : lines.nodeById(state.focus);
    function moveFocus(step) {
      const node = focused();
      let index = node ? lines.all.findIndex((one) => one.node === node) : view.top - step;
      if (node && index < 0)
        index = lines.lineOf(node) - step;
      do
        index += step;
      while (lines.all[index] && !lines.all[index].isFirst);
      if (!lines.all[index])
        return;
      focus(lines.all[index].node);
      if (index < view.top)
        scrollTo(index);
      else if (index >= view.top + place.shown)
        scrollTo(index - place.shown + 1);
    }
    function turn(open) {
      const node = focused();
      if (lines.isFoldable(node) && lines.isOpen(node) !== open) {
        fold(node, open);
        return focus(node);
      }
      if (open) {
        if (lines.isFoldable(node) && node.children.length)
          moveFocus(1);
        return;
      }
      const around = node.group ?? node.parent;
      if (around && around.kind !== "root") {
        focus(around);
        scrollToLine(around);
      }
    }
    function scrollToLine(node) {
      const index = lines.lineOf(node);
      if (index >= 0 && (index < view.top || index >= view.top + place.shown))
        scrollTo(index);
    }
    return { focus, focused, moveFocus, turn };
  }

  // timeline/input.js
  var still = 4;
  function listen({ canvas, view, place }, acts, scrollsPage) {
    const touches = /* @__PURE__ */ new Map();
    let held = null, pinch = null;
    const middleOf = () => {
      const [a, b] = [...touches.values()];
      return { x: (a.x + b.x) / 2, apart: Math.max(10, Math.hypot(a.x - b.x, a.y - b.y)) };
    };
    function press(event) {
      const x = event.offsetX, y = event.offsetY, isTouch = event.pointerType === "touch";
      if (event.button > 0)
        return;
      try {
        canvas.setPointerCapture(event.pointerId);
      } catch {
      }
      if (isTouch)
        touches.set(event.pointerId, { x, y });
      if (touches.size === 2) {
        const { x: middle, apart } = middleOf();
        pinch = { time: place.timeOf(middle), apart, wide: view.to - view.from };
        held = null;
        return;
      }
      const selects = x >= place.left && (event.shiftKey || y < axisHeight);
      held = { x, y, from: view.from, to: view.to, top: view.top, moves: false, selects, ofLines: y >= axisHeight, isTouch, time: place.timeOf(x) };
    }
    function select(event, isEnd) {
      const times2 = [held.time, place.timeOf(Math.max(event.offsetX, place.left))].sort((a, b) => a - b);
      const ys = [held.y, event.offsetY].sort((a, b) => a - b);
      acts.select(times2[0], times2[1], held.ofLines ? [ys[0], ys[1]] : null, isEnd);
    }
    function drag(event) {
      held.moves ||= Math.max(Math.abs(event.offsetX - held.x), Math.abs(event.offsetY - held.y)) >= still;
      if (!held.moves)
        return;
      if (held.selects)
        return select(event, false);
      if (!(held.isTouch && scrollsPage))
        acts.scrollTo(held.top + Math.round((held.y - event.offsetY) / rowHeight));
      const moved = (held.x - event.offsetX) / place.scale;
      if (held.x >= place.left)
        acts.show(held.from + moved, held.to + moved);
    }
    function pinched() {
      const { x, apart } = middleOf(), wide = pinch.wide * pinch.apart / apart;
      const from = pinch.time - wide * (x - place.left) / Math.max(1, place.width - place.left);
      acts.show(from, from + wide);
    }
    function release(event) {
      touches.delete(event.pointerId);
      if (touches.size < 2)
        pinch = null;
      if (!held)
        return;
      if (!held.moves)
        acts.click(event.offsetX, event.offsetY);
      else if (held.selects)
        select(event, true);
      held = null;
    }
    canvas.addEventListener("wheel", (event) => {
      if (scrollsPage && !event.ctrlKey && document.activeElement !== canvas)
        return;
      event.preventDefault();
      if (event.shiftKey)
        return acts.scrollTo(view.top + Math.sign(event.deltaY || event.deltaX));
      acts.zoom(event.deltaY > 0 ? 1.25 : 0.8, place.timeOf(event.offsetX));
    }, { passive: false });
    canvas.addEventListener("pointerdown", press);
    canvas.addEventListener("pointermove", (event) => {
      if (touches.has(event.pointerId))
        touches.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (pinch && touches.size === 2)
        return pinched();
      if (held)
        return drag(event);
      if (event.pointerType !== "touch")
        acts.hover(event.offsetX, event.offsetY, event);
    });
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", (event) => {
      touches.delete(event.pointerId);
      held = pinch = null;
    });
    canvas.addEventListener("dblclick", (event) => acts.open(event.offsetX, event.offsetY));
    canvas.addEventListener("pointerleave", acts.leave);
    canvas.addEventListener("keydown", (event) => {
      if (event.altKey || event.metaKey || event.ctrlKey && !["+", "-", "0"].includes(event.key))
        return;
      const name = (event.shiftKey ? "Shift+" : "") + event.key, act = acts.keys[name] ?? (event.key.length === 1 ? acts.keys[event.key] : void 0);
      if (!act)
        return;
      event.preventDefault();
      act();
    });
  }

  // timeline/legend.js
  var statesOf = (name) => [stateOf(name, ""), stateOf(name, " send")];
  function makeLegend(root, { kinds, kind }, dimmed) {
    const has = new Set(kind), names = [...new Set(kinds.filter((_, i) => has.has(i)).map((one) => one.name))];
    const hasState = states.map((_, at) => names.some((name) => statesOf(name).includes(at)));
    const buttons = [];
    let chosen = null;
    root.replaceChildren();
    function add(parent, text, colors, title, dim) {
      const one = button("", parent, () => choose(one, dim), { class: "kind", "aria-pressed": false, title });
      for (const color of colors)
        element("span", null, one, { class: "swatch" }).style.background = color;
      one.append(text);
      buttons.push(one);
    }
    function choose(one, dim) {
      chosen = chosen === one ? null : one;
      for (const other of buttons)
        other.setAttribute("aria-pressed", String(other === chosen));
      dimmed(chosen ? dim : null);
    }
    if (!names.length)
      return;
    const line = element("p", "folded: ", root, { class: "legend" });
    states.forEach(({ name, color, says }, at) => {
      if (!hasState[at])
        return;
      add(
        line,
        name,
        [color],
        `share of PEs, or of units or links: ${says}`,
        { kinds: Uint8Array.from(kinds.map((one) => Number(!statesOf(one.name).includes(at)))), states: states.map((_, other) => other !== at) }
      );
    });
    element("span", "idle", line, { class: "kind", title: "none of these" }).prepend(element("span", null, null, { class: "swatch idle" }));
    const own = element("p", "slices: ", root, { class: "legend" });
    for (const name of names)
      add(
        own,
        name,
        [...new Set(kinds.filter((one, i) => one.name === name && has.has(i)).map((one) => one.color))],
        "click: others become pale",
        { kinds: Uint8Array.from(kinds.map((one) => Number(one.name !== name))), states: states.map((_, at) => !statesOf(name).includes(at)) }
      );
  }

  // timeline/alike.js
  var withoutNumbers = (name) => name.replace(/\d+/g, "#");
  function groupOf(members) {
    const first = members[0], last = members[members.length - 1];
    const name = (of) => (members.length === 2 ? `${first[of]}, ${last[of]}` : `${first[of]} \u2026 ${last[of]}`) + ` (${members.length} alike)`;
    const group = { id: "alike " + first.id, name: name("name"), label: name("label"), kind: "alike", parent: first.parent, group: null, children: members, rows: [] };
    for (const one of members)
      one.group = group;
    return group;
  }
  function makeAlike(slices) {
    const signs = /* @__PURE__ */ new Map(), shown = /* @__PURE__ */ new Map();
    function signOfRow(index) {
      const { first, last } = slices.rows[index], { start, length, kind } = slices;
      let sum = 0, a = 17, b = 5381;
      for (let i = first; i < last; ++i) {
        const low = start[i] % 4294967296 | 0, word = low ^ (start[i] / 4294967296 | 0) * 2654435761 ^ kind[i] << 24;
        sum += length[i];
        a = Math.imul(a ^ word, 16777619);
        b = Math.imul(b, 33) + word | 0;
      }
      return `${last - first},${sum},${a},${b}`;
    }
    function signOf(node) {
      if (!signs.has(node)) {
        const below = node.children.map((one) => one.name + ":" + signOf(one)).join(";");
        signs.set(node, `${node.kind} ${node.rows.map(signOfRow).join("|")} {${below}}`);
      }
      return signs.get(node);
    }
    const areAlike = (a, b) => withoutNumbers(a.name) === withoutNumbers(b.name) && signOf(a) === signOf(b);
    return function childrenOf(node) {
      if (node.kind === "alike")
        return node.children;
      if (shown.has(node))
        return shown.get(node);
      const all = [];
      for (let i = 0; i < node.children.length; ) {
        let end = i + 1;
        while (end < node.children.length && areAlike(node.children[i], node.children[end]))
          ++end;
        all.push(end - i > 1 ? groupOf(node.children.slice(i, end)) : node.children[i]);
        i = end;
      }
      shown.set(node, all);
      return all;
    };
  }

  // timeline/filter.js
  function fitsGlob(glob, text) {
    let at = 0, in_ = 0, star = -1, kept = 0;
    while (in_ < text.length) {
      if (at < glob.length && glob[at] === "*") {
        star = at++;
        kept = in_;
      } else if (at < glob.length && (glob[at] === "?" || glob[at] === text[in_])) {
        ++at;
        ++in_;
      } else if (star >= 0) {
        at = star + 1;
        in_ = ++kept;
      } else
        return false;
    }
    while (glob[at] === "*")
      ++at;
    return at === glob.length;
  }
  function filtered(root, childrenOf, text) {
    const wanted = text.trim().toLowerCase(), stands = /* @__PURE__ */ new Map();
    if (!wanted)
      return null;
    const isGlob = /[*?]/.test(wanted);
    const fits = (node) => {
      const label = node.label.toLowerCase();
      return isGlob ? fitsGlob(wanted, label) : label.includes(wanted);
    };
    const visit = (node) => {
      if (node.kind !== "root" && node.kind !== "alike" && fits(node))
        return void stands.set(node, "fits");
      const below = childrenOf(node);
      below.forEach(visit);
      if (node.kind === "alike" && below.every((one) => stands.get(one) === "fits"))
        stands.set(node, "fits");
      else if (below.some((one) => stands.has(one)))
        stands.set(node, "opened");
    };
    visit(root);
    return stands;
  }

  // timeline/lines.js
  var mostAtFirst = 46;
  var mostLanes = 3;
  var noChoices = () => ({ open: null, pins: /* @__PURE__ */ new Set(), filter: "" });
  function makeLines(slices, tree, kept) {
    const childrenOf = makeAlike(slices), lineOfRow = new Int32Array(slices.rows.length);
    const closed = /* @__PURE__ */ new Set();
    let stands = null, lines = [], pinned = [];
    const isFoldable = (node) => node.children.length > 0 || node.rows.length > mostLanes;
    const isOpen = (node) => !isFoldable(node) || (stands?.get(node) === "opened" ? !closed.has(node.id) : kept.open.has(node.id));
    const lanesOf = (node) => node.kind === "alike" ? node.children[0].rows : node.rows;
    function openFirst() {
      kept.open = /* @__PURE__ */ new Set();
      const linesOf = (nodes) => nodes.reduce((sum, one) => sum + (isFoldable(one) ? 1 : one.rows.length), 0);
      let level = childrenOf(tree.root), count = linesOf(level);
      for (let isTop = true; level.length; isTop = false) {
        const next = [], byName = /* @__PURE__ */ new Map();
        for (const node of level) {
          const name = withoutNumbers(node.name);
          if (isFoldable(node) && node.kind !== "links" && node.kind !== "alike" && !(node.children.length === 1 && node.children[0].kind === "links"))
            byName.set(name, [...byName.get(name) ?? [], node]);
        }
        const ranks = byName.get("rank#") ?? [], others = [...byName].filter(([name]) => name !== "rank#").map(([, nodes]) => nodes);
        for (const nodes of [ranks, ranks.slice(0, 1), ...isTop ? others.flat().map((one) => [one]) : others]) {
          if (!nodes.length || kept.open.has(nodes[0].id))
            continue;
          const more = nodes.reduce((sum, one) => sum + (one.children.length ? linesOf(childrenOf(one)) : one.rows.length), 0);
          if (count + more > mostAtFirst)
            continue;
          count += more;
          for (const node of nodes) {
            kept.open.add(node.id);
            next.push(...childrenOf(node));
          }
        }
        level = next;
      }
    }
    function add(node, depth, all) {
      const fits = all || stands === null || stands.get(node) === "fits";
      if (!fits && !stands.has(node))
        return;
      const open = isOpen(node), folded = !open && !isSingle(node), at = lines.length;
      const rows = folded || open && node.kind === "alike" ? [] : lanesOf(node);
      if (folded || !rows.length)
        lines.push({ node, row: -1, depth, folded, isFirst: true });
      rows.forEach((row, i) => {
        lineOfRow[row] = lines.length;
        lines.push({ node, row, depth, folded: false, isFirst: i === 0 });
      });
      if (!open)
        for (const row of tree.rowsOf(node))
          lineOfRow[row] = at;
      else
        for (const one of childrenOf(node))
          add(one, depth + 1, fits && stands !== null);
    }
    const isSingle = (node) => node.kind === "alike" && node.children[0].children.length === 0 && node.children[0].rows.length <= mostLanes;
    function lay() {
      if (kept.open === null)
        openFirst();
      stands = filtered(tree.root, childrenOf, kept.filter);
      lines = [];
      lineOfRow.fill(-1);
      for (const one of childrenOf(tree.root))
        add(one, 0, false);
      pinned = [...kept.pins].map(nodeById).filter(Boolean).flatMap((node) => {
        const rows = node.rows.length <= mostLanes && !node.children.length ? node.rows : isSingle(node) ? lanesOf(node) : [];
        const folded = rows.length === 0;
        return (folded ? [-1] : rows).map((row, i) => ({ node, row, depth: 0, folded, isFirst: i === 0 }));
      });
    }
    function nodeById(id) {
      const isGroup = id.startsWith("alike "), node = tree.byId.get(isGroup ? id.slice(6) : id);
      if (!node || node === tree.root)
        return null;
      aboveOf(node);
      return isGroup ? node.group : node;
    }
    function aboveOf(node) {
      const all = [];
      for (let one = node.kind === "alike" ? node.parent : node; one; one = one.parent)
        all.unshift(one);
      const around = [];
      for (const one of all) {
        if (one.kind !== "root") {
          if (one.group)
            around.push(one.group);
          if (one !== node)
            around.push(one);
        }
        childrenOf(one);
      }
      return around;
    }
    lay();
    return {
      get all() {
        return lines;
      },
      get pinned() {
        return pinned;
      },
      /** By row: its line, or the folded line that it is in; −1: the filter hides it. */
      lineOfRow,
      childrenOf,
      isFoldable,
      isOpen,
      nodeById,
      lay,
      kept,
      /** Rows of the slices that a line stands for. @param {Line} line @returns {number[]} */
      rowsOf: (line) => line.folded || line.node.kind === "alike" && !isOpen(line.node) ? tree.rowsOf(line.node) : line.row >= 0 ? [line.row] : [],
      /** The line that a node is in: its own, or that of a folded node around it; −1: none. @param {Node} node */
      lineOf(node) {
        const around = [...aboveOf(node), node];
        const shown = around.find((one) => !isOpen(one)) ?? node;
        return lines.findIndex((one) => one.node === shown);
      },
      /** Folds or unfolds a node. @param {Node} node @param {boolean} [open] */
      fold(node, open = !isOpen(node)) {
        if (!isFoldable(node) || open === isOpen(node))
          return;
        if (stands?.get(node) === "opened") {
          if (open)
            closed.delete(node.id);
          else
            closed.add(node.id);
        } else if (open)
          kept.open.add(node.id);
        else
          kept.open.delete(node.id);
        lay();
      },
      /** Opens all that is around a row, and its own lanes; a filter that hides it ends. @param {number} row */
      open(row) {
        const node = tree.ofRow[row];
        if (lineOfRow[row] < 0)
          kept.filter = "";
        for (const one of [...aboveOf(node), node]) {
          closed.delete(one.id);
          if (isFoldable(one))
            kept.open.add(one.id);
        }
        lay();
      },
      /** Keeps a node on top, or doesn't any more. @param {Node} node */
      pin(node) {
        if (!kept.pins.delete(node.id))
          kept.pins.add(node.id);
        lay();
      },
      /** @param {string} text */
      filter(text) {
        kept.filter = text;
        closed.clear();
        lay();
      }
    };
  }

  // uses.js
  var unitOf = (label) => label.replace(/ [^ ]*$/, "");

  // timeline/sums.js
  function sumsOf2(slices, rows, from, to) {
    const { start, length, kind, bytes, kinds } = slices, all = /* @__PURE__ */ new Map();
    for (const index of rows) {
      const row = slices.rows[index];
      for (let i = slices.firstAt(row, from); i < row.last && start[i] < to; ++i) {
        const end = start[i] + length[i];
        if (end < from || end === from && length[i] > 0)
          continue;
        const { name } = kinds[kind[i]], sum = all.get(name) ?? { kind: name, count: 0, ps: 0, bytes: 0 };
        sum.count += 1;
        sum.ps += Math.min(end, to) - Math.max(start[i], from);
        sum.bytes += bytes[i] || 0;
        all.set(name, sum);
      }
    }
    return [...all.values()].sort((a, b) => b.ps - a.ps || b.count - a.count);
  }
  function sliceOfFlow(slices, index, time, begins) {
    const { start, length, kind, depth, kinds } = slices, row = slices.rows[index];
    let best = -1, bestRank = Infinity;
    for (let i = slices.firstAt(row, time); i < row.last && start[i] <= time; ++i) {
      const atStart = start[i] === time, atEnd = start[i] + length[i] === time;
      if (!atStart && !atEnd)
        continue;
      const isUsual = begins && kinds[kind[i]].name !== "launch" ? atEnd : atStart;
      const rank = (isUsual ? 0 : 1e3) + depth[i];
      if (rank < bestRank) {
        best = i;
        bestRank = rank;
      }
    }
    return best;
  }
  function peersOf(slices, slice, row) {
    const first = slices.start[slice], last = first + slices.length[slice], peers = [];
    const isOwn = (index, time, begins) => index === row && (time === first || time === last) && sliceOfFlow(slices, row, time, begins) === slice;
    for (const [fromRow, fromTime, toRow, toTime] of slices.data.flows) {
      if (isOwn(fromRow, fromTime, true))
        peers.push({ to: true, label: slices.rows[toRow].label });
      if (isOwn(toRow, toTime, false))
        peers.push({ to: false, label: slices.rows[fromRow].label });
    }
    return peers;
  }

  // timeline/picking.js
  function makePicking({ slices, lines, view, state, place }, picked) {
    const { rows, start, length, kind, name, at, bytes, strings, kinds, data: data2 } = slices;
    function pickNode(node) {
      const of = node.kind === "alike" ? node.children[0] : node, isLink2 = of.kind === "link";
      const unit = of.kind === "links" ? of.parent.label : isLink2 ? of.label : unitOf(of.label).replace(/\.kernel$/, ".pe_cpu");
      if (unit)
        picked({ kind: isLink2 ? "link" : "unit", of: unit });
    }
    function pickSlice(i) {
      const row = slices.rowOf(i);
      picked({
        kind: "slice",
        of: strings[name[i]],
        row: rows[row].label,
        slice: kinds[kind[i]].name,
        from: start[i],
        length: length[i],
        bytes: bytes[i],
        line: strings[at[i]] ?? "",
        peers: peersOf(slices, i, row)
      });
    }
    function select(from, to, ys, isEnd) {
      const clip = (time) => Math.round(Math.max(data2.begin, Math.min(data2.end, time)));
      const indexOf = (y) => Math.max(view.top, Math.min(lines.all.length - 1, view.top + Math.floor((y - place.firstY) / rowHeight)));
      const isBelow = ys !== null && ys[1] >= place.firstY;
      state.selection = { from: clip(from), to: clip(to), lines: isBelow ? [indexOf(Math.max(ys[0], place.firstY)), indexOf(ys[1])] : null };
      if (!isEnd)
        return;
      const below = isBelow ? lines.all.slice(state.selection.lines[0], state.selection.lines[1] + 1) : [];
      const isPinIn = (_, i) => place.pinsY + i * rowHeight < ys[1] && place.pinsY + (i + 1) * rowHeight > ys[0];
      const among = ys === null ? lines.all : [...below, ...lines.pinned.slice(0, place.pins).filter(isPinIn)];
      const chosen = new Set(among.flatMap(lines.rowsOf)), labels = [...new Set(among.map((one) => one.node.label))];
      picked({
        kind: "selection",
        of: "selection",
        from: state.selection.from,
        to: state.selection.to,
        lines: labels.length > 1 ? `${labels.length}: ${labels[0]} \u2026 ${labels[labels.length - 1]}` : labels[0] ?? "none",
        sums: sumsOf2(slices, chosen, state.selection.from, state.selection.to)
      });
    }
    return { pickNode, pickSlice, select };
  }

  // timeline/pointing.js
  function makePointing({ slices, lines, view, state, place, states: known }, sharesAt) {
    const { rows, start, length, kind, name, at, bytes, strings, kinds, data: data2 } = slices;
    function lineAt(y) {
      if (y >= place.firstY)
        return lines.all[view.top + Math.floor((y - place.firstY) / rowHeight)] ?? null;
      const pin = Math.floor((y - place.pinsY) / rowHeight);
      return y >= place.pinsY && pin < place.pins ? lines.pinned[pin] ?? null : null;
    }
    function sliceAt(x, y) {
      const line = lineAt(y);
      return !line || line.row < 0 || x < place.left ? -1 : slices.sliceIn(rows[line.row], place.timeOf(x), 2 / place.scale);
    }
    function partAt(x, y) {
      if (!state.path || y < axisHeight || y >= place.pinsY || x < place.left)
        return null;
      const time = place.timeOf(x);
      return state.path.find((part) => part.from <= time && time < part.to) ?? null;
    }
    function textOf(i) {
      return [
        strings[name[i]],
        kinds[kind[i]].name + " on " + rows[slices.rowOf(i)].label,
        timeText(start[i]) + ", for " + timeText(length[i]),
        bytes[i] ? bytes[i] + " B" : "",
        data2.idle?.[i] ? "busy for " + timeText(length[i] - data2.idle[i]) + " of it" : "",
        strings[at[i]]
      ].filter(Boolean).join("\n");
    }
    function sharesText({ node }, x) {
      const { from, to, of } = sharesAt(node, x), count = known.wholes(node).length, parts = of.map((one, i) => [one, states[i].name]);
      parts.push([Math.max(0, 1 - of.reduce((sum, one) => sum + one, 0)), "idle"]);
      return [
        node.label,
        `${count} ${count === 1 ? "part" : "parts"}, ${timeText(from)} to ${timeText(to)}`,
        ...parts.filter(([one]) => one > 5e-4).map(([one, name2]) => `${share(one)} ${name2}`)
      ].join("\n");
    }
    function textAt(x, y) {
      const part = partAt(x, y), line = lineAt(y);
      if (part)
        return part.text + "\n" + part.place + "\n" + timeText(part.from) + ", for " + timeText(part.to - part.from);
      if (!line)
        return "";
      if (x < place.left)
        return line.node.label;
      if (line.folded)
        return sharesText(line, x);
      const i = sliceAt(x, y);
      return i < 0 ? "" : textOf(i);
    }
    return { lineAt, sliceAt, partAt, textOf, textAt };
  }

  // timeline/tree.js
  var nodeOf = (kind, id, name, label, parent) => ({ id, name, label, kind, parent, group: null, children: [], rows: [] });
  var isLink = (label) => /^[^\s>]+>[^\s>]+( [^ ]*)?$/.test(label);
  function partsOf(label) {
    const parts = [];
    let from = 0;
    for (let dot = label.indexOf("."); dot >= 0 && parts.length < 3; dot = label.indexOf(".", from)) {
      parts.push(label.slice(from, dot));
      from = dot + 1;
    }
    return [...parts, label.slice(from)];
  }
  function commonPart(link) {
    const [a, b] = unitOf(link).split(">").map(partsOf);
    let same = 0;
    while (same < 2 && same < Math.min(a.length, b.length) - 1 && a[same] === b[same])
      ++same;
    return a.slice(0, same).join(".");
  }
  var isWhole = (node) => node.kind === "part" && /^(pe|rank)\d+$/.test(node.name);
  function makeTree(rows) {
    const root = nodeOf("root", "", "", "", null), byId2 = /* @__PURE__ */ new Map(), last = [];
    function add(kind, id, name, label, parent, to = parent.children) {
      const node = nodeOf(kind, id, name, label, parent);
      byId2.set(id, node);
      to.push(node);
      return node;
    }
    function partOf(parts) {
      let node = root, id = "";
      for (const name of parts) {
        id = id ? id + "." + name : name;
        node = byId2.get(id) ?? add("part", id, name, id, node);
      }
      return node;
    }
    function linksOf(part) {
      const id = part + " links", above = partOf(part ? part.split(".") : []);
      if (byId2.has(id))
        return byId2.get(id);
      const group = nodeOf("links", id, part ? "links" : "between packages", part ? id : "between packages", above);
      byId2.set(id, group);
      last.push(group);
      return group;
    }
    function addLink(label) {
      const part = commonPart(label), group = linksOf(part);
      return add("link", label, part ? label.replaceAll(part + ".", "") : label, label, group);
    }
    function addUnit(label) {
      const parts = partsOf(label), name = parts.pop() ?? "";
      return add("unit", label, name, label, partOf(parts));
    }
    const ofRow = rows.map(({ label }, i) => {
      const node = byId2.get(label) ?? (isLink(label) ? addLink(label) : addUnit(label));
      node.rows.push(i);
      return node;
    });
    for (const group of last)
      group.parent.children.push(group);
    const all = /* @__PURE__ */ new Map();
    function rowsOf(node) {
      if (!all.has(node))
        all.set(node, node.kind === "root" ? rows.map((_, i) => i) : node.children.flatMap(rowsOf).concat(node.kind === "alike" ? [] : node.rows));
      return all.get(node);
    }
    function wholesOf(node) {
      const found = [], units = [];
      const visit = (one) => {
        if (isWhole(one))
          return void found.push(one);
        if (one.rows.length && one.kind !== "alike")
          units.push(one);
        one.children.forEach(visit);
      };
      visit(node);
      return found.length ? found : units;
    }
    function nodeAt(place) {
      const unit = place.replace(/\.pe_cpu$/, ".kernel");
      for (const one of [place, unit, ...["recv", "send", "read", "write"].map((port) => `${unit} ${port}`)])
        if (byId2.has(one))
          return byId2.get(one);
      if (isLink(place))
        return byId2.get(commonPart(place) + " links") ?? root;
      for (let parts = partsOf(place); parts.length; parts.pop())
        if (byId2.has(parts.join(".")))
          return byId2.get(parts.join("."));
      return byId2.get(" links") ?? root;
    }
    return { root, byId: byId2, ofRow, rowsOf, wholesOf, nodeAt };
  }

  // timeline/timeline.js
  function makeChart(canvas, data2, kept) {
    const slices = decode(data2), tree = makeTree(slices.rows), lines = makeLines(slices, tree, kept);
    const view = { from: data2.begin, to: Math.max(data2.end, data2.begin + 1), top: 0 };
    const state = {
      found: (
        /** @type {number[]} */
        []
      ),
      current: -1,
      marks: (
        /** @type {ReturnType<typeof searched>} */
        null
      ),
      path: (
        /** @type {any[] | null} */
        null
      ),
      pathLines: /* @__PURE__ */ new Map(),
      pathPins: /* @__PURE__ */ new Map(),
      dim: (
        /** @type {Uint8Array | null} */
        null
      ),
      dimStates: (
        /** @type {boolean[] | null} */
        null
      ),
      focus: (
        /** @type {string | null} */
        null
      ),
      hover: (
        /** @type {string | null} */
        null
      ),
      selection: (
        /** @type {{from: number, to: number, lines: [number, number] | null} | null} */
        null
      ),
      frames: 0,
      arrows: 0,
      empty: ""
    };
    const place = makePlace(canvas, view, () => ({ path: state.path, pinned: lines.pinned.length }));
    return { canvas, pen: canvas.getContext("2d"), slices, tree, lines, view, state, place, states: makeStates(slices, tree), colors: (
      /** @type {Record<string, string>} */
      {}
    ) };
  }
  function pathOf({ tree, lines, state }) {
    const nodes = /* @__PURE__ */ new Map(), add = (all, node, part) => {
      if (!all.has(node))
        all.set(node, []);
      all.get(node).push(part);
    };
    state.pathLines = /* @__PURE__ */ new Map();
    state.pathPins = /* @__PURE__ */ new Map();
    for (const part of state.path ?? []) {
      if (!nodes.has(part.place)) {
        const node = tree.nodeAt(part.place), line2 = lines.all[lines.lineOf(node)], around = /* @__PURE__ */ new Set();
        for (let one = node; one; one = one.parent) {
          around.add(one);
          if (one.group)
            around.add(one.group);
        }
        nodes.set(part.place, { line: line2?.node, pins: lines.pinned.filter((one) => one.isFirst && around.has(one.node)).map((one) => one.node) });
      }
      const { line, pins } = nodes.get(part.place);
      if (line)
        add(state.pathLines, line, part);
      for (const pin of pins)
        add(state.pathPins, pin, part);
    }
  }
  function makeTimeline(canvas, data2, hooks = {}) {
    const chart = makeChart(canvas, data2, hooks.kept ?? noChoices()), { slices, tree, lines, view, state, place, pen } = chart;
    const { rows, start, length, kind, depth, name, at } = slices;
    const drawing = makeDrawing(chart), { lineAt, sliceAt, partAt, textOf, textAt } = makePointing(chart, drawing.sharesAt);
    const { pickNode, pickSlice, select } = makePicking(chart, (thing) => hooks.picked?.(thing));
    const { focus, focused, moveFocus, turn } = makeFocus(chart, { fold, scrollTo, say: (text) => {
      if (hooks.status)
        hooks.status.textContent = text;
      redraw();
    } });
    let pending = false;
    function draw() {
      pending = false;
      drawing.draw();
      if (hooks.range)
        hooks.range.textContent = timeText(view.from) + " to " + timeText(view.to);
    }
    function redraw() {
      if (!pending) {
        pending = true;
        requestAnimationFrame(draw);
      }
    }
    function zoom(factor, time) {
      const least = 100, from = time - (time - view.from) * factor, to = time + (view.to - time) * factor;
      if (to - from >= least)
        show(from, to);
    }
    function show(from, to, says = true) {
      const all = data2.end - data2.begin, wide = Math.max(1, Math.min(to - from, Math.max(1, all * 1.1)));
      from = Math.min(Math.max(from, data2.begin - all * 0.05), data2.end + all * 0.05 - wide);
      view.from = from;
      view.to = from + wide;
      if (says)
        hooks.moved?.(view.from, view.to);
      redraw();
    }
    function scrollTo(top) {
      view.top = Math.max(0, Math.min(lines.all.length - 1, top));
      redraw();
    }
    function relaid() {
      scrollTo(view.top);
      pathOf(chart);
      state.selection = null;
    }
    function search(text) {
      state.marks = searched(slices, text);
      state.found = state.marks?.found ?? [];
      state.current = -1;
      if (hooks.found)
        hooks.found.textContent = text ? state.found.length + " found" : "";
      redraw();
    }
    function reveal(slice, stays = false) {
      const row = slices.rowOf(slice);
      if (row < 0)
        return;
      lines.open(row);
      if (hooks.filter)
        hooks.filter.value = lines.kept.filter;
      relaid();
      const line = lines.lineOfRow[row];
      if (!stays)
        scrollTo(line);
      else if (line < view.top || line >= view.top + place.shown)
        scrollTo(line - (place.shown >> 1));
    }
    function next() {
      if (!state.found.length)
        return;
      state.current = (state.current + 1) % state.found.length;
      const i = state.found[state.current], half = Math.max(length[i] * 2, (view.to - view.from) / 2);
      reveal(i, true);
      show(start[i] + length[i] / 2 - half, start[i] + length[i] / 2 + half);
    }
    function setPath(parts) {
      state.path = parts;
      pathOf(chart);
      redraw();
    }
    function filter(text) {
      lines.filter(text);
      view.top = 0;
      relaid();
    }
    function pin(node) {
      lines.pin(node);
      relaid();
    }
    function fold(node, open = void 0) {
      lines.fold(node, open);
      relaid();
    }
    function click(x, y) {
      const line = lineAt(y), part = partAt(x, y);
      state.selection = null;
      redraw();
      if (part)
        return hooks.picked?.({ kind: "reason", of: part.text });
      if (!line)
        return;
      const isPinned = y < place.firstY, { node } = line;
      if (x < place.left)
        return clickName(node, x, isPinned);
      const i = sliceAt(x, y);
      if (i >= 0)
        pickSlice(i);
      else if (line.folded)
        pickNode(node);
    }
    function clickName(node, x, isPinned) {
      if (x < pinWidth)
        pin(node);
      else if (!isPinned)
        fold(node);
      focus(node);
      if (x >= pinWidth)
        pickNode(node);
    }
    const pan = (share2) => () => {
      const step = (view.to - view.from) * share2;
      show(view.from + step, view.to + step);
    };
    const middle = () => (view.from + view.to) / 2, withFocus = (act) => () => {
      const node = focused();
      if (node)
        act(node);
    };
    const left = pan(-0.1), right = pan(0.1);
    const keys = {
      ArrowLeft: () => focused() ? turn(false) : left(),
      ArrowRight: () => focused() ? turn(true) : right(),
      "Shift+ArrowLeft": left,
      "Shift+ArrowRight": right,
      ArrowUp: () => moveFocus(-1),
      ArrowDown: () => moveFocus(1),
      PageUp: () => scrollTo(view.top - place.shown),
      PageDown: () => scrollTo(view.top + place.shown),
      "+": () => zoom(0.8, middle()),
      "-": () => zoom(1.25, middle()),
      "0": () => show(data2.begin, data2.end),
      Enter: () => {
        if (state.found.length)
          next();
        else
          withFocus(pickNode)();
      },
      " ": withFocus((node) => {
        fold(node);
        focus(node);
      }),
      p: withFocus(pin),
      Escape: () => {
        state.selection = null;
        focus(null);
      }
    };
    listen(chart, {
      show,
      zoom,
      scrollTo,
      click,
      keys,
      select(from, to, ys, isEnd) {
        select(from, to, ys, isEnd);
        redraw();
      },
      open(x, y) {
        const i = sliceAt(x, y);
        if (i >= 0)
          show(start[i] - length[i] * 0.1 - 50, start[i] + length[i] * 1.1 + 50);
      },
      hover(x, y, event) {
        const over = x < place.left ? lineAt(y)?.node.id ?? null : null;
        if (over !== state.hover) {
          state.hover = over;
          redraw();
        }
        if (hooks.details)
          showDetails(hooks.details, textAt(x, y), event);
      },
      leave() {
        if (hooks.details)
          hooks.details.style.display = "none";
        if (state.hover !== null) {
          state.hover = null;
          redraw();
        }
      }
    }, hooks.wheel === "ctrl");
    if (hooks.legend)
      makeLegend(hooks.legend, slices, (dim) => {
        state.dim = dim?.kinds ?? null;
        state.dimStates = dim?.states ?? null;
        redraw();
      });
    if (hooks.filter)
      hooks.filter.value = lines.kept.filter;
    window.addEventListener("resize", redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener?.("change", redraw);
    return {
      data: data2,
      rows,
      start,
      length,
      name,
      at,
      kind,
      depth,
      view,
      state,
      pen,
      canvas,
      tree,
      lines,
      place,
      states: chart.states,
      firstY: () => place.firstY,
      xOf: place.xOf,
      timeOf: place.timeOf,
      timeText,
      draw,
      redraw,
      zoom,
      show,
      scrollTo,
      sliceAt,
      lineAt,
      rowOf: slices.rowOf,
      textOf,
      textAt,
      search,
      next,
      reveal,
      setPath,
      filter,
      pin,
      fold,
      focus
    };
  }
  function showDetails(details, text, event) {
    details.textContent = text;
    details.style.display = text ? "block" : "none";
    details.style.left = Math.min(event.clientX + 14, window.innerWidth - 280) + "px";
    details.style.top = Math.min(event.clientY + 14, window.innerHeight - 90) + "px";
  }

  // timeline_page.js
  var data = JSON.parse(byId("data").textContent);
  var timeline = makeTimeline(byId("view"), data, { details: byId("details"), range: byId("range"), found: byId("found"), legend: byId("legend"), status: byId("focused"), filter: byId("lines") });
  byId("search").addEventListener("input", (event) => timeline.search(event.target.value));
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter")
      timeline.next();
  });
  byId("lines").addEventListener("input", (event) => timeline.filter(event.target.value));
  byId("title").textContent = document.title = data.title;
  timeline.draw();
  globalThis.kbsim = { timeline, data };
})();
