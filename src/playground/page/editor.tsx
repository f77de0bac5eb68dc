// Where a value is typed that a field gets. What the library says of it stands below.

import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FieldValue } from "../../index.ts";
import type { FieldInfo } from "../messages.ts";
import { scaleOf } from "../criteria-list.ts";
import { clockText, spanOf, writeTime } from "../times.ts";
import { Problem } from "./controls.tsx";
import { shown } from "./words.ts";

interface Props {
  readonly field: FieldInfo;
  /** What it has now; `undefined` if it is not the value of one record. */
  readonly value: FieldValue | undefined;
  /** Of the button that sets it. */
  readonly label: string;
  /** Rejects with the reason why the value can't be set. */
  readonly save: (value: unknown) => Promise<void>;
  /** Called when it is set, or nothing is to be. Default: it stays. */
  readonly close?: () => void;
}

export function Editor({ field, value, label, save, close }: Props): JSX.Element {
  const before = value === undefined ? "" : textOf(field, value);
  const [text, setText] = useState(before);
  const [isNull, setNull] = useState(value === null);
  const [problem, setProblem] = useState("");
  const [isSaving, setSaving] = useState(false);
  const id = useId();
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  // At once: after the next frame it would replace what was typed by then.
  useLayoutEffect(() => {
    if (value !== undefined) input.current?.select();
  }, []);
  const form = useRef<HTMLFormElement>(null);
  // At the edge of a table it would be cut off.
  useEffect(() => form.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [problem]);
  const submit = async () => {
    if (isSaving) return;
    setSaving(true);
    try {
      const isSame = value !== undefined && text === before && isNull === (value === null);
      if (!isSame) await save(isNull ? null : readValue(field, text));
      setProblem("");
      close?.();
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
      input.current?.focus();
    }
    setSaving(false);
  };
  // An input of one line would lose the others.
  const Input = /[\r\n]/.test(before) ? "textarea" : "input";
  return (
    <form
      class="editor"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || close === undefined) return;
        event.stopPropagation();
        close();
      }}
    >
      <Input
        ref={input}
        aria-label={`New value of ${shown(field.name)}`}
        aria-invalid={problem !== ""}
        {...(problem === "" ? {} : { "aria-describedby": id })}
        value={isNull ? "" : text}
        placeholder={isNull ? "null" : ""}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setNull(false);
        }}
      />
      <button
        type="button"
        class="plain null"
        aria-pressed={isNull}
        title="null: no value"
        onClick={() => setNull(!isNull)}
      >
        null
      </button>
      <button type="submit">{isSaving ? "Saving…" : label}</button>
      <Problem text={problem} id={id} />
    </form>
  );
}

/** A value as it is edited: a time as its source writes it. */
function textOf({ form, zone }: FieldInfo, value: FieldValue): string {
  if (typeof value === "object") return value === null ? "" : JSON.stringify(value);
  if (typeof value !== "number" || form === undefined) return String(value);
  return zone === undefined ? writeTime(value, form) : (clockText(value, zone) ?? String(value));
}

/** What was typed, as a record holds it. What is not of the field's type stays a text, which the library refuses. */
function readValue(field: FieldInfo, text: string): unknown {
  const { type, unit } = field;
  if (type === "json" || type === "strings") return JSON.parse(text);
  const [time] = (unit === undefined ? undefined : spanOf(text, scaleOf(field))) ?? [];
  if (time !== undefined) return time;
  const isNumber = (type === "int" || type === "float") && text.trim() !== "";
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
}
