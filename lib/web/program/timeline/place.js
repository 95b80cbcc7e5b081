// Where lines and times stand on the canvas.

export const rowHeight = 18, axisHeight = 24;

/** Most of a timeline's height that pinned lines take. */
const mostPinned = 0.5;

/** @param {HTMLCanvasElement} canvas @param {{from: number, to: number, top: number}} view @param {() => {path: any, pinned: number}} above what stands above the lines */
export function makePlace(canvas, view, above) {
  const place = {
    left: 0, width: 0, height: 0,
    get scale() { return (place.width - place.left) / (view.to - view.from); },
    get pathY() { return axisHeight; },
    get pinsY() { return axisHeight + (above().path ? rowHeight + 4 : 0); },
    /** Pinned lines that have room. */
    get pins() { return Math.min(above().pinned, Math.max(1, Math.floor(mostPinned * canvas.clientHeight / rowHeight))); },
    get firstY() { return place.pinsY + (above().pinned ? place.pins * rowHeight + 4 : 0); },
    /** Lines that are in sight. */
    get shown() { return Math.max(1, Math.floor((canvas.clientHeight - place.firstY) / rowHeight)); },
    xOf: time => place.left + (time - view.from) * place.scale,
    timeOf: x => view.from + (x - place.left) / place.scale,
    /** Takes the canvas's size, at the screen's resolution. @param {CanvasRenderingContext2D} pen */
    measure(pen) {
      const ratio = window.devicePixelRatio || 1, wide = canvas.clientWidth, high = canvas.clientHeight;
      if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
        canvas.width = Math.round(wide * ratio);
        canvas.height = Math.round(high * ratio);
      }
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      place.width = wide; place.height = high;
      place.left = Math.min(260, wide / 3);
    },
  };
  return place;
}
