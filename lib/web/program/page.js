// The frame of a page: a header, views one below the other, and the panel beside them. A view is a file with a
// ViewKind, and a line in report.js.
import {button, byId, element} from "./dom.js";
import {pictureOf, save} from "./save.js";

/**
 * @typedef {import("./state.js").App} App
 * @typedef {{show(changed: Set<string>): boolean | void, csv?(): string, [more: string]: any}} View
 *   show() draws what the changes concern; false: there is nothing to show, and the view is hidden.
 *   csv() is the view's table, for its CSV button.
 * @typedef {{id: string, title: string, sentence?: string, make(root: HTMLElement, app: App): View}} ViewKind
 */

/** A view that can't be shown says so, and the others stand. */
function shown(root, view, changed) {
  try { return view.show(changed) !== false; }
  catch (error) {
    root.querySelector(".broken")?.remove();
    element("p", `This view can't be shown: ${error.message}`, root, {class: "bad broken"});
    return true;
  }
}

/**
 * Makes the views, and shows them whenever a choice changes.
 * @param {App} app @param {ViewKind[]} kinds
 * @returns {Record<string, View>} by id
 */
export function makeViews(app, kinds) {
  const all = kinds.map(kind => {
    const section = element("section", null, byId("main"), {id: kind.id});
    const head = element("div", null, section, {class: "head"});
    const title = element("h2", kind.title, head, kind.sentence ? {title: kind.sentence} : {});
    const tools = element("span", null, head, {class: "tools"});
    const root = element("div", null, section, {class: "view"});
    const view = kind.make(root, app);
    button("PNG", tools, () => { const picture = pictureOf(root); if (picture) save(picture, kind.id + ".png"); }, {title: "save this view's picture", class: "png"});
    if (view.csv) button("CSV", tools, () => save(new Blob([view.csv?.() ?? ""], {type: "text/csv"}), kind.id + ".csv"), {title: "save this view's table", class: "csv"});
    return {kind, section, root, tools, title, view};
  });
  const show = changed => {
    for (const {section, root, tools, view} of all) {
      section.hidden = !shown(root, view, changed);
      tools.querySelector(".png").hidden = !root.querySelector("canvas, svg");
    }
    showLinks(all);
  };
  app.on(show);
  return Object.fromEntries(all.map(({kind, view}) => [kind.id, view]));
}

function showLinks(all) {
  const nav = byId("views");
  nav.replaceChildren();
  for (const {section, kind} of all)
    if (!section.hidden) button(section.querySelector("h2").textContent || kind.title, nav, () => section.scrollIntoView({block: "start"}), {class: "link"});
}
