// Every field of a record, whole.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isOwn, type FieldInfo, type Row } from "../messages.ts";
import { Editor } from "./editor.tsx";
import { copied, count, isNone, shown, textIn, whole } from "./words.ts";

const isNumber = ({ type }: FieldInfo): boolean => type === "int" || type === "float";

interface Props {
  readonly fields: readonly FieldInfo[];
  readonly record: Row;
  readonly position: number;
  readonly set: (field: FieldInfo, value: unknown) => Promise<void>;
  readonly remove: () => void;
  readonly close: () => void;
}

export function Detail(props: Props): JSX.Element {
  const { fields, record, position, set, remove, close } = props;
  const [said, setSaid] = useState("");
  const [edited, setEdited] = useState<FieldInfo>();
  useEffect(() => setSaid(""), [record]);
  useEffect(() => setEdited(undefined), [position]);
  const copy = () => {
    const entries = fields.map(
      (field, i) => [field.name, copied(record[i] ?? null, field)] as const,
    );
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
        <button type="button" class="plain" onClick={remove}>
          Remove
        </button>
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      <dl tabIndex={0} aria-label="All fields">
        {fields.map((field, i) => {
          const { name } = field;
          const value = record[i] ?? null;
          const text = isNumber(field) ? textIn(value, field) : whole(value);
          // What the library holds, where that is another.
          const held = whole(value) === text || field.unit === undefined ? "" : whole(value);
          if (field === edited) {
            return (
              <div key={i}>
                <dt>{shown(name)}</dt>
                <dd>
                  <Editor
                    {...{ field, value }}
                    label="Save"
                    save={(to) => set(field, to)}
                    close={() => setEdited(undefined)}
                  />
                </dd>
              </div>
            );
          }
          return (
            <div key={i}>
              <dt>{shown(name)}</dt>
              <dd class={isNone(value) ? "none" : ""} dir="auto">
                <span>
                  {text}
                  {held !== "" && <span class="quiet"> {held}</span>}
                </span>
                {isOwn(field) && (
                  <button
                    type="button"
                    class="plain small"
                    aria-label={`Edit ${shown(name)}`}
                    onClick={() => setEdited(field)}
                  >
                    Edit
                  </button>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </aside>
  );
}
