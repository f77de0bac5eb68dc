// What groups and their columns are called, on the page, in files and in pictures.

import { MEASURES, STEPS, WEEKDAYS, type Group, type GroupBy, type Part } from "./groups.ts";
import type { Scalar } from "./messages.ts";
import { numberIn, PLAIN, resultIn, textIn, timeText, type Format } from "./texts.ts";

/** How many characters of a time name a step of the calendar. */
const NAMED: Readonly<Partial<Record<Part, number>>> = {
  ...{ year: 4, month: 7, week: 10, day: 10 },
  ...{ hour: 16, "5 minutes": 16, minute: 16 },
};

/** The name of a group. */
export function labelOf(
  { key, end, choice }: Pick<Group, "key" | "end" | "choice">,
  part: Part,
  field: Format,
): string {
  const { unit, zone } = field;
  const time = () => timeText(key, unit, zone);
  // Null, and what has not happened.
  if (
    key === null ||
    (choice !== undefined && "values" in choice && STEPS.some((each) => each === part))
  ) {
    return textIn(key, field);
  }
  switch (part) {
    case "value":
      return textIn(key, field);
    case "weekday":
      return WEEKDAYS[Number(key)] ?? String(key);
    case "hourOfDay":
      return `${String(key).padStart(2, "0")}:00`;
    case "range":
    case "log":
      if (key === -Infinity && end !== undefined) return `below ${numberIn(end, field)}`;
      return end === undefined
        ? `${numberIn(Number(key), field)} and more`
        : `${numberIn(Number(key), field)} to below ${numberIn(end, field)}`;
    case "quarter":
      return `${time().slice(0, 4)} Q${Math.ceil(Number(time().slice(5, 7)) / 3)}`;
    default:
      return time().slice(0, NAMED[part]);
  }
}

export const PART_NAMES: Readonly<Record<Part, string>> = {
  ...{ value: "each value", year: "year", quarter: "quarter", month: "month", week: "week" },
  ...{ day: "day", hour: "hour", "5 minutes": "5 minutes", minute: "minute" },
  ...{ weekday: "weekday", hourOfDay: "hour of the day", range: "ranges", log: "log ranges" },
};

/** What groups are made of: `month of placed_at`. */
export const byName = ({ by, part }: Pick<GroupBy, "by" | "part">): string =>
  part === "value" ? by : `${PART_NAMES[part]} of ${by}`;

/** What is measured: `sum of total`. */
export const measureName = ({ measure, of }: Pick<GroupBy, "measure" | "of">): string =>
  measure === "count" ? "records" : `${MEASURES[measure]} of ${of}`;

/** What groups of two keys are made of. */
export const keysName = (of: Pick<GroupBy, "by" | "part" | "then">): string =>
  of.then === undefined ? byName(of) : `${byName(of)} and ${byName(of.then)}`;

/** The second series: `state is paid`. */
export const whereName = (where: readonly [field: string, value: Scalar]): string =>
  `${where[0]} is ${String(where[1])}`;

/** The share of the second series in the first, if they add up; `undefined` if there is none. */
export function shareOf({ within, value }: Pick<Group, "within" | "value">): number | undefined {
  if (within === undefined || value === null || within.value === null) return undefined;
  return value > 0 ? within.value / value : undefined;
}

const COUNTS: Format = { ...PLAIN, type: "int", decimals: 0 };

/**
 * A measure as a text; a dash if there is none.
 *
 * @param format of the field that is measured
 */
export const measureText = (
  value: number | null | undefined,
  { measure }: Pick<GroupBy, "measure">,
  format: Format,
): string =>
  value === null || value === undefined
    ? "–"
    : resultIn(value, measure === "count" || measure === "distinct" ? COUNTS : format);
