// Changes of all records that match, the changes that were made, and the way back.

import type { JSX } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Patch } from "../../index.ts";
import { isOwn, type Change, type Changed, type ChangedEntry } from "../messages.ts";
import type { CriteriaList, FieldInfo } from "../messages.ts";
import { Select } from "./controls.tsx";
import { Editor } from "./editor.tsx";
import { Pane } from "./pane.ts";
import { Panel } from "./panel.tsx";
import { count, counted, shown, timeIn } from "./words.ts";

interface Props {
  readonly fields: readonly FieldInfo[];
  readonly criteria: CriteriaList;
  readonly matching: number;
  readonly changed: Changed | undefined;
  /** Rejects where the library refuses the change. */
  readonly edit: (change: Change) => Promise<void>;
  /** The same, where the page shows why. */
  readonly run: (change: Change) => void;
}

const NO_CHANGES: readonly ChangedEntry[] = [];

export function Changes({ fields, criteria, matching, changed, edit, run }: Props): JSX.Element {
  const pane = useContext(Pane);
  const { done, undone } = changed ?? { done: NO_CHANGES, undone: NO_CHANGES };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Where two tables are shown, the one that has the focus is meant, or else the first.
      const target = event.target instanceof Element ? event.target : undefined;
      const focused = target?.closest("[data-pane]")?.getAttribute("data-pane") ?? "";
      if (focused !== pane) return;
      const isTyped = target !== undefined && target.closest(TYPED) !== null;
      const key = event.key.toLowerCase();
      const isRedo = key === "y" || (key === "z" && event.shiftKey);
      if (isTyped || !(event.ctrlKey || event.metaKey) || !(isRedo || key === "z")) return;
      event.preventDefault();
      run({ kind: isRedo ? "redo" : "undo" });
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [run]);
  const all = done.length + undone.length;
  // How many matched before the change: the new answer comes after it.
  const before = useRef({ changed, criteria, matching });
  if (before.current.changed !== changed) before.current = { changed, criteria, matching };
  const more = before.current.criteria === criteria ? matching - before.current.matching : 0;
  return (
    <>
      <span role="status" class="said">
        {changed === undefined ? "" : `${saidOf(changed, fields)}${matchText(more)}`}
      </span>
      {all > 0 &&
        (["undo", "redo"] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            class="plain"
            aria-disabled={(kind === "undo" ? done : undone).length === 0}
            onClick={() => run({ kind })}
          >
            {kind === "undo" ? "Undo" : "Redo"}
          </button>
        ))}
      <Panel label={all === 0 ? "Change" : `Change ${count(done.length)}`} name="Change">
        {() => (
          <div class="changes">
            <SetAll {...{ fields, criteria, matching, edit }} />
            <p class="choices">
              <button
                type="button"
                disabled={matching === 0}
                onClick={() => run({ kind: "remove", criteria })}
              >
                Remove the {count(matching)} that match
              </button>
            </p>
            {all > 0 && <Made {...{ done, undone, fields }} />}
          </div>
        )}
      </Panel>
    </>
  );
}

/** What has an undo of its own. */
const TYPED = 'textarea, input:not([type="checkbox"], [type="radio"])';

/** Sets a field in all records that match. */
function SetAll(props: Pick<Props, "fields" | "criteria" | "matching" | "edit">): JSX.Element {
  const { criteria, matching, edit } = props;
  const fields = props.fields.filter((field) => field.stored && isOwn(field));
  const [name, setName] = useState(fields[0]?.name ?? "");
  const field = fields.find((each) => each.name === name);
  return (
    <section aria-label="Set a field">
      <Select
        aria-label="Field to set"
        value={name}
        options={fields.map((each) => [each.name, shown(each.name)])}
        onChange={setName}
      />
      {field !== undefined && (
        <Editor
          key={name}
          {...{ field }}
          value={undefined}
          label={`Set in the ${count(matching)} that match`}
          save={(value) => edit({ kind: "set", criteria, field: name, value })}
        />
      )}
    </section>
  );
}

/** The changes that were made, each with its first patches. */
function Made({
  done,
  undone,
  fields,
}: Pick<Changed, "done" | "undone"> & Pick<Props, "fields">): JSX.Element {
  return (
    <ol class="made" tabIndex={0} aria-label="Changes and their patches, newest first">
      {[...undone.toReversed(), ...done].map((entry, i) => (
        <li key={i} class={i < undone.length ? "quiet" : ""}>
          {i < undone.length && "Undone: "}
          {textOf(entry, fields)}
          {entry.patches.map((patch) => (
            <code key={patch.path.join()}>{patchText(patch)}</code>
          ))}
          {entry.more === undefined && <small>too many patches to list</small>}
          {entry.more !== undefined && entry.more > 0 && (
            <small>and {count(entry.more)} more patches</small>
          )}
        </li>
      ))}
    </ol>
  );
}

const patchText = ({ op, path, value }: Patch): string =>
  `${op} ${shown(path.join("/"))}${value === undefined ? "" : ` ${shown(JSON.stringify(value))}`}`;

function textOf({ field: name, value, records }: ChangedEntry, fields: Props["fields"]): string {
  const where = counted(records, "record");
  if (name === undefined) return `removed ${where}`;
  const field = fields.find((each) => each.name === name);
  // A time is said as it is shown and typed.
  const time = field && typeof value === "number" ? timeIn(value, field) : undefined;
  return `set ${shown(name)} to ${time ?? shown(JSON.stringify(value))} in ${where}`;
}

/** What a change did to the answer. */
const matchText = (more: number): string =>
  more === 0 ? "" : `; ${count(Math.abs(more))} ${more > 0 ? "more" : "fewer"} match`;

function saidOf(changed: Changed, fields: Props["fields"]): string {
  const {
    how,
    done: [done],
    undone: [undone],
  } = changed;
  const text = (entry: ChangedEntry | undefined) =>
    entry === undefined ? "" : textOf(entry, fields);
  switch (how) {
    case "nothing":
      return "Nothing changed";
    case "undone":
      return `Undone: ${text(undone)}`;
    case "done":
      return `Done: ${text(done)}`;
    case "redone":
      return `Redone: ${text(done)}`;
  }
}
