// The columns that somebody computes: the panel that lists them, and in which an expression is written.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { quotedName } from "../expression-names.ts";
import { LONGEST_EXPRESSION, MOST_COMPUTED } from "../messages.ts";
import type { Computed, FieldInfo, Tried } from "../messages.ts";
import { Problem, Select } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { Panel } from "./panel.tsx";
import { useIds } from "./pane.ts";
import { kindOf } from "./profile.tsx";
import { count, shown, textIn } from "./words.ts";

interface Props {
  readonly engine: Engine;
  readonly fields: readonly FieldInfo[];
  readonly computed: readonly Computed[];
  readonly problems: readonly (readonly [name: string, reason: string])[];
  readonly onChange: (computed: readonly Computed[]) => void;
  /** Asks for the records for which a condition is true. */
  readonly onTrue: (name: string) => void;
}

const HELP = `+ - * / %   = != < <= > >=
and or not   & joins strings
'a string'   "a column"
if(condition, a, b)   coalesce(a, b)
min max abs   round(number, digits)
length lower upper
days(from, to)   hours(from, to)
missing(a, b)   missing(q1:q9)   missing(*)`;

const NEW: Computed = { name: "", expression: "" };

export function ComputedColumns(props: Props): JSX.Element {
  const { fields, computed, problems, onChange, onTrue } = props;
  /** The name of the one that is edited. */
  const [edited, setEdited] = useState("");
  const { length } = computed;
  const given = computed.find(({ name }) => name === edited) ?? NEW;
  return (
    <Panel label={length === 0 ? "Compute" : `Computed ${count(length)}`} name="Computed">
      {() => (
        <div class="relations computed">
          <ul class="made">
            {computed.map(({ name, expression }) => {
              const [, problem] = problems.find(([each]) => each === name) ?? [];
              const field = fields.find((each) => each.name === name);
              return (
                <li key={name}>
                  {shown(name)} = <code>{shown(expression)}</code>
                  {field?.type === "boolean" && (
                    <button
                      type="button"
                      class="plain"
                      aria-label={`Records where ${shown(name)} is true`}
                      onClick={() => onTrue(name)}
                    >
                      where true
                    </button>
                  )}
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Change the expression of ${shown(name)}`}
                    onClick={() => setEdited(name)}
                  >
                    change
                  </button>
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Remove ${shown(name)}`}
                    onClick={() => onChange(computed.filter((each) => each.name !== name))}
                  >
                    ×
                  </button>
                  <Problem text={problem} />
                </li>
              );
            })}
          </ul>
          {(length < MOST_COMPUTED || given !== NEW) && (
            <Formula
              {...props}
              key={`${given.name} ${length}`}
              given={given}
              onDone={(next) => {
                onChange(
                  given === NEW
                    ? [...computed, next]
                    : computed.map((each) => (each === given ? next : each)),
                );
                setEdited("");
              }}
            />
          )}
        </div>
      )}
    </Panel>
  );
}

function Formula({
  engine,
  fields,
  computed,
  given,
  onDone,
}: Props & { readonly given: Computed; readonly onDone: (next: Computed) => void }): JSX.Element {
  const [name, setName] = useState(given.name);
  const [expression, setExpression] = useState(given.expression);
  const [found, setFound] = useState<Tried | string>("");
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useIds();
  // Before it has a name it can be tried.
  const tried = { name: name === "" ? " " : name, expression };
  useEffect(() => {
    if (expression.trim() === "") {
      setFound("");
      return;
    }
    let isWanted = true;
    const before = computed.slice(0, given === NEW ? undefined : computed.indexOf(given));
    engine.latest("tryComputed", [...before, tried], tried.name).then(
      (next) => {
        if (isWanted && next !== undefined) setFound(next);
      },
      (thrown: unknown) => {
        if (isWanted) setFound(thrown instanceof Error ? thrown.message : String(thrown));
      },
    );
    return () => {
      isWanted = false;
    };
  }, [name, expression, fields]);
  const isDone = name !== "" && typeof found === "object" && found.field.name === name;
  const insert = (column: string) => {
    const { current } = area;
    if (current === null) return;
    current.setRangeText(quotedName(column), current.selectionStart, current.selectionEnd, "end");
    setExpression(current.value);
    current.focus();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isDone) onDone({ name, expression });
      }}
    >
      <label>
        Name
        <input
          class="name"
          autocomplete="off"
          maxLength={100}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label>
        Expression
        <textarea
          ref={area}
          rows={2}
          spellcheck={false}
          maxLength={LONGEST_EXPRESSION}
          placeholder="0.2 * amount"
          aria-describedby={id("tried")}
          value={expression}
          onInput={({ currentTarget }) => setExpression(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <label>
        Insert
        <Select
          value=""
          options={[
            ["", "a column…"],
            ...fields.map((field) => [field.name, shown(field.name)] as const),
          ]}
          onChange={insert}
        />
      </label>
      <div id={id("tried")}>
        {typeof found === "string" ? (
          <Problem text={found} />
        ) : (
          <p class="quiet" role="status">
            {kindOf(found.field)}:{" "}
            {found.values.map((value) => textIn(value, found.field)).join(", ")}
          </p>
        )}
      </div>
      <p class="choices">
        <button type="submit" aria-disabled={!isDone}>
          {given === NEW ? "Add" : "Save"}
        </button>
      </p>
      <details>
        <summary>What expressions can do</summary>
        <pre class="quiet">{HELP}</pre>
      </details>
    </form>
  );
}
