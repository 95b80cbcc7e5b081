// The line that keys are for.

/**
 * @param {import("./timeline.js").Chart} chart
 * @param {{fold(node: any, open: boolean): void, scrollTo(top: number): void, say(text: string): void}} acts
 */
export function makeFocus({lines, view, state, place}, {fold, scrollTo, say}) {
  function focus(node) {
    state.focus = node?.id ?? null;
    say(node ? `${node.label.slice(0, 200)}${lines.isFoldable(node) ? (lines.isOpen(node) ? ", open" : ", folded") : ""}` : "");
  }
  const focused = () => (state.focus === null ? null : lines.nodeById(state.focus));
  /** Moves the focus up or down, to a line with a name. */
  function moveFocus(step) {
    const node = focused();
    let index = node ? lines.all.findIndex(one => one.node === node) : view.top - step;
    if (node && index < 0) index = lines.lineOf(node) - step;
    do index += step; while (lines.all[index] && !lines.all[index].isFirst);
    if (!lines.all[index]) return;
    focus(lines.all[index].node);
    if (index < view.top) scrollTo(index); else if (index >= view.top + place.shown) scrollTo(index - place.shown + 1);
  }
  /** Unfolds the focused line, or goes to the first below it; folds it, or goes to the one around it. */
  function turn(open) {
    const node = focused();
    if (lines.isFoldable(node) && lines.isOpen(node) !== open) { fold(node, open); return focus(node); }
    if (open) { if (lines.isFoldable(node) && node.children.length) moveFocus(1); return; }
    const around = node.group ?? node.parent;
    if (around && around.kind !== "root") { focus(around); scrollToLine(around); }
  }
  function scrollToLine(node) {
    const index = lines.lineOf(node);
    if (index >= 0 && (index < view.top || index >= view.top + place.shown)) scrollTo(index);
  }
  return {focus, focused, moveFocus, turn};
}
