// What was said of a file when it was read, and which columns of strings nearly are of another type.

import type { JSX } from "preact";
import type { ColumnType, NearlyTyped } from "../messages.ts";
import { count, counted, shown } from "./words.ts";

interface Props {
  readonly all: readonly string[];
  readonly nearly: readonly NearlyTyped[];
  readonly onType: (name: string, type: ColumnType) => void;
}

export function Notices({ all, nearly, onType }: Props): JSX.Element | null {
  const [first = nearly[0] && `Column ${shown(nearly[0].name)} is text`] = all;
  if (first === undefined) return null;
  const more = all.length + nearly.length - 1;
  return (
    <details class="notices">
      <summary>{more === 0 ? first : `${first} and ${counted(more, "more notice")}`}</summary>
      <ul>
        {all.map((each) => (
          <li key={each}>{each}</li>
        ))}
        {nearly.map((each) => (
          <li key={each.name}>
            Column {shown(each.name)} is text: {nearlyText(each)}{" "}
            <button type="button" onClick={() => onType(each.name, each.type)}>
              Read as {each.type === "time" ? "times" : "numbers"}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** `117 of the first 120 values are numbers; 3 are NA`. */
function nearlyText({ type, values, of, others }: NearlyTyped): string {
  const what = type === "time" ? "times" : "numbers";
  const rest = others.map(
    ([text, times]) => `${count(times)} ${times === 1 ? "is" : "are"} ${shown(text)}`,
  );
  return [`${count(values)} of the first ${counted(of, "value")} are ${what}`, ...rest].join("; ");
}
