// A chart as a stand-alone picture: SVG with its title, axes and colors.

import type { Facet, FacetCounts } from "../messages.ts";
import { HIGH, isSame, mostOf, path, WIDE } from "./chart.ts";
import { boundIn, textIn, type Format } from "../texts.ts";
import { count, shortCount, shown } from "./words.ts";

export const INK = "#16181d";
export const QUIET = "#5b6270";
export const ACCENT = "#2754c5";
const MUTED = "#d5d9e1";
export const TINT = "#c9d6f5";
const FAINT = "#eef0f4";

const MARGIN = 16;
export const TITLE = 28;
export const LINE = 22;

/** Empty if the facet has no chart. */
export function pictureOf(
  facet: Facet,
  format: Format,
  whole: FacetCounts | undefined,
  part: FacetCounts | undefined,
): string {
  if (part === undefined || facet.kind === "search") return "";
  const title = text(0, 16, shown(facet.field), `font-weight="600" fill="${INK}"`);
  if ("values" in part) {
    const { values, found } = part;
    const mostOfAll = Math.max(1, ...values.map(({ all }) => all));
    const most = Math.max(1, ...values.map((each) => each.count));
    const bar = (top: number, length: number, color: string) =>
      `<rect y="${top}" width="${(length * WIDE).toFixed(2)}" height="${LINE - 2}" fill="${color}"/>`;
    const lines = values.map(({ value, count: counted, all }, i) => {
      const top = TITLE + i * LINE;
      return [
        bar(top, all / mostOfAll, FAINT),
        bar(top, counted / most, TINT),
        text(6, top + 15, textIn(value, format), `fill="${INK}"`),
        text(WIDE - 6, top + 15, count(counted), `fill="${INK}" text-anchor="end"`),
      ].join("");
    });
    const bottom = TITLE + values.length * LINE;
    const notes = [
      ...(found > values.length ? [`and ${count(found - values.length)} more`] : []),
      ...(most === mostOfAll ? [] : [scalesText(most, mostOfAll)]),
    ].join("; ");
    if (notes === "") return framed(title + lines.join(""), bottom);
    const below = text(0, bottom + 15, notes, `fill="${QUIET}"`);
    return framed(title + lines.join("") + below, bottom + LINE);
  }
  if (facet.kind !== "range") return "";
  const { from, end, edges, step } = facet;
  const legend = isSame(whole, part)
    ? `up to ${shortCount(mostOf(part))}`
    : scalesText(mostOf(part), mostOf(whole));
  const bottom = TITLE + HIGH;
  return framed(
    [
      title,
      `<g transform="translate(0 ${TITLE})">`,
      `<path fill="${MUTED}" d="${path(whole, edges, mostOf(whole))}"/>`,
      `<path fill="${ACCENT}" d="${path(part, edges, mostOf(part))}"/></g>`,
      text(0, bottom + 16, boundIn(from, format), `fill="${QUIET}"`),
      text(WIDE, bottom + 16, boundIn(end - step, format), `fill="${QUIET}" text-anchor="end"`),
      text(0, bottom + 34, legend, `fill="${QUIET}"`),
    ].join(""),
    bottom + 40,
  );
}

/** What the longest bars stand for, if a selection has a scale of its own. */
const scalesText = (selected: number, all: number): string =>
  `selected: up to ${shortCount(selected)}; all, in grey: up to ${shortCount(all)}`;

export function framed(content: string, height: number): string {
  const [wide, high] = [WIDE + 2 * MARGIN, height + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}"`,
    ` font-family="system-ui, sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">${content}</g></svg>\n`,
  ].join("");
}

export const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** What XML can't hold is a space. */
const escaped = (content: string): string =>
  content
    // oxlint-disable-next-line no-control-regex
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, " ")
    .replace(/[&<>]/g, (each) => ESCAPES[each] ?? each);
