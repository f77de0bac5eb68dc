// Every field of a record, whole.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FieldInfo, Row } from "../messages.ts";
import { count, isNone, isTime, shown, timeText, whole } from "./words.ts";

interface Props {
  readonly fields: readonly FieldInfo[];
  readonly record: Row;
  readonly position: number;
  readonly close: () => void;
}

export function Detail({ fields, record, position, close }: Props): JSX.Element {
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [record]);
  const copy = () => {
    const entries = fields.map(({ name }, i) => [name, record[i] ?? null] as const);
    void navigator.clipboard.writeText(JSON.stringify(Object.fromEntries(entries))).then(
      () => setSaid("Copied"),
      () => setSaid("Not copied"),
    );
  };
  return (
    <aside
      class="detail"
      aria-label="The record"
      onKeyDown={({ key }) => {
        if (key === "Escape") close();
      }}
    >
      <header>
        <h2>Record {count(position + 1)}</h2>
        <button type="button" class="plain" onClick={copy}>
          {said === "" ? "Copy as JSON" : said}
        </button>
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      <dl tabIndex={0} aria-label="All fields">
        {fields.map(({ name, unit }, i) => {
          const value = record[i] ?? null;
          return (
            <div key={i}>
              <dt>{shown(name)}</dt>
              <dd class={isNone(value) ? "none" : ""}>
                {whole(value)}
                {isTime(value, unit) && <span class="quiet"> {timeText(value, unit)}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
    </aside>
  );
}
