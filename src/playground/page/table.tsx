// The records that match, as a table of any length: only the rows in sight are there.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FieldValue } from "../../index.ts";
import { chosenOf, shownColumns, type Column } from "../columns.ts";
import type { Asked, Edit, FieldInfo, Loaded, ReadAs, Row, SortField } from "../messages.ts";
import type { Answer } from "./asking.ts";
import { Cell } from "./cell.tsx";
import type { Engine } from "./engine.ts";
import { Detail } from "./detail.tsx";
import type { GroupBy } from "../groups.ts";
import { Foot } from "./foot.tsx";
import { Head } from "./head.tsx";
import { useIds } from "./pane.ts";
import { rem, scale } from "./scale.ts";
import { useScrolling } from "./scrolling.ts";
import { Selection, useCopy } from "./selection.tsx";
import { copied, count, counted, rawText } from "./words.ts";

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly chosen: readonly Column[];
  readonly isFrozen: boolean;
  readonly answer: Answer;
  readonly asked: Asked;
  readonly onGroup: (group: GroupBy) => void;
  readonly onSort: (sort: readonly SortField[]) => void;
  readonly onColumns: (columns: readonly Column[]) => void;
  /** The types that somebody chose, and how others are; without it, they stay. */
  readonly types: ReadAs["types"];
  readonly onTypes: ((types: ReadAs["types"]) => void) | undefined;
  readonly fetch: (offset: number, limit: number) => void;
  /** Rejects where the library refuses the change. */
  readonly edit: (change: Edit) => Promise<void>;
  /** The same, where the page shows why. */
  readonly run: (change: Edit) => void;
}

