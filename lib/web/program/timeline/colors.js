// Colours of a timeline, as text, as pixels, and of letters on them.

/** The pixel of a colour, as a canvas's data has it. @param {string} color @returns {number} */
export function pixelOf(color) {
  const one = new OffscreenCanvas(1, 1).getContext("2d");
  one.fillStyle = color;
  one.fillRect(0, 0, 1, 1);
  return new Uint32Array(one.getImageData(0, 0, 1, 1).data.buffer)[0];
}
/** The same, pale: of what isn't searched for. @param {number} pixel */
export const paleOf = pixel => ((pixel & 0xffffff) | 0x40000000) >>> 0;

/** Black or white, by which is read more easily on a pixel's colour. @param {number} pixel */
export function inkOn(pixel) {
  const parts = [pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255].map(part => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] > 0.18 ? "#111" : "#fff";
}

/** Colours of the page, light or dark. */
export function pageColors() {
  const style = getComputedStyle(document.documentElement), all = /** @type {Record<string, string>} */ ({});
  for (const one of ["text", "back", "line", "band", "mark", "soft"]) all[one] = style.getPropertyValue("--" + one) || "#888";
  return all;
}
