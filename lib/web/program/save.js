// Pictures and tables of views, as files. Nothing leaves the page but through the browser's own download.
import {element} from "./dom.js";

/** Offers a file. @param {Blob | Promise<Blob | null>} what @param {string} name */
export async function save(what, name) {
  const blob = await what;
  if (!blob) return;
  const link = element("a", null, null, {download: name, href: URL.createObjectURL(blob)});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const background = () => getComputedStyle(document.documentElement).getPropertyValue("--back").trim() || "#fff";

/** A view's largest canvas or drawing as PNG; null if it has none. @param {ParentNode} root @returns {Promise<Blob | null> | null} */
export function pictureOf(root) {
  const area = one => one.getBoundingClientRect().width * one.getBoundingClientRect().height;
  const all = [...root.querySelectorAll("canvas, svg")].sort((a, b) => area(b) - area(a));
  if (!all.length) return null;
  return all[0] instanceof HTMLCanvasElement ? fromCanvas(all[0]) : fromDrawing(/** @type {SVGElement} */ (all[0]));
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob | null>} */
function fromCanvas(canvas) {
  const copy = new OffscreenCanvas(canvas.width, canvas.height), pen = /** @type {OffscreenCanvasRenderingContext2D} */ (copy.getContext("2d"));
  pen.fillStyle = background();
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  return copy.convertToBlob({type: "image/png"});
}

/** The drawing with the styles that it has now. @param {SVGElement} svg @returns {Promise<Blob | null>} */
function fromDrawing(svg) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true)), from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-family", "visibility"]) /** @type {any} */ (to[i]).style[name] = style.getPropertyValue(name);
  });
  const {width, height} = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width)); copy.setAttribute("height", String(height));
  const image = new Image(), url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], {type: "image/svg+xml"}));
  return new Promise(done => {
    image.onload = () => {
      const canvas = new OffscreenCanvas(2 * width, 2 * height), pen = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
      pen.fillStyle = background();
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(url);
      done(canvas.convertToBlob({type: "image/png"}));
    };
    image.onerror = () => done(null);
    image.src = url;
  });
}