export function Table(props: Props): JSX.Element {
  const { engine, loaded, isFrozen, answer, asked, onSort, onColumns, fetch, edit, run } = props;
  const { types, onTypes, onGroup } = props;
  const box = useRef<HTMLDivElement>(null);
  const id = useIds();
  const [chosenRow, setChosenRow] = useState(0);
  /** Where several rows were begun to be selected. */
  const [anchor, setAnchor] = useState<number>();
  const [activeColumn, setActiveColumn] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const { matching } = answer;
  const active = Math.max(0, Math.min(chosenRow, matching - 1));
  const setActive = (position: number, isMore = false) => {
    setAnchor(isMore ? (anchor ?? active) : undefined);
    setChosenRow(position);
    setEdited(false);
  };
  const end = Math.max(0, Math.min(anchor ?? active, matching - 1));
  const selected = {
    from: Math.min(active, end),
    to: Math.min(matching, Math.max(active, end) + 1),
  };
  const range = selected.to - selected.from > 1 ? selected : undefined;

  const { from, to, inSight, space, wanted, height, top, measure, restart, bring } = useScrolling(
    box,
    matching,
  );
  // List Fields are searched only.
  const { all, columns } = useMemo(() => {
    const stored = loaded.fields.filter((field) => field.stored);
    return { all: stored, columns: shownColumns(stored, props.chosen, space) };
  }, [loaded.fields, props.chosen, space]);
  const chosen = chosenOf(columns, props.chosen);
  /** On paper the columns share the width of the page. */
  const widths = {
    "--columns": columns.map(({ width }) => rem(width)).join(" "),
    "--shares": columns.map(({ width }) => `minmax(0, ${width}fr)`).join(" "),
  };
  const column = Math.min(activeColumn, columns.length - 1);

  useEffect(() => {
    const has = from >= answer.offset && to <= answer.offset + answer.rows.length;
    if (!has) fetch(wanted.offset, wanted.limit);
  }, [from, to, answer]);

  // Another question begins at its first row.
  const question = JSON.stringify(asked);
  const shownQuestion = useRef(question);
  useEffect(() => {
    if (shownQuestion.current === question) return;
    shownQuestion.current = question;
    restart();
    setActive(0);
  }, [question]);

  const fresh = useFresh(answer, loaded, question);

  const rowAt = (position: number): Row | undefined => answer.rows[position - answer.offset];

  const goTo = (position: number, isMore: boolean) => {
    const next = Math.max(0, Math.min(matching - 1, position));
    setActive(next, isMore);
    bring(next);
  };
  const goToColumn = (position: number) => {
    const next = Math.max(0, Math.min(columns.length - 1, position));
    setActiveColumn(next);
    setEdited(false);
    const wide = columns.map(({ width }) => width * scale());
    const left = wide.slice(0, next).reduce((sum, width) => sum + width, 0);
    const fixed = isFrozen && next > 0 ? (wide[0] ?? 0) : 0;
    const element = box.current;
    if (element === null) return;
    const right = left + (wide[next] ?? 0) - element.clientWidth;
    element.scrollLeft = Math.max(right, Math.min(left - fixed, element.scrollLeft));
  };
  const keys: Readonly<Record<string, (isMore: boolean) => void>> = {
    ArrowDown: (isMore) => goTo(active + 1, isMore),
    ArrowUp: (isMore) => goTo(active - 1, isMore),
    ArrowRight: () => goToColumn(column + 1),
    ArrowLeft: () => goToColumn(column - 1),
    PageDown: (isMore) => goTo(active + inSight, isMore),
    PageUp: (isMore) => goTo(active - inSight, isMore),
    Home: (isMore) => goTo(0, isMore),
    End: (isMore) => goTo(matching - 1, isMore),
    Enter: () => setOpen(!isOpen),
    Escape: () => (range === undefined ? setOpen(false) : setAnchor(undefined)),
    F2: () => setEdited(true),
    Delete: () => remove(),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keys[event.key];
    if (key === undefined || event.target !== box.current) return;
    event.preventDefault();
    key(event.shiftKey);
  };

  const isSelected = (position: number) => position >= selected.from && position < selected.to;
  const positions = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const record = rowAt(active);
  const place = record && { asked, position: active, row: record };
  const set = async ({ name: field }: FieldInfo, value: unknown) => {
    if (place !== undefined) await edit({ kind: "set", place, field, value });
  };
  const copying = useCopy({ engine, asked, columns, range });
  const remove = () => {
    if (place !== undefined && range === undefined) run({ kind: "remove", place });
  };
  /** They stay as they are while another question is typed, and when its rows are counted. */
  const lines = useMemo(
    () =>
      positions.map((position) => {
        const row = rowAt(position);
        return (
          <div
            key={position}
            id={id(`row-${position}`)}
            class={`line${isSelected(position) ? " active" : ""}${row !== undefined && fresh.has(row) ? " fresh" : ""}`}
            role="row"
            aria-rowindex={position + 2}
            aria-selected={isSelected(position)}
            onMouseDown={(event) => {
              // It would select the text between.
              if (event.shiftKey) event.preventDefault();
            }}
            onClick={({ shiftKey }) => {
              if (position !== active) setActive(position, shiftKey);
              if (shiftKey) box.current?.focus();
              else setOpen(true);
            }}
          >
            {columns.map(({ field, at }, i) => (
              <Cell
                key={field.name}
                id={id(`cell-${position}-${i}`)}
                field={field}
                value={row?.[at]}
                isActive={position === active && i === column}
                isEdited={isEdited && position === active && i === column}
                onChoose={() => {
                  if (i !== column) setEdited(false);
                  setActiveColumn(i);
                }}
                onEdit={() => setEdited(true)}
                save={(value) => set(field, value)}
                close={() => {
                  setEdited(false);
                  box.current?.focus();
                }}
              />
            ))}
          </div>
        );
      }),
    [
      ...[answer.rows, answer.offset, loaded, columns, from, to],
      ...[active, anchor, selected.from, selected.to, column, isEdited, fresh],
    ],
  );
  return (
    <div class={isOpen ? "answer open" : "answer"}>
      {range !== undefined && <Selection {...copying} range={range} />}
      <div
        class={isFrozen ? "grid frozen" : "grid"}
        ref={box}
        style={widths}
        role="grid"
        tabIndex={0}
        aria-label="Records that match"
        aria-multiselectable="true"
        aria-rowcount={matching + 2}
        aria-colcount={columns.length}
        {...(matching > 0 ? { "aria-activedescendant": id(`cell-${active}-${column}`) } : {})}
        onScroll={measure}
        onKeyDown={onKeyDown}
        onCopy={(event) => {
          const value = record?.[columns[column]?.at ?? -1];
          // What was selected by hand is copied as it is.
          const isTyped =
            event.target instanceof HTMLElement && event.target.closest("form") !== null;
          if (value === undefined || isTyped || getSelection()?.isCollapsed === false) return;
          event.preventDefault();
          if (range !== undefined) void copying.copy("tsv");
          else
            event.clipboardData?.setData("text/plain", copiedText(value, columns[column]?.field));
        }}
      >
        <div class="line head" role="row" aria-rowindex={1}>
          {columns.map((each) => (
            <Head
              key={each.field.name}
              column={each}
              {...{ chosen, asked, onSort, onColumns, types, onTypes }}
              menu={{ engine, loaded, criteria: asked.criteria, onGroup }}
            />
          ))}
        </div>
        <div role="rowgroup" class="body" style={{ height: `${height}px` }}>
          <div
            role="presentation"
            style={{
              transform: `translateY(${top}px)`,
            }}
          >
            {lines}
          </div>
        </div>
        {matching === 0 && (
          <p class="empty">
            {loaded.size === 0 ? "This table has no records." : "No records match."}
          </p>
        )}
        {matching > 0 && <Foot {...{ engine, loaded, columns }} criteria={asked.criteria} />}
      </div>
      {columns.length < all.length && (
        <p class="note quiet">
          {count(columns.length)} of {counted(all.length, "column")} are shown; “Columns” has the
          others.
        </p>
      )}
      {to - from < matching && (
        <p class="note quiet paper">
          Only rows {count(from + 1)} to {count(to)} of {count(matching)} are printed: the page had
          drawn no more. “Save as” has all.
        </p>
      )}
      {isOpen && record !== undefined && (
        <Detail
          fields={all}
          {...{ record, set, remove }}
          position={active}
          close={() => setOpen(false)}
        />
      )}
    </div>
  );
}

/** A value as it is copied: null is nothing. */
function copiedText(value: FieldValue, field: FieldInfo | undefined): string {
  const text = field === undefined ? value : copied(value, field);
  return text === null ? "" : rawText(text);
}

const NO_ROWS: ReadonlySet<Row> = new Set();

/** The rows that a change of the data gave other values, or brought here: they are marked. */
function useFresh({ rows }: Answer, loaded: Loaded, question: string): ReadonlySet<Row> {
  const last = useRef({ rows, loaded, question, fresh: NO_ROWS });
  const before = last.current;
  if (before.rows !== rows) {
    const isSame = before.question === question && before.loaded.fields === loaded.fields;
    const fresh = isSame && before.loaded !== loaded ? newIn(rows, before.rows) : NO_ROWS;
    last.current = { rows, loaded, question, fresh };
  }
  return last.current.fresh;
}

function newIn(rows: readonly Row[], before: readonly Row[]): ReadonlySet<Row> {
  const known = new Set(before.map((row) => JSON.stringify(row)));
  return new Set(rows.filter((row) => !known.has(JSON.stringify(row))));
}
