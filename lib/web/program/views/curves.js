// Figures of a run's folder, and of synthetic traffic.
import {plot} from "../chart.js";
import {isNumber, parseCsv} from "../csv.js";
import {element} from "../dom.js";
import {isTraffic} from "../run.js";
import {makeTable} from "../table.js";
import {showTraffic} from "./traffic.js";

function showFigure(root, figure) {
  const {columns, rows} = parseCsv(figure.csv), box = element("div", null, root, {class: "chart figure"});
  const positive = value => (isNumber(value) ? +value : null);
  if (columns.length < 2 || rows.length < 2 || !rows.every(row => isNumber(row[0])))
    return void makeTable(box, figure.title || figure.name, columns, rows);
  rows.sort((a, b) => +a[0] - +b[0]);
  const numeric = columns.map((_, i) => i).slice(1).filter(i => rows.some(row => isNumber(row[i] ?? "")));
  const lines = numeric.map(i => ({label: columns[i], values: rows.map(row => positive(row[i] ?? ""))}));
  const fits = side => side.every(value => value === null || value > 0);
  const xs = rows.map(row => +row[0]);
  plot(box, {...figure, title: figure.title || figure.name, log_x: figure.log_x && fits(xs), log_y: figure.log_y && lines.every(line => fits(line.values))}, xs, lines, 640);
}

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const figures = element("div", null, root, {id: "figures"});
  return {
    show(changed) {
      const {raw} = app.run;
      if (!changed.has("at") && !changed.has("all")) return figures.childElementCount > 0;
      figures.replaceChildren();
      if (isTraffic(raw)) return showTraffic(figures, raw);
      for (const figure of raw.figures ?? []) showFigure(figures, figure);
      return (raw.figures ?? []).length > 0;
    },
    csv: () => (app.run.raw.figures ?? []).map(figure => `# ${figure.title || figure.name}\n${figure.csv}`).join("\n"),
  };
}

/** @type {import("../page.js").ViewKind} */
export const curves = {id: "curves", title: "Curves", make};
