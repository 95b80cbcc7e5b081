// A reader's choice on the page of a sweep: metric, axes, filters, scales and point; kept in the page's address.
import {bestOf, companions} from "./sweep.js";

/**
 * @typedef {import("./sweep.js").Sweep} Sweep @typedef {import("./sweep.js").Axis} Axis @typedef {import("./sweep.js").Quantity} Quantity
 * @typedef {ReturnType<typeof makeSweepApp>} SweepApp
 * @typedef {{metric: string | null, goal: "max" | "min" | null, x: string | null, map_x: string | null, map_y: string | null, a: string | null, b: string | null,
 *   goal_a: "max" | "min" | null, goal_b: "max" | "min" | null, log_x: boolean | null, log_y: boolean, log_map: boolean, log_a: boolean | null, log_b: boolean | null,
 *   hidden: Map<number, Set<number>>, fixed: Map<number, number>, point: number | null}} Choice
 *   null: the page's own; hidden: by axis, the values without a check; fixed: by axis, the heat map's value
 */

const goals = ["goal", "goal_a", "goal_b"], names = ["metric", "x", "map_x", "map_y", "a", "b"], flags = ["log_x", "log_y", "log_map", "log_a", "log_b"];

/** @returns {Choice} */
const nothing = () => ({metric: null, goal: null, x: null, map_x: null, map_y: null, a: null, b: null, goal_a: null, goal_b: null,
  log_x: null, log_y: false, log_map: false, log_a: null, log_b: null, hidden: new Map(), fixed: new Map(), point: null});

/** @param {Sweep} sweep */
export function makeSweepApp(sweep) {
  /** @type {((changed: Set<string>) => void)[]} */
  const listeners = [];
  const chosen = nothing(), axisOf = name => sweep.varied.find(axis => axis.name === name);
  let shown = sweep.all;
  const usual = usualAxes(sweep);
  const app = {
    sweep,
    get choice() { return chosen; },
    /** Points that the filters leave. */
    get shown() { return shown; },
    get metric() { return sweep.quantity(chosen.metric) ?? sweep.quantity(sweep.raw.metric) ?? sweep.metrics[0]; },
    get larger() { return chosen.goal ? chosen.goal === "max" : app.metric?.larger ?? false; },
    get best() { return bestOf(app.metric, app.larger, shown); },
    /** Axis of the curves. @returns {Axis | undefined} */
    get x() { return axisOf(chosen.x) ?? usual.x; },
    get logX() { return app.x?.numbers !== null && (chosen.log_x ?? app.x?.arePowers ?? false); },
    get mapX() { return axisOf(chosen.map_x) ?? usual.x; },
    /** @returns {Axis | undefined} */
    get mapY() {
      const x = app.mapX, asked = axisOf(chosen.map_y);
      if (!x) return undefined;
      return [asked, usual.y, ...sweep.varied].find(axis => axis && !companions(sweep, x).includes(axis));
    },
    /** The two quantities of the front, and whether larger ones are better. */
    get front() {
      const given = sweep.raw.front, a = sweep.quantity(chosen.a ?? given?.[0].name ?? null) ?? app.metric;
      const b = sweep.quantity(chosen.b ?? given?.[1].name ?? null) ?? partnerOf(sweep, a);
      const goal = (own, i, what) => (own ? own === "max" : given && given[i].name === what?.name ? given[i].larger : what?.larger ?? false);
      return {a, b, logA: chosen.log_a ?? a?.arePowers ?? false, logB: chosen.log_b ?? b?.arePowers ?? false, largerA: goal(chosen.goal_a, 0, a), largerB: goal(chosen.goal_b, 1, b)};
    },
    /** Takes a choice, and shows it in all views. Another axis has its own scale. @param {Partial<Choice> & {all?: boolean}} choice */
    set(choice) {
      const changed = new Set(Object.keys(choice));
      if ("x" in choice && !("log_x" in choice)) chosen.log_x = null;
      if ("metric" in choice && !("goal" in choice)) chosen.goal = null;
      if ("a" in choice && !("goal_a" in choice)) chosen.goal_a = chosen.log_a = null;
      if ("b" in choice && !("goal_b" in choice)) chosen.goal_b = chosen.log_b = null;
      const {all: _, ...own} = choice;
      Object.assign(chosen, own);
      if (choice.hidden || choice.all) shown = left(sweep, chosen.hidden);
      for (const listener of listeners) listener(changed);
      try { history.replaceState(null, "", addressOf(sweep, chosen) || "#"); } catch { /* a frame without an address */ }
    },
    /** Shows or hides a value of an axis. */
    show(axis, value, on) {
      const hidden = new Map(chosen.hidden), values = new Set(hidden.get(axis.index));
      if (on) values.delete(value); else values.add(value);
      if (values.size) hidden.set(axis.index, values); else hidden.delete(axis.index);
      app.set({hidden});
    },
    /** Shows these values of an axis alone. @param {Axis} axis @param {(value: number) => boolean} keeps */
    keep(axis, keeps) {
      const hidden = new Map(chosen.hidden), values = new Set(axis.values.map((_, i) => i).filter(i => !keeps(i)));
      if (values.size) hidden.set(axis.index, values); else hidden.delete(axis.index);
      app.set({hidden});
    },
    /** Calls `listener` with the names of each choice's changes. @param {(changed: Set<string>) => void} listener */
    on(listener) { listeners.push(listener); },
    /** The choice in an address, as set() wrote it; what doesn't fit this sweep is passed over. @param {string} address @returns {Choice} */
    choiceIn(address) { return choiceOf(address, sweep); },
  };
  return app;
}

