// How a text is read: what was found out and assumed of it, and what else it can be.

import type { JSX } from "preact";
import type { TextOptions, TextRead } from "../messages.ts";
import { Select } from "./controls.tsx";
import { count, shown } from "./words.ts";

interface Props {
  /** As it was read, or was tried to be; `undefined` if it is no text. */
  readonly text: TextRead | undefined;
  /** Whether the file could not be read like this. */
  readonly isOpen: boolean;
  /** An option that becomes `undefined` is found out. */
  readonly onChange: (text: Partial<TextOptions>) => void;
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
  "utf-16be": "UTF-16, big-endian",
};

const HEADERS = [
  ["true", "the names of columns"],
  ["false", "values"],
] as const;

const DECIMALS = [
  [".", "a point"],
  [",", "a comma"],
] as const;

/** Options of CSV that few files need. */
const RARE_OF_CSV = [
  ["quote", "quotes are"],
  ["escape", "escapes are"],
  ["comment", "comments begin with"],
  ["skipLines", "lines to skip"],
  ["dateFormat", "dates are written"],
] as const satisfies readonly (readonly [keyof TextOptions, string])[];

const CHECKED_OF_CSV = [
  ["trim", "ignore blanks around values", true, false],
  ["ragged", "rows may have empty values missing, or more of them, at their ends", "pad", "refuse"],
] as const;

const PLACEHOLDERS: Partial<Readonly<Record<keyof TextOptions, string>>> = {
  ...{ quote: '"', escape: "doubled", comment: "nothing", skipLines: "0" },
  ...{ dateFormat: "%d.%m.%Y", at: "data.items", nullText: "nothing" },
};

/** Folded away unless the file could not be read. */
export function Text({ text, isOpen, onChange }: Props): JSX.Element | null {
  if (text === undefined) return null;
  const { given, found } = text;
  const { delimiter = found.delimiter ?? "" } = given;
  const isCsv = found.format === "csv" || found.format === undefined;
  return (
    <details class="reading" open={isOpen}>
      <summary>
        Read as {isCsv ? `CSV, ${DELIMITERS[delimiter] ?? "…"}` : found.format.toUpperCase()}
        {found.doubts !== undefined && ", to be checked"}
      </summary>
      <Options key={JSON.stringify(text)} {...{ text, onChange }} />
    </details>
  );
}

function Options({ text, onChange }: Pick<Props, "onChange"> & { readonly text: TextRead }) {
  const { given, found } = text;
  const { encoding = found.encoding ?? "utf-8" } = given;
  const field = (name: keyof TextOptions, label: string) => (
    <Field {...{ name, label, onChange }} value={typedText(given[name] ?? foundOf(text, name))} />
  );
  const { arrays = [] } = found;
  const { at = found.at ?? "" } = given;
  if (found.format === "json" || found.format === "ndjson") {
    return (
      <div class="options">
        {arrays.length > 0 ? (
          <label>
            Records at{" "}
            <Select
              value={at}
              options={[
                ["", "the whole text"],
                ...arrays.map((each) => [each, shown(each)] as const),
              ]}
              onChange={(to) => onChange({ at: to })}
            />
          </label>
        ) : (
          field("at", "Records at")
        )}
        {(["flatten", "nonFinite"] as const).map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={name === "flatten" ? given.flatten === true : given.nonFinite === "null"}
              onChange={({ currentTarget: { checked } }) =>
                onChange(
                  name === "flatten"
                    ? { flatten: checked }
                    : { nonFinite: checked ? "null" : "refuse" },
                )
              }
            />{" "}
            {name === "flatten" ? "flatten objects" : "NaN is null"}
          </label>
        ))}
      </div>
    );
  }
  const { delimiter = found.delimiter ?? "" } = given;
  return (
    <div class="options">
      <label>
        Separated by{" "}
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
      {field("nullText", "null is")}
      <label>
        the first row has{" "}
        <Select
          value={String((given.header ?? found.header) !== false)}
          options={HEADERS}
          onChange={(to) => onChange({ header: to === "true" })}
        />
      </label>
      <details
        open={[...RARE_OF_CSV, ...CHECKED_OF_CSV].some(([name]) => given[name] !== undefined)}
      >
        <summary>more</summary>
        {RARE_OF_CSV.map(([name, label]) => field(name, label))}
        {CHECKED_OF_CSV.map(([name, label, on, off]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={(given[name] ?? found[name]) === on}
              onChange={({ currentTarget: { checked } }) =>
                onChange({ [name]: checked ? on : off })
              }
            />{" "}
            {label}
          </label>
        ))}
        <label>
          decimals have{" "}
          <Select
            value={given.decimal ?? "."}
            options={DECIMALS}
            onChange={(to) => onChange({ decimal: to === "," ? "," : "." })}
          />
        </label>
      </details>
      {found.doubts?.map((doubt) => (
        <span key={doubt}>{doubt}</span>
      ))}
      {found.renamed !== undefined && <span>{renamedInWords(found.renamed)}</span>}
    </div>
  );
}

interface FieldProps {
  readonly name: keyof TextOptions;
  readonly label: string;
  readonly value: string;
  readonly onChange: Props["onChange"];
}

function Field({ name, label, value, onChange }: FieldProps): JSX.Element {
  return (
    <label key={name}>
      {label}{" "}
      <input
        class="small"
        value={value}
        placeholder={PLACEHOLDERS[name]}
        spellcheck={false}
        onChange={({ currentTarget }) => onChange({ [name]: typedIn(name, currentTarget.value) })}
      />
    </label>
  );
}

/** What was found out of an option. */
function foundOf({ found }: TextRead, name: keyof TextOptions): TextOptions[keyof TextOptions] {
  if (name === "quote") return found.quote === false ? false : undefined;
  if (name !== "at" && name !== "escape" && name !== "comment" && name !== "skipLines") return;
  return found[name];
}

/** An option as a person types it: several texts are separated by spaces. */
function typedText(value: TextOptions[keyof TextOptions]): string {
  if (value === undefined) return "";
  if (value === false) return "none";
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function typedIn(name: keyof TextOptions, text: string): TextOptions[keyof TextOptions] {
  if (name === "nullText") return text.includes(" ") ? text.split(" ") : text;
  if (text === "") return undefined;
  if (name === "quote") return text === "none" ? false : text;
  return name === "skipLines" ? Number(text) : text;
}

const MOST_RENAMED = 5;

function renamedInWords(renamed: NonNullable<TextRead["found"]["renamed"]>): string {
  const more = renamed.length - MOST_RENAMED;
  const names = renamed
    .slice(0, MOST_RENAMED)
    .map(({ from, to }) => (from === "" ? to : `${shown(from)} → ${shown(to)}`));
  return `renamed: ${names.join(", ")}${more > 0 ? ` and ${count(more)} more, by their numbers` : ""}`;
}

/** What a link says is there, too. */
const optionsWith = (
  value: string,
  known: Readonly<Record<string, string>>,
): (readonly [string, string])[] =>
  Object.entries(
    Object.hasOwn(known, value) ? known : { [value]: value === "" ? "…" : value, ...known },
  );
