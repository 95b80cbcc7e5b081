// A canvas as sharp as the screen, in the page's colours.
import {element} from "./dom.js";

/** A colour of the style sheet. @param {string} name */
export const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** @param {HTMLElement} parent @param {string} label @returns {HTMLCanvasElement} */
export const makeCanvas = (parent, label) => element("canvas", null, parent, {class: "plane", tabindex: 0, role: "img", "aria-label": label});

/** Sets the size, clears, and gives a pen in CSS pixels. @param {HTMLCanvasElement} canvas @param {number} height */
export function begin(canvas, height) {
  const width = Math.max(300, canvas.parentElement?.clientWidth || 900), scale = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  canvas.style.height = height + "px";
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px sans-serif";
  return {pen, width, height};
}

/** A text cut to a width. @param {CanvasRenderingContext2D} pen @param {string} text @param {number} width */
export function fitted(pen, text, width) {
  let few = text.length > 200 ? text.slice(0, 200) + "…" : text;
  if (pen.measureText(few).width <= width) return few;
  let low = 0, high = few.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(few.slice(0, middle) + "…").width <= width) low = middle; else high = middle - 1;
  }
  return low ? few.slice(0, low) + "…" : "";
}

/** Round values between two, about as many as fit. @param {number} low @param {number} high @param {boolean} log @param {number} count */
export function ticksOf(low, high, log, count) {
  if (!(high > low)) return [low];
  const decades = log ? Math.log10(high / low) : 0;
  if (decades >= 1.2) {
    const all = [], step = Math.max(1, Math.ceil(decades / count));
    for (let at = Math.floor(Math.log10(low)); at <= Math.ceil(Math.log10(high)); at += step)
      for (const digit of step === 1 && decades < 3 ? [1, 2, 5] : [1]) all.push(digit * 10 ** at);
    return all.filter(value => value >= low * 0.9999 && value <= high * 1.0001);
  }
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find(digit => digit * power >= raw) ?? 10), all = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; ++at) all.push(+(at * step).toPrecision(12));
  return all;
}
