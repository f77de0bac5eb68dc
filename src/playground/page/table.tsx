// The records that match, as a table of any length: only the rows in sight are there. A page can't
// be higher than some ten million pixels, so that a longer table is scrolled by its share.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { FieldValue } from "../../index.ts";
import { MOST_COLUMNS } from "../messages.ts";
import type { Answer, Asked, FieldInfo, Row } from "../messages.ts";
import { count, date, shown, whole } from "./words.ts";

const ROW = 32;
const HIGHEST = 8_000_000;
/** Rows beyond the edges, so that a small scroll shows no gap. */
const BEYOND = 12;

interface Props {
  readonly fields: readonly FieldInfo[];
  readonly answer: Answer;
  readonly asked: Asked;
  readonly onSort: (field: string) => void;
  readonly fetch: (offset: number, limit: number) => void;
}

/** In pixels: wide enough for its name, and for most of its values. */
const widthOf = ({ name, type, width }: FieldInfo): number =>
  Math.min(310, Math.max(112, name.length * 7.4 + type.length * 5.6 + 44, width * 7.6 + 28));

export function Table({ fields, answer, asked, onSort, fetch }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const { matching } = answer;

  // List Fields are searched only.
  const all = fields.filter(({ stored }) => stored);
  const columns = all.slice(0, MOST_COLUMNS);
  const template = columns.map((field) => `${widthOf(field)}px`).join(" ");

  const full = matching * ROW;
  const height = Math.min(full, HIGHEST);
  const inSight = Math.max(1, Math.floor((scroll.height - ROW) / ROW));
  const isScaled = full > HIGHEST;
  const share = scroll.top / Math.max(1, height - scroll.height + ROW);
  const first = isScaled
    ? Math.round(Math.min(1, share) * Math.max(0, matching - inSight))
    : Math.floor(scroll.top / ROW);
  const from = Math.max(0, first - BEYOND);
  const to = Math.min(matching, first + inSight + BEYOND);

  useEffect(() => {
    const has = from >= answer.offset && to <= answer.offset + answer.rows.length;
    if (!has) fetch(Math.max(0, from - inSight), inSight * 3 + 2 * BEYOND);
  }, [from, to, answer]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setScroll({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // Another question begins at its first row.
  const question = JSON.stringify(asked);
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
    setActive(0);
  }, [question]);

  const rowAt = (position: number): Row | undefined => answer.rows[position - answer.offset];

  const goTo = (position: number) => {
    const next = Math.max(0, Math.min(matching - 1, position));
    setActive(next);
    const element = box.current;
    if (element === null || (next >= first && next < first + inSight)) return;
    const top = next < first ? next : next - inSight + 1;
    element.scrollTop = isScaled
      ? (top / Math.max(1, matching - inSight)) * (height - scroll.height + ROW)
      : top * ROW;
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(active + 1),
    ArrowUp: () => goTo(active - 1),
    PageDown: () => goTo(active + inSight),
    PageUp: () => goTo(active - inSight),
    Home: () => goTo(0),
    End: () => goTo(matching - 1),
    Enter: () => setOpen(!isOpen),
    Escape: () => setOpen(false),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keys[event.key];
    if (key === undefined || event.target !== box.current) return;
    event.preventDefault();
    key();
  };

  const positions = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const record = rowAt(active);
  return (
    <div class={isOpen ? "answer open" : "answer"}>
      <div
        class="grid"
        ref={box}
        role="grid"
        tabIndex={0}
        aria-label="Records that match"
        aria-rowcount={matching + 1}
        aria-colcount={columns.length}
        aria-activedescendant={`row-${active}`}
        onScroll={(event) => {
          const { scrollTop, clientHeight } = event.currentTarget;
          setScroll({ top: scrollTop, height: clientHeight });
        }}
        onKeyDown={onKeyDown}
      >
        <div
          class="line head"
          role="row"
          style={{ gridTemplateColumns: template }}
          aria-rowindex={1}
        >
          {columns.map((field) => (
            <Head key={field.name} field={field} asked={asked} onSort={onSort} />
          ))}
        </div>
        <div role="rowgroup" class="body" style={{ height: `${height}px` }}>
          <div
            role="presentation"
            style={{
              transform: `translateY(${isScaled ? scroll.top - (first - from) * ROW : from * ROW}px)`,
            }}
          >
            {positions.map((position) => {
              const row = rowAt(position);
              return (
                <div
                  key={position}
                  id={`row-${position}`}
                  class={position === active ? "line active" : "line"}
                  role="row"
                  aria-rowindex={position + 2}
                  aria-selected={position === active}
                  style={{ gridTemplateColumns: template }}
                  onClick={() => {
                    setActive(position);
                    setOpen(true);
                  }}
                >
                  {columns.map((field, i) => {
                    const value = row?.[i];
                    return (
                      <div
                        key={i}
                        role="gridcell"
                        class={`${alignment(field)} ${isNone(value) ? "none" : ""}`}
                      >
                        {value === undefined ? "" : shown(value)}
                      </div>
                    );
                  })}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {isOpen && record !== undefined && (
        <Detail columns={all} record={record} position={active} close={() => setOpen(false)} />
      )}
    </div>
  );
}

const alignment = ({ type }: FieldInfo) => (type === "int" || type === "float" ? "number" : "");

const isNone = (value: FieldValue | undefined) => value === null || value === "";

function Head({
  field,
  asked,
  onSort,
}: Pick<Props, "asked" | "onSort"> & { readonly field: FieldInfo }) {
  const { name, type, nullable } = field;
  const { sortBy, sortOrder } = asked;
  const isSorted = sortBy === name && name !== "";
  const order = sortOrder === "ASC" ? "ascending" : "descending";
  return (
    <div role="columnheader" class={alignment(field)} aria-sort={isSorted ? order : "none"}>
      <button
        type="button"
        data-type={type}
        title={nullable ? `${type} or null` : type}
        disabled={type === "json"}
        onClick={() => onSort(name)}
      >
        {shown(name)}
        <span class="arrow" aria-hidden="true">
          {isSorted ? (sortOrder === "ASC" ? "↑" : "↓") : ""}
        </span>
      </button>
    </div>
  );
}

/** Every field of a record, whole. */
function Detail(props: {
  readonly columns: readonly FieldInfo[];
  readonly record: Row;
  readonly position: number;
  readonly close: () => void;
}) {
  const { columns, record, position, close } = props;
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
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      <dl tabIndex={0} aria-label="All fields">
        {columns.map(({ name, unit }, i) => {
          const value = record[i] ?? null;
          return (
            <div key={i}>
              <dt>{shown(name)}</dt>
              <dd class={isNone(value) ? "none" : ""}>
                {whole(value)}
                {unit !== undefined && Number(value) > 0 && (
                  <span class="quiet"> {date(Number(value), unit)}</span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </aside>
  );
}
