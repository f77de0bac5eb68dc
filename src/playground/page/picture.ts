// A chart as a stand-alone picture: SVG with its title, axes and colors.

import type { Facet, FacetCounts } from "../messages.ts";
import { HIGH, isSame, mostOf, path, WIDE } from "./chart.ts";
import { count, shortCount, shown, shownNumber } from "./words.ts";

const INK = "#16181d";
const QUIET = "#5b6270";
const ACCENT = "#2754c5";
const MUTED = "#d5d9e1";
const TINT = "#c9d6f5";

const MARGIN = 16;
const TITLE = 28;
const LINE = 22;

/** Empty if the facet has no chart. */
export function pictureOf(
  facet: Facet,
  whole: FacetCounts | undefined,
  part: FacetCounts | undefined,
): string {
  if (part === undefined || facet.kind === "search") return "";
  const title = text(0, 16, shown(facet.field), `font-weight="600" fill="${INK}"`);
  if ("values" in part) {
    const values = part.values.toSorted((a, b) => b.count - a.count);
    const most = Math.max(1, ...values.map((each) => each.count));
    const lines = values.map(({ value, count: counted }, i) => {
      const top = TITLE + i * LINE;
      return [
        `<rect y="${top}" width="${((counted / most) * WIDE).toFixed(2)}" height="${LINE - 2}" fill="${TINT}"/>`,
        text(6, top + 15, shown(value), `fill="${INK}"`),
        text(WIDE - 6, top + 15, count(counted), `fill="${INK}" text-anchor="end"`),
      ].join("");
    });
    return framed(title + lines.join(""), TITLE + values.length * LINE);
  }
  if (facet.kind !== "range") return "";
  const { from, end, edges, step, unit } = facet;
  const legend = isSame(whole, part)
    ? `up to ${shortCount(mostOf(part))}`
    : `selected: up to ${shortCount(mostOf(part))}; all, in grey: up to ${shortCount(mostOf(whole))}`;
  const bottom = TITLE + HIGH;
  return framed(
    [
      title,
      `<g transform="translate(0 ${TITLE})">`,
      `<path fill="${MUTED}" d="${path(whole, edges)}"/>`,
      `<path fill="${ACCENT}" d="${path(part, edges)}"/></g>`,
      text(0, bottom + 16, shownNumber(from, unit), `fill="${QUIET}"`),
      text(WIDE, bottom + 16, shownNumber(end - step, unit), `fill="${QUIET}" text-anchor="end"`),
      text(0, bottom + 34, legend, `fill="${QUIET}"`),
    ].join(""),
    bottom + 40,
  );
}

function framed(content: string, height: number): string {
  const [wide, high] = [WIDE + 2 * MARGIN, height + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}"`,
    ` font-family="system-ui, sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">${content}</g></svg>\n`,
  ].join("");
}

const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** What XML can't hold is a space. */
const escaped = (content: string): string =>
  content
    // oxlint-disable-next-line no-control-regex
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, " ")
    .replace(/[&<>]/g, (each) => ESCAPES[each] ?? each);
