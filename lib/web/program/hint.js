// The note beside the pointer, or beside what the keyboard is at.
import {byId, shortened} from "./dom.js";

/** @param {number} x @param {number} y of the window @param {string[]} lines */
export function showHint(x, y, lines) {
  const box = byId("details");
  box.textContent = lines.map(line => shortened(line.replaceAll("\n", " "), 160)).join("\n");
  box.style.display = "block";
  const {width, height} = box.getBoundingClientRect();
  box.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 8)) + "px";
  box.style.top = Math.max(4, y + 16 + height > innerHeight ? y - height - 10 : y + 16) + "px";
}

export const hideHint = () => { byId("details").style.display = "none"; };
