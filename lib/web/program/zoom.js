// Zoom and pan of a drawing: Ctrl and wheel zoom at the pointer, a drag pans, + − 0 and arrows do the same.

/** @param {HTMLElement} box holds one svg, which may be replaced */
export function zoomable(box) {
  box.tabIndex = 0;
  const state = {whole: /** @type {number[] | null} */ (null), held: /** @type {any} */ (null)};
  const svg = () => box.querySelector("svg");
  const seen = () => (svg()?.getAttribute("viewBox") ?? "0 0 1 1").split(/[ ,]+/).map(Number);
  const see = view => svg()?.setAttribute("viewBox", view.map(v => +v.toFixed(3)).join(" "));
  const remember = () => { state.whole ??= seen(); };
  /** Which point of the drawing is at a pointer. */
  function pointAt(event) {
    const matrix = svg()?.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : {x: 0, y: 0};
  }
  function scale(factor, at) {
    remember();
    const [x, y, width, height] = seen(), whole = /** @type {number[]} */ (state.whole);
    const wide = Math.min(whole[2], Math.max(whole[2] / 40, width * factor)), by = wide / width;
    see([at.x - (at.x - x) * by, at.y - (at.y - y) * by, wide, height * by]);
  }
  function move(dx, dy) { remember(); const [x, y, width, height] = seen(); see([x + dx, y + dy, width, height]); }
  const middle = () => { const [x, y, width, height] = seen(); return {x: x + width / 2, y: y + height / 2}; };

  box.addEventListener("wheel", event => {
    if (!event.ctrlKey || !svg()) return;
    event.preventDefault();
    scale(event.deltaY > 0 ? 1.25 : 0.8, pointAt(event));
  }, {passive: false});
  box.addEventListener("pointerdown", event => { if (svg()) { remember(); state.held = {at: pointAt(event), moved: false}; } });
  box.addEventListener("pointermove", event => {
    if (!state.held || !event.buttons) return void (state.held = null);
    const now = pointAt(event), {at} = state.held;
    if (Math.hypot(now.x - at.x, now.y - at.y) > 3) state.held.moved = true;
    if (state.held.moved) move(at.x - now.x, at.y - now.y);
  });
  box.addEventListener("pointerup", () => { state.held = null; });
  box.addEventListener("keydown", event => {
    const step = seen()[2] / 10;
    const keys = {"+": () => scale(0.8, middle()), "-": () => scale(1.25, middle()), "0": reset, ArrowLeft: () => move(-step, 0), ArrowRight: () => move(step, 0), ArrowUp: () => move(0, -step), ArrowDown: () => move(0, step)};
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  function reset() { if (state.whole && svg()) see(state.whole); state.whole = null; }
  return {reset};
}
