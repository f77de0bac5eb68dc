// How a CSV file is read: what was assumed of it, and what else it can be.

import type { JSX } from "preact";
import type { CsvFormat } from "../messages.ts";
import { Select } from "./controls.tsx";

interface Props {
  /** As it was read, or was tried to be; `undefined` if it is no CSV. */
  readonly csv: Partial<CsvFormat> | undefined;
  readonly onChange: (csv: Partial<CsvFormat>) => void;
}

const DELIMITERS: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

const ENCODINGS: Readonly<Record<string, string>> = {
  "utf-8": "UTF-8",
  "windows-1252": "Windows-1252 (Latin-1)",
  "utf-16le": "UTF-16",
};

export function Csv({ csv, onChange }: Props): JSX.Element | null {
  if (csv === undefined) return null;
  const { delimiter = "", encoding = "utf-8", nullText = "" } = csv;
  return (
    <p class="reading">
      <label>
        Read as CSV, separated by{" "}
        <Select
          value={delimiter}
          options={optionsWith(delimiter, DELIMITERS)}
          onChange={(to) => onChange({ delimiter: to })}
        />
      </label>
      <label>
        encoded as{" "}
        <Select
          value={encoding}
          options={optionsWith(encoding, ENCODINGS)}
          onChange={(to) => onChange({ encoding: to })}
        />
      </label>
      <label>
        null is{" "}
        <input
          class="small"
          value={nullText}
          placeholder="nothing"
          spellcheck={false}
          onChange={({ currentTarget }) => onChange({ nullText: currentTarget.value })}
        />
      </label>
    </p>
  );
}

/** What a link says is there, too. */
const optionsWith = (
  value: string,
  known: Readonly<Record<string, string>>,
): (readonly [string, string])[] =>
  Object.entries(
    Object.hasOwn(known, value) ? known : { [value]: value === "" ? "…" : value, ...known },
  );
