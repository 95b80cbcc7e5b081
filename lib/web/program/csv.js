// Tables as files have them.

/** True for a text that is a number. @param {any} text */
export const isNumber = text => text !== "" && text !== null && isFinite(text);

/**
 * "size,sum\n1,2\n" as {columns, rows}. Cells in quotes may have commas.
 * @param {string} text
 * @returns {{columns: string[], rows: string[][]}}
 */
export function parseCsv(text) {
  const quoted = line => (line.match(/("([^"]|"")*"|[^,]*),/g) ?? []).map(cell => cell.slice(0, -1).replace(/^"(.*)"$/, "$1").replaceAll('""', '"'));
  const cells = line => (line.includes('"') ? quoted(line + ",") : line.split(","));
  const lines = text.split("\n").filter(Boolean);
  return lines.length ? {columns: cells(lines[0]), rows: lines.slice(1).map(cells)} : {columns: [], rows: []};
}

/** Rows as text: cells with commas, quotes or line ends are quoted. @param {(string | number)[][]} rows */
export function toCsv(rows) {
  const cell = value => { const text = String(value ?? ""); return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
  return rows.map(row => row.map(cell).join(",") + "\n").join("");
}

/** The rows of a table as objects. @param {string | undefined} text @returns {Record<string, string>[]} */
export function recordsOf(text) {
  const {columns, rows} = parseCsv(text ?? "");
  return rows.map(row => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
}
