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
  function drawn(name, attributes, parent) {
    const one = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
      one.setAttribute(key, String(value));
    parent?.appendChild(one);
    return one;
  }
  var byId = (id) => document.getElementById(id);
  function button(text, parent, act, attributes = {}) {
    const one = element("button", text, parent, { type: "button", ...attributes });
    one.addEventListener("click", act);
    return one;
  }
  function field(parent, label, attributes, name = "input") {
    const box = element("label", label + " ", parent);
    return element(name, null, box, attributes);
  }
  var shortened = (text, most2 = 60) => text.length > most2 ? text.slice(0, most2 - 1) + "\u2026" : text;
  var colors = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#bab0ac", "#8cd17d", "#d4a6c8"];

  // save.js
  async function save(what, name) {
    const blob = await what;
    if (!blob)
      return;
    const link = element("a", null, null, { download: name, href: URL.createObjectURL(blob) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }
  var background = () => getComputedStyle(document.documentElement).getPropertyValue("--back").trim() || "#fff";
  function pictureOf(root) {
    const area = (one) => one.getBoundingClientRect().width * one.getBoundingClientRect().height;
    const all = [...root.querySelectorAll("canvas, svg")].sort((a, b) => area(b) - area(a));
    if (!all.length)
      return null;
    return all[0] instanceof HTMLCanvasElement ? fromCanvas(all[0]) : fromDrawing(
      /** @type {SVGElement} */
      all[0]
    );
  }
  function fromCanvas(canvas) {
    const copy = new OffscreenCanvas(canvas.width, canvas.height), pen = (
      /** @type {OffscreenCanvasRenderingContext2D} */
      copy.getContext("2d")
    );
    pen.fillStyle = background();
    pen.fillRect(0, 0, copy.width, copy.height);
    pen.drawImage(canvas, 0, 0);
    return copy.convertToBlob({ type: "image/png" });
  }
  function fromDrawing(svg) {
    const copy = (
      /** @type {SVGElement} */
      svg.cloneNode(true)
    ), from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
    from.forEach((node, i) => {
      const style = getComputedStyle(node);
      for (const name of ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-family", "visibility"])
        to[i].style[name] = style.getPropertyValue(name);
    });
    const { width, height } = svg.getBoundingClientRect();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", String(width));
    copy.setAttribute("height", String(height));
    const image = new Image(), url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
    return new Promise((done) => {
      image.onload = () => {
        const canvas = new OffscreenCanvas(2 * width, 2 * height), pen = (
          /** @type {OffscreenCanvasRenderingContext2D} */
          canvas.getContext("2d")
        );
        pen.fillStyle = background();
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(url);
        done(canvas.convertToBlob({ type: "image/png" }));
      };
      image.onerror = () => done(null);
      image.src = url;
    });
  }

  // page.js
  function shown(root, view, changed) {
    try {
      return view.show(changed) !== false;
    } catch (error) {
      root.querySelector(".broken")?.remove();
      element("p", `This view can't be shown: ${error.message}`, root, { class: "bad broken" });
      return true;
    }
  }
  function makeViews(app2, kinds3) {
    const all = kinds3.map((kind) => {
      const section = element("section", null, byId("main"), { id: kind.id });
      const head = element("div", null, section, { class: "head" });
      const title = element("h2", kind.title, head, kind.sentence ? { title: kind.sentence } : {});
      const tools = element("span", null, head, { class: "tools" });
      const root = element("div", null, section, { class: "view" });
      const view = kind.make(root, app2);
      button("PNG", tools, () => {
        const picture = pictureOf(root);
        if (picture)
          save(picture, kind.id + ".png");
      }, { title: "save this view's picture", class: "png" });
      if (view.csv)
        button("CSV", tools, () => save(new Blob([view.csv?.() ?? ""], { type: "text/csv" }), kind.id + ".csv"), { title: "save this view's table", class: "csv" });
      return { kind, section, root, tools, title, view };
    });
    const show = (changed) => {
      for (const { section, root, tools, view } of all) {
        section.hidden = !shown(root, view, changed);
        tools.querySelector(".png").hidden = !root.querySelector("canvas, svg");
      }
      showLinks(all);
    };
    app2.on(show);
    return Object.fromEntries(all.map(({ kind, view }) => [kind.id, view]));
  }
  function showLinks(all) {
    const nav = byId("views");
    nav.replaceChildren();
    for (const { section, kind } of all)
      if (!section.hidden)
        button(section.querySelector("h2").textContent || kind.title, nav, () => section.scrollIntoView({ block: "start" }), { class: "link" });
  }

  // state.js
  var placed = (of) => ({ picked: { kind: of.includes(">") ? "link" : "unit", of } });
  function makeApp(runs) {
    const listeners = [];
    const chosen = {
      at: 0,
      // the run that is shown
      row: (
        /** @type {number | null} */
        null
      ),
      // of an evaluation
      path: (
        /** @type {number | null} */
        null
      ),
      // null: of what the run measures
      reason: (
        /** @type {string | null} */
        null
      ),
      // of the path, shown alone
      range: (
        /** @type {[number, number] | null} */
        null
      ),
      // of time, in ps; null: the shown path's
      picked: (
        /** @type {Thing | null} */
        null
      )
    };
    return {
      runs,
      get at() {
        return chosen.at;
      },
      get row() {
        return chosen.row;
      },
      get path() {
        return chosen.path;
      },
      get reason() {
        return chosen.reason;
      },
      get picked() {
        return chosen.picked;
      },
      /** The run, or the row of it that was chosen. @returns {Run} */
      get run() {
        const run = runs[chosen.at];
        return chosen.row !== null && run.rows.get(chosen.row) || run;
      },
      get shownPath() {
        const run = this.run;
        return run.paths[chosen.path ?? run.measured] ?? run.paths[0];
      },
      /** The time that all views show. @returns {[number, number]} */
      get range() {
        const path = this.shownPath, { uses } = this.run;
        return chosen.range ?? (path ? [path.begin_ps, path.end_ps] : [uses.begin, uses.end]);
      },
      get hasRange() {
        return chosen.range !== null;
      },
      /** Segments of the path that the chosen reason leaves. */
      get segments() {
        const all = this.shownPath?.segments ?? [];
        return chosen.reason === null ? all : all.filter((one) => one.reason === chosen.reason);
      },
      /** Places of the chosen reason; null: no reason is chosen. */
      places() {
        return chosen.reason === null ? null : new Set(this.segments.map((one) => one.place));
      },
      /** Takes a choice, and shows it in all views. Another run, row or path has no reason and no range yet. @param {Partial<typeof chosen>} choice */
      set(choice) {
        const changed = new Set(Object.keys(choice));
        const reset = { at: ["row", "path", "reason", "range", "picked"], row: ["path", "reason", "range", "picked"], path: ["reason", "range"] };
        for (const [of, names2] of Object.entries(reset))
          if (of in choice) {
            for (const name of names2)
              if (!(name in choice)) {
                chosen[name] = null;
                changed.add(name);
              }
          }
        Object.assign(chosen, choice);
        for (const listener of listeners)
          listener(changed);
        const address = addressOf(chosen);
        try {
          history.replaceState(null, "", address || "#");
        } catch {
        }
      },
      /** Calls `listener` with the names of each choice's changes. @param {(changed: Set<string>) => void} listener */
      on(listener) {
        listeners.push(listener);
      },
      /** The choice in an address, as set() wrote it; what doesn't fit these runs is passed over. @param {string} address */
      choiceIn(address) {
        return choiceOf(address, runs);
      }
    };
  }
  function addressOf(chosen) {
    const words = new URLSearchParams();
    for (const name of ["at", "row", "path", "reason"])
      if (chosen[name] !== null && chosen[name] !== 0)
        words.set(name, String(chosen[name]));
    if (chosen.path === 0)
      words.set("path", "0");
    if (chosen.range)
      words.set("range", chosen.range.map(Math.round).join("-"));
    if (chosen.picked && ["unit", "link"].includes(chosen.picked.kind))
      words.set(chosen.picked.kind, chosen.picked.of);
    const text = words.toString();
    return text && "#" + text;
  }
  function choiceOf(address, runs) {
    const words = new URLSearchParams(address.replace(/^#/, "")), choice = {};
    const number = (name, fits) => {
      const value = Number(words.get(name));
      if (words.has(name) && Number.isInteger(value) && fits(value))
        choice[name] = value;
    };
    number("at", (at) => at >= 0 && at < runs.length);
    const run = runs[choice.at ?? 0];
    number("row", (row) => run.rows.has(row));
    const shown3 = run.rows.get(choice.row) ?? run;
    number("path", (path2) => path2 >= 0 && path2 < shown3.paths.length);
    const reason = words.get("reason"), path = shown3.paths[choice.path ?? shown3.measured];
    if (reason !== null && path?.segments.some((one) => one.reason === reason))
      choice.reason = reason;
    const range = (words.get("range") ?? "").split("-").map(Number);
    if (range.length === 2 && range.every(isFinite) && range[1] > range[0])
      choice.range = range;
    for (const kind of ["unit", "link"])
      if (words.has(kind))
        choice.picked = { kind, of: words.get(kind) };
    return choice;
  }

  // csv.js
  var isNumber = (text) => text !== "" && text !== null && isFinite(text);
  function parseCsv(text) {
    const quoted2 = (line2) => (line2.match(/("([^"]|"")*"|[^,]*),/g) ?? []).map((cell) => cell.slice(0, -1).replace(/^"(.*)"$/, "$1").replaceAll('""', '"'));
    const cells = (line2) => line2.includes('"') ? quoted2(line2 + ",") : line2.split(",");
    const lines = text.split("\n").filter(Boolean);
    return lines.length ? { columns: cells(lines[0]), rows: lines.slice(1).map(cells) } : { columns: [], rows: [] };
  }
  function toCsv(rows2) {
    const cell = (value) => {
      const text = String(value ?? "");
      return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return rows2.map((row) => row.map(cell).join(",") + "\n").join("");
  }
  function recordsOf(text) {
    const { columns: columns4, rows: rows2 } = parseCsv(text ?? "");
    return rows2.map((row) => Object.fromEntries(columns4.map((name, i) => [name, row[i]])));
  }

  // uses.js
  function decoded(values) {
    const all = [];
    for (const value of values)
      if (value < 0)
        for (let i = 0; i < -value; ++i)
          all.push(0);
      else
        all.push(value / 1e3);
    return Float64Array.from(all);
  }
  var shownAs = { utilisation: "utilisation", waiting: "waiting", under_way: "waiting", free: "held", least_free: "full" };
  var noCurves = () => ({ utilisation: /* @__PURE__ */ new Map(), waiting: /* @__PURE__ */ new Map(), held: /* @__PURE__ */ new Map(), full: /* @__PURE__ */ new Map() });
  function usesOfSpans(spans) {
    if (!spans?.series)
      return null;
    const uses = noCurves();
    const windows = spans.window > 0 ? Math.max(1, Math.ceil((spans.end - spans.begin) / spans.window)) : 1;
    for (const one of spans.series) {
      const all = uses[shownAs[one.measure]];
      if (!all)
        continue;
      const values = all.get(one.of) ?? new Float64Array(windows), whole = one.all ?? 1;
      decoded(one.values).subarray(0, windows).forEach((value, i) => {
        values[i] += value / whole;
      });
      all.set(one.of, values);
    }
    return { ...uses, windows, window: spans.window, begin: spans.begin, end: spans.end };
  }
  function completed(uses, whole) {
    for (
      const measure of
      /** @type {const} */
      ["utilisation", "waiting"]
    )
      for (const [label, values] of whole[measure])
        if (!uses[measure].has(label))
          uses[measure].set(label, values);
    return uses;
  }
  function usesOfTables(tables, total2) {
    const uses = noCurves();
    for (const name of ["links.csv", "units.csv"]) {
      const table = parseCsv(tables?.[name] ?? "");
      const busy = table.columns.indexOf("utilization"), wanted = table.columns.indexOf("demand");
      for (const row of table.rows) {
        uses.utilisation.set(row[0], Float64Array.of(+row[busy]));
        uses.waiting.set(row[0], Float64Array.of(Math.max(0, +row[wanted] - +row[busy])));
      }
    }
    return { ...uses, windows: 1, window: 0, begin: 0, end: total2 };
  }
  function usesOfLoads(tables) {
    const { columns: columns4, rows: rows2 } = parseCsv(tables?.["links.csv"] ?? "");
    const [load, link, busy, demand] = ["load", "link", "utilization", "demand"].map((name) => columns4.indexOf(name));
    if (load < 0 || link < 0 || busy < 0)
      return null;
    const loads = [...new Set(rows2.map((row) => +row[load]))].sort((a, b) => a - b), uses = noCurves();
    for (const row of rows2) {
      const set = (all, value) => {
        if (!all.has(row[link]))
          all.set(row[link], new Float64Array(loads.length));
        all.get(row[link])[loads.indexOf(+row[load])] = value;
      };
      set(uses.utilisation, +row[busy]);
      set(uses.waiting, Math.max(0, +row[demand] - +row[busy]));
    }
    return { ...uses, windows: loads.length, loads, window: 0, begin: 0, end: 0 };
  }
  function meanOver(values, uses, range) {
    if (values.length === 1 || range === null || !(uses.window > 0))
      return values.reduce((sum2, v) => sum2 + v, 0) / values.length;
    let sum = 0, time2 = 0;
    const [from, to] = range, first = Math.max(0, Math.floor((from - uses.begin) / uses.window));
    for (let i = first; i < values.length; ++i) {
      const begin2 = uses.begin + i * uses.window, end = Math.min(uses.end, begin2 + uses.window);
      if (begin2 >= to)
        break;
      const part = Math.min(end, to) - Math.max(begin2, from);
      if (part <= 0)
        continue;
      sum += part * values[i];
      time2 += part;
    }
    return time2 > 0 ? sum / time2 : 0;
  }
  function mostOver(values, uses, range) {
    if (values.length === 1 || range === null || !(uses.window > 0))
      return values.reduce((most2, v) => Math.max(most2, v), 0);
    const first = Math.max(0, Math.floor((range[0] - uses.begin) / uses.window)), last = Math.ceil((range[1] - uses.begin) / uses.window);
    return values.subarray(first, Math.max(first + 1, last)).reduce((most2, v) => Math.max(most2, v), 0);
  }
  var unitOf = (label) => label.replace(/ [^ ]*$/, "");
  function resourceOf(label) {
    const unit = unitOf(label), [from, to] = unit.split(">");
    if (to === void 0) {
      if (/\.pe_gemm$/.test(unit))
        return "GEMM";
      if (/\.pe_math$/.test(unit))
        return "vector";
      if (/\.pe_tcm$/.test(unit))
        return "TCM";
      if (/\.hbm\d+$/.test(unit))
        return "HBM";
      if (/\.sram$/.test(unit))
        return "SRAM";
      if (/\.pe_ipcq$/.test(unit))
        return "slots";
      return "";
    }
    if (/ucie/.test(from) && /ucie/.test(to))
      return "UCIe";
    const isOutside = (end) => /^(host|switch\d*)$/.test(end) || /\.port_[a-z]+$/.test(end);
    if (isOutside(from) && isOutside(to))
      return "package links";
    if (/^(host|switch)/.test(from) || /^(host|switch)/.test(to))
      return "package links";
    return /noc\.r/.test(from) || /noc\.r/.test(to) ? "NOC" : "";
  }

  // run.js
  function segmentsOf(path, words) {
    const columns4 = path.path ?? {}, all = [];
    let from = path.begin_ps;
    (columns4.length ?? []).forEach((length, i) => {
      const word = (key) => words[columns4[key][i]] ?? "";
      all.push({
        from,
        to: from += length,
        length,
        count: columns4.count[i],
        reason: word("reason"),
        kind: word("kind"),
        place: word("place"),
        key: word("key"),
        line: word("line"),
        op: word("op")
      });
    });
    return all;
  }
  function sharesOf(segments, name) {
    const all = /* @__PURE__ */ new Map();
    for (const one of segments) {
      if (!one[name])
        continue;
      const share2 = all.get(one[name]) ?? { name: one[name], ps: 0, count: 0 };
      share2.ps += one.length;
      share2.count += one.count;
      all.set(one[name], share2);
    }
    return [...all.values()].sort((a, b) => b.ps - a.ps || (a.name < b.name ? -1 : 1));
  }
  function changeOf(key, to) {
    if (key.count > 0)
      return Math.round(key.count * (to - key.value) * 1e3);
    const takes = (bytes, share2, rate) => Math.ceil(bytes * 1e3 / (rate * share2) - 1e-9);
    return (key.bytes_share_times ?? []).reduce((sum, [bytes, share2, times2]) => sum + times2 * (takes(bytes, share2, to) - takes(bytes, share2, key.value)), 0);
  }
  var bettered = (key, percents) => key.count > 0 ? key.value * (1 - percents / 100) : key.value * (1 + percents / 100);
  function keysOf(yaml) {
    const all = /* @__PURE__ */ new Map(), above = [];
    for (const line2 of yaml.split("\n")) {
      const match = /^(\s*)(?:- )?([\w.\-]+):\s*(.*?)\s*$/.exec(line2);
      if (!match)
        continue;
      const depth = match[1].length;
      while (above.length && above.at(-1).depth >= depth)
        above.pop();
      const key = [...above.map((one) => one.name), match[2]].join(".");
      if (match[3] && !match[3].startsWith("#"))
        all.set(key, match[3].replace(/\s+#.*$/, ""));
      else
        above.push({ depth, name: match[2] });
    }
    return all;
  }
  var isTraffic = (raw) => ["traffic", "fit"].includes(raw.run?.command?.[1]);
  function runOf(raw, row) {
    const words = raw.explain?.words ?? [], total2 = raw.run?.run?.simulated_ps ?? raw.spans?.end ?? 0;
    const paths = (raw.explain?.paths ?? []).map((path) => ({ ...path, segments: segmentsOf(path, words) }));
    const asked = raw.explain?.asked || raw.explain?.measured || 0;
    const whole = usesOfTables(raw.tables, total2), curves2 = usesOfSpans(raw.spans);
    const uses = (isTraffic(raw) ? usesOfLoads(raw.tables) : null) ?? (curves2 ? completed(curves2, whole) : whole);
    return { raw, paths, measured: Math.min(asked, Math.max(0, paths.length - 1)), uses, total: total2, row, rows: /* @__PURE__ */ new Map() };
  }
  var ofRow = (raw, one) => ({
    ...raw,
    explain: one.explain,
    spans: one.spans,
    tables: { ...raw.tables, ...one.tables },
    drawing: one.drawing === null || one.drawing === void 0 ? raw.drawing : raw.drawings[one.drawing]
  });
  function makeRun(raw) {
    const rows2 = raw.rows ?? [], shown3 = rows2.find((one) => one.row === raw.explain?.row);
    const run = runOf(shown3 && !raw.spans ? { ...ofRow(raw, shown3), explain: raw.explain } : raw, null);
    for (const one of rows2)
      run.rows.set(one.row, runOf(ofRow(raw, one), one.row));
    return run;
  }
  function commandOf(raw, more = []) {
    const words = (raw.run?.command ?? []).map(String), out = words.indexOf("--out");
    if (out >= 0)
      words.splice(out, 2);
    return [...words, ...more].map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  }

  // quantity.js
  var rounded = (value, digits) => String(+value.toPrecision(digits));
  function scaled(value, steps, digits) {
    const [step, unit] = steps.find(([one]) => Math.abs(value) >= one) ?? steps[steps.length - 1];
    return `${rounded(value / step, digits)} ${unit}`;
  }
  var times = [[1e12, "s"], [1e9, "ms"], [1e6, "\xB5s"], [1e3, "ns"], [1, "ps"]];
  var sizes = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
  var rates = [[1e6, "PB/s"], [1e3, "TB/s"], [1, "GB/s"], [1e-3, "MB/s"], [1e-6, "KB/s"]];
  var counts = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
  var timeText = (ps2) => ps2 === 0 ? "0 ns" : scaled(ps2, times, 4);
  var exactTime = (ps2) => `${+(ps2 / 1e3).toFixed(3)} ns`;
  var bytesText = (bytes) => bytes === 0 ? "0 B" : scaled(bytes, sizes, 4);
  var rateText = (gbs) => gbs === 0 ? "0 GB/s" : scaled(gbs, rates, 3);
  var countText = (count) => Math.abs(count) < 1e4 ? rounded(count, 4) : scaled(count, counts, 3);
  var percent = (part, all) => all > 0 ? share(part / all) : "";
  var share = (one) => one !== 0 && Math.abs(one) < 1e-3 ? "< 0.1 %" : (100 * one).toFixed(1) + " %";
  var inNs = (ps2) => ps2 === void 0 || ps2 === null ? "" : +(ps2 / 1e3).toFixed(3);

  // meters.js
  var order = ["GEMM", "vector", "DMA", "TCM", "SRAM", "HBM", "NOC", "UCIe", "package links", "slots"];
  function busyOf(spans, row, [from, to]) {
    let busy = 0, until = from;
    for (let i = row.first, time2 = 0; i < row.last; ++i) {
      time2 += spans.start[i];
      const begin2 = Math.max(until, time2), end = Math.min(to, time2 + spans.length[i]);
      if (end > begin2) {
        busy += end - begin2;
        until = end;
      }
    }
    return busy / Math.max(1, to - from);
  }
  function addEngines(all, spans, range) {
    for (const row of spans?.rows ?? [])
      if (row.label.endsWith(".pe_dma") && !row.label.includes(">"))
        add(all, "DMA", row.label, busyOf(spans, row, range));
  }
  function add(all, resource, label, value, most2 = value) {
    if (!(most2 > 0))
      return;
    const meter = all.get(resource) ?? { resource, mean: 0, most: 0, of: "", used: 0, peak: "" };
    meter.mean += value;
    meter.used += 1;
    if (most2 > meter.most || meter.of === "") {
      meter.most = most2;
      meter.of = label;
    }
    all.set(resource, meter);
  }
  var hasRange = (uses, values) => uses.windows < 2 || values.length > 1;
  function bandwidthsOf(raw) {
    return new Map(recordsOf(raw.tables?.["links.csv"]).map((row) => [row.link, +row.bw_GBps]));
  }
  function peakOf(meter, run, bandwidths) {
    const rate = bandwidths.get(meter.of);
    if (rate > 0)
      return rateText(rate);
    const macs = Number(keysOf(run.raw.config ?? "").get("pe.pe_gemm.macs_per_ns"));
    return meter.resource === "GEMM" && macs > 0 ? countText(2e9 * macs) + "FLOP/s" : "";
  }
  function metersOf(run, range) {
    const all = /* @__PURE__ */ new Map();
    const { uses } = run;
    if (uses.loads)
      return [];
    for (const [label, values] of uses.utilisation) {
      if (!hasRange(uses, values))
        continue;
      const resource = resourceOf(label);
      if (resource && resource !== "slots")
        add(all, resource, label, meanOver(values, uses, range));
    }
    for (const [label, values] of uses.held)
      if (resourceOf(label) === "slots")
        add(all, "slots", label, meanOver(values, uses, range), mostOver(uses.full.get(label) ?? values, uses, range));
    addEngines(all, run.raw.spans, range);
    const bandwidths = bandwidthsOf(run.raw);
    for (const meter of all.values()) {
      meter.mean = Math.min(1, meter.mean / meter.used);
      meter.most = Math.min(1, meter.most);
      meter.peak = peakOf(meter, run, bandwidths);
    }
    return order.filter((name) => all.has(name)).map((name) => (
      /** @type {Meter} */
      all.get(name)
    ));
  }
  function boundOf(meters, length) {
    const busiest = meters.filter((one) => !["DMA", "slots"].includes(one.resource)).sort((a, b) => b.most - a.most)[0];
    return busiest ? { ps: busiest.most * length, meter: busiest } : null;
  }
  function busiestOf(run, range, fits = (label) => label.includes(">"), most2 = 10) {
    const all = [];
    for (const [label, values] of run.uses.utilisation)
      if (fits(label) && hasRange(run.uses, values))
        all.push({ label, value: meanOver(values, run.uses, run.uses.loads ? null : range) });
    return all.filter((one) => one.value > 0).sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1)).slice(0, most2);
  }

  // words.js
  var sentences = {
    "critical path": "The chain of causes that ends last: each part waits for the one before it, so the parts sum to the time.",
    "slack": "How much later this could have ended without a longer critical path, as long as no order flips.",
    "achieved of peak": "The work that was done, as a share of the work that the resource could do in the same time.",
    "bound": "The time that the busiest resource alone needs for its work: no order or overlap makes the run shorter.",
    "overhead": "Fixed latencies of components that a packet, command or instruction passes.",
    "wire": "Time of flight over wires: length times ns per mm.",
    "serialization": "Bytes divided by a link's bandwidth.",
    "memory access": "Time of a memory from a request to its data: row activation, column access, refresh.",
    "engine work": "Time in which a GEMM or vector engine computes.",
    "dispatch": "Time from the host's or CPU's command to its first action.",
    "host": "Time of the host's program and of its link.",
    "busy link": "Time in the queue of a link that carries other packets, of the same transfer or of others.",
    "busy memory port": "Time in the queue of a memory port that serves other accesses, of the same transfer or of others.",
    "memory port": "Bytes divided by the rate of a memory's port.",
    "translation": "Time of an MMU for an address.",
    "a free slot of the peer": "Credit stall, or backpressure: a sender waits until its receiver frees a slot.",
    "room among the DMA's requests in flight": "A DMA engine waits for answers before it may send more requests.",
    "busy engine": "Time in a queue in front of an engine.",
    "busy memory": "Time in a queue in front of a memory port.",
    "credit stall": "A sender waits until its receiver has a free slot: backpressure.",
    "exposed communication": "Communication that no computation overlaps.",
    "data from the peer": "A receiver waits for a message that its peer sends later.",
    "a free slot": "Credit stall: a sender waits until its receiver frees a slot.",
    "backpressure": "Senders wait until their receivers free a slot or a place in a queue: credit stalls.",
    "too few requests in flight": "A DMA engine waits for answers before it may send more requests.",
    "HBM-bound": "Most of the critical path is service of an HBM: its bandwidth and row timing set the time.",
    "TCM-bound": "Most of the critical path is transfer to or from a PE's memory.",
    "NOC-bound": "Most of the critical path is serialization on links of a die's network.",
    "UCIe-bound": "Most of the critical path is serialization on links between dies.",
    "package-link-bound": "Most of the critical path is serialization on links between packages.",
    "host-link-bound": "Most of the critical path is serialization on the host's link.",
    "DMA-bound": "Most of the critical path is a DMA engine's own rate.",
    "dispatch-bound": "Most of the critical path is a CPU that issues commands.",
    "compute-bound, GEMM": "Most of the critical path is work of a matrix engine.",
    "compute-bound, vector": "Most of the critical path is work of a vector engine.",
    "latency-bound": "Most of the critical path is fixed latency: overheads, wires, first accesses; more bandwidth wouldn't help.",
    "utilisation": "Share of the time in which a unit or link is busy.",
    "GEMM": "Matrix engines: busy time, of the time that is shown.",
    "vector": "Vector (math) engines: busy time, of the time that is shown.",
    "DMA": "DMA engines: time with a transfer under way, of the time that is shown.",
    "TCM": "Ports of the tightly coupled memories: busy time, of the time that is shown.",
    "HBM": "HBM channels: data and row preparation, of the time that is shown.",
    "SRAM": "Ports of shared SRAMs: busy time, of the time that is shown.",
    "NOC": "Links between routers and their units on a die: serialization, of the time that is shown.",
    "UCIe": "Links between the dies of a package: serialization, of the time that is shown.",
    "package links": "Links between packages and to the host: serialization, of the time that is shown.",
    "limit": "The resource with the longest least time: HBM, MACs, NOC or UCIe; latency if the operation takes more than twice that.",
    "least time": "The time of the busiest resource at its peak rate: no order or overlap makes the operation shorter.",
    "FLOP of peak": "FLOP a second, as a share of the engines' peak.",
    "HBM of peak": "Bytes a second of HBM, as a share of its bandwidth.",
    "latency": "Neither memory nor engines nor links are near their peak: fixed times and waits dominate.",
    "MACs": "Multiply-accumulates of the GEMM engines at their peak rate.",
    "slots": "Receive slots in use, of those that there are; the mark is the most in use at once."
  };
  var sentenceOf = (label) => sentences[label] ?? "";
  function term(label, parent) {
    const sentence = sentenceOf(label);
    return element("span", label, parent, sentence ? { class: "term", title: sentence } : {});
  }

  // panel.js
  var fact = (root, name, value, title = "") => {
    if (value === void 0 || value === null || value === "")
      return;
    const line2 = element("tr", null, root);
    term(name, element("th", null, line2, { scope: "row" }));
    const cell = element("td", null, line2, title ? { title } : {});
    if (value instanceof Node)
      cell.append(value);
    else
      cell.textContent = value;
  };
  var isAt = (place, of) => place === of || place === unitOf(of) || place.startsWith(of + ".");
  function listOf(root, title, segments, name, length, app2) {
    const shares = sharesOf(segments, name).slice(0, 5);
    if (!shares.length)
      return;
    element("h3", title, root);
    const table = element("table", null, root);
    for (const one of shares) {
      const line2 = element("tr", null, table), cell = element("td", null, line2);
      if (name === "place")
        button(one.name, cell, () => app2.set(placed(one.name)), { class: "link" });
      else
        term(one.name, cell);
      element("td", timeText(one.ps), line2, { class: "number", title: exactTime(one.ps) });
      element("td", percent(one.ps, length), line2, { class: "number" });
    }
  }
  function slidersOf(root, segments, app2) {
    const path = app2.shownPath, own = new Set(segments.map((one) => one.key));
    const keys2 = (path?.keys ?? []).filter((key) => own.has(key.key)).slice(0, 4);
    if (!keys2.length)
      return;
    element("h3", "what if", root, { title: "estimated along this path; exact as long as no other cause overtakes" });
    for (const key of keys2) {
      const box = element("p", null, root, { class: "key" });
      element("code", key.key, box);
      const line2 = element("label", null, box), slider = element("input", null, line2, { type: "range", min: -50, max: 100, value: 0, step: 1, "aria-label": `${key.key} better by percent` });
      const says = element("output", null, line2);
      const say = () => {
        const to = bettered(key, +slider.value), change = changeOf(key, to);
        says.textContent = ` ${+to.toPrecision(4)} ${key.unit}: ${timeText(path.length_ps + change)}` + (change === 0 ? "" : ` (${change < 0 ? "\u2212" : "+"}${share(Math.abs(change) / Math.max(1, path.length_ps))})`);
      };
      slider.addEventListener("input", say);
      say();
    }
  }
  function showPath(root, segments, app2) {
    const path = app2.shownPath;
    if (!path)
      return;
    const sum = segments.reduce((all, one) => all + one.length, 0);
    const table = element("table", null, root);
    fact(table, "share of the critical path", sum > 0 ? `${percent(sum, path.length_ps)}, ${timeText(sum)}` : "not on it", exactTime(sum));
    listOf(root, "reasons there", segments, "reason", path.length_ps, app2);
    listOf(root, "places", new Set(segments.map((one) => one.place)).size > 1 ? segments : [], "place", path.length_ps, app2);
    listOf(root, "lines", segments, "line", path.length_ps, app2);
    slidersOf(root, segments, app2);
  }
  function showPlace(root, { of }, app2) {
    const { uses, raw } = app2.run, table = element("table", null, root), range = uses.loads ? null : app2.range;
    const own = uses.utilisation.get(of) ?? uses.utilisation.get([...uses.utilisation.keys()].find((label) => unitOf(label) === of) ?? "");
    fact(table, "kind", resourceOf(of));
    if (own) {
      fact(table, "utilisation", `${share(meanOver(own, uses, range))}, at most ${share(mostOver(own, uses, range))}`, "over the time that is shown, and in the busiest window of it");
      const rate = bandwidthsOf(raw).get(of);
      if (rate)
        fact(table, "achieved of peak", `${rateText(rate * meanOver(own, uses, range))} of ${rateText(rate)}`);
    }
    const held = uses.held.get(of), row0 = own ? null : raw.spans?.rows?.find((one) => one.label === of);
    if (held)
      fact(table, "slots in use", `${share(meanOver(held, uses, range))} on average, at most ${share(mostOver(uses.full.get(of) ?? held, uses, range))}`);
    if (row0)
      fact(table, "busy", share(busyOf(raw.spans, row0, app2.range)), "share of the time that is shown with a slice of it");
    const waiting = uses.waiting.get(of);
    if (waiting)
      fact(table, "waiting", `${meanOver(waiting, uses, range).toFixed(2)} packets or works, on average`);
    const row = recordsOf(raw.tables?.["links.csv"]).find((one) => one.link === of) ?? recordsOf(raw.tables?.["units.csv"]).find((one) => one.unit === of);
    if (row && isFinite(+row.bytes))
      fact(table, "bytes", bytesText(+row.bytes), `${row.bytes} B in the whole run`);
    if (+(row?.waited_ns ?? 0) > 0)
      fact(table, "queued", timeText(1e3 * +row.waited_ns), "sum over all packets or accesses of the whole run");
    const late = (app2.shownPath?.slack ?? []).find((one) => one.place === of || one.name === of);
    if (late)
      fact(table, "slack", timeText(late.ps), exactTime(late.ps));
    showPath(root, app2.segments.filter((one) => isAt(one.place, of)), app2);
    if (of.includes(">") && !of.includes(" ")) {
      const back = of.split(">").reverse().join(">");
      if (uses.utilisation.has(back))
        button(`other direction: ${share(meanOver(uses.utilisation.get(back), uses, range))}`, element("p", null, root), () => app2.set({ picked: { kind: "link", of: back } }), { class: "link" });
    }
  }
  function showSlice(root, thing, app2) {
    const table = element("table", null, root);
    fact(table, "at", button(thing.row, null, () => app2.set(placed(thing.row)), { class: "link" }));
    fact(table, "kind", thing.slice);
    fact(table, "from", timeText(thing.from), exactTime(thing.from));
    fact(table, "takes", timeText(thing.length), exactTime(thing.length));
    if (thing.bytes) {
      fact(table, "bytes", bytesText(thing.bytes), `${thing.bytes} B`);
      if (thing.length > 0)
        fact(table, "rate", rateText(1e3 * thing.bytes / thing.length));
    }
    fact(table, "line", thing.line);
    for (const other of thing.peers ?? [])
      fact(table, other.to ? "sends to" : "waits for", other.label);
    const place = unitOf(thing.row).replace(/\.kernel$/, ".pe_cpu");
    showPath(root, app2.segments.filter((one) => isAt(one.place, place) && one.from < thing.from + thing.length && one.to > thing.from), app2);
  }
  function showSelection(root, thing, app2) {
    const table = element("table", null, root);
    fact(table, "from", timeText(thing.from), exactTime(thing.from));
    fact(table, "length", timeText(thing.to - thing.from), exactTime(thing.to - thing.from));
    fact(table, "lines", thing.lines);
    button("show this time in all views", element("p", null, root), () => app2.set({ range: [thing.from, Math.max(thing.to, thing.from + 1)] }), { class: "link" });
    if (!thing.sums.length)
      return void element("p", "No slice is in the selection.", root);
    element("h3", "slices in the selection", root, { title: "Times are cut at the selection's ends. Bytes are those of whole slices." });
    const sums = element("table", null, root), head = element("tr", null, sums);
    for (const name of ["kind", "count", "time", "bytes"])
      element("th", name, head, { class: name === "kind" ? "" : "number" });
    for (const one of thing.sums) {
      const line2 = element("tr", null, sums);
      element("td", one.kind, line2);
      element("td", one.count, line2, { class: "number" });
      element("td", timeText(one.ps), line2, { class: "number", title: exactTime(one.ps) });
      element("td", one.bytes ? bytesText(one.bytes) : "", line2, { class: "number", title: `${one.bytes} B` });
    }
  }
  function showRow(root, thing) {
    element("p", "This row's path and timeline weren't recorded: together the rows have more events than a page's budget. The command that shows them:", root);
    element("pre", thing.command, root, { class: "command" });
  }
  function showFinding(root, thing, app2) {
    element("p", thing.evidence, root);
    const table = element("table", null, root);
    if (thing.gain !== null && thing.gain !== void 0)
      fact(table, "gain", `${timeText(thing.gain)}, ${thing.simulated ? "simulated" : "estimated"}`, exactTime(thing.gain));
    fact(table, "formula", thing.formula);
    if (thing.place)
      fact(table, "place", button(thing.place, null, () => app2.set(placed(thing.place)), { class: "link" }));
    fact(table, "key", thing.key);
    slidersOf(root, (app2.shownPath?.segments ?? []).filter((one) => thing.key && one.key === thing.key), app2);
  }
  function showWait(root, thing, app2) {
    const { uses } = app2.run, table = element("table", null, root);
    element("p", sentenceOf(thing.of), root);
    fact(table, "share of the critical path", `${percent(thing.ps, app2.shownPath?.length_ps ?? 0)}, ${timeText(thing.ps)}`, exactTime(thing.ps));
    const queues = [...uses.full].map(([label, values]) => ({ label, most: mostOver(values, uses, app2.range) })).filter((one) => one.most > 0).sort((a, b) => b.most - a.most).slice(0, 5);
    if (!queues.length)
      return;
    element("h3", "fullest queues", root);
    const list = element("table", null, root);
    for (const { label, most: most2 } of queues) {
      const line2 = element("tr", null, list);
      button(label, element("td", null, line2), () => app2.set({ picked: { kind: "unit", of: label } }), { class: "link" });
      element("td", share(most2), line2, { class: "number" });
    }
  }
  var shows = {
    unit: showPlace,
    link: showPlace,
    slice: showSlice,
    selection: showSelection,
    row: showRow,
    wait: showWait,
    reason: (root, { of }, app2) => showPath(root, (app2.shownPath?.segments ?? []).filter((one) => one.reason === of), app2),
    key: (root, { of }, app2) => showPath(root, (app2.shownPath?.segments ?? []).filter((one) => one.key === of), app2),
    operation: (root, thing, app2) => {
      const table = element("table", null, root);
      fact(table, "what", thing.what);
      fact(table, "line", thing.line);
      showPath(root, (app2.shownPath?.segments ?? []).filter((one) => one.op === thing.of), app2);
    },
    finding: showFinding,
    facts: (root, thing) => {
      const table = element("table", null, root);
      for (const [name, value] of thing.facts)
        fact(table, name, value);
    }
  };
  function makePanel(app2) {
    const root = byId("panel");
    function show() {
      root.replaceChildren();
      const thing = app2.picked;
      if (!thing)
        return void element("p", "Click a unit, link, slice, reason, row or operation: all that is known of it stands here.", root, { class: "soft" });
      const head = element("div", null, root, { class: "head" });
      element("h2", thing.of, head);
      button("\u2715", head, () => app2.set({ picked: null }), { class: "link", "aria-label": "close" });
      element("p", thing.kind, root, { class: "soft" });
      shows[thing.kind]?.(root, thing, app2);
      if (getComputedStyle(root).position === "static")
        root.scrollIntoView({ block: "nearest" });
    }
    app2.on((changed) => {
      if (["picked", "at", "row", "path", "range", "reason", "all"].some((one) => changed.has(one)))
        show();
    });
  }

  // choice.js
  function refill(root, fill) {
    const id = root.contains(document.activeElement) ? document.activeElement.id : "";
    root.replaceChildren();
    fill();
    if (id)
      byId(id)?.focus();
  }
  function chooser(parent, label, options, value, act, attributes = {}) {
    const box = element("label", label + " ", parent), list = element("select", null, box, attributes);
    for (const [one, text] of options)
      element("option", shortened(text, 80), list, { value: one, title: text });
    list.value = value;
    list.addEventListener("change", () => act(list.value));
    return list;
  }
  function toggle(parent, text, on, act, why2 = "", attributes = {}) {
    const one = button(text, parent, () => act(!on), { class: "toggle", "aria-pressed": on && !why2, ...why2 ? { disabled: "", title: why2 } : {}, ...attributes });
    return one;
  }
  var goal = (parent, larger, act, attributes = {}) => button(larger ? "larger is better" : "smaller is better", parent, () => act(larger ? "min" : "max"), { class: "toggle", title: "click for the opposite", ...attributes });

  // sweep_numbers.js
  var picoseconds = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 };
  function metricText(value, unit) {
    if (!isFinite(value))
      return "";
    if (unit in picoseconds)
      return timeText(value * picoseconds[unit]);
    if (unit === "B")
      return bytesText(value);
    if (unit === "GB/s")
      return rateText(value);
    if (unit === "B/s")
      return rateText(value / 1e9);
    if (unit === "TFLOP/s")
      return counted(value * 1e12, "FLOP/s");
    return unit === "1" ? countText(value) : unit === "%" ? `${+value.toPrecision(4)} %` : counted(value, unit);
  }
  function counted(value, unit) {
    const [number, prefix] = countText(value).split(" ");
    return `${number} ${prefix ?? ""}${unit}`;
  }
  var exactText = (value, unit) => `${+value.toPrecision(12)}${unit === "1" ? "" : " " + unit}`;
  function changeText(value, base) {
    if (!isFinite(value) || !isFinite(base) || base === 0)
      return "";
    const percents = 100 * (value - base) / Math.abs(base);
    return `${percents < 0 ? "\u2212" : "+"}${Math.abs(percents) < 1e4 ? Math.abs(percents).toFixed(1) : Math.abs(percents).toExponential(1)} %`;
  }
  function comparedText(value, base) {
    const change = changeText(value, base);
    if (value === base)
      return "equal to";
    return change ? `${change.slice(1)} ${value < base ? "less" : "more"} than` : "beside";
  }
  function arePowers(numbers) {
    const all = [...new Set(numbers)].sort((a, b) => a - b);
    if (all.length < 3 || !(all[0] > 0) || !all.every(isFinite))
      return false;
    const whole = (value) => Math.abs(value - Math.round(value)) < 1e-9;
    if (all.every((one) => whole(Math.log2(one / all[0]))) || all.every((one) => whole(Math.log10(one / all[0]))))
      return true;
    const factor = all[1] / all[0];
    return all.every((one, i) => i === 0 || Math.abs(one / all[i - 1] / factor - 1) < 1e-9);
  }
  function median(values) {
    const all = values.filter(isFinite).sort((a, b) => a - b), half = all.length >> 1;
    return all.length === 0 ? NaN : all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
  }
  var quoted = (word) => /^[\w.,:=/+@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

  // sweep.js
  function makeSweep(raw) {
    const { points } = raw, count = points.number.length;
    const axes = raw.axes.map((axis, index) => {
      const at = points.at[index], used = new Set(at);
      const numbers = axis.numbers.every((one) => one !== null) ? (
        /** @type {number[]} */
        axis.numbers
      ) : null;
      return { ...axis, index, at, numbers, isVaried: used.size > 1, arePowers: numbers !== null && arePowers([...used].map((one) => numbers[one])) };
    });
    const metrics = raw.metrics.map((metric, i) => ({ ...metric, arePowers: false, of: (point) => points.values[i][point] ?? NaN }));
    const numeric = axes.filter((axis) => axis.isVaried && axis.numbers).map((axis) => ({ name: axis.name, unit: "1", larger: false, arePowers: axis.arePowers, of: (point) => points.exit[point] === 0 ? axis.numbers[axis.at[point]] : NaN }));
    const quantities = [...metrics, ...numeric.filter((one) => !metrics.some((other) => other.name === one.name))];
    const sweep = {
      raw,
      axes,
      metrics,
      count,
      /** Metrics, and axes with numbers. */
      quantities,
      all: Array.from({ length: count }, (_, i) => i),
      varied: axes.filter((axis) => axis.isVaried),
      /** @param {string | null} name */
      quantity: (name) => quantities.find((one) => one.name === name),
      number: (point) => points.number[point],
      /** The point of a number of points.csv; -1 if there is none. */
      byNumber: (number) => points.number.indexOf(number),
      text: (axis, point) => axis.values[axis.at[point]] ?? "",
      hasRun: (point) => points.exit[point] !== null,
      failed: (point) => points.exit[point] !== null && points.exit[point] !== 0,
      exit: (point) => points.exit[point],
      message: (point) => points.messages[points.message[point]] ?? "",
      /** The command that repeats a point, with other words after "kbsim run". @param {number} point @param {string[]} [more] */
      command(point, more = []) {
        const words = axes.map((axis) => axis.words[axis.at[point]] ?? "").join("");
        return raw.command.replace(/^kbsim run/, () => ["kbsim run", ...more.map(quoted)].join(" ")) + words;
      },
      /** Varied axes, those that go together as one. @type {Axis[][]} */
      groups: []
    };
    const seen = /* @__PURE__ */ new Set();
    for (const axis of sweep.varied) {
      if (seen.has(axis.index))
        continue;
      const group = (raw.together[axis.index] ?? [axis.index]).filter((one) => axes[one].isVaried);
      group.forEach((one) => seen.add(one));
      sweep.groups.push(group.map((one) => axes[one]));
    }
    return sweep;
  }
  var companions = (sweep, axis) => sweep.groups.find((group) => group.includes(axis)) ?? [axis];
  var isBetter = (larger, a, b) => larger ? a > b : a < b;
  function bestOf(what, larger, points) {
    let best = -1;
    if (!what)
      return best;
    for (const point of points) {
      const value = what.of(point);
      if (isFinite(value) && (best < 0 || isBetter(larger, value, what.of(best))))
        best = point;
    }
    return best;
  }
  function frontOf(a, b, largerA, largerB, points) {
    const all = points.filter((point) => isFinite(a.of(point)) && isFinite(b.of(point)));
    const order2 = (larger, x, y) => x === y ? 0 : isBetter(larger, x, y) ? -1 : 1;
    all.sort((p, q) => order2(largerA, a.of(p), a.of(q)) || order2(largerB, b.of(p), b.of(q)) || p - q);
    const front = [];
    for (const point of all)
      if (!front.length || isBetter(largerB, b.of(point), b.of(front.at(-1))))
        front.push(point);
    return front;
  }
  var medianOf = (what, points) => median(points.map(what.of));
  function reasonsOf(sweep, points, what) {
    const all = /* @__PURE__ */ new Map();
    for (const point of points) {
      if (sweep.exit(point) === 0 && (!what || isFinite(what.of(point))))
        continue;
      const text = sweep.exit(point) === 0 ? `has no ${what?.name}` : sweep.message(point), key = sweep.exit(point) + " " + text;
      const one = all.get(key) ?? { exit: sweep.exit(point), text, points: [] };
      one.points.push(point);
      all.set(key, one);
    }
    return [...all.values()].sort((a, b) => b.points.length - a.points.length);
  }
  function shortName(sweep, axis) {
    const parts = axis.name.split(".");
    for (let from = parts.length - 1; from > 0; --from) {
      const end = parts.slice(from).join(".");
      if (sweep.axes.every((one) => one === axis || !one.name.endsWith(end)))
        return end;
    }
    return axis.name;
  }
  var labelOf = (sweep, point, axes) => axes.map((axis) => (axis.numbers ? `${shortName(sweep, axis)} ` : "") + sweep.text(axis, point)).join(", ");

  // sweep_panel.js
  function showCommand(root, command, label) {
    element("pre", command, root, { class: "command", tabindex: 0, "aria-label": label });
    const copy = button("copy", root, () => {
      navigator.clipboard?.writeText(command).catch(() => {
      });
      copy.textContent = "copied";
    });
  }
  function folderHere() {
    if (location.protocol !== "file:")
      return "";
    const path = decodeURIComponent(location.pathname);
    return path.slice(0, path.lastIndexOf("/") + 1);
  }
  function line(table, name, value, look, title = "") {
    const one = element("tr", null, table);
    element("bdi", name, element("th", null, one, { scope: "row" }));
    element("bdi", value, element("td", null, one, { class: look, ...title ? { title } : {} }));
  }
  function showEnd(root, app2, point) {
    const { sweep } = app2;
    if (!sweep.hasRun(point))
      return element("p", "hasn't run", root, { class: "bad" });
    if (!sweep.failed(point))
      return void 0;
    element("p", `failed: exit code ${sweep.exit(point)}`, root, { class: "bad" });
    return element("pre", sweep.message(point), root, { class: "reason" });
  }
  function showMetrics(root, app2, point) {
    const { sweep, metric, best } = app2, value = metric?.of(point) ?? NaN;
    if (isFinite(value)) {
      const head = element("p", null, root, { class: "result" });
      element("span", metricText(value, metric.unit), head, { class: "big", title: exactText(value, metric.unit) });
      element("bdi", metric.name, head);
      if (best >= 0)
        element("p", point === best ? "the best point" : `${comparedText(value, metric.of(best))} the best point's ${metricText(metric.of(best), metric.unit)}`, root, { class: point === best ? "good" : "soft" });
    }
    const all = sweep.metrics.filter((one) => isFinite(one.of(point)));
    if (!all.length)
      return;
    element("h3", "metrics", root);
    const table = element("table", null, root, { id: "point-metrics" });
    for (const one of all)
      line(table, one.name, metricText(one.of(point), one.unit), "number", exactText(one.of(point), one.unit));
    if (sweep.raw.other_metrics)
      element("p", `${sweep.raw.other_metrics} more metrics are in results.csv.`, root, { class: "soft" });
    button("CSV", root, () => save(new Blob([toCsv([["metric", "unit", "value"], ...all.map((one) => [one.name, one.unit, one.of(point)])])], { type: "text/csv" }), `point${sweep.number(point)}.csv`), { title: "save these metrics" });
  }
  function showPoint(root, app2, point) {
    const { sweep } = app2, name = `point${sweep.number(point)}`;
    showEnd(root, app2, point);
    element("h3", "axes", root);
    const table = element("table", null, root, { id: "point-axes" });
    for (const axis of sweep.axes)
      line(table, axis.name, sweep.text(axis, point), "value");
    showMetrics(root, app2, point);
    element("h3", "command", root);
    showCommand(root, sweep.command(point), "command of this point");
    element("h3", "its own page", root, { title: "A sweep keeps the numbers of its points, not their pages." });
    element("p", "With --out the run writes critical path, machine and timeline as a page:", root);
    showCommand(root, sweep.command(point, ["--out", folderHere() + name]), "command that makes the point's page");
    const open = element("p", null, root);
    element("a", `open ${name}/report.html`, open, { href: `${name}/report.html`, target: "_blank", rel: "noopener" });
    element("span", " once that command has run", open, { class: "soft" });
  }
  function makeSweepPanel(app2) {
    const root = byId("panel");
    app2.on((changed) => {
      if (!["point", "metric", "goal", "hidden", "all"].some((one) => changed.has(one)))
        return;
      const { point } = app2.choice;
      root.replaceChildren();
      if (point === null)
        return void element("p", "Click a point, cell or row: its values, metrics and command stand here.", root, { class: "soft" });
      const head = element("div", null, root, { class: "head" });
      element("h2", `point ${app2.sweep.number(point)}`, head);
      button("\u2715", head, () => app2.set({ point: null }), { class: "link", "aria-label": "close" });
      showPoint(root, app2, point);
    });
  }

  // sweep_state.js
  var goals = ["goal", "goal_a", "goal_b"];
  var names = ["metric", "x", "map_x", "map_y", "a", "b"];
  var flags = ["log_x", "log_y", "log_map", "log_a", "log_b"];
  var nothing = () => ({
    metric: null,
    goal: null,
    x: null,
    map_x: null,
    map_y: null,
    a: null,
    b: null,
    goal_a: null,
    goal_b: null,
    log_x: null,
    log_y: false,
    log_map: false,
    log_a: null,
    log_b: null,
    hidden: /* @__PURE__ */ new Map(),
    fixed: /* @__PURE__ */ new Map(),
    point: null
  });
  function makeSweepApp(sweep) {
    const listeners = [];
    const chosen = nothing(), axisOf2 = (name) => sweep.varied.find((axis) => axis.name === name);
    let shown3 = sweep.all;
    const usual = usualAxes(sweep);
    const app2 = {
      sweep,
      get choice() {
        return chosen;
      },
      /** Points that the filters leave. */
      get shown() {
        return shown3;
      },
      get metric() {
        return sweep.quantity(chosen.metric) ?? sweep.quantity(sweep.raw.metric) ?? sweep.metrics[0];
      },
      get larger() {
        return chosen.goal ? chosen.goal === "max" : app2.metric?.larger ?? false;
      },
      get best() {
        return bestOf(app2.metric, app2.larger, shown3);
      },
      /** Axis of the curves. @returns {Axis | undefined} */
      get x() {
        return axisOf2(chosen.x) ?? usual.x;
      },
      get logX() {
        return app2.x?.numbers !== null && (chosen.log_x ?? app2.x?.arePowers ?? false);
      },
      get mapX() {
        return axisOf2(chosen.map_x) ?? usual.x;
      },
      /** @returns {Axis | undefined} */
      get mapY() {
        const x = app2.mapX, asked = axisOf2(chosen.map_y);
        if (!x)
          return void 0;
        return [asked, usual.y, ...sweep.varied].find((axis) => axis && !companions(sweep, x).includes(axis));
      },
      /** The two quantities of the front, and whether larger ones are better. */
      get front() {
        const given = sweep.raw.front, a = sweep.quantity(chosen.a ?? given?.[0].name ?? null) ?? app2.metric;
        const b = sweep.quantity(chosen.b ?? given?.[1].name ?? null) ?? partnerOf(sweep, a);
        const goal2 = (own, i, what) => own ? own === "max" : given && given[i].name === what?.name ? given[i].larger : what?.larger ?? false;
        return { a, b, logA: chosen.log_a ?? a?.arePowers ?? false, logB: chosen.log_b ?? b?.arePowers ?? false, largerA: goal2(chosen.goal_a, 0, a), largerB: goal2(chosen.goal_b, 1, b) };
      },
      /** Takes a choice, and shows it in all views. Another axis has its own scale. @param {Partial<Choice> & {all?: boolean}} choice */
      set(choice) {
        const changed = new Set(Object.keys(choice));
        if ("x" in choice && !("log_x" in choice))
          chosen.log_x = null;
        if ("metric" in choice && !("goal" in choice))
          chosen.goal = null;
        if ("a" in choice && !("goal_a" in choice))
          chosen.goal_a = chosen.log_a = null;
        if ("b" in choice && !("goal_b" in choice))
          chosen.goal_b = chosen.log_b = null;
        const { all: _, ...own } = choice;
        Object.assign(chosen, own);
        if (choice.hidden || choice.all)
          shown3 = left(sweep, chosen.hidden);
        for (const listener of listeners)
          listener(changed);
        try {
          history.replaceState(null, "", addressOf2(sweep, chosen) || "#");
        } catch {
        }
      },
      /** Shows or hides a value of an axis. */
      show(axis, value, on) {
        const hidden = new Map(chosen.hidden), values = new Set(hidden.get(axis.index));
        if (on)
          values.delete(value);
        else
          values.add(value);
        if (values.size)
          hidden.set(axis.index, values);
        else
          hidden.delete(axis.index);
        app2.set({ hidden });
      },
      /** Shows these values of an axis alone. @param {Axis} axis @param {(value: number) => boolean} keeps */
      keep(axis, keeps) {
        const hidden = new Map(chosen.hidden), values = new Set(axis.values.map((_, i) => i).filter((i) => !keeps(i)));
        if (values.size)
          hidden.set(axis.index, values);
        else
          hidden.delete(axis.index);
        app2.set({ hidden });
      },
      /** Calls `listener` with the names of each choice's changes. @param {(changed: Set<string>) => void} listener */
      on(listener) {
        listeners.push(listener);
      },
      /** The choice in an address, as set() wrote it; what doesn't fit this sweep is passed over. @param {string} address @returns {Choice} */
      choiceIn(address) {
        return choiceOf2(address, sweep);
      }
    };
    return app2;
  }
  function usualAxes(sweep) {
    const most2 = (axes) => axes.reduce(
      (best, axis) => !best || axis.values.length > best.values.length ? axis : best,
      /** @type {Axis | undefined} */
      void 0
    );
    const x = most2(sweep.varied.filter((axis) => axis.numbers)) ?? most2(sweep.varied);
    return { x, y: x && most2(sweep.varied.filter((axis) => !companions(sweep, x).includes(axis))) };
  }
  function partnerOf(sweep, a) {
    const differs = (what) => {
      const first = sweep.all.map(what.of).find(isFinite);
      return sweep.all.some((point) => isFinite(what.of(point)) && what.of(point) !== first);
    };
    const others = sweep.quantities.filter((one) => one !== a);
    const axes = others.filter((one) => !sweep.metrics.includes(one)), metrics = others.filter((one) => sweep.metrics.includes(one));
    return metrics.find((one) => one.unit !== a?.unit && one.unit !== "1" && differs(one)) ?? axes[0] ?? metrics.find(differs) ?? others[0];
  }
  function left(sweep, hidden) {
    if (!hidden.size)
      return sweep.all;
    const all = [...hidden].map(([axis, values]) => ({ at: sweep.axes[axis].at, values }));
    return sweep.all.filter((point) => all.every(({ at, values }) => !values.has(at[point])));
  }
  function addressOf2(sweep, chosen) {
    const words = new URLSearchParams();
    for (const name of [...names, ...goals])
      if (chosen[name] !== null)
        words.set(name, chosen[name]);
    for (const name of flags)
      if (chosen[name] !== nothing()[name])
        words.set(name, chosen[name] ? "1" : "0");
    for (const [index, values] of chosen.hidden) {
      const axis = sweep.axes[index], few2 = 2 * values.size <= axis.values.length;
      if (!few2 && values.size === axis.values.length)
        words.append(`none.${axis.name}`, "1");
      else
        axis.values.forEach((text2, i) => {
          if (values.has(i) === few2)
            words.append(`${few2 ? "not" : "only"}.${axis.name}`, text2);
        });
    }
    for (const [index, value] of chosen.fixed)
      words.append(`at.${sweep.axes[index].name}`, sweep.axes[index].values[value]);
    if (chosen.point !== null)
      words.set("point", String(sweep.number(chosen.point)));
    const text = words.toString();
    return text && "#" + text;
  }
  function choiceOf2(address, sweep) {
    const words = new URLSearchParams(address.replace(/^#/, "")), choice = nothing();
    for (const name of names) {
      const value = words.get(name), fits = ["metric", "a", "b"].includes(name) ? sweep.quantity(value) : sweep.varied.some((axis) => axis.name === value);
      if (value !== null && fits)
        choice[name] = value;
    }
    for (const name of goals) {
      const value = words.get(name);
      if (value === "max" || value === "min")
        choice[name] = value;
    }
    for (const name of flags)
      if (words.has(name))
        choice[name] = words.get(name) === "1";
    for (const axis of sweep.axes) {
      const of = (word) => new Set(words.getAll(`${word}.${axis.name}`).map((text) => axis.values.indexOf(text)).filter((i) => i >= 0));
      const not = of("not"), only = of("only"), [fixed] = of("at");
      if (only.size)
        axis.values.forEach((_, i) => {
          if (!only.has(i))
            not.add(i);
        });
      if (words.has(`none.${axis.name}`))
        axis.values.forEach((_, i) => not.add(i));
      if (not.size)
        choice.hidden.set(axis.index, not);
      if (fixed !== void 0)
        choice.fixed.set(axis.index, fixed);
    }
    const number = words.get("point"), point = number === null || number === "" ? -1 : sweep.byNumber(Number(number));
    if (point >= 0)
      choice.point = point;
    return choice;
  }

  // canvas.js
  var css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  var makeCanvas = (parent, label) => element("canvas", null, parent, { class: "plane", tabindex: 0, role: "img", "aria-label": label });
  function begin(canvas, height) {
    const width = Math.max(300, canvas.parentElement?.clientWidth || 900), scale = globalThis.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = height + "px";
    const pen = (
      /** @type {CanvasRenderingContext2D} */
      canvas.getContext("2d")
    );
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px sans-serif";
    return { pen, width, height };
  }
  function fitted(pen, text, width) {
    let few2 = text.length > 200 ? text.slice(0, 200) + "\u2026" : text;
    if (pen.measureText(few2).width <= width)
      return few2;
    let low = 0, high4 = few2.length;
    while (low < high4) {
      const middle = low + high4 + 1 >> 1;
      if (pen.measureText(few2.slice(0, middle) + "\u2026").width <= width)
        low = middle;
      else
        high4 = middle - 1;
    }
    return low ? few2.slice(0, low) + "\u2026" : "";
  }
  function ticksOf(low, high4, log, count) {
    if (!(high4 > low))
      return [low];
    const decades = log ? Math.log10(high4 / low) : 0;
    if (decades >= 1.2) {
      const all2 = [], step2 = Math.max(1, Math.ceil(decades / count));
      for (let at = Math.floor(Math.log10(low)); at <= Math.ceil(Math.log10(high4)); at += step2)
        for (const digit of step2 === 1 && decades < 3 ? [1, 2, 5] : [1])
          all2.push(digit * 10 ** at);
      return all2.filter((value) => value >= low * 0.9999 && value <= high4 * 1.0001);
    }
    const raw = (high4 - low) / count, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5].find((digit) => digit * power >= raw) ?? 10), all = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high4 + step * 1e-9; ++at)
      all.push(+(at * step).toPrecision(12));
    return all;
  }

  // hint.js
  function showHint(x, y, lines) {
    const box = byId("details");
    box.textContent = lines.map((line2) => shortened(line2.replaceAll("\n", " "), 160)).join("\n");
    box.style.display = "block";
    const { width, height } = box.getBoundingClientRect();
    box.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 8)) + "px";
    box.style.top = Math.max(4, y + 16 + height > innerHeight ? y - height - 10 : y + 16) + "px";
  }
  var hideHint = () => {
    byId("details").style.display = "none";
  };

  // plane.js
  function makePlane(parent, label, does) {
    const canvas = makeCanvas(parent, label);
    let scene = null;
    let place = null;
    let lit = (
      /** @type {number | null} */
      null
    ), held = (
      /** @type {number | null} */
      null
    ), here = (
      /** @type {Mark | null} */
      null
    );
    function draw() {
      if (!scene)
        return;
      const sheet = begin(canvas, scene.height ?? 420);
      place = placed2(sheet, scene);
      drawScales(sheet.pen, place, scene);
      const group = lit ?? held;
      const small = scene.marks.length > 3e3, bad = css("--bad");
      const layer = (is, alpha) => {
        sheet.pen.globalAlpha = alpha;
        for (const line2 of scene.lines)
          if (is(line2.group))
            drawLine(sheet.pen, place, line2, group !== null && line2.group === group);
        for (const mark of scene.marks)
          if (is(mark.group))
            drawMark(sheet.pen, place, mark, small, bad);
      };
      layer((of) => group !== null && of !== group && of !== void 0, 0.12);
      layer((of) => group === null || of === group || of === void 0, 1);
      sheet.pen.globalAlpha = 1;
      for (const mark of scene.marks) {
        if (mark.point === scene.picked || mark === here)
          drawRing(sheet.pen, place, mark, css("--mark"));
        else if (mark.point === scene.best)
          drawRing(sheet.pen, place, mark, css("--good"));
      }
    }
    function markAt(x, y) {
      let found = null, least = 14 * 14;
      for (const mark of scene?.marks ?? []) {
        if ((held ?? mark.group) !== mark.group && mark.group !== void 0)
          continue;
        const far = (place.x(mark.x) - x) ** 2 + (place.foot(mark.y) - y) ** 2;
        if (far < least) {
          least = far;
          found = mark;
        }
      }
      return found;
    }
    function goTo(mark) {
      here = mark;
      lit = mark?.group ?? null;
      draw();
      if (!mark)
        return hideHint();
      const box = canvas.getBoundingClientRect();
      showHint(box.left + place.x(mark.x), box.top + place.foot(mark.y), does.hint(mark));
    }
    function step(dx, dy) {
      const from = here ?? scene?.marks[0], x = place.x(from?.x), y = place.foot(from?.y);
      let found = null, least = Infinity;
      for (const mark of scene?.marks ?? []) {
        const along = (place.x(mark.x) - x) * dx + (place.foot(mark.y) - y) * dy, aside = Math.abs((place.x(mark.x) - x) * dy) + Math.abs((place.foot(mark.y) - y) * dx);
        if (along > 0.5 && along + 2 * aside < least) {
          least = along + 2 * aside;
          found = mark;
        }
      }
      goTo(here ? found ?? here : from);
    }
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return markAt(event.clientX - box.left, event.clientY - box.top);
    };
    canvas.addEventListener("mousemove", (event) => {
      const mark = place && at(event);
      canvas.style.cursor = mark ? "pointer" : "";
      if (mark !== here)
        goTo(mark);
    });
    canvas.addEventListener("mouseleave", () => {
      if (here)
        goTo(null);
    });
    canvas.addEventListener("blur", () => {
      if (here)
        goTo(null);
    });
    canvas.addEventListener("click", (event) => {
      const mark = place && at(event);
      if (mark)
        does.pick(mark.point);
    });
    canvas.addEventListener("keydown", (event) => {
      const keys2 = {
        ArrowLeft: () => step(-1, 0),
        ArrowRight: () => step(1, 0),
        ArrowUp: () => step(0, -1),
        ArrowDown: () => step(0, 1),
        Enter: () => {
          if (here)
            does.pick(here.point);
        },
        Escape: () => goTo(null)
      };
      if (keys2[event.key] && place) {
        event.preventDefault();
        keys2[event.key]();
      }
    });
    addEventListener("resize", draw);
    return {
      canvas,
      /** @param {Scene} next */
      show(next) {
        scene = next;
        here = null;
        lit = null;
        draw();
      },
      /** Marks a point. @param {number | null} point */
      pick(point) {
        if (scene) {
          scene.picked = point;
          draw();
        }
      },
      /** Lights one group of lines and dims the others; null: none. */
      light(group) {
        lit = group;
        draw();
      },
      /** The same until it is let go. */
      hold(group) {
        held = group;
        lit = null;
        draw();
      },
      get scene() {
        return scene;
      },
      /** Where a mark stands on the canvas. @param {Mark} mark */
      at: (mark) => [place.x(mark.x), place.foot(mark.y)]
    };
  }
  function rangeOf(scale, values) {
    const all = values.filter((value) => isFinite(value) && (!scale.log || value > 0));
    let low = Infinity, high4 = -Infinity;
    for (const value of all) {
      low = Math.min(low, value);
      high4 = Math.max(high4, value);
    }
    if (!all.length)
      [low, high4] = scale.log ? [1, 10] : [0, 1];
    if (scale.log)
      return low === high4 ? [low / 2, high4 * 2] : [low, high4];
    if (scale.zero)
      [low, high4] = [Math.min(0, low), Math.max(0, high4)];
    if (low === high4) {
      const by = Math.abs(low) / 2 || 1;
      return [low - by, high4 + by];
    }
    return [low, high4];
  }
  function placed2({ pen, width, height }, scene) {
    const [x0, x1] = rangeOf(scene.x, scene.marks.map((mark) => mark.x)), [y0, y1] = rangeOf(scene.y, scene.marks.map((mark) => mark.y));
    const ticks = ticksOf(y0, y1, scene.y.log, 6), labels = ticks.map(scene.y.text);
    const left4 = 34 + Math.max(...labels.map((text) => pen.measureText(text).width), 20), right3 = width - 24, top3 = 16, bottom3 = height - 46;
    const share2 = (value, low, high4, log) => log ? Math.log(Math.max(value, low * 1e-3) / low) / Math.log(high4 / low) : (value - low) / (high4 - low);
    const x = (value) => left4 + 14 + share2(value, x0, x1, scene.x.log) * (right3 - left4 - 28);
    const y = (value) => bottom3 - share2(value, y0, y1, scene.y.log) * (bottom3 - top3 - 8) - (scene.y.zero && !scene.y.log ? 0 : 8);
    return { x, y, foot: (value) => isFinite(value) && !(scene.y.log && value <= 0) ? y(value) : bottom3, left: left4, right: right3, top: top3, bottom: bottom3, ticks, labels, x0, x1 };
  }
  function drawScales(pen, place, scene) {
    const { left: left4, right: right3, top: top3, bottom: bottom3 } = place;
    pen.lineWidth = 1;
    pen.strokeStyle = css("--line");
    pen.fillStyle = css("--text");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    place.ticks.forEach((value, i) => {
      const y = Math.round(place.y(value)) + 0.5;
      pen.beginPath();
      pen.moveTo(left4, y);
      pen.lineTo(right3, y);
      pen.stroke();
      pen.fillText(place.labels[i], left4 - 6, y);
    });
    const given = scene.x.ticks, ticks = given ?? ticksOf(place.x0, place.x1, scene.x.log, 8).map((value) => [value, scene.x.text(value)]);
    const every = Math.max(1, Math.ceil(ticks.length / ((right3 - left4) / 44))), room = Math.max(40, (right3 - left4) / Math.max(1, Math.ceil(ticks.length / every)) - 8);
    pen.textAlign = "center";
    pen.textBaseline = "top";
    let end = -Infinity;
    ticks.forEach(([value, name], i) => {
      const text = fitted(pen, name, room), half = pen.measureText(text).width / 2, line2 = Math.round(place.x(value)) + 0.5, x = Math.max(half + 2, Math.min(right3 + 22 - half, line2));
      pen.beginPath();
      pen.moveTo(line2, top3);
      pen.lineTo(line2, bottom3 + 4);
      pen.stroke();
      if (i % every || x - half < end + 4)
        return;
      pen.fillText(text, x, bottom3 + 7);
      end = x + half;
    });
    pen.fillStyle = css("--soft");
    pen.fillText(fitted(pen, scene.x.label, right3 - left4), (left4 + right3) / 2, bottom3 + 26);
    pen.save();
    pen.translate(4, (top3 + bottom3) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(fitted(pen, scene.y.label, bottom3 - top3), 0, 0);
    pen.restore();
    pen.strokeStyle = css("--soft");
    pen.beginPath();
    pen.moveTo(left4 + 0.5, top3);
    pen.lineTo(left4 + 0.5, bottom3 + 0.5);
    pen.lineTo(right3, bottom3 + 0.5);
    pen.stroke();
  }
  function drawLine(pen, place, line2, strong) {
    pen.strokeStyle = line2.color;
    pen.lineWidth = strong ? 3.5 : 2;
    pen.setLineDash(line2.dash ?? []);
    pen.beginPath();
    let pending = true;
    for (const [x, y] of line2.at) {
      if (!isFinite(y)) {
        pending = true;
        continue;
      }
      if (pending)
        pen.moveTo(place.x(x), place.foot(y));
      else
        pen.lineTo(place.x(x), place.foot(y));
      pending = false;
    }
    pen.stroke();
    pen.setLineDash([]);
  }
  function drawMark(pen, place, mark, small, bad) {
    const x = place.x(mark.x), y = place.foot(mark.y);
    if (mark.shape === "cross" || !isFinite(mark.y)) {
      pen.strokeStyle = bad;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x - 4, y - 4);
      pen.lineTo(x + 4, y + 4);
      pen.moveTo(x + 4, y - 4);
      pen.lineTo(x - 4, y + 4);
      pen.stroke();
      return;
    }
    pen.fillStyle = mark.color;
    if (small && mark.shape !== "ring")
      return pen.fillRect(x - 1.5, y - 1.5, 3, 3);
    pen.beginPath();
    pen.arc(x, y, mark.shape === "ring" ? 5 : 3.2, 0, 7);
    pen.fill();
  }
  function drawRing(pen, place, mark, color) {
    pen.strokeStyle = color;
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(place.x(mark.x), place.foot(mark.y), 8, 0, 7);
    pen.stroke();
  }

  // views/sweep_curves.js
  var dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  var styles = ["solid", "dashed", "dotted", "double"];
  var mostNames = 1e3;
  function linesOf(app2) {
    const { sweep, x, metric } = app2, others = sweep.varied.filter((axis) => !companions(sweep, x).includes(axis));
    const all = /* @__PURE__ */ new Map();
    const shown3 = new Set(app2.shown);
    for (const point of sweep.all) {
      const key = others.map((axis) => axis.at[point]).join(), one = all.get(key) ?? [];
      all.set(key, one);
      if (shown3.has(point))
        one.push(point);
    }
    const at = (point) => x.numbers ? x.numbers[x.at[point]] : x.at[point];
    return [...all.values()].map((points, i) => ({
      label: points.length ? labelOf(sweep, points[0], others) || metric.name : "",
      points: points.sort((a, b) => at(a) - at(b)),
      color: colors[i % colors.length],
      style: Math.floor(i / colors.length) % dashes.length
    })).filter((line2) => line2.points.length > 0);
  }
  function sceneOf(app2, lines) {
    const { sweep, x, metric } = app2, log = app2.logX && x.numbers.every((value, i) => value > 0 || !x.at.includes(i));
    const at = (point) => x.numbers ? x.numbers[x.at[point]] : x.at[point];
    const used = [...new Set(app2.shown.map((point) => x.at[point]))].sort((a, b) => a - b);
    const ticks = !x.numbers || used.length <= 24 ? used.map((i) => (
      /** @type {[number, string]} */
      [x.numbers ? x.numbers[i] : i, x.values[i]]
    )).sort((a, b) => a[0] - b[0]) : void 0;
    const marks = lines.flatMap((line2, group) => line2.points.map((point) => ({ x: at(point), y: metric.of(point), point, color: line2.color, group })));
    return {
      x: { label: x.name, log, ticks, text: (value) => String(+value.toPrecision(4)) },
      y: { label: metric.name, log: app2.choice.log_y, zero: true, text: (value) => metricText(value, metric.unit) },
      lines: lines.map((line2, group) => ({ at: line2.points.map((point) => [at(point), metric.of(point)]), color: line2.color, dash: dashes[line2.style], group })),
      marks,
      picked: app2.choice.point,
      best: app2.best,
      sweep
    };
  }
  function showLegend(root, lines, plane) {
    root.replaceChildren();
    let held = (
      /** @type {any} */
      null
    );
    lines.slice(0, mostNames).forEach((line2, i) => {
      const one = button(null, root, () => {
        const off = held === one;
        held?.setAttribute("aria-pressed", "false");
        held = off ? null : one;
        one.setAttribute("aria-pressed", String(!off));
        plane.hold(off ? null : i);
      }, { class: "entry", "aria-pressed": "false", title: line2.label.slice(0, 1e3) });
      element("i", null, one).style.borderTop = `3px ${styles[line2.style]} ${line2.color}`;
      element("bdi", shortened(line2.label, 200), one);
      for (const name of ["mouseenter", "focus"])
        one.addEventListener(name, () => plane.light(i));
      for (const name of ["mouseleave", "blur"])
        one.addEventListener(name, () => plane.light(null));
    });
    if (lines.length > mostNames)
      element("p", `${lines.length - mostNames} more lines are drawn`, root, { class: "soft" });
  }
  function make(root, app2) {
    const { sweep } = app2, tools = element("p", null, root, { class: "choices" }), both = element("div", null, root, { class: "beside" });
    const box = element("div", null, both), legend = element("div", null, both, { class: "legend", role: "group", "aria-label": "lines" });
    const plane = makePlane(box, "curves: arrows go from point to point, Enter picks", {
      pick: (point) => app2.set({ point }),
      hint: (mark) => [
        `${app2.x.name} = ${sweep.text(app2.x, mark.point)}`,
        lines[mark.group].label,
        isFinite(mark.y) ? `${app2.metric.name} = ${exactText(mark.y, app2.metric.unit)}` : sweep.hasRun(mark.point) ? `failed: ${sweep.message(mark.point)}` : "hasn't run",
        `point ${sweep.number(mark.point)}`
      ]
    });
    const said = element("p", "", root, { class: "soft", id: "gaps" });
    let lines = [];
    function fillTools() {
      const { x, metric } = app2;
      chooser(tools, "along", sweep.varied.map((axis) => [axis.name, axis.name]), x.name, (name) => app2.set({ x: name }), { id: "x" });
      const positive = x.numbers?.every((value, i) => value > 0 || !x.at.includes(i));
      toggle(tools, "log x", app2.logX, (log_x) => app2.set({ log_x }), positive ? "" : "only an axis of positive numbers has a logarithm", { id: "log-x" });
      toggle(tools, "log y", app2.choice.log_y, (log_y) => app2.set({ log_y }), app2.shown.some((point) => metric.of(point) <= 0) ? "only positive values have a logarithm" : "", { id: "log-y" });
    }
    return {
      show(changed) {
        if (!app2.metric || !app2.x)
          return false;
        if (!["metric", "goal", "hidden", "x", "log_x", "log_y", "point", "all"].some((one) => changed.has(one)))
          return true;
        if (["metric", "hidden", "x", "all"].some((one) => changed.has(one))) {
          lines = linesOf(app2);
          plane.hold(null);
          showLegend(legend, lines, plane);
        }
        if (changed.size === 1 && changed.has("point")) {
          plane.pick(app2.choice.point);
          return true;
        }
        refill(tools, fillTools);
        const log = app2.choice.log_y && !app2.shown.some((point) => app2.metric.of(point) <= 0), scene = sceneOf(app2, lines);
        scene.y.log = log;
        plane.show(scene);
        const gaps = app2.shown.filter((point) => !isFinite(app2.metric.of(point))).length;
        said.textContent = `${lines.length} line${lines.length === 1 ? "" : "s"}` + (gaps ? `; ${gaps} point${gaps === 1 ? "" : "s"} without a number: \u2715 at the foot` : "");
        return true;
      },
      csv: () => toCsv([["point", ...sweep.axes.map((axis) => axis.name), "line", app2.metric.name], ...lines.flatMap((line2) => line2.points.map((point) => [sweep.number(point), ...sweep.axes.map((axis) => sweep.text(axis, point)), line2.label, isFinite(app2.metric.of(point)) ? app2.metric.of(point) : ""]))]),
      plane,
      lines: () => lines
    };
  }
  var sweepCurves = { id: "curves", title: "Curves", sentence: "The metric along an axis; each combination of the other axes is a line.", make };

  // views/sweep_filters.js
  var few = 30;
  function makeChecks(root, app2, axis) {
    const box = element("fieldset", null, root, { "data-axis": axis.name });
    element("bdi", axis.name, element("legend", null, box));
    const tools = element("span", null, box, { class: "tools" });
    button("all", tools, () => app2.keep(axis, () => true));
    button("none", tools, () => app2.keep(axis, () => false));
    const list = element("div", null, box, { class: "checks" });
    const checks = [];
    const hides = (i) => app2.choice.hidden.get(axis.index)?.has(i) ?? false;
    const add2 = () => axis.values.slice(checks.length).forEach((text) => {
      const i = checks.length, label = element("label", null, list, { title: "double-click: this value alone" }), check = element("input", null, label, { type: "checkbox" });
      check.checked = !hides(i);
      check.addEventListener("change", () => app2.show(axis, i, check.checked));
      label.addEventListener("dblclick", () => app2.keep(axis, (one) => one === i));
      element("bdi", shortened(text), label, text.length > 60 ? { title: text.slice(0, 1e3) } : {});
      checks.push(check);
    });
    if (axis.values.length <= few)
      add2();
    else {
      const more = button(`choose among ${axis.values.length} values`, box, () => {
        more.remove();
        add2();
      });
      box.append(list);
    }
    return { update: () => checks.forEach((check, i) => {
      check.checked = !hides(i);
    }) };
  }
  function make2(root, app2) {
    const box = element("div", null, root, { id: "axes" });
    const all = app2.sweep.varied.map((axis) => makeChecks(box, app2, axis));
    const count = element("p", "", root, { id: "count", "aria-live": "polite" });
    return {
      show(changed) {
        if (changed.has("hidden") || changed.has("all")) {
          all.forEach((one) => one.update());
          count.textContent = `${app2.shown.length} of ${app2.sweep.count} points are shown`;
        }
        return all.length > 0;
      }
    };
  }
  var sweepFilters = { id: "filters", title: "Filters", sentence: "Values without a check are left out of all views, also of the best point.", make: make2 };

  // table.js
  function makeTable(parent, name, columns4, rows2, how = {}) {
    const most2 = 300, box = element("div", null, parent), title = element("h3", name, box);
    const scroll = element("div", null, box, { class: "scroll", tabindex: 0, role: "region", "aria-label": name });
    const table = element("table", null, scroll), head = element("tr", null, element("thead", null, table)), body = element("tbody", null, table);
    const numeric = columns4.map((_, i) => rows2.length > 0 && rows2.every((row) => isNumber(row[i] ?? "") || row[i] === "NaN" || row[i] === "") && rows2.some((row) => isNumber(row[i] ?? "")));
    let order2 = how.order ?? -1, down = how.down ?? order2 >= 0, word = "";
    columns4.forEach((column, i) => {
      const cell = element("th", null, head, { class: numeric[i] ? "number" : "", scope: "col", title: sentenceOf(column) });
      button(column, cell, () => {
        down = order2 === i ? !down : numeric[i];
        order2 = i;
        draw();
      });
    });
    const compare2 = (a, b) => {
      const x = a[order2], y = b[order2];
      const result = numeric[order2] ? (isNumber(x) ? +x : -Infinity) - (isNumber(y) ? +y : -Infinity) : String(x).localeCompare(String(y));
      return down ? -result : result;
    };
    function line2(row) {
      const one = element("tr");
      row.forEach((cell, i) => element("td", cell, one, { class: numeric[i] ? "number" : "" }));
      if (how.marked?.(row))
        one.classList.add("marked");
      if (!how.click)
        return one;
      one.classList.add("clicks");
      one.tabIndex = 0;
      one.addEventListener("click", () => how.click?.(row));
      one.addEventListener("keydown", (event) => {
        if (event.key === "Enter")
          how.click?.(row);
      });
      return one;
    }
    function draw() {
      const shown3 = rows2.filter((row) => word === "" || row.some((cell) => String(cell).toLowerCase().includes(word)));
      if (order2 >= 0)
        shown3.sort(compare2);
      [...head.children].forEach((cell, i) => cell.setAttribute("aria-sort", i !== order2 ? "none" : down ? "descending" : "ascending"));
      body.replaceChildren(...shown3.slice(0, most2).map(line2));
      title.textContent = `${name}: ${shown3.length < rows2.length ? `${shown3.length} of ` : ""}${rows2.length}` + (shown3.length > most2 ? `, the first ${most2} are shown` : "");
    }
    draw();
    return { box, order: () => ({ order: order2, down }), search: (text) => {
      word = text.toLowerCase();
      draw();
    }, rows: () => [...body.children].map((one) => [...one.children].map((cell) => cell.textContent)) };
  }
  function markRows(box, marked) {
    for (const row of box.querySelectorAll("tbody tr"))
      row.classList.toggle("marked", marked(row.children[0]?.textContent ?? ""));
  }

  // views/sweep_front.js
  var numberOf = (app2) => app2.choice.point === null ? "" : String(app2.sweep.number(app2.choice.point));
  function stepsOf(front, a, b) {
    const all = [];
    front.forEach((point, i) => {
      if (i > 0)
        all.push([a.of(point), b.of(front[i - 1])]);
      all.push([a.of(point), b.of(point)]);
    });
    return all;
  }
  function make3(root, app2) {
    const { sweep } = app2, tools = element("p", null, root, { class: "choices" }), box = element("div", null, root), list = element("div", null, root, { id: "front-list" });
    const plane = makePlane(box, "Pareto front: arrows go from point to point, Enter picks", {
      pick: (point) => app2.set({ point }),
      hint: (mark) => {
        const { a, b } = app2.front;
        return [`${a.name} = ${exactText(mark.x, a.unit)}`, `${b.name} = ${exactText(mark.y, b.unit)}`, ...sweep.varied.map((axis) => `${axis.name} = ${sweep.text(axis, mark.point)}`), `point ${sweep.number(mark.point)}` + (front.includes(mark.point) ? ", on the front" : "")];
      }
    });
    let front = [];
    function fillTools({ a, b, largerA, largerB, logA, logB }) {
      const options = sweep.quantities.map((one) => (
        /** @type {[string, string]} */
        [one.name, one.unit === "1" ? one.name : `${one.name} (${one.unit})`]
      ));
      const noLog = (what) => app2.shown.some((point) => what.of(point) <= 0) ? "only positive values have a logarithm" : "";
      chooser(tools, "x", options, a.name, (name) => app2.set({ a: name }), { id: "a" });
      goal(tools, largerA, (goal_a) => app2.set({ goal_a }), { id: "goal-a" });
      toggle(tools, "log x", logA, (log_a) => app2.set({ log_a }), noLog(a), { id: "log-a" });
      chooser(tools, "y", options, b.name, (name) => app2.set({ b: name }), { id: "b" });
      goal(tools, largerB, (goal_b) => app2.set({ goal_b }), { id: "goal-b" });
      toggle(tools, "log y", logB, (log_b) => app2.set({ log_b }), noLog(b), { id: "log-b" });
    }
    function showFront({ a, b, largerA, largerB, logA, logB }) {
      const on = new Set(front), points = app2.shown.filter((point) => isFinite(a.of(point)) && isFinite(b.of(point)));
      const scale = (what, larger, log) => ({ label: `\u2068${what.name}\u2069, ${larger ? "larger" : "smaller"} is better`, log: log && !app2.shown.some((point) => what.of(point) <= 0), text: (value) => metricText(value, what.unit) });
      const mark = (point, color, shape) => ({ x: a.of(point), y: b.of(point), point, color, shape });
      plane.show({
        x: scale(a, largerA, logA),
        y: scale(b, largerB, logB),
        lines: [{ at: stepsOf(front, a, b), color: colors[1] }],
        marks: [...points.filter((point) => !on.has(point)).map((point) => mark(point, css("--soft"))), ...front.map((point) => mark(point, colors[1], "ring"))],
        picked: app2.choice.point
      });
      list.replaceChildren();
      const axes = sweep.varied;
      makeTable(
        list,
        "points on the front",
        ["point", a.name, ...b === a ? [] : [b.name], ...axes.filter((axis) => axis.name !== a.name && axis.name !== b.name).map((axis) => axis.name)],
        front.map((point) => [sweep.number(point), +a.of(point).toPrecision(8), ...b === a ? [] : [+b.of(point).toPrecision(8)], ...axes.filter((axis) => axis.name !== a.name && axis.name !== b.name).map((axis) => sweep.text(axis, point))]),
        { click: (row) => app2.set({ point: sweep.byNumber(row[0]) }), marked: (row) => String(row[0]) === numberOf(app2) }
      );
    }
    return {
      show(changed) {
        const both = app2.front;
        if (!both.a || !both.b || both.a === both.b && sweep.quantities.length < 2)
          return false;
        if (!["metric", "hidden", "a", "b", "goal_a", "goal_b", "log_a", "log_b", "point", "all"].some((one) => changed.has(one)))
          return true;
        if (changed.size === 1 && changed.has("point")) {
          plane.pick(app2.choice.point);
          markRows(list, (row) => row === numberOf(app2));
          return true;
        }
        front = frontOf(both.a, both.b, both.largerA, both.largerB, app2.shown);
        refill(tools, () => fillTools(both));
        showFront(both);
        return true;
      },
      csv: () => {
        const { a, b } = app2.front;
        return toCsv([["point", a.name, b.name, ...sweep.axes.map((axis) => axis.name)], ...front.map((point) => [sweep.number(point), a.of(point), b.of(point), ...sweep.axes.map((axis) => sweep.text(axis, point))])]);
      },
      plane,
      front: () => front
    };
  }
  var sweepFront = { id: "front", title: "Pareto front", sentence: "Points that no other point beats in both quantities.", make: make3 };

  // views/sweep_map.js
  var stops = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];
  function colorOf(share2) {
    const at = Math.min(1, Math.max(0, share2)) * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(at));
    return stops[i].map((from, k) => Math.round(from + (stops[i + 1][k] - from) * (at - i)));
  }
  var otherAxes = (app2) => app2.sweep.groups.map((group) => group[0]).filter((axis) => !companions(app2.sweep, app2.mapX).includes(axis) && !companions(app2.sweep, app2.mapY).includes(axis));
  function cellsOf(app2) {
    const { sweep, metric, larger, mapX, mapY } = app2, fixed = otherAxes(app2).filter((axis) => app2.choice.fixed.has(axis.index));
    const points = app2.shown.filter((point) => fixed.every((axis) => axis.at[point] === app2.choice.fixed.get(axis.index)));
    const order2 = (axis) => {
      const used = [...new Set(points.map((point) => axis.at[point]))];
      return used.sort((a, b) => axis.numbers ? axis.numbers[a] - axis.numbers[b] : a - b);
    };
    const groups = /* @__PURE__ */ new Map(), at = /* @__PURE__ */ new Map();
    for (const point of points) {
      const key = mapX.at[point] + "," + mapY.at[point], one = groups.get(key);
      if (one)
        one.push(point);
      else
        groups.set(key, [point]);
    }
    let low = Infinity, high4 = -Infinity;
    for (const [key, all] of groups) {
      const best = bestOf(metric, larger, all), point = best >= 0 ? best : all.find(sweep.failed) ?? all[0];
      at.set(key, { point, count: all.length });
      if (best >= 0) {
        low = Math.min(low, metric.of(best));
        high4 = Math.max(high4, metric.of(best));
      }
    }
    return { xs: order2(mapX), ys: order2(mapY), at, low, high: high4 };
  }
  function shortest(pen, values, unit, width) {
    for (const digits of width < 16 ? [] : [4, 3, 2]) {
      const text = (value) => metricText(+value.toPrecision(digits), unit);
      if (values.every((value) => pen.measureText(text(value)).width <= width))
        return text;
    }
    return () => "";
  }
  function drawMap(canvas, app2, cells, here) {
    const { metric, mapX, mapY, sweep } = app2, { xs, ys, at, low, high: high4 } = cells, rowHeight2 = Math.max(4, Math.min(34, 520 / Math.max(1, ys.length)));
    const { pen, width, height } = begin(canvas, Math.round(60 + rowHeight2 * ys.length + 44));
    const log = app2.choice.log_map && low > 0, share2 = (value) => high4 > low ? log ? Math.log(value / low) / Math.log(high4 / low) : (value - low) / (high4 - low) : 0.5;
    const names2 = ys.map((i) => fitted(pen, mapY.values[i], 150));
    const left4 = 34 + Math.max(20, ...names2.map((name) => pen.measureText(name).width)), right3 = width - 130, top3 = 12, bottom3 = height - 52;
    const wide3 = (right3 - left4) / Math.max(1, xs.length), high1 = (bottom3 - top3) / Math.max(1, ys.length);
    const rect = (i, j) => [left4 + i * wide3, bottom3 - (j + 1) * high1, wide3, high1];
    const textOf = shortest(pen, [...at.values()].map((cell) => metric.of(cell.point)).filter(isFinite), metric.unit, wide3 - 5);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let j = 0; j < ys.length; ++j)
      for (let i = 0; i < xs.length; ++i) {
        const cell = at.get(xs[i] + "," + ys[j]), [x, y, w, h] = rect(i, j), value = cell ? metric.of(cell.point) : NaN;
        if (!cell)
          continue;
        const [r, g, b] = isFinite(value) ? colorOf(share2(value)) : [0, 0, 0];
        pen.fillStyle = isFinite(value) ? `rgb(${r} ${g} ${b})` : css("--idle");
        pen.fillRect(x, y, Math.max(1, w - (w > 6 ? 1 : 0)), Math.max(1, h - (h > 6 ? 1 : 0)));
        const text = isFinite(value) ? textOf(value) : sweep.hasRun(cell.point) ? "\u2715" : "\u2013";
        pen.fillStyle = isFinite(value) ? 0.299 * r + 0.587 * g + 0.114 * b > 130 ? "#000" : "#fff" : css("--bad");
        if (h >= 13 && w >= 13)
          pen.fillText(text, x + w / 2, y + h / 2);
      }
    const outline = (color, of) => {
      for (let j = 0; j < ys.length; ++j)
        for (let i = 0; i < xs.length; ++i)
          if (of(at.get(xs[i] + "," + ys[j]), i, j)) {
            const [x, y, w, h] = rect(i, j);
            for (const [wide4, tone] of [[5, "#000"], [3, color]]) {
              pen.strokeStyle = tone;
              pen.lineWidth = wide4;
              pen.strokeRect(x + 1, y + 1, Math.max(2, w - 3), Math.max(2, h - 3));
            }
          }
    };
    outline("#fff", (cell) => cell && cell.point === app2.best);
    outline(css("--mark"), (cell, i, j) => cell && cell.point === app2.choice.point || here && here.x === i && here.y === j);
    pen.fillStyle = css("--text");
    pen.textBaseline = "top";
    const every = Math.max(1, Math.ceil(36 / wide3));
    xs.forEach((i, k) => {
      if (k % every === 0)
        pen.fillText(fitted(pen, mapX.values[i], wide3 * every - 4), left4 + (k + 0.5) * wide3, bottom3 + 5);
    });
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const each = Math.max(1, Math.ceil(13 / high1));
    names2.forEach((name, k) => {
      if (k % each === 0)
        pen.fillText(name, left4 - 6, bottom3 - (k + 0.5) * high1);
    });
    pen.fillStyle = css("--soft");
    pen.textAlign = "center";
    pen.textBaseline = "top";
    pen.fillText(fitted(pen, mapX.name, right3 - left4), (left4 + right3) / 2, bottom3 + 26);
    pen.save();
    pen.translate(2, (top3 + bottom3) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(fitted(pen, mapY.name, Math.max(60, bottom3 - top3)), 0, 0);
    pen.restore();
    if (isFinite(low))
      drawBar(pen, { left: right3 + 20, top: top3, bottom: bottom3, low, high: high4, log, share: share2 }, (value) => metricText(value, metric.unit));
    return { rect, cellAt: (x, y) => {
      const i = Math.floor((x - left4) / wide3), j = Math.floor((bottom3 - y) / high1);
      return i >= 0 && j >= 0 && i < xs.length && j < ys.length ? { x: i, y: j } : null;
    } };
  }
  function drawBar(pen, { left: left4, top: top3, bottom: bottom3, low, high: high4, log, share: share2 }, text) {
    const steps = 60, tall = bottom3 - top3;
    for (let i = 0; i < steps; ++i) {
      pen.fillStyle = `rgb(${colorOf((i + 0.5) / steps).join(" ")})`;
      pen.fillRect(left4, bottom3 - (i + 1) * tall / steps, 14, tall / steps + 0.5);
    }
    pen.fillStyle = css("--text");
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const inner = high4 > low ? ticksOf(low, high4, log, Math.max(1, Math.min(5, tall / 40))) : [];
    const ys = [];
    for (const value of [low, high4, ...inner].filter(isFinite)) {
      const y = Math.min(bottom3 - 5, Math.max(top3 + 6, bottom3 - share2(value) * tall));
      if (ys.some((one) => Math.abs(one - y) < 13))
        continue;
      ys.push(y);
      pen.fillText(text(value), left4 + 19, y);
    }
  }
  function make4(root, app2) {
    const { sweep } = app2, tools = element("p", null, root, { class: "choices" }), box = element("div", null, root);
    const canvas = makeCanvas(box, "heat map: arrows go from cell to cell, Enter picks");
    let cells = { xs: [], ys: [], at: /* @__PURE__ */ new Map(), low: 0, high: 0 };
    let here = (
      /** @type {{x: number, y: number} | null} */
      null
    ), place = (
      /** @type {any} */
      null
    );
    const cellAt = (spot) => spot ? cells.at.get(cells.xs[spot.x] + "," + cells.ys[spot.y]) : void 0;
    const draw = () => {
      if (app2.metric && app2.mapY)
        place = drawMap(canvas, app2, cells, here);
    };
    function fillTools() {
      const { mapX, mapY } = app2;
      const name = (axis) => (
        /** @type {[string, string]} */
        [axis.name, axis.name]
      );
      chooser(tools, "x", sweep.varied.map(name), mapX.name, (map_x) => app2.set({ map_x, map_y: mapY && companions(sweep, mapY).some((axis) => axis.name === map_x) ? mapX.name : app2.choice.map_y }), { id: "map-x" });
      chooser(tools, "y", sweep.varied.filter((axis) => !companions(sweep, mapX).includes(axis)).map(name), mapY.name, (map_y) => app2.set({ map_y }), { id: "map-y" });
      for (const axis of otherAxes(app2)) {
        const value = app2.choice.fixed.get(axis.index);
        chooser(tools, shortened(axis.name), [["", "the best"], ...axis.values.map((text, i) => (
          /** @type {[string, string]} */
          [String(i), text]
        ))], value === void 0 ? "" : String(value), (text) => {
          const fixed = new Map(app2.choice.fixed);
          if (text === "")
            fixed.delete(axis.index);
          else
            fixed.set(axis.index, Number(text));
          app2.set({ fixed });
        }, { id: `at-${axis.index}`, "data-axis": axis.name });
      }
      toggle(tools, "log colour", app2.choice.log_map, (log_map) => app2.set({ log_map }), cells.low > 0 ? "" : "only positive values have a logarithm", { id: "log-map" });
    }
    function goTo(spot) {
      here = spot;
      draw();
      const cell = cellAt(spot);
      if (!cell)
        return hideHint();
      const [x, y, w, h] = place.rect(spot.x, spot.y), at = canvas.getBoundingClientRect(), value = app2.metric.of(cell.point);
      const end = isFinite(value) ? `${app2.metric.name} = ${exactText(value, app2.metric.unit)}` : sweep.hasRun(cell.point) ? `failed: ${sweep.message(cell.point)}` : "hasn't run";
      showHint(at.left + x + w / 2, at.top + y + h / 2, [
        `${app2.mapX.name} = ${app2.mapX.values[cells.xs[spot.x]]}`,
        `${app2.mapY.name} = ${app2.mapY.values[cells.ys[spot.y]]}`,
        end,
        (cell.count > 1 ? `best of ${cell.count} points: ` : "") + `point ${sweep.number(cell.point)}`
      ]);
    }
    const pick = (spot) => {
      const cell = cellAt(spot);
      if (cell)
        app2.set({ point: cell.point });
    };
    const spotOf = (event) => {
      const at = canvas.getBoundingClientRect();
      return place?.cellAt(event.clientX - at.left, event.clientY - at.top) ?? null;
    };
    canvas.addEventListener("mousemove", (event) => {
      const spot = spotOf(event);
      canvas.style.cursor = cellAt(spot) ? "pointer" : "";
      if (spot?.x !== here?.x || spot?.y !== here?.y)
        goTo(spot);
    });
    for (const name of ["mouseleave", "blur"])
      canvas.addEventListener(name, () => {
        if (here)
          goTo(null);
      });
    canvas.addEventListener("click", (event) => pick(spotOf(event)));
    canvas.addEventListener("keydown", (event) => {
      const by = (dx, dy) => goTo(here ? { x: Math.min(cells.xs.length - 1, Math.max(0, here.x + dx)), y: Math.min(cells.ys.length - 1, Math.max(0, here.y + dy)) } : { x: 0, y: 0 });
      const keys2 = { ArrowLeft: () => by(-1, 0), ArrowRight: () => by(1, 0), ArrowUp: () => by(0, 1), ArrowDown: () => by(0, -1), Enter: () => pick(here), Escape: () => goTo(null) };
      if (keys2[event.key] && place) {
        event.preventDefault();
        keys2[event.key]();
      }
    });
    addEventListener("resize", draw);
    const table = () => cells.ys.map((j) => cells.xs.map((i) => {
      const cell = cells.at.get(i + "," + j), value = cell ? app2.metric.of(cell.point) : NaN;
      return isFinite(value) ? value : "";
    }));
    return {
      show(changed) {
        if (!app2.metric || !app2.mapX || !app2.mapY)
          return false;
        const data2 = ["metric", "goal", "hidden", "map_x", "map_y", "fixed", "all"].some((one) => changed.has(one));
        if (!data2 && !changed.has("log_map") && !changed.has("point"))
          return true;
        if (data2) {
          cells = cellsOf(app2);
          here = null;
        }
        if (data2 || changed.has("log_map"))
          refill(tools, fillTools);
        draw();
        return true;
      },
      csv: () => toCsv([[`${app2.mapY.name} / ${app2.mapX.name}`, ...cells.xs.map((i) => app2.mapX.values[i])], ...table().map((row, j) => [app2.mapY.values[cells.ys[j]], ...row])]),
      canvas,
      table,
      middle: (i, j) => {
        const [x, y, w, h] = place.rect(i, j);
        return [x + w / 2, y + h / 2];
      }
    };
  }
  var sweepMap = { id: "map", title: "Heat map", sentence: "The metric over two axes. Of the other axes a cell has the best point, or the value that you choose.", make: make4 };

  // views/sweep_points.js
  var numberOf2 = (app2) => app2.choice.point === null ? "" : String(app2.sweep.number(app2.choice.point));
  function sorted(app2) {
    const { metric, larger } = app2;
    if (!metric)
      return [...app2.shown];
    const value = (point) => metric.of(point);
    return [...app2.shown].sort((a, b) => isFinite(value(a)) && isFinite(value(b)) ? value(a) === value(b) ? a - b : isBetter(larger, value(a), value(b)) ? -1 : 1 : Number(isFinite(value(b))) - Number(isFinite(value(a))) || a - b);
  }
  function make5(root, app2) {
    const { sweep } = app2, search = field(root, "search", { id: "search", type: "search", placeholder: "value, reason or number" });
    const box = element("div", null, root);
    let table = (
      /** @type {ReturnType<typeof makeTable> | null} */
      null
    );
    search.addEventListener("input", () => table?.search(search.value));
    const metrics = () => [.../* @__PURE__ */ new Set([app2.metric, app2.front.a, app2.front.b])].filter((one) => one && sweep.metrics.includes(one));
    return {
      show(changed) {
        if (!["metric", "goal", "hidden", "a", "b", "point", "all"].some((one) => changed.has(one)))
          return sweep.count > 0;
        if (changed.size === 1 && changed.has("point")) {
          markRows(box, (row) => row === numberOf2(app2));
          return true;
        }
        const shown3 = metrics(), order2 = table?.order(), top3 = box.querySelector(".scroll")?.scrollTop ?? 0;
        box.replaceChildren();
        const rows2 = sorted(app2).map((point) => [sweep.number(point), ...sweep.axes.map((axis) => shortened(sweep.text(axis, point), 200)), ...shown3.map((one) => isFinite(one.of(point)) ? +one.of(point).toPrecision(8) : ""), sweep.exit(point) ?? "", shortened(sweep.message(point), 200)]);
        table = makeTable(
          box,
          "points",
          ["point", ...sweep.axes.map((axis) => axis.name), ...shown3.map((one) => one.unit === "1" ? one.name : `${one.name} (${one.unit})`), "exit", "reason"],
          rows2,
          { ...order2, click: (row) => app2.set({ point: sweep.byNumber(row[0]) }), marked: (row) => String(row[0]) === numberOf2(app2) }
        );
        if (search.value)
          table.search(search.value);
        box.querySelector(".scroll").scrollTop = top3;
        return sweep.count > 0;
      },
      csv: () => toCsv([
        ["point", ...sweep.axes.map((axis) => axis.name), ...sweep.metrics.map((one) => one.name), "exit", "reason", "command"],
        ...app2.shown.map((point) => [sweep.number(point), ...sweep.axes.map((axis) => sweep.text(axis, point)), ...sweep.metrics.map((one) => isFinite(one.of(point)) ? one.of(point) : ""), sweep.exit(point) ?? "", sweep.message(point), sweep.command(point)])
      ]),
      table: () => table
    };
  }
  var sweepPoints = { id: "points", title: "Points", sentence: "A click on a row shows all of its metrics and its command.", make: make5 };

  // views/sweep_result.js
  var counted2 = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  function showBest(root, app2) {
    const { sweep, metric, best, shown: shown3 } = app2;
    if (best < 0)
      return void element("p", sweep.count === 0 ? "The sweep has no points." : shown3.length === 0 ? "The filters leave no point." : "No point that is shown has a number.", root, { class: "headline" });
    const line2 = element("p", null, root, { class: "result" }), value = metric.of(best), have = shown3.filter((point) => isFinite(metric.of(point))).length;
    element("span", metricText(value, metric.unit), line2, { class: "big", title: exactText(value, metric.unit) });
    element("bdi", shortened(metric.name, 200), element("b", null, line2));
    line2.append(`: the best of ${have < shown3.length ? `${have} of ` : ""}${counted2(shown3.length, "point")}, ${app2.larger ? "larger" : "smaller"} is better. `);
    button(`point ${sweep.number(best)}`, line2, () => app2.set({ point: best }), { class: "link", id: "best" });
    const table = element("table", null, root, { id: "best-values", "aria-label": "axes of the best point" });
    for (const axis of sweep.axes) {
      const row = element("tr", null, table);
      element("bdi", axis.name, element("th", null, row, { scope: "row" }));
      element("bdi", shortened(sweep.text(axis, best), 300), element("td", null, row));
    }
    const than = element("p", null, root, { id: "than" });
    const first = shown3.find((point) => isFinite(metric.of(point))), middle = medianOf(metric, shown3);
    if (have > 1) {
      than.append(`${comparedText(value, middle)} the median, ${metricText(middle, metric.unit)}`);
      if (first !== void 0 && first !== best) {
        than.append(`; ${comparedText(value, metric.of(first))} `);
        button(`point ${sweep.number(first)}`, than, () => app2.set({ point: first }), { class: "link" });
        than.append(`, the first, ${metricText(metric.of(first), metric.unit)}`);
      }
      than.append(".");
    }
  }
  function showFailures(root, app2) {
    const reasons = reasonsOf(app2.sweep, app2.shown, app2.metric), most2 = 20;
    if (!reasons.length)
      return;
    const count = reasons.reduce((sum, one) => sum + one.points.length, 0);
    const failed = app2.shown.filter(app2.sweep.failed).length;
    element("h3", `${count} of ${counted2(app2.shown.length, "point")} without a number` + (failed ? `, ${failed} failed` : ""), root, { id: "failed" });
    const table = element("table", null, root, { id: "reasons", "aria-label": "reasons of failed points" }), head = element("tr", null, table);
    for (const name of ["points", "exit code", "reason", ""])
      element("th", name, head, { scope: "col" });
    for (const one of reasons.slice(0, most2)) {
      const row = element("tr", null, table);
      element("td", one.points.length, row, { class: "number" });
      element("td", one.exit ?? "", row, { class: "number" });
      element("bdi", shortened(one.text, 300), element("td", null, row, { class: "reason" }));
      button(`point ${app2.sweep.number(one.points[0])}`, element("td", null, row), () => app2.set({ point: one.points[0] }), { class: "link" });
    }
    if (reasons.length > most2)
      element("p", `and ${reasons.length - most2} more reasons: see points.csv`, root, { class: "soft" });
  }
  function alone(app2) {
    const { sweep, best } = app2;
    if (best < 0)
      return [];
    return sweep.groups.map((group) => {
      const others = sweep.varied.filter((axis) => !group.includes(axis));
      return { group, points: app2.shown.filter((point) => others.every((axis) => axis.at[point] === axis.at[best])) };
    }).filter((one) => one.points.length > 1);
  }
  function showAlone(root, app2) {
    const { sweep, metric, best } = app2, groups = alone(app2), most2 = 20;
    if (!groups.length)
      return;
    element("h3", "each axis alone, the others as in the best point", root);
    for (const { group, points } of groups) {
      const table = element("table", null, root, { class: "alone" }), head = element("tr", null, table);
      element("bdi", shortened(group.map((axis) => axis.name).join(", "), 120), element("th", null, head, { scope: "col" }));
      element("bdi", shortened(metric.name, 40), element("th", null, head, { class: "number", scope: "col" }));
      element("th", "change", head, { class: "number", scope: "col" });
      const every = Math.ceil(points.length / most2);
      for (const point of points.filter((one, i) => i % every === 0 || one === best)) {
        const row = element("tr", null, table, point === best ? { class: "marked" } : {}), value = metric.of(point);
        const text = group.map((axis) => sweep.text(axis, point)).join(", ");
        element("bdi", shortened(text), button(null, element("td", null, row), () => app2.set({ point }), { class: "link", title: text.slice(0, 1e3) }));
        element("td", isFinite(value) ? metricText(value, metric.unit) : sweep.hasRun(point) ? "failed" : "hasn't run", row, { class: "number" });
        element("td", point === best ? "" : changeText(value, metric.of(best)), row, { class: "number" });
      }
      if (every > 1)
        element("p", `each ${every} of ${points.length} values`, root, { class: "soft" });
    }
  }
  function make6(root, app2) {
    const left4 = element("div", null, root, { id: "answer" }), right3 = element("div", null, root, { id: "alone" });
    return {
      show(changed) {
        if (!["metric", "goal", "hidden", "all"].some((one) => changed.has(one)))
          return true;
        left4.replaceChildren();
        right3.replaceChildren();
        showBest(left4, app2);
        const { raw } = app2.sweep;
        if (raw.other_points)
          element("p", `The page has the best ${app2.sweep.count} of ${app2.sweep.count + raw.other_points} points; results.csv has all.`, left4, { class: "soft", id: "left-out" });
        if (raw.other_metrics)
          element("p", `${raw.other_metrics} more metrics are in results.csv: the page has no room for them.`, left4, { class: "soft" });
        showFailures(left4, app2);
        if (raw.why && !app2.metric)
          element("pre", raw.why, left4, { id: "why" });
        showAlone(right3, app2);
        return true;
      },
      csv: () => toCsv([["axis", "value", app2.metric?.name ?? "", "point"], ...alone(app2).flatMap(({ group, points }) => points.map((point) => [group.map((axis) => axis.name).join(" "), labelOf(app2.sweep, point, group), app2.metric.of(point), app2.sweep.number(point)]))])
    };
  }
  var sweepResult = { id: "result", title: "Result", make: make6 };

  // sweep_page.js
  var kinds = [sweepResult, sweepFilters, sweepCurves, sweepMap, sweepFront, sweepPoints];
  function showVerdict(app2) {
    const { sweep, best, metric } = app2, { raw } = sweep, box = byId("verdict"), failed = sweep.all.filter(sweep.failed).length, left4 = sweep.all.filter((point) => !sweep.hasRun(point)).length;
    const count = sweep.count + raw.other_points;
    const name = shortened(raw.bench, 200), end = `, ${count} point${count === 1 ? "" : "s"}` + (best >= 0 ? `, best ${metricText(metric.of(best), metric.unit)}` : ""), title = byId("title");
    document.title = `kbsim sweep ${name}${end}`;
    title.replaceChildren("kbsim sweep ");
    element("bdi", name, title);
    title.append(end);
    box.replaceChildren();
    if (failed)
      element("span", `${failed} failed. `, box, { class: "bad" });
    if (left4)
      element("span", `${left4} haven't run. `, box, { class: "soft" });
    if (!failed && !left4 && sweep.count)
      element("span", "All points ran.", box, { class: "good" });
  }
  function showChosen(app2) {
    const box = byId("chosen"), { metric } = app2;
    box.hidden = !metric && !app2.choice.hidden.size;
    refill(box, () => fillChosen(box, app2));
  }
  function fillChosen(box, app2) {
    const { sweep, metric } = app2;
    if (metric) {
      chooser(box, "metric", sweep.metrics.map((one) => [one.name, one.unit === "1" ? one.name : `${one.name} (${one.unit})`]), metric.name, (name) => app2.set({ metric: name }), { id: "metric" });
      goal(box, app2.larger, (better) => app2.set({ goal: better }), { id: "goal" });
    }
    for (const [index, values] of app2.choice.hidden) {
      const axis = sweep.axes[index];
      button(`${shortened(axis.name)}: ${axis.values.length - values.size} of ${axis.values.length} \u2715`, box, () => app2.keep(axis, () => true), { class: "filter", title: "show all values" });
    }
  }
  function makeSweepPage(raw) {
    const app2 = makeSweepApp(makeSweep(raw));
    app2.on(() => showVerdict(app2));
    const views = makeViews(
      /** @type {any} */
      app2,
      /** @type {any} */
      kinds
    );
    makeSweepPanel(app2);
    app2.on((changed) => {
      if (["metric", "goal", "hidden", "all"].some((one) => changed.has(one)))
        showChosen(app2);
    });
    addEventListener("hashchange", () => app2.set({ ...app2.choiceIn(location.hash), all: true }));
    globalThis.kbsim = { app: app2, views, byId, ...views };
    app2.set({ ...app2.choiceIn(location.hash), all: true });
  }

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

  // timeline/letters.js
  var plain = (text) => text.slice(0, 300).replace(/[\u0000-\u001f\u007f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\xB7");
  var widths = /* @__PURE__ */ new Map();
  function widthOf(pen, text) {
    let wide3 = widths.get(text);
    if (wide3 === void 0) {
      if (widths.size > 5e3)
        widths.clear();
      widths.set(text, wide3 = pen.measureText(text).width);
    }
    return wide3;
  }
  function clipped(pen, text, wide3) {
    const all = plain(text);
    return widthOf(pen, all) <= wide3 ? all : fitted(pen, all, wide3);
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
      xOf: (time2) => place.left + (time2 - view.from) * place.scale,
      timeOf: (x) => view.from + (x - place.left) / place.scale,
      /** Takes the canvas's size, at the screen's resolution. @param {CanvasRenderingContext2D} pen */
      measure(pen) {
        const ratio = window.devicePixelRatio || 1, wide3 = canvas.clientWidth, high4 = canvas.clientHeight;
        if (canvas.width !== Math.round(wide3 * ratio) || canvas.height !== Math.round(high4 * ratio)) {
          canvas.width = Math.round(wide3 * ratio);
          canvas.height = Math.round(high4 * ratio);
        }
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        place.width = wide3;
        place.height = high4;
        place.left = Math.min(260, wide3 / 3);
      }
    };
    return place;
  }

  // timeline/draw_names.js
  var pinWidth = 16;
  var indent = 11;
  var foldWidth = 13;
  function makeNameDrawing({ pen, lines, state, place, colors: colors2 }) {
    function drawPin(x, y, isPinned) {
      pen.beginPath();
      pen.arc(x + 8, y + 7, 3, 0, 2 * Math.PI);
      pen.moveTo(x + 8, y + 10);
      pen.lineTo(x + 8, y + 15);
      pen.strokeStyle = pen.fillStyle = isPinned ? colors2.mark : colors2.soft;
      pen.stroke();
      if (isPinned)
        pen.fill();
    }
    function drawFold(x, y, isOpen) {
      pen.fillStyle = colors2.text;
      pen.beginPath();
      for (const [dx, dy] of isOpen ? [[0, 5], [8, 5], [4, 11]] : [[1, 4], [1, 12], [7, 8]])
        pen.lineTo(x + dx, y + dy);
      pen.fill();
    }
    return function drawLineName(line2, y, isPinned) {
      const { node, isFirst } = line2, { left: left4 } = place, isFocused = state.focus === node.id && !isPinned;
      if (isFocused) {
        pen.fillStyle = colors2.band;
        pen.fillRect(0, y, left4 - 2, rowHeight);
      }
      if (isFocused && isFirst) {
        pen.strokeStyle = colors2.mark;
        pen.strokeRect(0.5, y + 0.5, left4 - 3, rowHeight - 1);
      }
      if (!isFirst)
        return;
      const pins = lines.kept.pins.has(node.id);
      if (pins || isFocused || state.hover === node.id)
        drawPin(0, y, pins);
      const x = pinWidth + indent * Math.min(line2.depth, 8) + foldWidth, isPart = node.children.length > 0;
      if (lines.isFoldable(node) && !isPinned)
        drawFold(x - foldWidth, y + 1, lines.isOpen(node));
      pen.font = isPart ? "600 11px sans-serif" : "11px sans-serif";
      pen.fillStyle = colors2.text;
      pen.textAlign = "left";
      pen.fillText(clipped(pen, isPinned ? node.label : node.name, left4 - 6 - x), x, y + 13);
      pen.font = "11px sans-serif";
    };
  }

  // timeline/draw_path.js
  function makePathDrawing({ pen, view, state, place, colors: colors2 }, drawName) {
    function drawParts(parts, y, high4, least, named) {
      let drawn2 = -1;
      for (const { from, to, color, text } of parts) {
        if (to < view.from || from > view.to)
          continue;
        const x = place.xOf(from), right3 = Math.max(x + least, place.xOf(to));
        if (right3 <= drawn2 + 0.3)
          continue;
        drawn2 = right3;
        pen.fillStyle = color;
        pen.fillRect(x, y, right3 - x, high4);
        if (named && right3 - x > 40)
          drawName(text, Math.max(x, place.left), y + 1, right3 - Math.max(x, place.left), "#111");
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
        pen.fillStyle = colors2.text;
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
    const starts = [], ends2 = [];
    let i = 0, j = 0;
    while (i < a.starts.length || j < b.starts.length) {
      const takesA = j >= b.starts.length || i < a.starts.length && a.starts[i] <= b.starts[j];
      const from = takesA ? a.starts[i] : b.starts[j], to = takesA ? a.ends[i++] : b.ends[j++];
      if (ends2.length && from <= ends2[ends2.length - 1])
        ends2[ends2.length - 1] = Math.max(to, ends2[ends2.length - 1]);
      else {
        starts.push(from);
        ends2.push(to);
      }
    }
    return { starts, ends: ends2 };
  }
  function unitedAll(lists2) {
    while (lists2.length > 1)
      lists2 = lists2.flatMap((one, i) => i % 2 ? [] : i + 1 < lists2.length ? united(one, lists2[i + 1]) : one);
    return lists2[0] ?? { starts: [], ends: [] };
  }
  function without(a, b) {
    if (!a.starts.length || !b.starts.length)
      return a;
    const starts = [], ends2 = [];
    for (let i = 0, j = 0; i < a.starts.length; ++i) {
      let from = a.starts[i];
      while (j < b.starts.length && b.ends[j] <= from)
        ++j;
      for (let k = j; from < a.ends[i]; ++k) {
        const to = k < b.starts.length ? Math.min(a.ends[i], b.starts[k]) : a.ends[i];
        if (to > from) {
          starts.push(from);
          ends2.push(to);
        }
        if (k >= b.starts.length)
          break;
        from = b.ends[k];
      }
    }
    return { starts, ends: ends2 };
  }
  function spansOfRow({ rows: rows2, start, length, kind, kinds: kinds3 }, index) {
    const row = rows2[index], of = kinds3.map((one) => stateOf(one.name, row.label));
    const all = states.map(() => ({ starts: [], ends: [] }));
    for (let i = row.first; i < row.last; ++i) {
      if (of[kind[i]] < 0 || length[i] === 0)
        continue;
      const { starts, ends: ends2 } = all[of[kind[i]]], end = start[i] + length[i], last = ends2.length - 1;
      if (last >= 0 && start[i] <= ends2[last])
        ends2[last] = Math.max(end, ends2[last]);
      else {
        starts.push(start[i]);
        ends2.push(end);
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
  function sorted2(lists2) {
    const all = new Float64Array(lists2.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const one of lists2) {
      all.set(one, at);
      at += one.length;
    }
    return all.sort();
  }
  function ramp(times2, sums) {
    let at = 0;
    return (time2) => {
      let step = 1;
      while (at + step <= times2.length && times2[at + step - 1] < time2) {
        at += step;
        step *= 2;
      }
      for (; step >= 1; step = step >> 1)
        if (at + step <= times2.length && times2[at + step - 1] < time2)
          at += step;
      return time2 * at - sums[at];
    };
  }
  function makeStates(slices, tree) {
    const ofWhole = /* @__PURE__ */ new Map(), ofNode = /* @__PURE__ */ new Map();
    function spansOf(whole) {
      if (ofWhole.has(whole))
        return ofWhole.get(whole);
      const rows2 = tree.rowsOf(whole).map((index) => spansOfRow(slices, index)), all = [];
      let taken = (
        /** @type {Spans} */
        { starts: [], ends: [] }
      );
      for (let state = 0; state < states.length; ++state) {
        const own = unitedAll(rows2.map((one) => one[state]));
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
        const starts = sorted2(spans.map((one) => one[state].starts)), ends2 = sorted2(spans.map((one) => one[state].ends));
        return { starts, ends: ends2, startSums: sumsOf(starts), endSums: sumsOf(ends2) };
      });
      const times2 = { count: wholes.length, wholes, of };
      ofNode.set(node, times2);
      return times2;
    }
    function shares(node, from, to, count) {
      const { count: wholes, of } = timesOf(node), all = new Float32Array(states.length * count), wide3 = (to - from) / count;
      of.forEach(({ starts, ends: ends2, startSums, endSums }, state) => {
        if (!starts.length)
          return;
        const begun = ramp(starts, startSums), ended = ramp(ends2, endSums);
        let before = begun(from) - ended(from);
        for (let bin = 0; bin < count; ++bin) {
          const time2 = from + (bin + 1) * wide3, now = begun(time2) - ended(time2);
          all[state * count + bin] = (now - before) / (wide3 * wholes);
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
    function begin2(shown3) {
      bins = Math.max(1, Math.ceil((place.width - place.left) / binWidth));
      if (image?.width !== bins || image.height !== Math.max(1, shown3) * rowHeight) {
        image = new ImageData(bins, Math.max(1, shown3) * rowHeight);
        dots = new Uint32Array(image.data.buffer);
        picture = new OffscreenCanvas(image.width, image.height).getContext("2d");
      }
      dots.fill(0);
    }
    const borderOf = (bin) => view.from + bin * binWidth / place.scale;
    function add2(node, line2) {
      const all = known.shares(node, view.from, borderOf(bins), bins), bottom3 = line2 * rowHeight + rowHeight - 3;
      let any = false;
      for (let bin = 0; bin < bins; ++bin) {
        let sum = 0, below = 0;
        for (let at = 0; at < states.length; ++at) {
          const part = all[at * bins + bin];
          if (part <= 0)
            continue;
          sum += part;
          let top3 = Math.min(high, Math.round(sum * high));
          if (top3 === below && part > 2e-3 && top3 < high)
            ++top3;
          const dot = state.dimStates?.[at] ? pale[at] : pixels[at];
          for (; below < top3; ++below)
            dots[(bottom3 - below) * bins + bin] = dot;
        }
        any ||= below > 0;
      }
      return any;
    }
    function end() {
      picture.putImageData(image, 0, 0);
    }
    function show(first, last, y) {
      const top3 = first * rowHeight, tall = (last - first) * rowHeight;
      pen.imageSmoothingEnabled = false;
      if (tall > 0)
        pen.drawImage(picture.canvas, 0, top3, bins, tall, place.left, y, bins * binWidth, tall);
    }
    function sharesAt(node, x) {
      const bin = Math.floor((x - place.left) / binWidth), all = known.shares(node, borderOf(bin), borderOf(bin + 1), 1);
      return { from: borderOf(bin), to: borderOf(bin + 1), of: [...all] };
    }
    return { begin: begin2, add: add2, end, show, sharesAt };
  }

  // timeline/slices.js
  var blockSize = 64;
  function decode(data2) {
    const { name, at, bytes, strings, kinds: kinds3 } = data2, rows2 = data2.rows;
    const start = new Float64Array(data2.start.length), length = Float64Array.from(data2.length);
    const kind = Uint8Array.from(data2.kind), depth = Uint8Array.from(data2.depth);
    for (const row of rows2)
      for (let i = row.first, time2 = 0; i < row.last; ++i)
        start[i] = time2 += data2.start[i];
    const longest = new Float64Array(Math.ceil(start.length / blockSize));
    length.forEach((one, i) => {
      const block = i / blockSize | 0;
      if (one > longest[block])
        longest[block] = one;
    });
    function firstAt(row, time2) {
      let low = row.first, high4 = row.last;
      while (low < high4) {
        const middle = low + high4 >> 1;
        if (start[middle] < time2 - row.longest)
          low = middle + 1;
        else
          high4 = middle;
      }
      return low;
    }
    function sliceIn(row, time2, near) {
      let best = -1;
      for (let i = firstAt(row, time2 - near); i < row.last && start[i] <= time2 + near; ++i)
        if (start[i] + length[i] >= time2 - near && (best < 0 || depth[i] >= depth[best]))
          best = i;
      return best;
    }
    function rowOf(slice) {
      let low = 0, high4 = rows2.length;
      while (low < high4) {
        const middle = low + high4 >> 1;
        if (rows2[middle].last <= slice)
          low = middle + 1;
        else
          high4 = middle;
      }
      return low < rows2.length && slice >= rows2[low].first ? low : -1;
    }
    return { data: data2, rows: rows2, start, length, kind, depth, longest, name, at, bytes, strings, kinds: kinds3, firstAt, sliceIn, rowOf };
  }
  function searched({ rows: rows2, start, longest, strings, name, at }, text) {
    const wanted = text.toLowerCase(), found = [];
    if (!wanted)
      return null;
    const fits = strings.map((one) => one.toLowerCase().includes(wanted));
    const isFound = new Uint8Array(start.length), inBlock = new Uint8Array(longest.length);
    for (const row of rows2) {
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
  function makeSliceDrawing({ pen, slices, view, state, place, colors: colors2 }) {
    const { start, length, kind, depth, longest, name, strings, kinds: kinds3 } = slices;
    const pixels = kinds3.map((one) => pixelOf(one.color)), pale = pixels.map(paleOf), inks = pixels.map(inkOn);
    let strip = null, strips = null;
    function drawName(text, x, y, wide3, ink) {
      const letters = Math.floor((wide3 - 4) / 6);
      pen.fillStyle = ink;
      pen.textAlign = "left";
      pen.fillText(plain(text.length > letters ? text.slice(0, letters) : text), x + 3, y + 12, wide3 - 4);
    }
    function begin2(shown3) {
      const wide3 = Math.max(1, Math.ceil(place.width - place.left));
      if (strip?.width !== wide3)
        strip = new ImageData(wide3, 1);
      if (strips?.canvas.width !== wide3 || strips.canvas.height < shown3)
        strips = new OffscreenCanvas(wide3, Math.max(1, shown3)).getContext("2d");
    }
    function drawRow(row, y, line2) {
      const { left: left4, width, scale, xOf } = place, { marks, dim } = state;
      const last = new Float64Array(256).fill(-1);
      const pixel = 1 / scale, narrow = new Uint32Array(strip.data.buffer), chosen = state.found[state.current];
      let color = -1, alpha = -1, narrows = false, any = false;
      narrow.fill(0);
      for (let i = slices.firstAt(row, view.from); i < row.last && start[i] < view.to; ++i) {
        if (i % blockSize === 0 && !marks?.inBlock[i / blockSize] && i + blockSize < row.last && longest[i / blockSize] < pixel) {
          const right4 = xOf(start[i + blockSize - 1]) + 1;
          if (right4 <= last[depth[i]] + 0.5) {
            i += blockSize - 1;
            continue;
          }
        }
        const end = start[i] + length[i];
        if (end < view.from)
          continue;
        any = true;
        const inset = depth[i], right3 = Math.min(width, left4 + (end - view.from) * scale);
        const found = marks !== null && marks.isFound[i] === 1, weak = marks !== null && !found || dim !== null && dim[kind[i]] === 1;
        if (right3 <= last[inset] + 0.5 && !found)
          continue;
        const x = Math.max(left4, left4 + (start[i] - view.from) * scale), wide3 = Math.max(0.6, right3 - x);
        if (wide3 < narrowBelow && (!found || i !== chosen)) {
          const column = x - left4 | 0, end2 = Math.max(column + 1, Math.round(right3 - left4));
          if (!weak)
            narrow.fill(pixels[kind[i]], column, end2);
          else
            for (let at = column; at < end2; ++at)
              if (narrow[at] === 0)
                narrow[at] = pale[kind[i]];
          last[inset] = left4 + end2;
          narrows = true;
          continue;
        }
        last[inset] = x + wide3;
        const shade = weak ? 0.25 : 1;
        if (alpha !== shade)
          pen.globalAlpha = alpha = shade;
        if (color !== kind[i]) {
          color = kind[i];
          pen.fillStyle = kinds3[color].color;
        }
        const lower = Math.min(inset, 4);
        pen.fillRect(x, y + 1 + lower, wide3, rowHeight - 2 - 2 * lower);
        if (i === chosen) {
          pen.globalAlpha = 1;
          pen.strokeStyle = colors2.mark;
          pen.lineWidth = 2;
          pen.strokeRect(x, y + 1, wide3, rowHeight - 2);
          pen.lineWidth = 1;
          alpha = -1;
        }
        if (wide3 > 30 && !weak) {
          drawName(strings[name[i]], x, y, wide3, inks[kind[i]]);
          color = -1;
        }
      }
      pen.globalAlpha = 1;
      if (narrows) {
        strips.putImageData(strip, 0, line2);
        pen.imageSmoothingEnabled = false;
        pen.drawImage(strips.canvas, 0, line2, strip.width, 1, left4, y + 2, strip.width, rowHeight - 4);
      }
      return any;
    }
    return { begin: begin2, drawRow, drawName };
  }

  // timeline/draw.js
  var mostArrows = 500;
  function stepOf(all) {
    const power = 10 ** Math.floor(Math.log10(all / 8));
    return [1, 2, 5, 10].map((step) => step * power).find((step) => step * 8 >= all);
  }
  function makeDrawing(chart) {
    const { pen, slices, lines, view, state, place, colors: colors2 } = chart;
    const boxes = makeSliceDrawing(chart), shares = makeShareDrawing(chart), drawLineName = makeNameDrawing(chart);
    const path = makePathDrawing(chart, boxes.drawName);
    function drawAxis() {
      const step = Math.max(1, stepOf(view.to - view.from));
      pen.strokeStyle = colors2.line;
      pen.fillStyle = colors2.text;
      pen.textAlign = "center";
      for (let time2 = Math.ceil(view.from / step) * step; time2 <= view.to; time2 += step) {
        const x = place.xOf(time2);
        if (x < place.left)
          continue;
        pen.beginPath();
        pen.moveTo(x, axisHeight - 4);
        pen.lineTo(x, place.height);
        pen.stroke();
        pen.fillText(timeText(time2), x, 14);
      }
    }
    function drawBand(y) {
      pen.globalAlpha = 0.5;
      pen.fillStyle = colors2.band;
      pen.fillRect(0, y, place.width, rowHeight);
      pen.globalAlpha = 1;
    }
    function drawLine2(line2, y, number, isPinned) {
      pen.save();
      pen.beginPath();
      pen.rect(place.left, y, place.width, rowHeight);
      pen.clip();
      const any = line2.row >= 0 && boxes.drawRow(slices.rows[line2.row], y, number);
      if (line2.isFirst)
        path.drawIn(isPinned ? state.pathPins.get(line2.node) : state.pathLines.get(line2.node), y);
      pen.restore();
      drawLineName(line2, y, isPinned);
      return any;
    }
    function drawAll(all, y, first, isPinned) {
      all.forEach((_, i) => {
        if (i % 2)
          drawBand(y + i * rowHeight);
      });
      shares.show(first, first + all.length, y);
      return all.reduce((any, line2, i) => drawLine2(line2, y + i * rowHeight, first + i, isPinned) || any, false);
    }
    function drawLines() {
      const shown3 = lines.all.slice(view.top, view.top + Math.max(1, Math.ceil((place.height - place.firstY) / rowHeight)));
      const pinned = lines.pinned.slice(0, place.pins), all = [...shown3, ...pinned];
      boxes.begin(all.length);
      shares.begin(all.length);
      let any = all.reduce((any2, line2, i) => line2.folded && shares.add(line2.node, i) || any2, false);
      shares.end();
      any = drawAll(shown3, place.firstY, 0, false) || any;
      if (!pinned.length)
        return any;
      pen.fillStyle = colors2.back;
      pen.fillRect(0, place.pinsY, place.width, place.firstY - place.pinsY);
      any = drawAll(pinned, place.pinsY, shown3.length, true) || any;
      pen.fillStyle = colors2.line;
      pen.fillRect(0, place.firstY - 3, place.width, 2);
      return any;
    }
    function drawEmpty() {
      const text = !slices.start.length ? "This timeline has no slices." : !lines.all.length ? "No line fits the filter." : "No slices on these lines in this time.";
      pen.fillStyle = colors2.text;
      pen.textAlign = "center";
      pen.fillText(state.empty = text, (place.left + place.width) / 2, Math.min(place.height - 8, place.firstY + 40));
    }
    function drawScroll() {
      const high4 = place.height - place.firstY, all = lines.all.length;
      if (all <= place.shown)
        return;
      pen.fillStyle = colors2.soft;
      pen.fillRect(place.width - 4, place.firstY + high4 * view.top / all, 3, Math.max(12, high4 * place.shown / all));
    }
    function drawFlows() {
      const yOf = (line2) => place.firstY + (line2 - view.top) * rowHeight + rowHeight / 2;
      pen.strokeStyle = colors2.text;
      pen.globalAlpha = 0.35;
      let drawn2 = 0;
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
        if (++drawn2 > mostArrows)
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
      state.arrows = Math.min(drawn2, mostArrows);
    }
    function drawSelection() {
      const { selection } = state;
      if (!selection)
        return;
      const x = Math.max(place.left, place.xOf(selection.from)), right3 = Math.max(x + 1, place.xOf(selection.to));
      const y = selection.lines ? Math.max(place.firstY, place.firstY + (selection.lines[0] - view.top) * rowHeight) : axisHeight;
      const bottom3 = selection.lines ? place.firstY + (selection.lines[1] + 1 - view.top) * rowHeight : place.height;
      if (bottom3 <= y || right3 <= place.left)
        return;
      pen.fillStyle = pen.strokeStyle = colors2.mark;
      pen.globalAlpha = 0.12;
      pen.fillRect(x, y, right3 - x, bottom3 - y);
      pen.globalAlpha = 1;
      pen.strokeRect(x + 0.5, y + 0.5, right3 - x - 1, bottom3 - y - 1);
    }
    function draw() {
      ++state.frames;
      place.measure(pen);
      Object.assign(colors2, pageColors());
      pen.font = "11px sans-serif";
      pen.direction = "ltr";
      pen.fillStyle = colors2.back;
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
    const middleOf3 = () => {
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
        const { x: middle, apart } = middleOf3();
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
      const { x, apart } = middleOf3(), wide3 = pinch.wide * pinch.apart / apart;
      const from = pinch.time - wide3 * (x - place.left) / Math.max(1, place.width - place.left);
      acts.show(from, from + wide3);
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
  function makeLegend(root, { kinds: kinds3, kind }, dimmed) {
    const has = new Set(kind), names2 = [...new Set(kinds3.filter((_, i) => has.has(i)).map((one) => one.name))];
    const hasState = states.map((_, at) => names2.some((name) => statesOf(name).includes(at)));
    const buttons = [];
    let chosen = null;
    root.replaceChildren();
    function add2(parent, text, colors2, title, dim) {
      const one = button("", parent, () => choose(one, dim), { class: "kind", "aria-pressed": false, title });
      for (const color of colors2)
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
    if (!names2.length)
      return;
    const line2 = element("p", "folded: ", root, { class: "legend" });
    states.forEach(({ name, color, says }, at) => {
      if (!hasState[at])
        return;
      add2(
        line2,
        name,
        [color],
        `share of PEs, or of units or links: ${says}`,
        { kinds: Uint8Array.from(kinds3.map((one) => Number(!statesOf(one.name).includes(at)))), states: states.map((_, other) => other !== at) }
      );
    });
    element("span", "idle", line2, { class: "kind", title: "none of these" }).prepend(element("span", null, null, { class: "swatch idle" }));
    const own = element("p", "slices: ", root, { class: "legend" });
    for (const name of names2)
      add2(
        own,
        name,
        [...new Set(kinds3.filter((one, i) => one.name === name && has.has(i)).map((one) => one.color))],
        "click: others become pale",
        { kinds: Uint8Array.from(kinds3.map((one) => Number(one.name !== name))), states: states.map((_, at) => !statesOf(name).includes(at)) }
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
    const signs = /* @__PURE__ */ new Map(), shown3 = /* @__PURE__ */ new Map();
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
      if (shown3.has(node))
        return shown3.get(node);
      const all = [];
      for (let i = 0; i < node.children.length; ) {
        let end = i + 1;
        while (end < node.children.length && areAlike(node.children[i], node.children[end]))
          ++end;
        all.push(end - i > 1 ? groupOf(node.children.slice(i, end)) : node.children[i]);
        i = end;
      }
      shown3.set(node, all);
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
      const linesOf2 = (nodes) => nodes.reduce((sum, one) => sum + (isFoldable(one) ? 1 : one.rows.length), 0);
      let level = childrenOf(tree.root), count = linesOf2(level);
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
          const more = nodes.reduce((sum, one) => sum + (one.children.length ? linesOf2(childrenOf(one)) : one.rows.length), 0);
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
    function add2(node, depth, all) {
      const fits = all || stands === null || stands.get(node) === "fits";
      if (!fits && !stands.has(node))
        return;
      const open = isOpen(node), folded = !open && !isSingle(node), at = lines.length;
      const rows2 = folded || open && node.kind === "alike" ? [] : lanesOf(node);
      if (folded || !rows2.length)
        lines.push({ node, row: -1, depth, folded, isFirst: true });
      rows2.forEach((row, i) => {
        lineOfRow[row] = lines.length;
        lines.push({ node, row, depth, folded: false, isFirst: i === 0 });
      });
      if (!open)
        for (const row of tree.rowsOf(node))
          lineOfRow[row] = at;
      else
        for (const one of childrenOf(node))
          add2(one, depth + 1, fits && stands !== null);
    }
    const isSingle = (node) => node.kind === "alike" && node.children[0].children.length === 0 && node.children[0].rows.length <= mostLanes;
    function lay() {
      if (kept.open === null)
        openFirst();
      stands = filtered(tree.root, childrenOf, kept.filter);
      lines = [];
      lineOfRow.fill(-1);
      for (const one of childrenOf(tree.root))
        add2(one, 0, false);
      pinned = [...kept.pins].map(nodeById).filter(Boolean).flatMap((node) => {
        const rows2 = node.rows.length <= mostLanes && !node.children.length ? node.rows : isSingle(node) ? lanesOf(node) : [];
        const folded = rows2.length === 0;
        return (folded ? [-1] : rows2).map((row, i) => ({ node, row, depth: 0, folded, isFirst: i === 0 }));
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
      rowsOf: (line2) => line2.folded || line2.node.kind === "alike" && !isOpen(line2.node) ? tree.rowsOf(line2.node) : line2.row >= 0 ? [line2.row] : [],
      /** The line that a node is in: its own, or that of a folded node around it; −1: none. @param {Node} node */
      lineOf(node) {
        const around = [...aboveOf(node), node];
        const shown3 = around.find((one) => !isOpen(one)) ?? node;
        return lines.findIndex((one) => one.node === shown3);
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

  // timeline/sums.js
  function sumsOf2(slices, rows2, from, to) {
    const { start, length, kind, bytes, kinds: kinds3 } = slices, all = /* @__PURE__ */ new Map();
    for (const index of rows2) {
      const row = slices.rows[index];
      for (let i = slices.firstAt(row, from); i < row.last && start[i] < to; ++i) {
        const end = start[i] + length[i];
        if (end < from || end === from && length[i] > 0)
          continue;
        const { name } = kinds3[kind[i]], sum = all.get(name) ?? { kind: name, count: 0, ps: 0, bytes: 0 };
        sum.count += 1;
        sum.ps += Math.min(end, to) - Math.max(start[i], from);
        sum.bytes += bytes[i] || 0;
        all.set(name, sum);
      }
    }
    return [...all.values()].sort((a, b) => b.ps - a.ps || b.count - a.count);
  }
  function sliceOfFlow(slices, index, time2, begins) {
    const { start, length, kind, depth, kinds: kinds3 } = slices, row = slices.rows[index];
    let best = -1, bestRank = Infinity;
    for (let i = slices.firstAt(row, time2); i < row.last && start[i] <= time2; ++i) {
      const atStart = start[i] === time2, atEnd = start[i] + length[i] === time2;
      if (!atStart && !atEnd)
        continue;
      const isUsual = begins && kinds3[kind[i]].name !== "launch" ? atEnd : atStart;
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
    const isOwn = (index, time2, begins) => index === row && (time2 === first || time2 === last) && sliceOfFlow(slices, row, time2, begins) === slice;
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
    const { rows: rows2, start, length, kind, name, at, bytes, strings, kinds: kinds3, data: data2 } = slices;
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
        row: rows2[row].label,
        slice: kinds3[kind[i]].name,
        from: start[i],
        length: length[i],
        bytes: bytes[i],
        line: strings[at[i]] ?? "",
        peers: peersOf(slices, i, row)
      });
    }
    function select(from, to, ys, isEnd) {
      const clip = (time2) => Math.round(Math.max(data2.begin, Math.min(data2.end, time2)));
      const indexOf2 = (y) => Math.max(view.top, Math.min(lines.all.length - 1, view.top + Math.floor((y - place.firstY) / rowHeight)));
      const isBelow = ys !== null && ys[1] >= place.firstY;
      state.selection = { from: clip(from), to: clip(to), lines: isBelow ? [indexOf2(Math.max(ys[0], place.firstY)), indexOf2(ys[1])] : null };
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
    const { rows: rows2, start, length, kind, name, at, bytes, strings, kinds: kinds3, data: data2 } = slices;
    function lineAt(y) {
      if (y >= place.firstY)
        return lines.all[view.top + Math.floor((y - place.firstY) / rowHeight)] ?? null;
      const pin = Math.floor((y - place.pinsY) / rowHeight);
      return y >= place.pinsY && pin < place.pins ? lines.pinned[pin] ?? null : null;
    }
    function sliceAt(x, y) {
      const line2 = lineAt(y);
      return !line2 || line2.row < 0 || x < place.left ? -1 : slices.sliceIn(rows2[line2.row], place.timeOf(x), 2 / place.scale);
    }
    function partAt(x, y) {
      if (!state.path || y < axisHeight || y >= place.pinsY || x < place.left)
        return null;
      const time2 = place.timeOf(x);
      return state.path.find((part) => part.from <= time2 && time2 < part.to) ?? null;
    }
    function textOf(i) {
      return [
        strings[name[i]],
        kinds3[kind[i]].name + " on " + rows2[slices.rowOf(i)].label,
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
      const part = partAt(x, y), line2 = lineAt(y);
      if (part)
        return part.text + "\n" + part.place + "\n" + timeText(part.from) + ", for " + timeText(part.to - part.from);
      if (!line2)
        return "";
      if (x < place.left)
        return line2.node.label;
      if (line2.folded)
        return sharesText(line2, x);
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
  function makeTree(rows2) {
    const root = nodeOf("root", "", "", "", null), byId2 = /* @__PURE__ */ new Map(), last = [];
    function add2(kind, id, name, label, parent, to = parent.children) {
      const node = nodeOf(kind, id, name, label, parent);
      byId2.set(id, node);
      to.push(node);
      return node;
    }
    function partOf2(parts) {
      let node = root, id = "";
      for (const name of parts) {
        id = id ? id + "." + name : name;
        node = byId2.get(id) ?? add2("part", id, name, id, node);
      }
      return node;
    }
    function linksOf(part) {
      const id = part + " links", above = partOf2(part ? part.split(".") : []);
      if (byId2.has(id))
        return byId2.get(id);
      const group = nodeOf("links", id, part ? "links" : "between packages", part ? id : "between packages", above);
      byId2.set(id, group);
      last.push(group);
      return group;
    }
    function addLink(label) {
      const part = commonPart(label), group = linksOf(part);
      return add2("link", label, part ? label.replaceAll(part + ".", "") : label, label, group);
    }
    function addUnit(label) {
      const parts = partsOf(label), name = parts.pop() ?? "";
      return add2("unit", label, name, label, partOf2(parts));
    }
    const ofRow2 = rows2.map(({ label }, i) => {
      const node = byId2.get(label) ?? (isLink(label) ? addLink(label) : addUnit(label));
      node.rows.push(i);
      return node;
    });
    for (const group of last)
      group.parent.children.push(group);
    const all = /* @__PURE__ */ new Map();
    function rowsOf(node) {
      if (!all.has(node))
        all.set(node, node.kind === "root" ? rows2.map((_, i) => i) : node.children.flatMap(rowsOf).concat(node.kind === "alike" ? [] : node.rows));
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
    return { root, byId: byId2, ofRow: ofRow2, rowsOf, wholesOf, nodeAt };
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
    const nodes = /* @__PURE__ */ new Map(), add2 = (all, node, part) => {
      if (!all.has(node))
        all.set(node, []);
      all.get(node).push(part);
    };
    state.pathLines = /* @__PURE__ */ new Map();
    state.pathPins = /* @__PURE__ */ new Map();
    for (const part of state.path ?? []) {
      if (!nodes.has(part.place)) {
        const node = tree.nodeAt(part.place), line3 = lines.all[lines.lineOf(node)], around = /* @__PURE__ */ new Set();
        for (let one = node; one; one = one.parent) {
          around.add(one);
          if (one.group)
            around.add(one.group);
        }
        nodes.set(part.place, { line: line3?.node, pins: lines.pinned.filter((one) => one.isFirst && around.has(one.node)).map((one) => one.node) });
      }
      const { line: line2, pins } = nodes.get(part.place);
      if (line2)
        add2(state.pathLines, line2, part);
      for (const pin of pins)
        add2(state.pathPins, pin, part);
    }
  }
  function makeTimeline(canvas, data2, hooks = {}) {
    const chart = makeChart(canvas, data2, hooks.kept ?? noChoices()), { slices, tree, lines, view, state, place, pen } = chart;
    const { rows: rows2, start, length, kind, depth, name, at } = slices;
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
    function zoom(factor, time2) {
      const least = 100, from = time2 - (time2 - view.from) * factor, to = time2 + (view.to - time2) * factor;
      if (to - from >= least)
        show(from, to);
    }
    function show(from, to, says = true) {
      const all = data2.end - data2.begin, wide3 = Math.max(1, Math.min(to - from, Math.max(1, all * 1.1)));
      from = Math.min(Math.max(from, data2.begin - all * 0.05), data2.end + all * 0.05 - wide3);
      view.from = from;
      view.to = from + wide3;
      if (says)
        hooks.moved?.(view.from, view.to);
      redraw();
    }
    function scrollTo(top3) {
      view.top = Math.max(0, Math.min(lines.all.length - 1, top3));
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
      const line2 = lines.lineOfRow[row];
      if (!stays)
        scrollTo(line2);
      else if (line2 < view.top || line2 >= view.top + place.shown)
        scrollTo(line2 - (place.shown >> 1));
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
      const line2 = lineAt(y), part = partAt(x, y);
      state.selection = null;
      redraw();
      if (part)
        return hooks.picked?.({ kind: "reason", of: part.text });
      if (!line2)
        return;
      const isPinned = y < place.firstY, { node } = line2;
      if (x < place.left)
        return clickName(node, x, isPinned);
      const i = sliceAt(x, y);
      if (i >= 0)
        pickSlice(i);
      else if (line2.folded)
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
    const left4 = pan(-0.1), right3 = pan(0.1);
    const keys2 = {
      ArrowLeft: () => focused() ? turn(false) : left4(),
      ArrowRight: () => focused() ? turn(true) : right3(),
      "Shift+ArrowLeft": left4,
      "Shift+ArrowRight": right3,
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
      keys: keys2,
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
      rows: rows2,
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

  // work_done.js
  function operationsOf(raw) {
    const table = recordsOf(raw.tables?.["operations.csv"]);
    return table.length ? table : (raw.summary?.rows ?? []).flatMap((row) => Array.isArray(row.operations) ? row.operations.map((one) => ({ phase: row.phase, ...one })) : []);
  }
  function peaksOf(raw) {
    const keys2 = keysOf(raw.config ?? ""), of = (name) => Number(keys2.get(name)) || 0;
    return { flop: 2e9 * of("pe.pe_gemm.macs_per_ns"), bytes: 1e9 * of("cube.xbar_to_hbm_bw_gbs") * (of("cube.hbm_ctrl.efficiency") || 1) };
  }
  function ofModel(raw) {
    const phases = new Map((raw.summary?.rows ?? []).map((row) => [row.phase, row]));
    return operationsOf(raw).map((row) => {
      const of = phases.get(row.phase) ?? {};
      return {
        name: row.operation,
        group: row.phase,
        flop: +row.flop,
        bytes: +row.hbm_bytes,
        rate: +row.flop_per_s,
        limit: row.roofline,
        peak: of.peak_flop_per_s ?? 0,
        bandwidth: of.peak_hbm_bytes_per_s ?? 0,
        row
      };
    });
  }
  function ofLayers(raw) {
    const one = peaksOf(raw);
    return (raw.summary?.rows ?? []).filter((row) => row.macs_simulated > 0 && row.hbm_bytes_simulated > 0 && row.time_us > 0).map((row) => ({
      name: row.layer,
      group: row.kind,
      flop: 2 * row.macs_simulated,
      bytes: row.hbm_bytes_simulated,
      rate: 2e6 * row.macs_simulated / row.time_us,
      limit: row.roofline,
      peak: one.flop * row.pes,
      bandwidth: one.bytes * row.pes,
      row
    }));
  }
  function ofLaunches(raw) {
    const one = peaksOf(raw);
    if (!(one.flop > 0))
      return [];
    return recordsOf(raw.tables?.["launches.csv"]).filter((row) => +row.gemm_utilization > 0).map((row) => {
      const peak2 = one.flop * +row.pes, rate = peak2 * +row.gemm_utilization;
      return { name: row.kernel, group: `rank ${row.rank}`, flop: rate * +row.duration_ns * 1e-9, bytes: +row.read_bytes + +row.written_bytes, rate, limit: "", peak: peak2, bandwidth: one.bytes * +row.pes, row };
    });
  }
  function worksOf(raw) {
    const kinds3 = [ofModel, ofLayers, ofLaunches];
    for (const kind of kinds3) {
      const all = kind(raw).filter((one) => one.flop > 0 && one.bytes > 0 && one.rate > 0);
      if (all.length)
        return all;
    }
    return [];
  }
  var factsThing = (name, row) => ({ picked: { kind: "facts", of: name, facts: Object.entries(row).filter(([, value]) => value !== "" && typeof value !== "object") } });

  // diagnoses.js
  var worth = 5e-3;
  var sumOf = (values) => values.reduce((sum, one) => sum + one, 0);
  var meanOf = (values) => sumOf(values) / values.length;
  var finding = (parts) => ({ id: "", title: "", gain: null, simulated: false, evidence: "", place: "", key: "", formula: "", ...parts });
  function linksByKind(run, range) {
    const all = /* @__PURE__ */ new Map(), last = run.uses.loads?.length;
    for (const [link, values] of run.uses.utilisation) {
      const kind = resourceOf(link);
      if (!link.includes(">") || !kind)
        continue;
      if (!all.has(kind))
        all.set(kind, []);
      all.get(kind)?.push({ link, value: last ? values[last - 1] : meanOver(values, run.uses, range) });
    }
    return all;
  }
  function hotLinks(run, path) {
    const all = [];
    for (const [kind, links] of linksByKind(run, path ? [path.begin_ps, path.end_ps] : null)) {
      const hottest = links.reduce((most2, one) => one.value > most2.value ? one : most2), mean = meanOf(links.map((one) => one.value));
      if (links.length < 2 || hottest.value < 0.2 || hottest.value < 2 * mean)
        continue;
      const there = (path?.segments ?? []).filter((one) => one.place === hottest.link && ["serialization", "busy link"].includes(one.reason));
      const spent = sumOf(there.map((one) => one.length));
      all.push(finding({
        id: `hot ${kind}`,
        title: `Hot link: ${hottest.link}`,
        place: hottest.link,
        gain: path ? Math.round(spent * (1 - mean / hottest.value)) : null,
        evidence: `${hottest.link} is busy for ${share(hottest.value)} of the time, the ${links.length} links of its kind (${kind}) for ${share(mean)} on average; ` + (path ? `the critical path spends ${timeText(spent)} on it.` : "there is no critical path to say how much it costs."),
        formula: "time of the critical path in serialization and queues of this link \xD7 (1 \u2212 mean \xF7 its utilisation): its load spread evenly"
      }));
    }
    return all;
  }
  function launchesOf(raw) {
    const groups = /* @__PURE__ */ new Map(), seen = /* @__PURE__ */ new Map();
    for (const row of recordsOf(raw.tables?.["launches.csv"])) {
      const of = `${row.kernel}
${row.rank}`, nth = (seen.get(of) ?? 0) + 1, key = `${row.kernel}
${nth}`;
      seen.set(of, nth);
      if (!groups.has(key))
        groups.set(key, { kernel: row.kernel, nth, launches: [] });
      groups.get(key)?.launches.push(row);
    }
    return [...groups.values()];
  }
  function unevenRanks(run) {
    const groups = launchesOf(run.raw).filter((one) => one.launches.length > 1);
    const slowest = worst(groups, "duration_ns"), latest = worst(groups, "start_ns"), all = [];
    const launch = (one) => `${one.kernel}${one.nth > 1 ? ` (launch ${one.nth} of it)` : ""}`;
    if (slowest && slowest.gain > 0.05 * slowest.mean)
      all.push(finding({
        id: "slow rank",
        title: `Rank ${slowest.row.rank} is slower than the others`,
        place: `sip${slowest.row.sip}`,
        gain: Math.round(1e3 * slowest.gain),
        evidence: `${launch(slowest)}: rank ${slowest.row.rank} takes ${timeText(1e3 * slowest.most)} from ${timeText(1e3 * +slowest.row.start_ns)} on; ${slowest.count} ranks take ${timeText(1e3 * slowest.mean)} on average.`,
        formula: "longest \u2212 mean duration of the kernel: work divided evenly"
      }));
    const length = latest ? meanOf(latest.launches.map((one) => +one.duration_ns)) : 0;
    if (latest && latest.gain > 0.05 * length)
      all.push(finding({
        id: "late rank",
        title: `Rank ${latest.row.rank} comes late`,
        place: `sip${latest.row.sip}`,
        gain: Math.round(1e3 * latest.gain),
        evidence: `${launch(latest)}: rank ${latest.row.rank} begins at ${timeText(1e3 * latest.most)} and takes ${timeText(1e3 * +latest.row.duration_ns)}; ${latest.count} ranks begin at ${timeText(1e3 * latest.mean)} on average.`,
        formula: "latest \u2212 mean start of the kernel: all begin together"
      }));
    return all;
  }
  function worst(groups, column) {
    let found = null;
    for (const { kernel, nth, launches } of groups) {
      const values = launches.map((one) => +one[column]), most2 = Math.max(...values), mean = meanOf(values);
      if (found === null || most2 - mean > found.gain)
        found = { kernel, nth, launches, row: launches[values.indexOf(most2)], most: most2, mean, gain: most2 - mean, count: launches.length };
    }
    return found;
  }
  function computingOf(spans) {
    const all = [], joined = [];
    for (const row of spans?.rows ?? []) {
      if (!/\.pe_(gemm|math)$/.test(row.label))
        continue;
      for (let i = row.first, time2 = 0; i < row.last; ++i) {
        time2 += spans.start[i];
        all.push([time2, time2 + spans.length[i]]);
      }
    }
    for (const [from, to] of all.sort((a, b) => a[0] - b[0])) {
      const last = joined.at(-1);
      if (last && from <= last[1])
        last[1] = Math.max(last[1], to);
      else
        joined.push([from, to]);
    }
    return joined;
  }
  var coveredBy = (pairs, from, to) => pairs.reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b, to) - Math.max(a, from)), 0);
  var waits = ["data from the peer", "credit stall", "busy link"];
  function exposed(run, path) {
    const computing = computingOf(run.raw.spans);
    if (!path || !computing.length)
      return [];
    const parts = path.segments.filter((one) => one.place.includes(">") || one.kind === "ucie" || waits.includes(one.reason));
    const alone2 = sumOf(parts.map((one) => one.length - coveredBy(computing, one.from, one.to))), work = coveredBy(computing, path.begin_ps, path.end_ps);
    if (alone2 < 0.1 * path.length_ps)
      return [];
    return [finding({
      id: "exposed",
      title: "Exposed communication",
      gain: Math.round(Math.min(alone2, work)),
      evidence: `For ${percent(alone2, path.length_ps)} of the critical path (${timeText(alone2)}) something is on a link or waits for it while no GEMM or vector engine computes; engines compute for ${timeText(work)} of its time.`,
      formula: "the lesser of that time and the engines' time: no overlap hides more"
    })];
  }
  function lowUse(run) {
    const all = ofLaunches(run.raw).filter((one) => +one.row.gemm_utilization < 0.5).map((one) => ({ ...one, least: Math.max(+one.row.gemm_utilization, one.bandwidth > 0 ? 1e9 * one.bytes / one.bandwidth / +one.row.duration_ns : 0) }));
    const lost = (one) => +one.row.duration_ns * Math.max(0, 1 - one.least), most2 = all.sort((a, b) => lost(b) - lost(a))[0];
    if (!most2)
      return [];
    const { row } = most2;
    return [finding({
      id: "low MAC utilisation",
      title: `Low MAC utilisation: ${row.kernel}`,
      place: `sip${row.sip}`,
      gain: Math.round(1e3 * lost(most2)),
      evidence: `${row.kernel} of rank ${row.rank} uses ${share(+row.gemm_utilization)} of the MACs of its ${row.pes} ${+row.pes === 1 ? "PE" : "PEs"} over ${timeText(1e3 * +row.duration_ns)}; its bytes alone would take ${share(+row.duration_ns > 0 && most2.bandwidth > 0 ? 1e9 * most2.bytes / most2.bandwidth / +row.duration_ns : 0)} of that at HBM's bandwidth.`,
      formula: "duration \u2212 the longer of its FLOP at the engines' peak and its bytes at HBM's bandwidth"
    })];
  }
  function padded(run) {
    const peaks = new Map((run.raw.summary?.rows ?? []).map((row2) => [row2.phase, row2.peak_flop_per_s]));
    const all = recordsOf(run.raw.tables?.["operations.csv"]).filter((row2) => +row2.padding_flop > 0 && peaks.get(row2.phase) > 0).map((row2) => ({ row: row2, ps: 1e12 * +row2.padding_flop / peaks.get(row2.phase) })).sort((a, b) => b.ps - a.ps);
    if (!all.length)
      return [];
    const { row, ps: ps2 } = all[0], part = +row.padding_flop / (+row.flop + +row.padding_flop);
    return [finding({
      id: "padding",
      title: `Padding: ${row.operation} of ${row.phase}`,
      gain: Math.round(ps2),
      evidence: `${share(part)} of the FLOP of ${row.operation} are padding of its tiles; ${all.length} ${all.length === 1 ? "operation is" : "operations are"} padded.`,
      formula: "padding's FLOP \xF7 the peak rate: the least time that engines spend on zeros"
    })];
  }
  function cyclesOf(raw) {
    const all = raw.deadlock?.deadlocks ?? (raw.deadlock ? [raw.deadlock] : []);
    return all.flatMap((one) => (one.cycles ?? []).map((cycle) => cycle.map((i) => one.waits?.[i]).filter(Boolean))).filter((cycle) => cycle.length > 0);
  }
  function deadlocks(raw) {
    return cyclesOf(raw).map((cycle, i) => finding({
      id: `deadlock ${i + 1}`,
      title: "Deadlock",
      place: cycle[0].from,
      evidence: cycle.map((one) => one.why).join("; ") + ".",
      formula: "a deadlocked run has no end to compare with"
    }));
  }
  var recorded = (raw) => (raw.explain?.findings ?? []).map((one) => finding({
    ...one,
    gain: one.gain_ps ?? null,
    key: one.key ?? "",
    place: one.place ?? "",
    evidence: String(one.evidence ?? ""),
    formula: one.simulated ? "a run with this change took so much less" : "from the critical path"
  }));
  function findingsOf(run) {
    const path = run.paths[run.measured], whole = path?.length_ps ?? run.total;
    let all = recorded(run.raw);
    if (!all.length) {
      all = [...hotLinks(run, path), ...unevenRanks(run), ...exposed(run, path), ...lowUse(run), ...padded(run)].map((one) => ({ ...one, gain: one.gain !== null && whole > 0 ? Math.min(one.gain, whole) : one.gain })).filter((one) => one.gain === null || one.gain >= worth * whole);
    }
    return [...deadlocks(run.raw), ...all.sort((a, b) => (b.gain ?? -1) - (a.gain ?? -1))];
  }

  // chart.js
  function plot(parent, figure, xs, lines, width) {
    const css2 = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = (label) => ({ label, stroke: () => css2("--text"), grid: { stroke: () => css2("--line") }, ticks: { stroke: () => css2("--line") } });
    const isBound = (label) => /bound|limit|roof|link:|ideal|peak/i.test(label);
    return new uPlot({
      title: figure.title,
      width,
      height: 320,
      scales: { x: { time: false, distr: figure.log_x ? 3 : 1 }, y: { distr: figure.log_y ? 3 : 1, range: figure.log_y ? void 0 : (_, low, high4) => [Math.min(0, low), high4 > 0 ? high4 * 1.08 : 1] } },
      axes: [axis(figure.x), axis(figure.y)],
      hooks: figure.bound ? { draw: [(chart) => drawBound(chart, figure.bound, css2("--soft"))] } : {},
      series: [{ label: figure.x || "x" }, ...lines.map((line2, i) => ({ label: line2.label, stroke: colors[i % colors.length], width: 2, dash: isBound(line2.label) ? [8, 5] : [], ...line2.dots ? { paths: () => null, points: { show: true, size: 5 } } : { points: { show: xs.length < 60 } } }))]
    }, [xs, ...lines.map((line2) => line2.values)], parent);
  }
  function drawBound(chart, bound, color) {
    const x = chart.valToPos(bound, "x", true), { left: left4, top: top3, width, height } = chart.bbox, pen = chart.ctx;
    if (x < left4 || x > left4 + width)
      return;
    pen.save();
    pen.strokeStyle = pen.fillStyle = color;
    pen.setLineDash([8, 5]);
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x, top3);
    pen.lineTo(x, top3 + height);
    pen.stroke();
    pen.textAlign = "right";
    pen.fillText("bound", x - 6, top3 + 14);
    pen.restore();
  }

  // views/recorded.js
  var isRecorded = (raw) => isTraffic(raw) && raw.run.command.includes("--trace");
  var isSlice = (raw) => isTraffic(raw) && Boolean(raw.tables?.["latencies.csv"]);
  var ofLoops = (raw) => Object.entries(raw.summary?.result ?? {}).filter(([, one]) => one?.traces);
  function errorOf(column) {
    const halves = [column.fitted, column.judged].filter((half) => half?.barriers > 0), all = halves.reduce((sum, half) => sum + half.barriers, 0);
    return { barriers: all, mean: all ? halves.reduce((sum, half) => sum + half.mean * half.barriers, 0) / all : 0 };
  }
  function recordedSentence(raw) {
    const loops = ofLoops(raw).map(([name, column]) => ({ name, error: errorOf(column) }));
    if (!loops.length || !loops[0].error.barriers)
      return "No barrier of these traces is judged.";
    return `Mean error over ${loops[0].error.barriers} judged barriers: ` + loops.map(({ name, error }) => `${(100 * error.mean).toFixed(1)} % in ${name}`).join(", ") + ".";
  }
  function showRecorded(root, raw) {
    if (!ofLoops(raw).length)
      return false;
    const figure = (raw.figures ?? []).find((one) => one.name === "barriers_scatter"), { rows: rows2 } = parseCsv(figure?.csv ?? "");
    if (rows2.length) {
      rows2.sort((a, b) => +a[1] - +b[1]);
      const xs = rows2.map((row) => +row[1]), of = (half) => ({ label: half, dots: true, values: rows2.map((row) => row[0] === half ? +row[2] : null) });
      plot(
        element("div", null, root, { class: "chart figure" }),
        { title: figure.title, x: "measured (cycles)", y: "predicted (cycles)", log_x: xs[0] > 0, log_y: rows2.every((row) => +row[2] > 0) },
        xs,
        [of("fitted"), of("judged"), { label: "ideal: as measured", values: xs }],
        640
      );
    }
    const percents = (share2) => +(100 * share2).toFixed(2), worst2 = [];
    const lines = ofLoops(raw).flatMap(([name, { traces: traces2 }]) => traces2.map((one) => [name, one.trace, one.half, one.barriers, percents(one.mean), percents(one.median), percents(one.p95), percents(one.worst)]));
    makeTable(root, "errors of traces", ["loop", "trace", "half", "barriers", "mean, %", "median, %", "p95, %", "worst, %"], lines, { order: 4 });
    const traces = (raw.summary.traces ?? []).map((one) => [one.trace, one.events, one.processors, one.transfers, one.bytes, +one.cycles.toFixed(1), one.most_live]);
    makeTable(root, "traces", ["trace", "events", "processors", "transfers", "bytes", "cycles", "most under way"], traces);
    for (const [name, { worst: one }] of ofLoops(raw))
      if (one)
        worst2.push([name, one.trace, one.node, one.first_cycle, one.measured_cycles, +one.predicted_cycles.toFixed(1), percents(one.error)]);
    if (worst2.length)
      makeTable(root, "worst barriers", ["loop", "trace", "node", "first cycle", "measured, cycles", "predicted, cycles", "error, %"], worst2);
    return true;
  }
  function sliceSentence(raw) {
    const result = raw.summary?.result;
    if (result?.raw_gbs === void 0)
      return "";
    const latency = (name, of) => of?.accesses ? `; ${name} take ${+of.mean.toFixed(2)} ns on the average, 99 % of them ${+of.p99.toFixed(2)} ns or less` : "";
    return `The slice moves ${+result.rate_gbs.toFixed(2)} of ${+result.raw_gbs.toFixed(2)} GB/s, ${(100 * result.efficiency).toFixed(1)} %` + latency("reads", result.read_latency_ns) + latency("writes", result.write_latency_ns) + ".";
  }
  function showSlice2(root, raw) {
    const { rows: rows2 } = parseCsv(raw.tables["latencies.csv"]), kinds3 = [...new Set(rows2.map((row) => row[0]))];
    if (!rows2.length)
      return false;
    const shares = [...new Set(rows2.map((row) => +row[1]))].sort((a, b) => a - b);
    const line2 = (kind) => {
      const own = new Map(rows2.filter((row) => row[0] === kind).map((row) => [+row[1], +row[2]]));
      return { label: kind, values: shares.map((share2) => own.get(share2) ?? null) };
    };
    plot(element("div", null, root, { class: "chart figure" }), { title: "latency of accesses", x: "share of the accesses that take no longer", y: "ns" }, shares, kinds3.map(line2), 640);
    return true;
  }

  // views/traffic.js
  function trafficPoints(raw) {
    return recordsOf(raw.tables?.["results.csv"]).map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, +value]))).sort((a, b) => a.offered - b.offered);
  }
  function hottestText(raw) {
    const links = recordsOf(raw.tables?.["links.csv"]), load = Math.max(...links.map((one) => +one.load));
    return links.filter((one) => +one.load === load).sort((a, b) => +b.utilization - +a.utilization || (a.link < b.link ? -1 : 1)).slice(0, 4).map((one) => `${one.link} (${share(+one.utilization)})`).join(", ");
  }
  function trafficSentence(raw) {
    if (isRecorded(raw))
      return recordedSentence(raw);
    const points = trafficPoints(raw), last = points.at(-1), first = points[0], short = (value) => +value.toPrecision(4);
    if (!last?.bound)
      return sliceSentence(raw);
    const bound = `a bound of ${short(last.bound)} packets a service time and source`, hottest = hottestText(raw);
    const links = hottest ? ` Hottest links: ${hottest}.` : "";
    if (points.length === 1)
      return `The network accepts ${short(last.accepted)} of an offered ${short(last.offered)}, under ${bound}; mean latency ${short(last.latency_mean_ns)} ns.${links}`;
    const most2 = Math.max(...points.map((point) => point.accepted));
    return `Saturation throughput: ${short(most2)} of ${bound}; mean latency ${short(last.latency_mean_ns)} ns at an offered ${short(last.offered)}, ${short(first.latency_mean_ns)} ns at ${short(first.offered)}.${links}`;
  }
  function showTraffic(root, raw) {
    const points = trafficPoints(raw);
    if (isRecorded(raw))
      return showRecorded(root, raw);
    if (isSlice(raw))
      return showSlice2(root, raw);
    if (!(points.length > 1 && points[0].bound))
      return false;
    const xs = points.map((point) => point.offered), bound = points[0].bound;
    const line2 = (label, value) => ({ label, values: points.map((point) => {
      const one = value(point);
      return isFinite(one) ? one : null;
    }) });
    const add2 = (figure, lines) => plot(element("div", null, root, { class: "chart figure" }), { x: "offered (packets a service time and source)", bound, ...figure }, xs, lines, 640);
    const latencies = [["mean", "latency_mean_ns"], ["p50", "latency_p50_ns"], ["p99", "latency_p99_ns"], ["zero load", "zero_load_ns"]].map(([label, name]) => line2(label, (point) => point[name]));
    const positive = latencies.every((one) => one.values.every((value) => value === null || value > 0));
    add2({ title: "latency", y: "ns", log_y: positive }, latencies);
    add2({ title: "accepted", y: "packets a service time and source" }, [
      line2("accepted", (point) => point.accepted),
      line2("least of a source", (point) => point.source_min),
      line2("bound", (point) => Math.min(point.offered, bound))
    ]);
    return true;
  }

  // views/answer.js
  var time = (ps2, parent, attributes = {}) => element("span", timeText(ps2), parent, { title: exactTime(ps2), ...attributes });
  function rowTotal(app2) {
    const { raw, row } = app2.run, number = row ?? raw.explain?.row, ns = raw.summary?.rows?.[number - 1]?.simulated_ns;
    return isFinite(ns) ? Math.round(1e3 * ns) : void 0;
  }
  function showResult(root, app2, meters) {
    const path = app2.shownPath, { total: total2, raw } = app2.run, length = path?.length_ps ?? (isTraffic(raw) ? 0 : total2);
    const line2 = element("p", null, root, { class: "result" }), all = rowTotal(app2) ?? total2;
    if (length)
      time(length, line2, { class: "big" });
    const bound = path && boundOf(meters, length);
    if (bound && bound.ps > 0) {
      line2.append(" of ");
      element("b", path.of, line2);
      line2.append(`; ${(length / bound.ps).toPrecision(3)} \xD7 its `);
      term("bound", line2);
      line2.append(" of ");
      time(bound.ps, line2);
      element("span", ` (${bound.meter.resource} alone: ${share(bound.meter.most)} busy at ${bound.meter.of})`, line2, { class: "soft" });
    } else if (path) {
      line2.append(" of ");
      element("b", path.of, line2);
    }
    if (path && all > length)
      element("span", `; set-up and host besides: ${timeText(all - length)}`, line2, { class: "soft", title: `${exactTime(all)} are simulated in all` });
    const sentence = path ? path.sentence ?? `critical path of ${path.of}, ${timeText(path.length_ps)}: ${path.limited_by}` : isTraffic(raw) ? trafficSentence(raw) : "";
    element("p", sentence, root, { id: "answer-sentence" });
  }
  var placeButton = (place, line2, app2) => button(place, line2, () => app2.set(placed(place)), { class: "link" });
  function showWhere(line2, path, segments, app2) {
    const most2 = 0.1 * path.length_ps, place = sharesOf(segments, "place")[0], code = sharesOf(segments, "line")[0];
    if (place?.ps >= most2) {
      line2.append(", most of all at ");
      placeButton(place.name, line2, app2);
      line2.append(` (${percent(place.ps, path.length_ps)} of the path)`);
    } else if (place)
      line2.append(", spread over " + sharesOf(segments, "kind").slice(0, 3).map((one) => `${one.name} ${percent(one.ps, path.length_ps)}`).join(", "));
    if (code?.ps >= most2) {
      line2.append(", line ");
      element("code", code.name, line2);
      line2.append(` (${percent(code.ps, path.length_ps)})`);
    }
  }
  function showLimit(root, path, app2, meters) {
    const line2 = element("p", null, root, { id: "limit" });
    if (!path?.limited_by)
      return;
    const name = path.limited_by.replace(/ [\d.]+ %$/, ""), slots = meters.find((one) => one.resource === "slots");
    element("b", "Limited by ", line2);
    element("span", path.limited_by, line2, { class: "limit", title: sentenceOf(name) });
    if (path.bound) {
      line2.append(" (");
      term(path.bound, line2);
      line2.append(")");
    }
    const segments = path.segments.filter((one) => one.reason === name);
    if (segments.length)
      showWhere(line2, path, segments, app2);
    else if (path.bound === "backpressure" && slots) {
      line2.append(", fullest queue: ");
      placeButton(slots.of, line2, app2);
      line2.append(` (${share(slots.most)} of its slots in use)`);
    }
  }
  function showCommand2(line2, command) {
    const copy = button("copy command", line2, () => {
      if (!line2.querySelector("code.command"))
        element("code", command, line2, { class: "command" });
      navigator.clipboard?.writeText(command).catch(() => {
      });
      copy.textContent = "copied";
    });
  }
  function showFound(root, app2, all) {
    const found = findingsOf(app2.run)[0], best = Math.max(0, ...all.map((one) => one.gain_ps ?? 0));
    if (!found?.gain || found.gain <= best)
      return;
    const line2 = element("p", null, root, { id: "found-first" });
    element("b", "Found: ", line2);
    button(found.title, line2, () => app2.set({ picked: { ...found, kind: "finding", of: found.title } }), { class: "link" });
    line2.append(`, ${percent(found.gain, app2.shownPath?.length_ps ?? 0)} less, ${found.simulated ? "simulated" : "estimated"}: ${found.evidence}`);
  }
  function showTry(root, app2) {
    const all = app2.run.raw.explain?.try ?? [];
    showFound(root, app2, all);
    const box = element("div", null, root, { id: "try" });
    if (!all.length && app2.row !== null && app2.runs[app2.at].raw.explain?.try)
      element("p", "Changes are tried for one row of an evaluation: that of the page's first path.", box, { class: "soft" });
    if (!all.length)
      return;
    const list = element("ul", null, box);
    for (const one of all) {
      const line2 = element("li", null, list);
      element("b", `Try ${one.key} = ${one.to}`, line2);
      line2.append(` (now ${one.value}): ${(100 * one.share).toFixed(1)} % less time, `);
      element("span", one.simulated ? "simulated" : "estimated", line2, { class: one.simulated ? "good" : "soft", title: one.simulated ? "a run with this change took so much less" : "from the critical path; no run with this change was made" });
      line2.append(" ");
      showCommand2(line2, one.command);
    }
  }
  function showMeters(root, meters, app2) {
    if (!meters.length)
      return;
    const table = element("table", null, root, { id: "meters", "aria-label": "achieved of peak" });
    const head = element("tr", null, table);
    term("achieved of peak", element("th", null, head, { colspan: 2 }));
    element("th", "busiest", head, { class: "number" });
    element("th", "mean in use", head, { class: "number", title: "mean of the units and links that did something" });
    const peaks = meters.some((one) => one.peak);
    if (peaks)
      element("th", "peak of one", head, { class: "number", title: "of the busiest" });
    for (const meter of meters) {
      const line2 = element("tr", null, table, { "data-of": meter.of });
      term(meter.resource, element("td", null, line2));
      const bar = element("div", null, element("td", null, line2), { class: "meter" });
      element("i", null, bar).style.width = 100 * meter.mean + "%";
      element("b", null, bar).style.left = 100 * meter.most + "%";
      const cell = element("td", null, line2, { class: "number" });
      element("button", share(meter.most), cell, { type: "button", class: "link", title: meter.of });
      element("td", share(meter.mean), line2, { class: "number", title: `${meter.used} in use` });
      if (peaks)
        element("td", meter.peak, line2, { class: "number soft" });
      line2.classList.add("clicks");
      line2.addEventListener("click", () => app2.set(placed(meter.of)));
    }
  }
  function make7(root, app2) {
    const left4 = element("div", null, root, { id: "answer" }), right3 = element("div", null, root);
    return {
      show(changed) {
        if (!["at", "row", "path", "range", "all"].some((one) => changed.has(one)))
          return true;
        const meters = metersOf(app2.run, app2.range), path = app2.shownPath;
        const whole = path && app2.hasRange ? metersOf(app2.run, [path.begin_ps, path.end_ps]) : meters;
        left4.replaceChildren();
        right3.replaceChildren();
        showResult(left4, app2, whole);
        showLimit(left4, path, app2, whole);
        showTry(left4, app2);
        showMeters(right3, meters, app2);
        return left4.textContent.length + meters.length > 0;
      },
      csv: () => "resource,busiest,busiest_share,mean_share,in_use,peak\n" + metersOf(app2.run, app2.range).map((one) => [one.resource, one.of, one.most, one.mean, one.used, one.peak].join(",") + "\n").join("")
    };
  }
  var answer = { id: "result", title: "Result", make: make7 };

  // compare/cause.js
  function changesOf(mine = [], others = []) {
    const all = /* @__PURE__ */ new Map();
    const of = (name) => {
      if (!all.has(name))
        all.set(name, { name, a: 0, b: 0, change: 0 });
      return (
        /** @type {Change} */
        all.get(name)
      );
    };
    for (const one of mine)
      of(one.name).a = one.ps;
    for (const one of others)
      of(one.name).b = one.ps;
    for (const one of all.values())
      one.change = one.b - one.a;
    return [...all.values()].sort((x, y) => Math.abs(y.change) - Math.abs(x.change) || (x.name < y.name ? -1 : 1));
  }
  function keysThatDiffer(a, b) {
    const [mine, others] = [a, b].map((one) => keysOf(one.raw.config ?? ""));
    return [.../* @__PURE__ */ new Set([...mine.keys(), ...others.keys()])].filter((key) => mine.get(key) !== others.get(key)).map((key) => ({ key, a: mine.get(key) ?? "(none)", b: others.get(key) ?? "(none)" }));
  }
  var signed = (ps2) => (ps2 < 0 ? "\u2212" : ps2 > 0 ? "+" : "") + timeText(Math.abs(ps2));
  var leading = (changes, whole) => changes.find((one) => one.change * whole > 0);
  function keysOfChange(a, b, one, two) {
    const onPath = (path) => new Map((path.keys ?? []).map((key) => [key.key, key.ps]));
    const [mine, others] = [onPath(one), onPath(two)];
    return keysThatDiffer(a, b).map((key) => ({ ...key, change: (others.get(key.key) ?? 0) - (mine.get(key.key) ?? 0) })).sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
  }
  function causeOf(a, b, one, two) {
    const whole = two.length_ps - one.length_ps, parts = [];
    if (whole === 0)
      return "";
    const reason = leading(changesOf(one.reasons, two.reasons), whole);
    if (reason)
      parts.push(`${reason.name} ${signed(reason.change)} of ${signed(whole)}`);
    const place = leading(changesOf(one.places, two.places), whole), kind = leading(changesOf(one.kinds, two.kinds), whole);
    if (place)
      parts.push(`${kind ? `${kind.name} ${signed(kind.change)}, ` : ""}most at ${place.name} (${signed(place.change)})`);
    const keys2 = keysOfChange(a, b, one, two), moved = keys2.filter((key) => key.change !== 0);
    for (const key of (moved.length ? moved : keys2).slice(0, 2))
      parts.push(`${key.key} ${key.a} \u2192 ${key.b}`);
    if (!keys2.length)
      parts.push("their configurations are equal");
    return parts.join("; ");
  }
  function timesText(x, y, heads) {
    if (x === y)
      return `Both take ${timeText(x)}`;
    return `The ${heads[1]} takes ${timeText(y)}, the ${heads[0]} ${timeText(x)}: ${percent(Math.abs(y - x), x)} ${y > x ? "more" : "less"}`;
  }

  // compare/joined_rows.js
  var isMeasure = (name) => /(^|_)(us|ns|time)$|^time/.test(name);
  var isScalar = (value) => typeof value !== "object" || value === null;
  function inputsOf(a, b) {
    const names2 = Object.keys(a[0]).filter((name) => isScalar(a[0][name])), first = names2.findIndex(isMeasure);
    const values = (rows2, name) => new Set(rows2.map((row) => String(row[name])));
    return names2.slice(0, first < 0 ? names2.length : first).filter((name) => {
      const others = values(b, name);
      return [...values(a, name)].some((one) => others.has(one));
    });
  }
  function joinedRows(a, b) {
    const inputs = inputsOf(a, b), key = (row) => inputs.map((name) => String(row[name])).join("\n");
    const waiting = /* @__PURE__ */ new Map(), pairs = (
      /** @type {[number, number, Record<string, any>, Record<string, any>][]} */
      []
    );
    b.forEach((row, i) => {
      const of = key(row);
      waiting.set(of, [...waiting.get(of) ?? [], i]);
    });
    a.forEach((row, i) => {
      const other = waiting.get(key(row))?.shift();
      if (other !== void 0)
        pairs.push([i + 1, other + 1, row, b[other]]);
    });
    const names2 = Object.keys(a[0]).filter((name) => !inputs.includes(name) && name in b[0] && pairs.some(([, , x]) => typeof x[name] === "number"));
    const differing = names2.filter((name) => pairs.some(([, , x, y]) => x[name] !== y[name]));
    const times2 = names2.filter(isMeasure).slice(0, 1), measures2 = [.../* @__PURE__ */ new Set([...times2, ...differing.filter(isMeasure), ...differing])].slice(0, 6);
    return { inputs, measures: measures2, pairs, alone: [a.length - pairs.length, b.length - pairs.length] };
  }
  function rowsTable({ inputs, measures: measures2, pairs }, heads) {
    const vary = inputs.filter((name) => pairs.length === 1 || pairs.some(([, , x]) => String(x[name]) !== String(pairs[0][2][name])));
    const number = (value) => typeof value === "number" ? +value.toPrecision(9) : "";
    const change = (x, y) => typeof x === "number" && typeof y === "number" && x !== 0 ? +(100 * (y - x) / Math.abs(x)).toFixed(2) : "";
    return {
      columns: ["row of the first", "row of the second", ...vary, ...measures2.flatMap((name) => [`${name}, ${heads[0]}`, `${name}, ${heads[1]}`, `${name}, difference in %`])],
      rows: pairs.map(([i, j, x, y]) => [i, j, ...vary.map((name) => x[name]), ...measures2.flatMap((name) => [number(x[name]), number(y[name]), change(x[name], y[name])])])
    };
  }

  // compare/run_names.js
  function namesOf(folders) {
    const parts = folders.map((one) => String(one ?? "").split("/").filter(Boolean));
    for (let count = 1; count <= Math.max(...parts.map((one) => one.length)); ++count) {
      const names2 = parts.map((one) => one.slice(-count).join("/"));
      if (new Set(names2).size === names2.length)
        return names2;
    }
    return parts.map((one) => one.at(-1) ?? "");
  }
  function headsOf(runs) {
    const names2 = namesOf(runs.map((one) => one.raw.folder));
    return ["first run", "second run"].map((word, i) => `${word} (${names2[i].length > 24 ? "\u2026" + names2[i].slice(-23) : names2[i]})`);
  }

  // views/why.js
  var ofReason = { "overhead": 0, "memory access": 1, "engine work": 2, "busy link": 3, "dispatch": 4, "wire": 5, "serialization": 6, "busy memory port": 7, "memory port": 8, "translation": 9, "busy engine": 10, "hop": 11 };
  function colorOf2(reason) {
    let sum = 0;
    for (const c of reason)
      sum += c.charCodeAt(0);
    return colors[(ofReason[reason] ?? sum) % colors.length];
  }
  var fitting = (label, share2, root) => share2 * (root.clientWidth || 1e3) > 6.6 * label.length + 6 ? label : "";
  function drawBar2(root, path, app2, most2 = path.length_ps) {
    root.replaceChildren();
    for (const share2 of path.reasons ?? []) {
      const label = `${share2.name} ${percent(share2.ps, path.length_ps)}`;
      const part = element(
        "button",
        fitting(label, share2.ps / Math.max(1, most2), root),
        root,
        {
          type: "button",
          class: "part",
          "data-ps": share2.ps,
          "data-reason": share2.name,
          "aria-pressed": app2.reason === share2.name,
          "aria-label": label,
          title: `${share2.name}: ${timeText(share2.ps)} (${exactTime(share2.ps)}), ${share2.count} times. ${sentenceOf(share2.name)}`
        }
      );
      part.style.width = 100 * share2.ps / Math.max(1, most2) + "%";
      part.style.background = colorOf2(share2.name);
      if (app2.reason !== null && app2.reason !== share2.name)
        part.classList.add("other");
      part.addEventListener("click", () => app2.set(app2.reason === share2.name ? { reason: null } : { reason: share2.name, picked: { kind: "reason", of: share2.name } }));
    }
  }
  function drawWaits(root, path, app2) {
    root.replaceChildren();
    const waits2 = path.waits ?? [];
    root.hidden = waits2.length === 0;
    root.setAttribute("aria-label", waits2.map((share2) => `waiting for ${share2.name}: ${percent(share2.ps, path.length_ps)}`).join(", "));
    for (const share2 of waits2) {
      const label = `waiting for ${share2.name} ${percent(share2.ps, path.length_ps)}`;
      const part = button(
        fitting(label, share2.ps / Math.max(1, path.length_ps), root),
        root,
        () => app2.set({ picked: { kind: "wait", of: share2.name, ps: share2.ps } }),
        { class: "part wait", "aria-label": label, title: `waiting for ${share2.name}: ${timeText(share2.ps)}, within the same time. ${sentenceOf(share2.name)}` }
      );
      part.style.width = 100 * share2.ps / Math.max(1, path.length_ps) + "%";
    }
  }
  function addShares(root, title, shares, path, swatch) {
    if (!shares.length)
      return;
    const box = element("div", null, root), table = element("table", null, box);
    box.prepend(element("h3", title));
    for (const share2 of shares.slice(0, 12)) {
      const row = element("tr", null, table), name = element("td", null, row);
      if (swatch)
        element("span", null, name, { class: "swatch" }).style.background = colorOf2(share2.name);
      term(share2.name, name);
      element("td", timeText(share2.ps), row, { class: "number", title: exactTime(share2.ps) });
      element("td", percent(share2.ps, path.length_ps), row, { class: "number" });
      element("td", share2.count === 1 ? "once" : `${share2.count} times`, row, { class: "number soft" });
    }
  }
  function make8(root, app2) {
    const line2 = element("p", null, root), choice = field(line2, "critical path of", { id: "path" }, "select");
    element("span", " click a part: map, timeline and tables show it alone; below it: waits, within the same time", line2, { class: "soft" });
    const bar = element("div", null, root, { id: "bar", role: "group", "aria-label": "reasons" });
    const waits2 = element("div", null, root, { id: "waits", role: "img" });
    const fold = element("details", null, root);
    element("summary", "shares by reason, component, place and line", fold);
    const shares = element("div", null, fold, { id: "shares", class: "columns" });
    choice.addEventListener("change", () => app2.set({ path: +choice.value }));
    const list = (name) => (app2.reason === null ? app2.shownPath[{ reason: "reasons", kind: "kinds", place: "places", line: "lines" }[name]] : sharesOf(app2.segments, name)) ?? [];
    return {
      show() {
        const { paths, raw } = app2.run, path = app2.shownPath;
        choice.replaceChildren(...paths.map((one, i) => element("option", `${one.of}, ${timeText(one.length_ps)}`, null, { value: i })));
        choice.value = String(paths.indexOf(path));
        shares.replaceChildren();
        line2.hidden = fold.hidden = !path;
        if (!path) {
          bar.replaceChildren();
          waits2.hidden = true;
          root.querySelector(".why-not")?.remove();
          if (raw.explain?.why_not)
            element("p", "Not explained: " + raw.explain.why_not, root, { class: "why-not" });
          return Boolean(raw.explain?.why_not);
        }
        drawBar2(bar, path, app2);
        drawWaits(waits2, path, app2);
        addShares(shares, "by reason", list("reason"), path, true);
        if (app2.reason === null)
          addShares(shares, "waits, within the same time", path.waits ?? [], path, false);
        addShares(shares, "by kind of component", list("kind"), path, false);
        addShares(shares, "by place", list("place"), path, false);
        addShares(shares, "by line of a kernel", list("line"), path, false);
        if (path.short)
          element("p", "The segments of this path are left out: explain.json has them.", shares, { class: "soft" });
        return true;
      },
      csv: () => toCsv([
        ["from_ps", "to_ps", "reason", "kind", "place", "key", "line", "operation", "count"],
        ...app2.segments.map((one) => [one.from, one.to, one.reason, one.kind, one.place, one.key, one.line, one.op, one.count])
      ])
    };
  }
  var why = { id: "why", title: "Critical path", sentence: sentenceOf("critical path"), make: make8 };

  // compare/two_timelines.js
  function movedTo(spans, begin2) {
    const start = Array.from(spans.start);
    for (const row of spans.rows)
      if (row.last > row.first)
        start[row.first] -= begin2;
    return {
      ...spans,
      start,
      begin: spans.begin - begin2,
      end: spans.end - begin2,
      flows: spans.flows.map(([fromRow, from, toRow, to]) => [fromRow, from - begin2, toRow, to - begin2])
    };
  }
  function twoTimelines(root, app2, runs, paths, heads) {
    if (!runs.every((run) => run.raw.spans?.rows))
      return null;
    const begins = runs.map((run, i) => paths[i]?.begin_ps ?? run.raw.spans.begin), all = runs.map((run, i) => movedTo(run.raw.spans, begins[i]));
    const begin2 = Math.min(...all.map((one) => one.begin)), end = Math.max(...all.map((one) => one.end));
    element("h3", "timelines, on one axis from the beginning of each critical path", root);
    const made = (
      /** @type {any[]} */
      []
    );
    runs.forEach((_, i) => {
      element("p", heads[i], root, { class: "soft" });
      const canvas = element("canvas", null, root, { class: "timeline", tabindex: 0, "aria-label": `timeline of the ${heads[i]}` });
      made.push(makeTimeline(canvas, { ...all[i], begin: begin2, end }, {
        wheel: "ctrl",
        details: document.getElementById("details") ?? void 0,
        moved: (from, to) => made[1 - i]?.show(from, to, false),
        picked: (thing) => app2.set({ at: i, picked: thing.from === void 0 ? thing : { ...thing, from: thing.from + begins[i], ...thing.to === void 0 ? {} : { to: thing.to + begins[i] } } })
      }));
    });
    const longest = Math.max(...paths.map((path, i) => path?.length_ps ?? all[i].end));
    made.forEach((one, i) => {
      const parts = (paths[i]?.segments ?? []).map((part) => ({ from: part.from - begins[i], to: part.to - begins[i], color: colorOf2(part.reason), text: part.reason, place: part.place }));
      if (parts.length)
        one.setPath(parts);
      one.show(0, longest * 1.02, false);
    });
    return made;
  }

  // views/compare.js
  function pairOf(app2) {
    const { row } = app2, runs = row !== null && app2.runs.every((run) => run.rows.has(row)) ? app2.runs.map((run) => (
      /** @type {Run} */
      run.rows.get(row)
    )) : app2.runs;
    return { runs, heads: headsOf(app2.runs), paths: runs.map((run) => run.paths[app2.path ?? run.measured] ?? run.paths[0]) };
  }
  var inNs2 = (ps2) => +(ps2 / 1e3).toFixed(3);
  function showHeadline(root, { runs: [a, b], heads, paths: [one, two] }) {
    const known = one && two, [x, y] = known ? [one.length_ps, two.length_ps] : [a.total, b.total];
    const cause = known ? causeOf(a, b, one, two) : "";
    element("p", `first run: ${a.raw.folder}; second run: ${b.raw.folder}`, root, { class: "soft", id: "order" });
    element("p", timesText(x, y, heads) + (cause ? `; ${cause}.` : "."), root, { class: "headline" });
  }
  function showMeters2(root, { runs, heads, paths }, app2) {
    const all = runs.map((run, i) => new Map(metersOf(run, paths[i] ? [paths[i].begin_ps, paths[i].end_ps] : [run.uses.begin, run.uses.end]).map((one) => [one.resource, one])));
    const names2 = [...new Set(all.flatMap((one) => [...one.keys()]))];
    if (!names2.length)
      return;
    const table = element("table", null, root, { id: "both-meters", "aria-label": "achieved of peak" }), head = element("tr", null, table);
    for (const text of ["achieved of peak", heads[0], heads[1], "difference in points"])
      term(text, element("th", null, head, { scope: "col", ...text.startsWith("diff") ? { class: "number" } : {} }));
    for (const name of names2) {
      const line2 = element("tr", null, table, { "data-of": name }), values = all.map((one) => one.get(name)?.most ?? 0);
      term(name, element("td", null, line2));
      values.forEach((value, i) => {
        const cell = element("td", null, line2, { class: "metered" }), bar = element("div", null, cell, { class: "meter", title: all[i].get(name)?.of ?? "not in use" });
        element("i", null, bar).style.width = 100 * value + "%";
        element("span", share(value), cell);
      });
      element("td", (100 * (values[1] - values[0])).toFixed(1), line2, { class: "number" });
      line2.classList.add("clicks");
      line2.addEventListener("click", () => {
        const { of } = all[app2.at].get(name) ?? all[1 - app2.at].get(name);
        app2.set(placed(of));
      });
    }
  }
  function showTotals(root, { runs: [a, b], heads, paths: [one, two] }) {
    const row = (name, x, y) => [name, exactTime(x), exactTime(y), exactTime(y - x), percent(y - x, x) || "0.0 %"];
    makeTable(
      root,
      "totals",
      ["", ...heads, "difference", "of the first"],
      [...one && two && one.length_ps !== a.total ? [row(one.of, one.length_ps, two.length_ps)] : [], row("simulated", a.total, b.total)]
    );
    const keys2 = keysThatDiffer(a, b);
    if (keys2.length)
      makeTable(root, "keys that differ", ["key", ...heads], keys2.map((one2) => [one2.key, one2.a, one2.b]));
    else
      element("p", "Their configurations are equal.", root);
  }
  function resultsOf(a, b) {
    const facts = ({ raw }) => ({ ...raw.summary?.result, digest: raw.run?.run?.digest });
    const [mine, others] = [facts(a), facts(b)], isScalar2 = (value) => value === void 0 || typeof value !== "object";
    return [.../* @__PURE__ */ new Set([...Object.keys(mine), ...Object.keys(others)])].filter((name) => isScalar2(mine[name]) && isScalar2(others[name]) && mine[name] !== others[name]).map((name) => [name, mine[name] ?? "", others[name] ?? "", typeof mine[name] === "number" && typeof others[name] === "number" ? +(others[name] - mine[name]).toPrecision(9) : ""]);
  }
  function showBars(root, { heads, paths }, app2) {
    if (!paths.every(Boolean))
      return;
    element("h3", "critical paths, to one scale", root);
    const most2 = Math.max(...paths.map((path) => path.length_ps), 1);
    paths.forEach((path, i) => {
      element("span", `${heads[i]}: ${exactTime(path.length_ps)}`, root, { class: "soft" });
      drawBar2(element("div", null, root, { class: "bar" }), path, app2, most2);
    });
  }
  function showShares(root, { heads, paths: [one, two] }, app2) {
    if (!one || !two)
      return;
    for (const [list, name] of [["reasons", "reason"], ["waits", "wait"], ["kinds", "kind of component"], ["places", "place"], ["lines", "line of a kernel"]]) {
      const rows2 = changesOf(one[list], two[list]).filter((row) => row.change !== 0).map((row) => [row.name, inNs2(row.a), inNs2(row.b), inNs2(row.change), inNs2(Math.abs(row.change))]);
      const click = list === "places" ? (row) => app2.set(placed(row[0])) : list === "reasons" ? (row) => app2.set({ picked: { kind: "reason", of: row[0] } }) : void 0;
      if (rows2.length)
        makeTable(root, `by ${name}, in ns`, [name, ...heads, "difference", "absolute difference"], rows2, { order: 4, click });
    }
  }
  function usesThatDiffer([a, b]) {
    const busy = (run, label) => {
      const values = run.uses.utilisation.get(label);
      return values ? values.reduce((sum, v) => sum + v, 0) / values.length : 0;
    };
    return [.../* @__PURE__ */ new Set([...a.uses.utilisation.keys(), ...b.uses.utilisation.keys()])].map((label) => [label, +(100 * busy(a, label)).toFixed(2), +(100 * busy(b, label)).toFixed(2)]).map(([label, x, y]) => [label, x, y, +(y - x).toFixed(2), +Math.abs(y - x).toFixed(2)]).filter((one) => one[4] > 0);
  }
  function showRows(root, { heads }, app2) {
    const [a, b] = app2.runs.map((run) => run.raw.summary?.rows ?? []);
    if (!a.length || !b.length)
      return;
    const joined = joinedRows(a, b), { columns: columns4, rows: rows2 } = rowsTable(joined, heads);
    const choose = (row) => {
      const number = row[app2.at];
      if (app2.runs[app2.at].rows.has(number))
        app2.set({ row: number });
    };
    makeTable(root, "rows, joined by their inputs", columns4, rows2, { click: choose });
    joined.alone.forEach((count, i) => {
      if (count > 0)
        element("p", `${count} ${count === 1 ? "row is" : "rows are"} in the ${heads[i]} alone.`, root, { class: "soft" });
    });
  }
  function areEqual({ runs: [a, b], paths: [one, two] }) {
    const same = (name) => JSON.stringify(a.raw[name] ?? null) === JSON.stringify(b.raw[name] ?? null);
    return a.total === b.total && one?.length_ps === two?.length_ps && ["config", "spans", "explain", "tables"].every(same) && resultsOf(a, b).length === 0;
  }
  function make9(root, app2) {
    const view = { timelines: (
      /** @type {any[] | null} */
      null
    ) };
    let shown3 = (
      /** @type {any[]} */
      []
    ), bars = root;
    function redraw(pair) {
      root.replaceChildren();
      const box = element("div", null, root, { id: "differences" }), equal = areEqual(pair);
      showHeadline(box, pair);
      if (equal)
        element("p", "The runs are equal: their times, paths, timelines, tables and configurations are the same.", box, { id: "equal" });
      showMeters2(box, pair, app2);
      showTotals(box, pair);
      const results = resultsOf(pair.runs[0], pair.runs[1]), uses = usesThatDiffer(pair.runs);
      if (results.length)
        makeTable(box, "results that differ", ["result", ...pair.heads, "difference"], results);
      showRows(box, pair, app2);
      bars = element("div", null, box);
      showBars(bars, pair, app2);
      view.timelines = twoTimelines(box, app2, pair.runs, pair.paths, pair.heads);
      showShares(box, pair, app2);
      if (uses.length)
        makeTable(box, "links and units: utilisation in %", ["name", ...pair.heads, "difference", "absolute difference"], uses, { order: 4, click: (row) => app2.set(placed(row[0])) });
    }
    return {
      show(changed) {
        if (app2.runs.length < 2)
          return false;
        const pair = pairOf(app2), key = [...pair.runs, ...pair.paths];
        if (key.some((one, i) => one !== shown3[i])) {
          shown3 = key;
          redraw(pair);
        } else if (changed.has("reason")) {
          bars.replaceChildren();
          showBars(bars, pair, app2);
        }
        return true;
      },
      csv: () => {
        const { heads, paths: [one, two] } = pairOf(app2);
        return toCsv([
          ["of", "name", ...heads.map((head) => head + ", ns"), "difference_ns"],
          ...["reasons", "kinds", "places", "lines"].flatMap((list) => changesOf(one?.[list], two?.[list]).map((row) => [list, row.name, inNs2(row.a), inNs2(row.b), inNs2(row.change)]))
        ]);
      },
      get timelines() {
        return view.timelines;
      }
    };
  }
  var compare = { id: "compare", title: "Against the other run", make: make9 };

  // views/curves.js
  function showFigure(root, figure) {
    const { columns: columns4, rows: rows2 } = parseCsv(figure.csv), box = element("div", null, root, { class: "chart figure" });
    const positive = (value) => isNumber(value) ? +value : null;
    if (columns4.length < 2 || rows2.length < 2 || !rows2.every((row) => isNumber(row[0])))
      return void makeTable(box, figure.title || figure.name, columns4, rows2);
    rows2.sort((a, b) => +a[0] - +b[0]);
    const numeric = columns4.map((_, i) => i).slice(1).filter((i) => rows2.some((row) => isNumber(row[i] ?? "")));
    const lines = numeric.map((i) => ({ label: columns4[i], values: rows2.map((row) => positive(row[i] ?? "")) }));
    const fits = (side) => side.every((value) => value === null || value > 0);
    const xs = rows2.map((row) => +row[0]);
    plot(box, { ...figure, title: figure.title || figure.name, log_x: figure.log_x && fits(xs), log_y: figure.log_y && lines.every((line2) => fits(line2.values)) }, xs, lines, 640);
  }
  function make10(root, app2) {
    const figures = element("div", null, root, { id: "figures" });
    return {
      show(changed) {
        const { raw } = app2.run;
        if (!changed.has("at") && !changed.has("all"))
          return figures.childElementCount > 0;
        figures.replaceChildren();
        if (isTraffic(raw))
          return showTraffic(figures, raw);
        for (const figure of raw.figures ?? [])
          showFigure(figures, figure);
        return (raw.figures ?? []).length > 0;
      },
      csv: () => (app2.run.raw.figures ?? []).map((figure) => `# ${figure.title || figure.name}
${figure.csv}`).join("\n")
    };
  }
  var curves = { id: "curves", title: "Curves", make: make10 };

  // views/findings.js
  var remedies = {
    credit_stall: "more or larger slots (n_slots, slot_size of the algorithm)",
    router_backpressure: "larger queues or more virtual channels of routers",
    hot_link: "spread the traffic over other links, or raise the rate of this kind of link",
    straggler: "give this rank as much work as the others have: the gain is without its surplus, so work that moves to other ranks takes some of it",
    late_rank: "let the rank begin earlier: its host or the order before it holds it up",
    exposed_communication: "overlap messages with computing: smaller tiles, more slots, asynchronous sends",
    small_messages: "send fewer and larger messages, or lower the latency of components on the way",
    tile_padding: "smaller tiles, or larger batches",
    hbm_refresh: "spread accesses over more channels; refresh takes its time in any case",
    idle_packages: "more micro-batches, so that stages work at the same time"
  };
  function make11(root, app2) {
    let all = [];
    let madeOf = null;
    const list = element("ol", null, root, { id: "findings-list" });
    const pick = (one) => app2.set({ picked: { ...one, kind: "finding", of: one.title } });
    function line2(one) {
      const length = app2.run.paths[app2.run.measured]?.length_ps ?? app2.run.total;
      const row = element("li", null, list, { class: "clicks", tabindex: 0, "data-id": one.id });
      element("b", one.title, row);
      if (one.gain !== null) {
        row.append(": ");
        element("span", `${timeText(one.gain)}${length > 0 ? ` (${percent(one.gain, length)})` : ""} less`, row, { title: exactTime(one.gain), class: "gain" });
        row.append(", ");
        element("span", one.simulated ? "simulated" : "estimated", row, { class: one.simulated ? "good" : "soft", title: one.formula });
      }
      element("div", one.evidence, row, { class: "soft" });
      if (remedies[one.id])
        element("div", `Remedy: ${remedies[one.id]}.`, row);
      row.addEventListener("click", () => pick(one));
      row.addEventListener("keydown", (event) => {
        if (event.key === "Enter")
          pick(one);
      });
    }
    return {
      show() {
        if (madeOf === app2.run)
          return all.length > 0;
        madeOf = app2.run;
        all = findingsOf(app2.run);
        list.replaceChildren();
        all.forEach(line2);
        return all.length > 0;
      },
      csv: () => toCsv([
        ["id", "title", "gain_ps", "simulated", "place", "key", "evidence", "formula"],
        ...all.map((one) => [one.id, one.title, one.gain ?? "", String(one.simulated), one.place, one.key, one.evidence, one.formula])
      ]),
      get all() {
        return all;
      }
    };
  }
  var findings = { id: "findings", title: "Findings", sentence: "Causes of lost time, the one with the greatest gain first. Gains don't add up: two may be of the same time.", make: make11 };

  // views/keys.js
  var columns = ["key", "value", "unit", "changed value", "time on the path (ns)", "slope (ns per unit)", "change (ns)", "new time (ns)", "gain (%)"];
  function make12(root, app2) {
    const line2 = element("p", null, root), better = field(line2, "each key better by", { id: "better", type: "number", min: -90, max: 900, value: 10, step: "any" });
    line2.append(" % ");
    element("span", "estimated along this path, each term rounded anew; exact as long as no other cause overtakes. kbsim explain gives the range", line2, { class: "soft" });
    const changes = element("div", null, root, { id: "tried" }), box = element("div", null, root, { id: "derivatives" });
    function cells() {
      const path = app2.shownPath, percents = +better.value, own = new Set(app2.segments.map((one) => one.key));
      return (path?.keys ?? []).filter((key) => app2.reason === null || own.has(key.key)).map((key) => {
        const to = bettered(key, percents), change = changeOf(key, to);
        return [
          key.key,
          key.value,
          key.unit,
          +to.toPrecision(6),
          +(key.ps / 1e3).toFixed(3),
          +(key.slope_ns ?? 0).toPrecision(6),
          +(change / 1e3).toFixed(3),
          +((path.length_ps + change) / 1e3).toFixed(3),
          +(-100 * change / Math.max(1, path.length_ps)).toFixed(2)
        ];
      });
    }
    function draw() {
      box.replaceChildren();
      changes.replaceChildren();
      const path = app2.shownPath;
      if (!path?.keys?.length)
        return false;
      const tried = app2.run.raw.explain?.try ?? [];
      if (tried.length)
        makeTable(changes, "changes that were tried", ["key", "value", "changed value", "gain (%)", "by"], tried.map((one) => [one.key, one.value, one.to, +(100 * one.share).toFixed(2), one.simulated ? "simulation" : "estimate"]));
      makeTable(box, `keys on the path of ${path.of}`, columns, cells(), { order: 8, click: (row) => app2.set({ picked: { kind: "key", of: row[0] } }) });
      return true;
    }
    better.addEventListener("input", () => {
      if (better.value !== "" && isFinite(+better.value))
        draw();
    });
    return { show: (changed) => ["at", "row", "path", "reason", "all"].some((one) => changed.has(one)) ? draw() : box.childElementCount > 0, csv: () => toCsv([columns, ...cells()]) };
  }
  var keys = { id: "keys", title: "What if", make: make12 };

  // views/lists.js
  function operationsOf2(spans) {
    const all = /* @__PURE__ */ new Map();
    (spans?.length ?? []).forEach((length, i) => {
      const key = [spans.kinds[spans.kind[i]].name, spans.strings[spans.name[i]], spans.strings[spans.at[i]]];
      const row = all.get(key.join("\n")) ?? [...key, 0, 0, 0, 0];
      row[3] += 1;
      row[4] += length - (spans.idle?.[i] ?? 0);
      row[5] = Math.max(row[5], length);
      row[6] += spans.bytes[i];
      all.set(key.join("\n"), row);
    });
    return [...all.values()].map(([kind, name, line2, count, sum, longest, bytes]) => [kind, name, line2, count, +(sum / 1e3).toFixed(3), +(longest / 1e3).toFixed(3), bytes]);
  }
  var columns2 = ["kind", "name", "line", "count", "total_ns", "longest_ns", "bytes"];
  function make13(root, app2) {
    const find = field(element("p", null, root), "search in all", { id: "find", type: "search" }), box = element("div", null, root, { id: "tables" });
    let tables = [];
    const search = () => {
      for (const table of tables)
        table.search(find.value);
    };
    find.addEventListener("input", search);
    return {
      show(changed) {
        if (!["at", "row", "reason", "all"].some((one) => changed.has(one)))
          return tables.length > 0;
        const { raw } = app2.run, places = app2.places(), own = raw.spans ? operationsOf2(raw.spans) : [];
        box.replaceChildren();
        tables = [];
        if (own.length)
          tables.push(makeTable(box, "operations", columns2, own, { order: 4 }));
        for (const [name, text] of Object.entries(raw.tables ?? {})) {
          let { columns: names2, rows: rows2 } = parseCsv(text);
          const ofUnits = name === "links.csv" || name === "units.csv";
          if (places !== null && ofUnits)
            rows2 = rows2.filter((row) => places.has(row[0]) || places.has(unitOf(row[0])));
          const click = ofUnits ? (row) => app2.set({ picked: { kind: name === "links.csv" ? "link" : "unit", of: row[names2[0] === "load" ? 1 : 0] } }) : void 0;
          if (rows2.length)
            tables.push(makeTable(box, name, names2, rows2, { order: names2.indexOf("utilization"), click }));
        }
        search();
        return tables.length > 0;
      },
      csv: () => toCsv([columns2, ...app2.run.raw.spans ? operationsOf2(app2.run.raw.spans) : []]),
      all: () => tables
    };
  }
  var lists = { id: "lists", title: "Tables", make: make13 };

  // network.js
  function neighboursOf({ nodes, links }, shown3) {
    const among = new Set(shown3), next = new Map(shown3.map((node) => [node, /* @__PURE__ */ new Set()]));
    for (const { from, to } of links) {
      const [a, b] = [nodes[from], nodes[to]];
      if (a === b || !among.has(a) || !among.has(b))
        continue;
      next.get(a).add(b);
      next.get(b).add(a);
    }
    return next;
  }
  function distancesFrom(root, next) {
    const far = /* @__PURE__ */ new Map([[root, 0]]), queue = [root];
    for (const node of queue)
      for (const other of next.get(node))
        if (!far.has(other)) {
          far.set(other, far.get(node) + 1);
          queue.push(other);
        }
    return far;
  }
  function middleOf(nodes, next) {
    let best = null;
    for (const node of nodes) {
      const rank = [Math.max(...distancesFrom(node, next).values()), -next.get(node).size];
      if (!best || rank[0] < best.rank[0] || rank[0] === best.rank[0] && rank[1] < best.rank[1])
        best = { node, rank };
    }
    return best.node;
  }
  function layersOf(network, shown3) {
    const next = neighboursOf(network, shown3), left4 = new Set(shown3), rows2 = [], most2 = Math.max(4, Math.ceil(2 * Math.sqrt(shown3.length)));
    while (left4.size) {
      const part = [...distancesFrom([...left4][0], next).keys()], far = distancesFrom(middleOf(part, next), next), layers = [];
      for (const node of shown3)
        if (far.has(node))
          (layers[far.get(node)] ??= []).push(node);
      const column = /* @__PURE__ */ new Map();
      for (const layer of layers) {
        const above = (node) => {
          const xs = [...next.get(node)].filter((one) => column.has(one)).map((one) => column.get(one));
          return xs.length ? xs.reduce((a, b) => a + b, 0) / xs.length : 0;
        };
        const order2 = new Map(layer.map((node) => [node, above(node)]));
        layer.sort((a, b) => order2.get(a) - order2.get(b));
        for (let i = 0; i < layer.length; i += most2)
          rows2.push(layer.slice(i, i + most2));
        layer.forEach((node, i) => column.set(node, i - (layer.length - 1) / 2));
      }
      for (const node of part)
        left4.delete(node);
    }
    return rows2;
  }
  function isNoRow({ nodes, links }, shown3) {
    if (shown3.length < 3 || new Set(shown3.map((node) => node.y_mm)).size > 1)
      return false;
    const place = new Map([...shown3].sort((a, b) => a.x_mm - b.x_mm).map((node, i) => [node, i]));
    return links.some(({ from, to, wraps }) => !wraps && Math.abs(place.get(nodes[from]) - place.get(nodes[to])) > 1);
  }
  function placesOf(network, shown3) {
    const order2 = (name) => new Map([...new Set(shown3.map((node) => node[name]))].sort((a, b) => a - b).map((value, i) => [value, i]));
    const own = new Set(shown3.map((node) => `${node.x_mm} ${node.y_mm}`)).size === shown3.length;
    if (own && !isNoRow(network, shown3)) {
      const [columns4, lines] = [order2("x_mm"), order2("y_mm")];
      return new Map(shown3.map((node) => [node, [columns4.get(node.x_mm), lines.get(node.y_mm)]]));
    }
    const rows2 = layersOf(network, shown3), wide3 = Math.max(...rows2.map((row) => row.length)), place = /* @__PURE__ */ new Map();
    rows2.forEach((row, y) => row.forEach((node, i) => place.set(node, [i + (wide3 - row.length) / 2, y])));
    return place;
  }
  function networkDrawing(network) {
    const pitch = 90, size = 34, make23 = drawn;
    const { nodes, links } = network, routers = nodes.filter((node) => !node.endpoint);
    const shown3 = routers.length ? routers : nodes, place = placesOf(network, shown3);
    const at = (node) => place.get(node).map((value) => 50 + pitch * value), joined = /* @__PURE__ */ new Map();
    for (const { from, to } of links) {
      const [a, b] = [nodes[from], nodes[to]];
      if (!place.has(a) && place.has(b))
        joined.set(a, joined.get(a) ?? b);
      if (!place.has(b) && place.has(a))
        joined.set(b, joined.get(b) ?? a);
    }
    const all = [...place.keys()].map(at), most2 = (axis) => Math.max(...all.map((point) => point[axis])) + 50;
    const svg = make23("svg", { viewBox: `0 0 ${most2(0)} ${most2(1)}`, role: "img", "aria-label": "network" });
    svg.style.maxWidth = 1.6 * most2(0) + "px";
    const seen = /* @__PURE__ */ new Set();
    for (const { from, to, wraps } of links) {
      const [a, b] = [nodes[from], nodes[to]], key = [from, to].sort((x2, y2) => x2 - y2).join();
      if (seen.has(key) || !place.has(a) || !place.has(b))
        continue;
      seen.add(key);
      const [x, y] = at(a), [u, v] = at(b), far = Math.max(Math.abs(x - u), Math.abs(y - v)) > 1.5 * pitch;
      const bend = wraps || far && (x === u || y === v) ? 0.28 * pitch : 0;
      make23("path", {
        "data-of": `${a.name}|${b.name}`,
        d: `M${x} ${y}Q${(x + u) / 2 + (x === u ? bend : 0)} ${(y + v) / 2 + (y === v ? bend : 0)} ${u} ${v}`,
        fill: "none",
        stroke: "#bbb",
        "stroke-width": 7
      }, svg);
    }
    const box = (node, x, y, wide3) => make23("rect", { "data-of": node.name, x: x - wide3 / 2, y: y - wide3 / 2, width: wide3, height: wide3, rx: 3, fill: "#e8eaed", stroke: "#888" }, svg);
    for (const node of place.keys()) {
      const [x, y] = at(node);
      box(node, x, y, size);
      make23("text", { x, y: y + 3, "text-anchor": "middle", "font-size": 9, "pointer-events": "none" }, svg).textContent = node.name;
    }
    for (const [node, router] of joined) {
      const [x, y] = at(router);
      box(node, x + size * 0.7, y - size * 0.7, size / 3);
    }
    return svg;
  }

  // stuck.js
  function shapeAt(shapes, name, nameOf) {
    for (let of = name; of; of = of.includes(".") ? of.slice(0, of.lastIndexOf(".")) : "") {
      const found = shapes.find((shape) => nameOf(shape) === of);
      if (found)
        return found;
    }
    return null;
  }
  var cubeOf = (name) => name.split(".").slice(0, 2).join(".");
  var ends = (from, to) => cubeOf(from) === cubeOf(to) ? [from, to] : [cubeOf(from), cubeOf(to)];
  var middleOf2 = (node) => {
    const box = node.getBBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, half: Math.min(box.width, box.height) / 2 };
  };
  function arrow(svg, a, b, title) {
    const [one, two] = [middleOf2(a), middleOf2(b)], dx = two.x - one.x, dy = two.y - one.y, length = Math.hypot(dx, dy);
    if (!(length > 0))
      return;
    const unit = { x: dx / length, y: dy / length }, bend = Math.max(12, Math.min(0.25 * length, 40)), size = 9, aside = 0.5 * Math.min(one.half, two.half);
    const moved = (at, by) => ({ x: at.x + by * unit.x - aside * unit.y, y: at.y + by * unit.y + aside * unit.x });
    const from = moved(one, 0.6 * one.half), to = moved(two, -0.6 * two.half);
    const middle = { x: (from.x + to.x) / 2 - bend * unit.y, y: (from.y + to.y) / 2 + bend * unit.x }, angle = Math.atan2(to.y - middle.y, to.x - middle.x);
    const group = drawn("g", { class: "stuck-arrow" }, svg), corner = (turn) => `${to.x + size * Math.cos(angle + turn)},${to.y + size * Math.sin(angle + turn)}`;
    drawn("title", {}, group).textContent = title;
    drawn("path", { d: `M ${from.x} ${from.y} Q ${middle.x} ${middle.y} ${to.x} ${to.y}` }, group);
    drawn("polygon", { points: [`${to.x},${to.y}`, corner(2.7), corner(-2.7)].join(" ") }, group);
  }
  function drawStuck(drawing, shapes, nameOf, raw) {
    drawing.querySelectorAll(".stuck-arrow").forEach((one) => one.remove());
    for (const { node } of shapes)
      node.classList.remove("stuck");
    const svg = drawing.querySelector("svg");
    if (!svg)
      return;
    for (const { from, to, why: why2 } of cyclesOf(raw).flat()) {
      for (const name of [from, to])
        shapeAt(shapes, name, nameOf)?.node.classList.add("stuck");
      const [a, b] = ends(from, to).map((name) => shapeAt(shapes, name, nameOf));
      for (const shape of [a, b])
        shape?.node.classList.add("stuck");
      if (a && b)
        arrow(svg, a.node, b.node, `${from} waits for ${to}: ${why2}`);
    }
  }

  // zoom.js
  function zoomable(box) {
    box.tabIndex = 0;
    const state = { whole: (
      /** @type {number[] | null} */
      null
    ), held: (
      /** @type {any} */
      null
    ) };
    const svg = () => box.querySelector("svg");
    const seen = () => (svg()?.getAttribute("viewBox") ?? "0 0 1 1").split(/[ ,]+/).map(Number);
    const see = (view) => svg()?.setAttribute("viewBox", view.map((v) => +v.toFixed(3)).join(" "));
    const remember = () => {
      state.whole ??= seen();
    };
    function pointAt(event) {
      const matrix2 = svg()?.getScreenCTM();
      return matrix2 ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix2.inverse()) : { x: 0, y: 0 };
    }
    function scale(factor, at) {
      remember();
      const [x, y, width, height] = seen(), whole = (
        /** @type {number[]} */
        state.whole
      );
      const wide3 = Math.min(whole[2], Math.max(whole[2] / 40, width * factor)), by = wide3 / width;
      see([at.x - (at.x - x) * by, at.y - (at.y - y) * by, wide3, height * by]);
    }
    function move(dx, dy) {
      remember();
      const [x, y, width, height] = seen();
      see([x + dx, y + dy, width, height]);
    }
    const middle = () => {
      const [x, y, width, height] = seen();
      return { x: x + width / 2, y: y + height / 2 };
    };
    box.addEventListener("wheel", (event) => {
      if (!event.ctrlKey || !svg())
        return;
      event.preventDefault();
      scale(event.deltaY > 0 ? 1.25 : 0.8, pointAt(event));
    }, { passive: false });
    box.addEventListener("pointerdown", (event) => {
      if (svg()) {
        remember();
        state.held = { at: pointAt(event), moved: false };
      }
    });
    box.addEventListener("pointermove", (event) => {
      if (!state.held || !event.buttons)
        return void (state.held = null);
      const now = pointAt(event), { at } = state.held;
      if (Math.hypot(now.x - at.x, now.y - at.y) > 3)
        state.held.moved = true;
      if (state.held.moved)
        move(at.x - now.x, at.y - now.y);
    });
    box.addEventListener("pointerup", () => {
      state.held = null;
    });
    box.addEventListener("keydown", (event) => {
      const step = seen()[2] / 10;
      const keys2 = { "+": () => scale(0.8, middle()), "-": () => scale(1.25, middle()), "0": reset, ArrowLeft: () => move(-step, 0), ArrowRight: () => move(step, 0), ArrowUp: () => move(0, -step), ArrowDown: () => move(0, step) };
      if (keys2[event.key]) {
        event.preventDefault();
        keys2[event.key]();
      }
    });
    function reset() {
      if (state.whole && svg())
        see(state.whole);
      state.whole = null;
    }
    return { reset };
  }

  // views/machine.js
  function indexOf(labels) {
    const index = /* @__PURE__ */ new Map();
    const prefixes = (name) => name.split(".").map((_, i, parts) => parts.slice(0, i + 1).join("."));
    const add2 = (key, label) => {
      if (!index.has(key))
        index.set(key, /* @__PURE__ */ new Set());
      index.get(key).add(label);
    };
    for (const label of labels) {
      const [from, to] = unitOf(label).split(">");
      for (const a of prefixes(from)) {
        add2(a, label);
        if (to === void 0)
          continue;
        for (const b of prefixes(to))
          if (a !== b) {
            add2(a + "|" + b, label);
            add2(b + "|" + a, label);
          }
      }
    }
    return index;
  }
  var dark = matchMedia("(prefers-color-scheme: dark)");
  function heat(share2) {
    const at = Math.max(0, Math.min(1, share2)), [from, to] = dark.matches ? [28, 48] : [86, 62];
    return `hsl(${Math.round(52 - 52 * at)} ${Math.round(45 + 45 * at)}% ${Math.round(from + (to - from) * at)}%)`;
  }
  function difference(change) {
    const at = Math.max(-1, Math.min(1, change));
    return `hsl(${at < 0 ? 215 : 5} ${Math.round(90 * Math.abs(at))}% ${Math.round(82 - 32 * Math.abs(at))}%)`;
  }
  var isCube = (of) => /^sip\d+\.cube\d+$/.test(of);
  var measures = [["utilisation", "utilisation"], ["waiting", "waiting or under way"], ["held", "slots, credits and TCM in use"], ["full", "most slots, credits and TCM in use"]];
  function holds(places, of) {
    if (of.includes("|"))
      return false;
    for (const place of places)
      if (place === of || place.startsWith(of + "."))
        return true;
    return false;
  }
  function differences(runs) {
    const [a, b] = runs.map((one) => one.uses.utilisation), all = /* @__PURE__ */ new Map();
    const mean = (values) => values ? values.reduce((sum, v) => sum + v, 0) / values.length : 0;
    for (const label of /* @__PURE__ */ new Set([...a.keys(), ...b.keys()]))
      all.set(label, Float64Array.of(mean(b.get(label)) - mean(a.get(label))));
    return all;
  }
  function make14(root, app2) {
    const line2 = element("p", null, root);
    const measure = field(line2, "coloured by", { id: "measure" }, "select");
    for (const [value2, label] of measures)
      element("option", label, measure, { value: value2 });
    if (app2.runs.length > 1)
      element("option", "difference of the runs", measure, { value: "difference" });
    const over = element("span", "time", element("label", null, line2), { id: "over" });
    const slider = element("input", null, over.parentElement, { id: "time", type: "range", min: -1, max: -1, value: -1, step: 1, "aria-label": "time" });
    const span = element("output", null, line2, { id: "window" }), scale = element("span", null, line2, { id: "scale", class: "soft" });
    const bar = element("span", null, line2, { id: "heatbar", "aria-hidden": "true" });
    const cubes = field(line2, "cube", { id: "cube" }, "select"), box = element("div", null, root, { class: "beside" });
    const drawing = element("div", null, box, { id: "drawing" }), hottest = element("div", null, box, { id: "hottest" });
    const unit = field(line2, "find", { id: "unit", list: "units", placeholder: "unit or link" }), units = element("datalist", null, line2, { id: "units" });
    const zoom = zoomable(drawing), curves2 = element("div", null, root, { id: "curve", class: "chart" });
    button("all", line2, () => zoom.reset(), { title: "show the whole drawing (wheel with Ctrl: zoom, drag: pan)" });
    let shapes = [], picked = null, cube = "", original = "", chart = null, title = null, uses = /* @__PURE__ */ new Map(), index = /* @__PURE__ */ new Map();
    const value = (values) => {
      const { uses: known } = app2.run;
      if (known.loads)
        return values[+slider.value] ?? 0;
      if (measure.value === "difference")
        return values[0];
      return measure.value === "full" ? mostOver(values, known, app2.range) : meanOver(values, known, app2.range);
    };
    const at = (label) => value(uses.get(label));
    const nameOf = (shape) => shape.of.replaceAll("@", cube);
    const valueText = (v) => measure.value === "waiting" ? v.toFixed(2) : measure.value === "difference" ? (100 * v).toFixed(1) + " points" : share(v);
    function labelsOf(shape) {
      return [...index.get(nameOf(shape)) ?? []].map((label) => [label, at(label)]).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    }
    function prepare() {
      uses = measure.value === "difference" ? differences(app2.runs) : app2.run.uses[measure.value];
      index = indexOf(uses.keys());
    }
    function most2() {
      if (measure.value !== "waiting")
        return 1;
      let all = 1e-9;
      for (const values of uses.values())
        all = Math.max(all, Math.abs(value(values)));
      return all;
    }
    function paint() {
      const places = app2.places(), compared = measure.value === "difference", top3 = most2();
      scale.textContent = compared ? "blue: less, red: more" : `grey: idle; ${valueText(0)} to ${valueText(top3)}`;
      bar.hidden = compared;
      for (const shape of shapes) {
        const labels = labelsOf(shape), v = labels.length ? labels[0][1] : 0;
        const color = labels.length === 0 || v === 0 ? "" : compared ? difference(v / top3) : heat(v / top3);
        shape.node.style[shape.line ? "stroke" : "fill"] = color;
        shape.node.classList.toggle("idle", !compared && v === 0);
        shape.node.dataset.value = v.toFixed(4);
        shape.node.classList.toggle("apart", places !== null && !labels.some(([label]) => places.has(unitOf(label)) || places.has(label)) && !holds(places, nameOf(shape)));
        shape.tip.textContent = `${nameOf(shape)}
` + labels.slice(0, 5).map(([label, one]) => `${label}: ${valueText(one)}`).join("\n");
      }
      paintArrows();
      showSpan();
      showHottest();
    }
    function paintArrows() {
      const top3 = most2(), compared = measure.value === "difference";
      for (const { shape, marks } of shapes.filter((one) => one.marks).map((one) => ({ shape: one, marks: one.marks }))) {
        const [a, b] = nameOf(shape).split("|"), labels = labelsOf(shape);
        marks.forEach((mark2, back) => {
          const [from, to] = back ? [b, a] : [a, b];
          const own = labels.find(([label]) => {
            const [x, y] = unitOf(label).split(">");
            return within(x, from) && within(y ?? "", to);
          });
          mark2.style.fill = own && own[1] !== 0 ? compared ? difference(own[1] / top3) : heat(own[1] / top3) : "";
          mark2.classList.toggle("idle", !own || own[1] === 0);
          mark2.dataset.of = own?.[0] ?? "";
          mark2.firstChild.textContent = own ? `${own[0]}: ${valueText(own[1])}` : "";
        });
      }
    }
    const within = (name, node) => name === node || name.startsWith(node + ".");
    function showSpan() {
      const known = app2.run.uses, [from, to] = app2.range;
      span.textContent = known.loads ? `${+(100 * known.loads[Math.max(0, +slider.value)]).toFixed(2)} % of the bound` : known.window > 0 ? `${timeText(from)} to ${timeText(to)}` : "the whole run";
    }
    function showHottest() {
      hottest.replaceChildren();
      if (measure.value !== "utilisation")
        return;
      const known = app2.run.uses, load = +slider.value;
      const all = known.loads ? [...known.utilisation].map(([label, values]) => ({ label, value: values[load] ?? 0 })).sort((a, b) => b.value - a.value).slice(0, 10) : busiestOf(app2.run, app2.range);
      if (!all.length)
        return;
      element("h3", "hottest links", hottest);
      const table = element("table", null, hottest);
      for (const { label, value: v } of all) {
        const row = element("tr", null, table);
        button(label, element("td", null, row), () => app2.set({ picked: { kind: "link", of: label } }), { class: "link" });
        element("td", share(v), row, { class: "number" }).style.boxShadow = `inset ${Math.round(-60 * v)}px 0 ${"var(--heat)"}`;
      }
    }
    function curve(labels, name) {
      chart?.destroy();
      chart = null;
      const known = app2.run.uses;
      curves2.textContent = "";
      const shown3 = labels.slice(0, 6).filter((label) => uses.has(label));
      if (!shown3.length)
        return void element("p", `${name}: nothing was recorded of it`, curves2, { class: "soft" });
      if (known.windows < 2)
        return void element("p", `${name}: ${shown3.map((label) => `${label} ${valueText(at(label))}`).join(", ")}`, curves2);
      const xs = known.loads ?? Array.from({ length: known.windows }, (_, i) => (known.begin + (i + 0.5) * known.window) / 1e3);
      chart = plot(
        curves2,
        { title: `${name}: ${measure.value}`, x: known.loads ? "load" : "time (ns)", y: "", log_x: false, log_y: false },
        xs,
        shown3.map((label) => ({ label, values: Array.from(uses.get(label)) })),
        Math.min(1200, root.clientWidth || 1e3)
      );
    }
    function pick(shape) {
      picked?.node.classList.remove("picked");
      picked = shape;
      shape.node.classList.add("picked");
      const of = nameOf(shape), labels = labelsOf(shape);
      if (isCube(of) && of !== cube)
        enlarge(of);
      curve(labels.map(([label]) => label), of);
      app2.set({ picked: { kind: of.includes("|") ? "link" : "unit", of: of.includes("|") && labels.length ? labels[0][0] : of } });
    }
    function mark(thing) {
      picked?.node.classList.remove("picked");
      picked = null;
      if (!thing || !["unit", "link"].includes(thing.kind))
        return;
      const own = /^sip\d+\.cube\d+/.exec(thing.of)?.[0];
      if (own && own !== cube && shapes.some((shape) => shape.of === own))
        enlarge(own);
      const name = unitOf(thing.of);
      picked = shapes.find((shape) => nameOf(shape) === name) ?? shapes.find((shape) => shape.line && index.get(nameOf(shape))?.has(thing.of)) ?? shapes.find((shape) => !shape.of.includes("|") && name.startsWith(nameOf(shape) + ".") && nameOf(shape).split(".").length >= 3) ?? null;
      picked?.node.classList.add("picked");
    }
    function enlarge(name) {
      cube = name;
      cubes.value = name;
      if (title)
        title.textContent = `${name}, enlarged`;
      for (const { node, of } of shapes.filter((shape) => isCube(shape.of))) {
        node.classList.toggle("here", of === name);
        node.classList.toggle("cube", of !== name);
      }
      const wedge = drawing.querySelector(".zoom");
      if (wedge)
        wedge.style.visibility = name === original ? "" : "hidden";
      paint();
      drawStuck(drawing, shapes, nameOf, app2.run.raw);
    }
    function shapeOf(node) {
      const shape = { node, of: node.dataset.of, line: node.tagName === "path", tip: drawn("title", {}), marks: null };
      node.append(shape.tip);
      node.addEventListener("click", () => pick(shape));
      if (shape.line && shape.of.includes("|"))
        shape.marks = arrowsOn(node, (of) => app2.set({ picked: { kind: "link", of } }));
      return shape;
    }
    function redraw() {
      const { raw, uses: known } = app2.run;
      drawing.innerHTML = raw.network ? "" : raw.drawing ?? "";
      if (raw.network)
        drawing.append(networkDrawing(raw.network));
      else if (!raw.drawing)
        element("p", "There is no drawing of this machine.", drawing);
      title = drawing.querySelector("text.enlarged");
      shapes = [...drawing.querySelectorAll("[data-of]")].map(shapeOf);
      const names2 = shapes.map((shape) => shape.of).filter(isCube);
      original = drawing.querySelector(".here")?.dataset.of ?? "";
      cubes.replaceChildren(...names2.map((name) => element("option", name)));
      slider.min = known.loads ? 0 : -1;
      slider.max = known.windows > 1 ? known.windows - 1 : slider.min;
      slider.value = known.loads ? slider.max : -1;
      over.textContent = known.loads ? "load" : "time";
      cubes.parentElement.hidden = !!raw.network || names2.length < 2;
      slider.disabled = known.windows < 2;
      prepare();
      units.replaceChildren(...[...uses.keys()].slice(0, 5e3).map((label) => element("option", null, null, { value: label })));
      zoom.reset();
      enlarge(busiest(names2));
    }
    function busiest(names2) {
      let best = names2[0] ?? "", sums = -1;
      for (const name of names2) {
        let sum = 0;
        for (const label of index.get(name) ?? [])
          sum += Math.abs(at(label));
        if (sum > sums) {
          sums = sum;
          best = name;
        }
      }
      return best;
    }
    function slid() {
      const { uses: known } = app2.run, at2 = +slider.value;
      if (known.loads)
        return paint();
      app2.set({ range: at2 < 0 ? null : [known.begin + at2 * known.window, Math.min(known.end, known.begin + (at2 + 1) * known.window)] });
    }
    slider.addEventListener("input", slid);
    measure.addEventListener("change", () => {
      prepare();
      paint();
    });
    cubes.addEventListener("change", () => enlarge(cubes.value));
    unit.addEventListener("change", () => {
      const name = unit.value;
      curve(uses.has(name) ? [name] : [...index.get(name) ?? []], name);
      app2.set(placed(name));
    });
    let drawnOf = null;
    return {
      show(changed) {
        const { raw } = app2.run;
        byId("machine").querySelector("h2").textContent = raw.network ? "Network" : "Machine";
        if (!raw.drawing && !raw.network || raw.tables?.["latencies.csv"])
          return false;
        if (drawnOf !== app2.run) {
          drawnOf = app2.run;
          redraw();
        } else if (changed.has("picked"))
          mark(app2.picked);
        if (["reason", "range", "path"].some((one) => changed.has(one))) {
          if (!app2.hasRange && !app2.run.uses.loads)
            slider.value = -1;
          paint();
        }
        return true;
      },
      csv: () => toCsv([["unit_or_link", measure.value], ...[...uses].map(([label, values]) => [label, value(values)])]),
      pick: (of) => {
        const shape = shapes.find((one) => one.of === of);
        if (shape)
          pick(shape);
        return shape;
      },
      paint
    };
  }
  function arrowsOn(path, choose) {
    if (!path.getTotalLength || !path.getTotalLength())
      return null;
    const length = path.getTotalLength(), width = parseFloat(path.getAttribute("stroke-width") ?? getComputedStyle(path).strokeWidth) || 2, size = Math.max(3, 0.9 * width);
    return (path.classList.contains("one-way") ? [false] : [false, true]).map((back) => {
      const at = (back ? 0.38 : 0.62) * length, step = Math.min(1, length / 10) * (back ? -1 : 1);
      const tip = path.getPointAtLength(at), before = path.getPointAtLength(at - step), angle = Math.atan2(tip.y - before.y, tip.x - before.x);
      const corner = (turn) => `${tip.x + size * Math.cos(angle + turn)},${tip.y + size * Math.sin(angle + turn)}`;
      const mark = drawn("polygon", { points: [0, 2.4, -2.4].map(corner).join(" "), class: "arrow" });
      drawn("title", {}, mark);
      mark.addEventListener("click", (event) => {
        if (mark.dataset.of) {
          event.stopPropagation();
          choose(mark.dataset.of);
        }
      });
      path.after(mark);
      return mark;
    });
  }
  var machine = { id: "machine", title: "Machine", make: make14 };

  // flows.js
  function bytesAt(spans, row, starts, time2) {
    for (let i = row.first; i < row.last; ++i) {
      const start = starts[i];
      if (start > time2)
        break;
      if (spans.bytes[i] > 0 && (start + spans.length[i] === time2 || start === time2))
        return spans.bytes[i];
    }
    return 0;
  }
  function messagesOf(spans) {
    if (!spans?.flows?.length)
      return [];
    const starts = new Float64Array(spans.start.length);
    for (const row of spans.rows)
      for (let i = row.first, time2 = 0; i < row.last; ++i)
        starts[i] = time2 += spans.start[i];
    const all = [];
    for (const [fromRow, , toRow, at] of spans.flows) {
      const [from, to] = [spans.rows[fromRow]?.label ?? "", spans.rows[toRow]?.label ?? ""];
      if (!from.endsWith(" send") || !to.endsWith(" recv"))
        continue;
      all.push({ from: unitOf(from).replace(/\.pe_ipcq$/, ""), to: unitOf(to).replace(/\.pe_ipcq$/, ""), bytes: bytesAt(spans, spans.rows[toRow], starts, at), at, via: unitOf(to) });
    }
    return all;
  }
  function carriedBetween(raw) {
    const outer = (name) => name.split(".")[0];
    return recordsOf(raw.tables?.["links.csv"]).filter((row) => row.load === void 0 && +row.bytes > 0 && row.link.includes(">")).flatMap((row) => {
      const [from, to] = row.link.split(">");
      return outer(from) === outer(to) ? [] : [{ from: outer(from), to: outer(to), bytes: +row.bytes, at: 0, via: row.link }];
    });
  }
  var partOf = (name, level) => name.split(".").slice(0, level).join(".");
  function matrixOf(flows, level) {
    const byName = (a, b) => a.localeCompare(b, void 0, { numeric: true });
    const names2 = [...new Set(flows.flatMap((one) => [partOf(one.from, level), partOf(one.to, level)]))].sort(byName), index = new Map(names2.map((name, i) => [name, i]));
    const cells = names2.map(() => names2.map(() => ({ bytes: 0, count: 0, first: Infinity, last: 0, via: (
      /** @type {Set<string>} */
      /* @__PURE__ */ new Set()
    ) })));
    for (const one of flows) {
      const cell = cells[
        /** @type {number} */
        index.get(partOf(one.from, level))
      ][
        /** @type {number} */
        index.get(partOf(one.to, level))
      ];
      cell.bytes += one.bytes;
      cell.count += 1;
      cell.first = Math.min(cell.first, one.at);
      cell.last = Math.max(cell.last, one.at);
      cell.via.add(one.via);
    }
    return { names: names2, cells };
  }

  // views/matrix.js
  var most = 64;
  var levels = ["", "packages", "cubes", "PEs"];
  var heat2 = (at) => `hsl(${Math.round(52 - 40 * at)} ${Math.round(50 + 40 * at)}% ${Math.round(90 - 30 * at)}%)`;
  var total = (cells) => cells.reduce((sum, one) => sum + one.bytes, 0);
  function make15(root, app2) {
    const line2 = element("p", null, root), source = field(line2, "bytes of", { id: "matrix-source" }, "select"), level = field(line2, "between", { id: "matrix-level" }, "select");
    const says = element("span", null, line2, { class: "soft" }), box = element("div", null, root, { class: "scroll", tabindex: 0, role: "region", "aria-label": "bytes by sender and receiver" });
    let messages = (
      /** @type {Flow[]} */
      []
    ), carried = messages, shown3 = matrixOf([], 1), madeOf = null;
    function pick(from, to, cell) {
      if (cell.via.size === 1 && source.value === "links")
        return app2.set({ picked: { kind: "link", of: [...cell.via][0] } });
      const facts = [["bytes", `${bytesText(cell.bytes)} (${cell.bytes} B)`], [source.value, cell.count], ["received at", [...cell.via].slice(0, 8).join(", ") + (cell.via.size > 8 ? ` and ${cell.via.size - 8} more` : "")]];
      if (source.value === "messages")
        facts.push(["first arrives", exactTime(cell.first)], ["last arrives", exactTime(cell.last)]);
      app2.set({ picked: { kind: "facts", of: `${from} \u2192 ${to}`, facts } });
    }
    function cellOf2(row, from, to, cell, top3) {
      const one = element("td", cell.bytes ? bytesText(cell.bytes) : "", row, { class: "number", "data-bytes": cell.bytes, title: `${from} \u2192 ${to}: ${cell.bytes} B in ${cell.count} ${source.value}` });
      if (!cell.count)
        return;
      one.style.background = heat2(cell.bytes / Math.max(1, top3));
      one.classList.add("heated");
      one.tabIndex = 0;
      one.addEventListener("click", () => pick(from, to, cell));
      one.addEventListener("keydown", (event) => {
        if (event.key === "Enter")
          pick(from, to, cell);
      });
    }
    function flows() {
      if (source.value === "links")
        return carried;
      const [from, to] = app2.range;
      return app2.hasRange ? messages.filter((one) => one.at >= from && one.at <= to) : messages;
    }
    function draw() {
      const all = flows();
      shown3 = matrixOf(all, source.value === "links" ? 1 : +level.value);
      level.parentElement.hidden = source.value === "links";
      const { names: names2, cells } = shown3, size = Math.min(names2.length, most), top3 = Math.max(0, ...cells.flat().map((one) => one.bytes)), sum = total(cells.flat());
      const cut = app2.run.raw.spans?.is_cut || app2.run.raw.spans?.left_out?.length;
      says.textContent = ` ${bytesText(sum)} in ${all.length} ${source.value}` + (source.value === "links" ? "; headers and what passes through a package are in them" : app2.hasRange ? " that arrive in the time shown" : "") + (source.value === "messages" && cut ? "; the timeline leaves out a part of the run, and messages in it" : "") + (names2.length > size ? `; the first ${size} of ${names2.length} ${levels[+level.value]} are shown` : "");
      box.replaceChildren();
      const table = element("table", null, box, { id: "matrix-table", class: size > 8 ? "dense" : "" }), head = element("tr", null, table);
      element("th", "from \u2193 to \u2192", head);
      for (const name of names2.slice(0, size))
        element("th", name, head, { class: "number", scope: "col" });
      element("th", "sent", head, { class: "number", scope: "col" });
      names2.slice(0, size).forEach((name, i) => {
        const row = element("tr", null, table);
        element("th", name, row, { scope: "row" });
        names2.slice(0, size).forEach((to, j) => cellOf2(row, name, to, cells[i][j], top3));
        const sent = total(cells[i]);
        element("td", bytesText(sent), row, { class: "number sum", title: `${sent} B` });
      });
      const last = element("tr", null, table, { class: "marked" });
      element("th", "received", last, { scope: "row" });
      names2.slice(0, size).forEach((_, j) => {
        const got = total(cells.map((row) => row[j]));
        element("td", bytesText(got), last, { class: "number sum", title: `${got} B` });
      });
      element("td", bytesText(sum), last, { class: "number sum", title: `${sum} B`, "data-total": sum });
    }
    function offer() {
      messages = messagesOf(app2.run.raw.spans);
      carried = carriedBetween(app2.run.raw);
      source.replaceChildren();
      if (messages.length)
        element("option", "messages", source, { value: "messages" });
      if (carried.length)
        element("option", "links of packages, host and switches", source, { value: "links" });
      const fit = [1, 2, 3].filter((one) => new Set(messages.flatMap((flow) => [partOf(flow.from, one), partOf(flow.to, one)])).size > 1);
      level.replaceChildren(...fit.map((one) => element("option", levels[one], null, { value: one })));
      const across = fit.find((one) => messages.some((flow) => partOf(flow.from, one) !== partOf(flow.to, one)));
      level.value = String(across ?? fit[0] ?? 1);
    }
    source.addEventListener("change", draw);
    level.addEventListener("change", draw);
    return {
      show(changed) {
        const isOther = madeOf !== app2.run;
        if (isOther) {
          madeOf = app2.run;
          offer();
        }
        if (!messages.length && !carried.length)
          return false;
        if (isOther || changed.has("range") && source.value === "messages")
          draw();
        return true;
      },
      csv: () => toCsv([["from", "to", "bytes", source.value], ...shown3.names.flatMap((from, i) => shown3.names.flatMap((to, j) => shown3.cells[i][j].count ? [[from, to, shown3.cells[i][j].bytes, shown3.cells[i][j].count]] : []))]),
      get shown() {
        return shown3;
      }
    };
  }
  var matrix = { id: "matrix", title: "Traffic between parts", sentence: "Bytes from each sender (row) to each receiver (column).", make: make15 };

  // memory_use.js
  function stepsOf2(changes) {
    const steps = (
      /** @type {Step[]} */
      []
    );
    let bytes = 0;
    for (const { at, by } of changes) {
      bytes += by;
      const last = steps.at(-1);
      if (last?.at === at)
        last.bytes = bytes;
      else
        steps.push({ at, bytes });
    }
    return steps;
  }
  var peak = (steps) => steps.reduce((most2, one) => one.bytes > most2.bytes ? one : most2, { at: 0, bytes: 0 });
  function memoriesOf(raw) {
    const all = /* @__PURE__ */ new Map();
    for (const row of recordsOf(raw.tables?.["memory.csv"])) {
      const key = `sip${row.sip}
${row.memory}`;
      if (!all.has(key))
        all.set(key, []);
      all.get(key)?.push({ name: row.name, at: Math.round(1e3 * +row.time_ns), by: (row.change === "free" ? -1 : 1) * +row.bytes });
    }
    return [...all].map(([key, changes]) => {
      const [place, memory2] = key.split("\n"), total2 = stepsOf2(changes), names2 = [...new Set(changes.map((one) => one.name))];
      const tensors = names2.map((name) => {
        const own = changes.filter((one) => one.name === name), steps = stepsOf2(own);
        return { name, steps, most: peak(steps).bytes, count: own.filter((one) => one.by > 0).length, firstAt: own[0].at };
      }).sort((a, b) => b.most - a.most || (a.name < b.name ? -1 : 1));
      return { place, memory: memory2, tensors, total: total2, most: peak(total2).bytes, mostAt: peak(total2).at };
    }).sort((a, b) => b.most - a.most || (a.place < b.place ? -1 : 1));
  }
  function tilesOf(run) {
    const sizes2 = new Map((run.raw.spans?.series ?? []).filter((one) => one.measure === "least_free" && one.of.endsWith(".pe_tcm")).map((one) => [one.of, one.all]));
    return [...sizes2].map(([of, size]) => {
      const values = [...run.uses.full.get(of) ?? []].map((share2) => Math.round(share2 * size));
      return { of, size, values, most: Math.max(0, ...values) };
    }).filter((one) => one.most > 0).sort((a, b) => b.most - a.most || (a.of < b.of ? -1 : 1));
  }

  // views/memory.js
  var wide = 860;
  var high2 = 220;
  var left2 = 70;
  var bottom = 24;
  var top = 10;
  var right = 10;
  var shown2 = 11;
  function bytesAt2(steps, at) {
    let bytes = 0;
    for (const one of steps) {
      if (one.at > at)
        break;
      bytes = one.bytes;
    }
    return bytes;
  }
  function axesOf(svg, begin2, end, most2) {
    const x = (at) => left2 + (wide - left2 - right) * (at - begin2) / Math.max(1, end - begin2), y = (bytes) => high2 - bottom - (high2 - top - bottom) * bytes / Math.max(1, most2);
    const say = (text, at, anchor) => {
      drawn("text", { ...at, "text-anchor": anchor }, svg).textContent = text;
    };
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      drawn("line", { x1: left2, x2: wide - right, y1: y(part * most2), y2: y(part * most2), class: "grid" }, svg);
      if (part === 0 || part === 0.5 || part === 1)
        say(bytesText(part * most2), { x: left2 - 6, y: y(part * most2) + 4 }, "end");
      say(timeText(begin2 + part * (end - begin2)), { x: x(begin2 + part * (end - begin2)), y: high2 - 6 }, part === 0 ? "start" : part === 1 ? "end" : "middle");
    }
    return { x, y };
  }
  function drawRange(svg, app2, x) {
    const [from, to] = app2.range.map((one) => Math.min(wide - right, Math.max(left2, x(one))));
    if (to > from)
      drawn("rect", { x: from, y: top, width: to - from, height: high2 - top - bottom, class: "range" }, svg);
  }
  function make16(root, app2) {
    const line2 = element("p", null, root), choice = field(line2, "tensors in", { id: "memory-of" }, "select"), says = element("span", null, line2, { class: "soft" });
    const tensors = element("div", null, root, { id: "memory-tensors" }), line22 = element("p", null, root), pe = field(line22, "tiles in", { id: "memory-pe" }, "select"), says2 = element("span", null, line22, { class: "soft" });
    const tiles = element("div", null, root, { id: "memory-tiles" });
    let memories = (
      /** @type {Memory[]} */
      []
    ), tcms = (
      /** @type {ReturnType<typeof tilesOf>} */
      []
    ), madeOf = null;
    const pick = (memory2, one) => app2.set({ picked: { kind: "facts", of: one.name, facts: [
      ["memory", `${memory2.memory} of ${memory2.place}`],
      ["most at once", `${bytesText(one.most)} (${one.most} B)`],
      ["of the most in use", percent(one.most, memory2.most)],
      ["allocated", one.count === 1 ? "once" : `${one.count} times`],
      ["first at", exactTime(one.firstAt)],
      ["at the end", bytesText(one.steps.at(-1)?.bytes ?? 0)]
    ] } });
    function drawAreas(svg, memory2, x, y, end) {
      const times2 = [...new Set(memory2.total.map((one) => one.at))].concat(end), large = memory2.tensors.slice(0, shown2), rest = memory2.tensors.slice(shown2);
      const parts = large.map((one, i) => ({ name: one.name, color: colors[i], one, at: (time2) => bytesAt2(one.steps, time2) }));
      if (rest.length)
        parts.push({ name: `${rest.length} smaller ones`, color: colors[shown2], one: null, at: (time2) => rest.reduce((sum, one) => sum + bytesAt2(one.steps, time2), 0) });
      const below = times2.map(() => 0);
      for (const part of parts) {
        const heights = times2.map((time2) => part.at(time2)), upper = [], lower = [];
        for (let i = 0; i + 1 < times2.length; ++i) {
          for (const at of [times2[i], times2[i + 1]]) {
            upper.push(`${x(at)},${y(below[i] + heights[i])}`);
            lower.push(`${x(at)},${y(below[i])}`);
          }
        }
        heights.forEach((bytes, i) => {
          below[i] += bytes;
        });
        const area = drawn("polygon", { points: [...upper, ...lower.reverse()].join(" "), fill: part.color, "data-name": part.name }, svg);
        drawn("title", {}, area).textContent = part.one ? `${part.name}: at most ${bytesText(part.one.most)}` : part.name;
        if (part.one)
          area.addEventListener("click", () => pick(memory2, part.one));
      }
      return parts;
    }
    function drawTensors() {
      tensors.replaceChildren();
      const memory2 = memories[+choice.value];
      line2.hidden = !memory2;
      if (!memory2)
        return;
      const end = Math.max(app2.run.total, memory2.total.at(-1)?.at ?? 0);
      says.textContent = ` at most ${bytesText(memory2.most)}, from ${timeText(memory2.mostAt)} on; replicas are in it`;
      const svg = drawn("svg", { viewBox: `0 0 ${wide} ${high2}`, class: "memory", role: "img", "aria-label": `bytes of tensors over time, at most ${bytesText(memory2.most)}` }, tensors);
      const { x, y } = axesOf(svg, 0, end, memory2.most), parts = drawAreas(svg, memory2, x, y, end);
      drawRange(svg, app2, x);
      const legend = element("p", null, tensors);
      for (const part of parts) {
        const item = element(part.one ? "button" : "span", null, legend, part.one ? { type: "button", class: "link legend" } : { class: "legend" });
        element("span", null, item, { class: "swatch" }).style.background = part.color;
        item.append(part.one ? `${part.name} ${bytesText(part.one.most)}` : part.name);
        if (part.one)
          item.addEventListener("click", () => pick(memory2, part.one));
      }
    }
    function drawTiles() {
      tiles.replaceChildren();
      const tcm = tcms[+pe.value], { uses } = app2.run;
      line22.hidden = !tcm;
      if (!tcm)
        return;
      says2.textContent = ` at most ${bytesText(tcm.most)} of the ${bytesText(tcm.size)} that tiles may take (${percent(tcm.most, tcm.size)}); the most in each window of time`;
      const svg = drawn("svg", { viewBox: `0 0 ${wide} ${high2}`, class: "memory", role: "img", "aria-label": `bytes of tiles in ${tcm.of} over time` }, tiles), { x, y } = axesOf(svg, uses.begin, uses.end, tcm.most);
      const at = (i) => uses.window > 0 ? Math.min(uses.end, uses.begin + i * uses.window) : i ? uses.end : uses.begin;
      const points = tcm.values.flatMap((bytes, i) => [`${x(at(i))},${y(bytes)}`, `${x(at(i + 1))},${y(bytes)}`]);
      const area = drawn("polygon", { points: [`${x(at(0))},${y(0)}`, ...points, `${x(at(tcm.values.length))},${y(0)}`].join(" "), fill: colors[0], "data-of": tcm.of }, svg);
      area.addEventListener("click", () => app2.set({ picked: { kind: "unit", of: tcm.of } }));
      drawRange(svg, app2, x);
    }
    choice.addEventListener("change", drawTensors);
    pe.addEventListener("change", drawTiles);
    return {
      show(changed) {
        const isOther = madeOf !== app2.run;
        if (isOther) {
          madeOf = app2.run;
          memories = memoriesOf(app2.run.raw);
          tcms = tilesOf(app2.run);
          choice.replaceChildren(...memories.map((one, i) => element("option", `${one.memory} of ${one.place}, ${bytesText(one.most)}`, null, { value: i })));
          pe.replaceChildren(...tcms.slice(0, 1e3).map((one, i) => element("option", `${one.of}, ${bytesText(one.most)}`, null, { value: i })));
        }
        if (isOther || changed.has("range") || changed.has("path")) {
          drawTensors();
          drawTiles();
        }
        return memories.length + tcms.length > 0;
      },
      csv: () => toCsv([
        ["place", "memory", "name", "most_bytes", "allocations"],
        ...memories.flatMap((memory2) => memory2.tensors.map((one) => [memory2.place, memory2.memory, one.name, one.most, one.count])),
        ...tcms.map((one) => [one.of, "tiles", "", one.most, ""])
      ]),
      get memories() {
        return memories;
      },
      get tcms() {
        return tcms;
      }
    };
  }
  var memory = { id: "memory", title: "Memory", sentence: "Bytes of tensors that the host's program allocated, and of tiles that kernels hold in TCM.", make: make16 };

  // views/operations.js
  var ps = (us) => 1e6 * us;
  var columns3 = ["operation", "", "time", "of the phase", "limit", "least time", "FLOP of peak", "HBM of peak"];
  var phaseTime = (row) => [row?.ttft_us, row?.step_us, row?.tpot_us].find((value) => value > 0);
  function make17(root, app2) {
    let all = [];
    let madeOf = null;
    function line2(table, row, most2, whole) {
      const one = element("tr", null, table, { class: "clicks", tabindex: 0, "data-name": row.operation, "data-us": row.path_us });
      element("td", row.operation + (row.mapping ? ` (${row.mapping})` : ""), one);
      const bar = element("div", null, element("td", null, one), { class: "meter wide", title: `least time at the peaks: ${timeText(ps(row.roofline_us))}` });
      element("i", null, bar).style.width = 100 * row.path_us / most2 + "%";
      element("b", null, bar).style.left = 100 * Math.min(1, row.roofline_us / most2) + "%";
      element("td", timeText(ps(row.path_us)), one, { class: "number", title: `${row.path_us} \xB5s of the step; from its first to its last event ${row.span_us} \xB5s, in ${row.launches} launches` });
      element("td", percent(+row.path_us, whole), one, { class: "number" });
      term(row.roofline, element("td", null, one));
      element("td", timeText(ps(row.roofline_us)), one, { class: "number" });
      for (const name of ["flop_of_peak", "hbm_of_peak"])
        element("td", share(+row[name]), one, { class: "number" });
      const pick = () => app2.set(factsThing(row.operation, row));
      one.addEventListener("click", pick);
      one.addEventListener("keydown", (event) => {
        if (event.key === "Enter")
          pick();
      });
    }
    function showPhase(phase, row) {
      const own = all.filter((one) => one.phase === phase).sort((a, b) => b.path_us - a.path_us), sum = own.reduce((total2, one) => total2 + +one.path_us, 0);
      const most2 = Math.max(...own.map((one) => +one.path_us)), whole = phaseTime(row) ?? sum;
      element("h3", `${phase}: ${timeText(ps(whole))}, operations take ${timeText(ps(sum))} of it` + (row?.between_us > 0 ? `, ${timeText(ps(row.between_us))} are between them` : ""), root, { "data-phase": phase, "data-us": sum });
      const scroll = element("div", null, root, { class: "scroll", tabindex: 0, role: "region", "aria-label": phase }), table = element("table", null, scroll), head = element("tr", null, table);
      for (const name of columns3)
        term(name, element("th", null, head, { scope: "col", class: ["operation", "", "limit"].includes(name) ? "" : "number" }));
      for (const one of own)
        line2(table, one, most2, whole);
    }
    return {
      show() {
        const { raw } = app2.runs[app2.at];
        if (madeOf === raw)
          return all.length > 0;
        madeOf = raw;
        all = operationsOf(raw);
        root.replaceChildren();
        const rows2 = new Map((raw.summary?.rows ?? []).map((row) => [row.phase, row]));
        for (const phase of new Set(all.map((one) => one.phase)))
          showPhase(phase, rows2.get(phase));
        return all.length > 0;
      },
      csv: () => all.length ? toCsv([Object.keys(all[0]), ...all.map((row) => Object.values(row))]) : ""
    };
  }
  var operations = { id: "operations", title: "Operations of the model", sentence: "Each operation's part of the time to the first token or to one more token.", make: make17 };

  // views/ran.js
  function factsOf({ raw, total: total2 }) {
    const { run, summary } = raw, all = [];
    const fact2 = (name, value) => {
      if (value !== void 0 && value !== null && value !== "")
        all.push([name, String(value)]);
    };
    fact2("command", run?.command?.join(" "));
    fact2("folder", raw.folder);
    fact2("version", run?.version ?? summary?.version);
    fact2("simulated", total2 ? `${timeText(total2)} (${exactTime(total2)})` : "");
    for (const [name, value] of Object.entries(summary?.result ?? {}))
      if (typeof value !== "object")
        fact2(name, value);
    fact2("digest", run?.run?.digest);
    fact2("host", run?.run?.host ? `${(+run.run.host.wall_s).toFixed(2)} s, ${(run.run.host.peak_memory_bytes / 2 ** 20).toFixed(0)} MiB` : "");
    const part = raw.tables?.["latencies.csv"] ? "cube.hbm_ctrl." : raw.network ? "cube.noc.router." : "";
    fact2("models", [...keysOf(raw.config ?? "")].filter(([key]) => key.startsWith(part) && key.endsWith(".impl")).map(([key, value]) => `${key.slice(0, -5)}: ${value}`).join(", "));
    return all;
  }
  function notesOf(app2) {
    const { raw } = app2.run, { summary } = raw, all = [], path = app2.shownPath;
    if (raw.partial)
      all.push("PARTIAL: the run hasn't ended, was interrupted or failed. This page has its results until then.");
    if (summary?.checked === false)
      all.push("No values were recorded (--timing-only): the numbers are not checked.");
    if (summary?.races > 0)
      all.push(`${summary.races} data races: accesses of one place that nothing orders.`);
    for (const what of raw.spans?.left_out ?? [])
      all.push(`Left out of the timeline: ${what}.`);
    if (raw.spans?.is_cut)
      all.push(raw.spans.title);
    for (const what of raw.left_out ?? [])
      all.push(`Left out of this page: ${what}.`);
    if (raw.explain?.why_not)
      all.push(`Not explained: ${raw.explain.why_not}.`);
    if (summary?.rows?.[0]?.limited_by !== void 0 && !raw.explain)
      all.push("Its rows say what limits them. The critical path of one of them: run it with --explain --of row:N.");
    if (!raw.spans && !summary?.rows && !isTraffic(raw))
      all.push("No spans were recorded: there is no timeline, and utilisation is of the whole run.");
    if (path?.ties > 0)
      all.push(`At ${path.ties} moments of the critical path another cause came at the same time: a worse key may cost more, a better one save less.`);
    return all;
  }
  function showDeadlocks(root, all) {
    for (const one of (all.deadlocks ?? [all]).slice(0, 20)) {
      element("h3", one.simulation ? `Deadlock of ${one.simulation}` : "Deadlock", root);
      const list = element("ul", null, root, { class: "cycles" });
      for (const cycle of one.cycles ?? [])
        element("li", "cycle: " + cycle.map((i) => one.waits[i]?.why).join("; "), list);
      for (const wait of (one.waiting ?? []).slice(0, 30))
        element("li", `${wait.process} waits for ${wait.waits_for} since ${wait.since_ns} ns, at ${(wait.at ?? []).join(", ")}`, list);
    }
  }
  function make18(root, app2) {
    const failure = element("div", null, root, { id: "failure" }), table = element("table", null, root, { id: "facts" }), notes = element("ul", null, root, { id: "notes" });
    return {
      show() {
        const { raw } = app2.run;
        for (const one of [failure, table, notes])
          one.replaceChildren();
        for (const [name, value] of factsOf(app2.run)) {
          const line2 = element("tr", null, table);
          element("th", name, line2, { scope: "row" });
          element("td", value, line2);
        }
        if (raw.failure) {
          element("p", `It ended with exit code ${raw.failure.exit_code} (${raw.failure.meaning}).`, failure, { class: "bad" });
          element("pre", raw.failure.error, failure);
        }
        if (raw.deadlock)
          showDeadlocks(failure, raw.deadlock);
        for (const note of notesOf(app2))
          element("li", note, notes);
      },
      csv: () => toCsv([["name", "value"], ...factsOf(app2.run)])
    };
  }
  var ran = { id: "ran", title: "Run", make: make18 };

  // views/roofline.js
  var wide2 = 860;
  var high3 = 400;
  var left3 = 70;
  var bottom2 = 44;
  var top2 = 14;
  var right2 = 14;
  var flopText = (rate) => `${countText(rate)}FLOP/s`;
  var intensity = (one) => one.flop / one.bytes;
  var roofAt = (one) => Math.min(one.peak || Infinity, one.bandwidth > 0 ? one.bandwidth * intensity(one) : Infinity);
  function axisOf(values, from, to) {
    const low = Math.floor(Math.log10(Math.min(...values))), high4 = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
    return { low, high: high4, at: (value) => from + (to - from) * (Math.log10(value) - low) / (high4 - low) };
  }
  function drawAxes(svg, x, y) {
    const line2 = (x1, y1, x2, y2) => drawn("line", { x1, y1, x2, y2, class: "grid" }, svg), say = (text, at, more) => {
      drawn("text", { ...at, ...more }, svg).textContent = text;
    };
    for (let power = x.low; power <= x.high; ++power) {
      const at = x.at(10 ** power);
      line2(at, top2, at, high3 - bottom2);
      say(countText(10 ** power).trim(), { x: at, y: high3 - bottom2 + 16 }, { "text-anchor": "middle" });
    }
    for (let power = y.low; power <= y.high; ++power) {
      const at = y.at(10 ** power);
      line2(left3, at, wide2 - right2, at);
      say(countText(10 ** power), { x: left3 - 6, y: at + 4 }, { "text-anchor": "end" });
    }
    say("FLOP per byte", { x: (left3 + wide2) / 2, y: high3 - 8 }, { "text-anchor": "middle" });
    say("FLOP/s", { x: left3 + 6, y: top2 + 12 }, {});
  }
  function drawRoofs(svg, all, x, y) {
    const sets = new Map(all.map((one) => [`${one.peak} ${one.bandwidth}`, one]));
    for (const { peak: peak2, bandwidth } of [...sets.values()].slice(0, 4)) {
      if (!(peak2 > 0))
        continue;
      const ridge = bandwidth > 0 ? peak2 / bandwidth : 10 ** x.low, from = 10 ** x.low, bend = Math.min(Math.max(ridge, from), 10 ** x.high);
      const flat = drawn("line", { x1: x.at(bend), y1: y.at(peak2), x2: wide2 - right2, y2: y.at(peak2), class: "roof", "data-peak": peak2 }, svg);
      drawn("title", {}, flat).textContent = `peak of the engines: ${flopText(peak2)}`;
      drawn("text", { x: wide2 - right2 - 4, y: y.at(peak2) - 5, "text-anchor": "end" }, svg).textContent = `engines: ${flopText(peak2)}`;
      if (!(bandwidth > 0))
        continue;
      const begin2 = Math.max(from, 10 ** y.low / bandwidth), slope = drawn("line", { x1: x.at(begin2), y1: y.at(begin2 * bandwidth), x2: x.at(bend), y2: y.at(bend * bandwidth), class: "roof", "data-bandwidth": bandwidth }, svg);
      drawn("title", {}, slope).textContent = `bandwidth of HBM: ${rateText(bandwidth / 1e9)}`;
      const middle = Math.sqrt(begin2 * bend);
      drawn("text", { x: x.at(middle) + 10, y: y.at(middle * bandwidth) + 14 }, svg).textContent = `HBM: ${rateText(bandwidth / 1e9)}`;
    }
  }
  function drawNames(svg, dots) {
    const taken = dots.map(({ x, y }) => [x - 5, y - 5, x + 5, y + 5]);
    for (const { x, y, one } of dots) {
      const width = 6.2 * one.name.length, box = [x + 7, y - 9, x + 7 + width, y + 4];
      if (box[2] > wide2 - right2 || taken.some(([a, b, c, d]) => a < box[2] && c > box[0] && b < box[3] && d > box[1]))
        continue;
      taken.push(box);
      drawn("text", { x: x + 7, y: y + 4 }, svg).textContent = one.name;
    }
  }
  function make19(root, app2) {
    let all = [];
    let madeOf = null;
    const pick = (one) => app2.set(factsThing(one.name, { ...one.row, "FLOP per byte": +intensity(one).toPrecision(6), achieved: flopText(one.rate), "of the roof": share(one.rate / roofAt(one)) }));
    function dot(svg, one, x, y, color) {
      const mark = drawn("circle", { cx: x, cy: y, r: 5, fill: color, class: "dot", tabindex: 0, role: "button", "data-name": one.name, "data-x": intensity(one), "data-y": one.rate }, svg);
      const says = `${one.name} (${one.group}): ${flopText(one.rate)}, ${share(one.rate / roofAt(one))} of the roof at ${countText(intensity(one)).trim()} FLOP per byte${one.limit ? `; limit: ${one.limit}` : ""}`;
      mark.setAttribute("aria-label", says);
      drawn("title", {}, mark).textContent = says;
      mark.addEventListener("click", () => pick(one));
      mark.addEventListener("keydown", (event) => {
        if (event.key === "Enter")
          pick(one);
      });
      return { x, y, one };
    }
    function redraw() {
      root.replaceChildren();
      if (!all.length)
        return;
      const groups = [...new Set(all.map((one) => one.group))], color = (one) => colors[groups.indexOf(one.group) % colors.length];
      const legend = element("p", null, root, { class: "soft" });
      groups.slice(0, 12).forEach((name, i) => {
        element("span", null, legend, { class: "swatch" }).style.background = colors[i];
        legend.append(name + "  ");
      });
      const svg = drawn("svg", { viewBox: `0 0 ${wide2} ${high3}`, class: "roofline", role: "group", "aria-label": "roofline" }, root);
      const ridges = all.flatMap((one) => one.peak > 0 && one.bandwidth > 0 ? [one.peak / one.bandwidth] : []);
      const x = axisOf([...all.map(intensity), ...ridges], left3, wide2 - right2), y = axisOf(all.flatMap((one) => [one.rate, ...one.peak > 0 ? [1.5 * one.peak] : []]), high3 - bottom2, top2);
      drawAxes(svg, x, y);
      drawRoofs(svg, all, x, y);
      drawNames(svg, all.map((one) => dot(svg, one, x.at(intensity(one)), y.at(one.rate), color(one))));
    }
    return {
      show() {
        const { raw } = app2.runs[app2.at];
        if (madeOf !== raw) {
          madeOf = raw;
          all = worksOf(raw).slice(0, 2e3);
          redraw();
        }
        return all.length > 0;
      },
      csv: () => toCsv([
        ["name", "group", "flop", "bytes", "flop_per_byte", "flop_per_s", "peak_flop_per_s", "peak_bytes_per_s", "limit"],
        ...all.map((one) => [one.name, one.group, one.flop, one.bytes, intensity(one), one.rate, one.peak, one.bandwidth, one.limit])
      ]),
      get all() {
        return all;
      }
    };
  }
  var roofline = { id: "roofline", title: "Roofline", sentence: "The rate of each operation against its FLOP per byte of memory. No operation gets above the lines: the HBM's bandwidth, and the engines' peak.", make: make19 };

  // views/rows.js
  function columnsOf(rows2) {
    const names2 = [];
    for (const row of rows2)
      for (const [name, value] of Object.entries(row))
        if (typeof value !== "object" && !names2.includes(name))
          names2.push(name);
    return names2.filter((name) => rows2.some((row) => row[name] !== rows2[0][name]) || ["correct"].includes(name) || rows2.length === 1);
  }
  var cellOf = (value) => typeof value === "number" ? +value.toPrecision(6) : value ?? "";
  function make20(root, app2) {
    const whole = () => app2.runs[app2.at];
    const table = () => {
      const { raw } = whole(), rows2 = raw.summary?.rows ?? [], limits = raw.explain?.limits ?? [];
      const names2 = columnsOf(rows2).filter((name) => name !== "limited_by");
      const limit = (i) => limits[i] ?? rows2[i].limited_by ?? "";
      const known = rows2.some((_, i) => limit(i));
      return { columns: ["row", ...known ? ["limited by"] : [], ...names2], cells: rows2.map((row, i) => [i + 1, ...known ? [limit(i)] : [], ...names2.map((name) => cellOf(row[name]))]) };
    };
    const standard = () => whole().raw.explain?.row ?? null;
    function choose(number) {
      if (app2.row === null && number === standard())
        return;
      if (whole().rows.has(number) || number === standard())
        return app2.set({ row: whole().rows.has(number) ? number : null });
      app2.set({ picked: { kind: "row", of: `row ${number}`, command: commandOf(whole().raw, ["--explain", "--of", `row:${number}`, "--out", `row${number}`]) } });
    }
    return {
      show(changed) {
        const { raw } = whole();
        if (!raw.summary?.rows?.length)
          return false;
        if (!changed.has("at") && !changed.has("row") && !changed.has("all"))
          return true;
        root.replaceChildren();
        const { columns: columns4, cells } = table(), shown3 = app2.row ?? standard();
        if (shown3 !== null)
          element("p", `Path, timeline and machine on this page are of row ${shown3} of ${cells.length}; click another row for its own.`, root, { class: "soft" });
        makeTable(root, "rows", columns4, cells, { click: (row) => choose(row[0]), marked: (row) => row[0] === shown3 });
        return true;
      },
      csv: () => {
        const { columns: columns4, cells } = table();
        return toCsv([columns4, ...cells]);
      },
      choose
    };
  }
  var rows = { id: "rows", title: "Rows", make: make20 };

  // views/slack.js
  function operationRows(path, segments, filtered2) {
    const known = new Map((path.ops ?? []).map((one) => [one.op, one])), rows2 = [];
    const shares = filtered2 ? sharesOf(segments, "op") : (path.ops ?? []).map((one) => ({ name: one.op, ps: one.ps }));
    for (const { name, ps: ps2 } of shares)
      rows2.push([name, known.get(name)?.what ?? "", known.get(name)?.line ?? "", inNs(ps2), +(100 * ps2 / Math.max(1, path.length_ps)).toFixed(2), 0, 0]);
    if (filtered2)
      return rows2;
    for (const one of path.op_slack ?? [])
      rows2.push([one.op, one.what, one.line ?? "", 0, 0, inNs(one.ps), inNs(one.steady_ps)]);
    return rows2;
  }
  function launchRows(paths) {
    return paths.filter((one) => one.kernel).map((one) => [one.of, inNs(one.begin_ps), inNs(one.end_ps), inNs(one.length_ps), one.limited_by ?? "", inNs(one.own_slack?.ps), inNs(one.own_slack?.steady_ps)]);
  }
  var later = ["slack, ns", "slack if no order flips, ns"];
  var ofLaunches2 = ["launch", "from, ns", "to, ns", "takes, ns", "limited by", ...later];
  var ofOperations = ["operation", "what", "line", "on the path, ns", "% of it", ...later];
  function make21(root, app2) {
    const line2 = element("p", null, root), find = field(line2, "search", { id: "findop", type: "search", placeholder: "operation, line" });
    element("span", " slack: how much later it could have ended with an equally long path, as long as no order flips", line2, { class: "soft" });
    const box = element("div", null, root, { id: "slacks" });
    let tables = [], last = [];
    const search = () => {
      for (const table of tables)
        table.search(find.value);
    };
    find.addEventListener("input", search);
    return {
      show(changed) {
        if (!["at", "row", "path", "reason", "all"].some((one) => changed.has(one)))
          return tables.length > 0;
        const { paths } = app2.run, path = app2.shownPath;
        box.replaceChildren();
        tables = [];
        const launches = launchRows(paths), operations2 = path ? operationRows(path, app2.segments, app2.reason !== null) : [];
        last = operations2;
        if (launches.length + operations2.length === 0)
          return false;
        if (launches.length)
          tables.push(makeTable(box, "launches", ofLaunches2, launches, { click: (row) => {
            const at = paths.findIndex((one) => one.of === row[0]);
            if (at >= 0)
              app2.set({ path: at });
          } }));
        if (operations2.length)
          tables.push(makeTable(box, `operations of ${path.of}`, ofOperations, operations2, { order: 3, click: (row) => app2.set({ picked: { kind: "operation", of: row[0], what: row[1], line: row[2] } }) }));
        if (!paths.some((one) => one.own_slack || one.op_slack?.length))
          element("p", "Slacks of what isn't on the path are in the page of kbsim explain.", box, { class: "soft" });
        if (path?.ops_left_out)
          element("p", "The end of this list is left out: explain.json has it.", box, { class: "soft" });
        search();
        return true;
      },
      csv: () => toCsv([ofOperations, ...last]),
      all: () => tables
    };
  }
  var slack = { id: "slack", title: "Launches and operations", make: make21 };

  // views/timeline_view.js
  var helpTexts = [
    "Drag: pan. Shift and drag, or drag along the times: select a span, and sum up its slices. Ctrl and wheel, or two fingers: zoom. Double click: zoom to a slice.",
    "Click a name: fold or unfold it, and show its unit at the side. Click the pin in front of it: keep it on top. Click a kind in the legend: the others become pale.",
    "Keys in the picture: \u2191 \u2193 choose a line, \u2190 \u2192 fold and unfold it, p pins it, Esc chooses none. Without a line \u2190 \u2192 pan; Shift \u2190 \u2192 always do. + and \u2212 zoom, 0 shows all, Enter goes to the next one found."
  ];
  function make22(root, app2) {
    const line2 = element("p", null, root), search = field(line2, "search", { id: "search", type: "search", placeholder: "name, line or track" });
    const found = element("span", null, line2, { id: "found", "aria-live": "polite" });
    const filter = field(line2, "filter", { id: "lines", type: "search", placeholder: "sip0.cube3 or *.pe_dma", title: "only lines with such a label, and those around them" });
    const range = element("span", null, line2, { id: "range" }), status = element("span", null, line2, { id: "focused", role: "status", class: "soft" });
    const box = element("div", null, root), legend = element("div", null, root, { id: "legend" });
    const help = element("details", null, root);
    element("summary", "mouse, touch and keys", help);
    for (const text of helpTexts)
      element("p", text, help, { class: "soft" });
    const view = { timeline: (
      /** @type {any} */
      null
    ) }, kept = noChoices();
    let shownOf = null, last = null;
    filter.addEventListener("input", () => view.timeline?.filter(filter.value));
    search.addEventListener("input", () => view.timeline?.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter")
        view.timeline?.next();
    });
    function remake() {
      const { raw } = app2.run, canvas = element("canvas", null, null, { id: "canvas", tabindex: 0, "aria-label": "timeline" });
      box.replaceChildren(canvas);
      view.timeline = makeTimeline(canvas, raw.spans, {
        details: byId("details"),
        range,
        found,
        legend,
        status,
        filter,
        kept,
        wheel: "ctrl",
        moved: (from, to) => {
          last = [from, to];
          app2.set({ range: last });
        },
        picked: (thing) => app2.set({ picked: thing })
      });
      shownOf = app2.run;
      last = null;
    }
    return {
      show(changed) {
        if (!app2.run.raw.spans)
          return false;
        if (shownOf !== app2.run)
          remake();
        const parts = app2.segments.map((one) => ({ from: one.from, to: one.to, color: colorOf2(one.reason), text: one.reason, place: one.place }));
        if (["all", "at", "row", "path", "reason"].some((one) => changed.has(one)))
          view.timeline.setPath(parts.length ? parts : null);
        const [from, to] = app2.range;
        if (last === null || last[0] !== from || last[1] !== to) {
          last = [from, to];
          view.timeline.show(from, to, false);
        }
        view.timeline.redraw();
        return true;
      },
      get timeline() {
        return view.timeline;
      }
    };
  }
  var timeline = { id: "timeline", title: "Timeline", make: make22 };

  // report.js
  var kinds2 = [answer, compare, why, rows, findings, operations, roofline, machine, timeline, matrix, memory, keys, slack, curves, lists, ran];
  var data = JSON.parse(byId("data").textContent);
  var app = makeApp(data.sweep ? [] : data.map(makeRun));
  function showVerdict2() {
    const { raw, total: total2 } = app.run, { summary, failure, run } = raw, box = byId("verdict");
    const name = summary?.bench ?? summary?.title ?? raw.spans?.title ?? run?.command?.slice(0, 4).join(" ") ?? raw.folder;
    const length = app.run.paths[app.run.measured]?.length_ps ?? (isTraffic(raw) ? 0 : total2);
    byId("title").textContent = document.title = `kbsim ${String(name).replace(/^kbsim /, "")}` + (app.row !== null ? `, row ${app.row}` : "") + (length ? `, ${timeText(length)}` : "");
    box.replaceChildren();
    const say = (text, look) => element("span", text + " ", box, { class: look });
    if (failure)
      say(`failed: exit code ${failure.exit_code}, ${failure.meaning}.`, "bad");
    else if (raw.partial)
      say("PARTIAL: not whole.", "bad");
    if (summary?.correct === true)
      say("All numbers are right.", "good");
    else if (summary?.correct === false)
      say("Wrong numbers.", "bad");
    else if (!isTraffic(raw))
      say("Numbers are not checked.", "soft");
    if (run?.run?.digest)
      say(`digest ${run.run.digest}`, "soft");
    if (app.runs.length > 1)
      app.runs.forEach((one, i) => button(`${i ? "second" : "first"} run: ${one.raw.folder}`, box, () => app.set({ at: i }), { class: "run", "aria-pressed": i === app.at }));
  }
  function showChosen2() {
    const box = byId("chosen");
    box.hidden = app.reason === null && !app.hasRange && app.row === null;
    box.replaceChildren();
    if (app.reason !== null)
      button(`only: ${app.reason} \u2715`, box, () => app.set({ reason: null }));
    if (app.hasRange)
      button(`time: ${app.range.map(timeText).join(" to ")} \u2715`, box, () => app.set({ range: null }), { class: "range" });
    if (app.row !== null)
      button(`row ${app.row} \u2715`, box, () => app.set({ row: null }));
  }
  function showRuns() {
    app.on(showVerdict2);
    const views = makeViews(app, kinds2);
    makePanel(app);
    app.on(showChosen2);
    globalThis.kbsim = { app, views, byId, changeOf, bettered, makeTimeline, ...views };
    app.set({ ...app.choiceIn(location.hash), ...{ all: true } });
  }
  if (data.sweep)
    makeSweepPage(data.sweep);
  else
    showRuns();
})();