/** The numeric axis with the most values, and the axis with the most among the others. @param {Sweep} sweep */
function usualAxes(sweep) {
  const most = axes => axes.reduce((best, axis) => (!best || axis.values.length > best.values.length ? axis : best), /** @type {Axis | undefined} */ (undefined));
  const x = most(sweep.varied.filter(axis => axis.numbers)) ?? most(sweep.varied);
  return {x, y: x && most(sweep.varied.filter(axis => !companions(sweep, x).includes(axis)))};
}

/** A quantity for a front beside `a`: of another unit, not equal everywhere. @param {Sweep} sweep @param {Quantity | undefined} a */
function partnerOf(sweep, a) {
  const differs = what => { const first = sweep.all.map(what.of).find(isFinite); return sweep.all.some(point => isFinite(what.of(point)) && what.of(point) !== first); };
  const others = sweep.quantities.filter(one => one !== a);
  const axes = others.filter(one => !sweep.metrics.includes(one)), metrics = others.filter(one => sweep.metrics.includes(one));
  return metrics.find(one => one.unit !== a?.unit && one.unit !== "1" && differs(one)) ?? axes[0] ?? metrics.find(differs) ?? others[0];
}

/** @param {Sweep} sweep @param {Map<number, Set<number>>} hidden */
function left(sweep, hidden) {
  if (!hidden.size) return sweep.all;
  const all = [...hidden].map(([axis, values]) => ({at: sweep.axes[axis].at, values}));
  return sweep.all.filter(point => all.every(({at, values}) => !values.has(at[point])));
}

/** "#metric=kernel_ns&not.algorithm=ring": few checked values are listed as only.AXIS. */
function addressOf(sweep, chosen) {
  const words = new URLSearchParams();
  for (const name of [...names, ...goals]) if (chosen[name] !== null) words.set(name, chosen[name]);
  for (const name of flags) if (chosen[name] !== nothing()[name]) words.set(name, chosen[name] ? "1" : "0");
  for (const [index, values] of chosen.hidden) {
    const axis = sweep.axes[index], few = 2 * values.size <= axis.values.length;
    if (!few && values.size === axis.values.length) words.append(`none.${axis.name}`, "1");
    else axis.values.forEach((text, i) => { if (values.has(i) === few) words.append(`${few ? "not" : "only"}.${axis.name}`, text); });
  }
  for (const [index, value] of chosen.fixed) words.append(`at.${sweep.axes[index].name}`, sweep.axes[index].values[value]);
  if (chosen.point !== null) words.set("point", String(sweep.number(chosen.point)));
  const text = words.toString();
  return text && "#" + text;
}

/** @param {string} address @param {Sweep} sweep */
function choiceOf(address, sweep) {
  const words = new URLSearchParams(address.replace(/^#/, "")), choice = nothing();
  for (const name of names) {
    const value = words.get(name), fits = ["metric", "a", "b"].includes(name) ? sweep.quantity(value) : sweep.varied.some(axis => axis.name === value);
    if (value !== null && fits) choice[name] = value;
  }
  for (const name of goals) { const value = words.get(name); if (value === "max" || value === "min") choice[name] = value; }
  for (const name of flags) if (words.has(name)) choice[name] = words.get(name) === "1";
  for (const axis of sweep.axes) {
    const of = word => new Set(words.getAll(`${word}.${axis.name}`).map(text => axis.values.indexOf(text)).filter(i => i >= 0));
    const not = of("not"), only = of("only"), [fixed] = of("at");
    if (only.size) axis.values.forEach((_, i) => { if (!only.has(i)) not.add(i); });
    if (words.has(`none.${axis.name}`)) axis.values.forEach((_, i) => not.add(i));
    if (not.size) choice.hidden.set(axis.index, not);
    if (fixed !== undefined) choice.fixed.set(axis.index, fixed);
  }
  const number = words.get("point"), point = number === null || number === "" ? -1 : sweep.byNumber(Number(number));
  if (point >= 0) choice.point = point;
  return choice;
}
