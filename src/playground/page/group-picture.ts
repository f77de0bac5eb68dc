// A table of groups as a stand-alone picture: its bars, with their measures.

import { byName, labelOf, measureName, measureText, shareOf, whereName } from "../group-labels.ts";
import { isAdditive, type Groups } from "../groups.ts";
import type { FieldInfo } from "../messages.ts";
import type { Format } from "../texts.ts";
import { WIDE } from "./chart.ts";
import { ACCENT, framed, INK, LINE, QUIET, text, TINT, TITLE } from "./picture.ts";
import { counted, percents, shown } from "./words.ts";

/** More bars are not read. */
const MOST = 100;

export function groupPicture(
  { of, groups, found }: Groups,
  field: FieldInfo,
  format: Format,
): string {
  const { where } = of;
  const drawn = groups.slice(0, MOST);
  const most = Math.max(...drawn.map(({ value }) => Math.abs(value ?? 0)), 0) || 1;
  const bar = (top: number, share: number, color: string) =>
    `<rect y="${top}" width="${(share * WIDE).toFixed(2)}" height="${LINE - 2}" fill="${color}"/>`;
  const shareIn = (group: Groups["groups"][number]) =>
    where !== undefined && isAdditive(of.measure) ? shareOf(group) : undefined;
  const percent = percents(drawn.flatMap((group) => shareIn(group) ?? []));
  const lines = drawn.map((group, i) => {
    const top = TITLE + i * LINE;
    const length = Math.abs(group.value ?? 0) / most;
    const share = shareIn(group);
    const value = measureText(group.value, of, format);
    const known = share === undefined ? value : `${percent(share)} of ${value}`;
    return [
      bar(top, length, TINT),
      share === undefined ? "" : `<g opacity="0.4">${bar(top, length * share, ACCENT)}</g>`,
      text(6, top + 15, labelOf(group, of.part, field), `fill="${INK}"`),
      text(WIDE - 6, top + 15, known, `fill="${INK}" text-anchor="end"`),
    ].join("");
  });
  const title = `${shown(measureName(of))} by ${shown(byName(of))}`;
  const bottom = TITLE + drawn.length * LINE;
  const notes = [
    ...(where === undefined ? [] : [`dark: ${shown(whereName(where))}`]),
    ...(found > drawn.length ? [counted(found - drawn.length, "more group")] : []),
  ].join("; ");
  return framed(
    [
      text(0, 16, title, `font-weight="600" fill="${INK}"`),
      ...lines,
      notes === "" ? "" : text(0, bottom + 15, notes, `fill="${QUIET}"`),
    ].join(""),
    bottom + (notes === "" ? 0 : LINE),
  );
}
