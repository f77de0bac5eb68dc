// The records that match, as a table of any length: only the rows in sight are there. A page can't
// be higher than some ten million pixels, so that a longer table is scrolled by its share.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Answer, Asked, FieldInfo, Row } from "../messages.ts";
import { count, date, shown } from "./words.ts";

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

const widthOf = ({ name, type }: FieldInfo): number => {
  if (name === "contact_email" || name === "url") return 310;
  if (name === "name" || name === "basename" || name === "bounce_description") return 220;
  return Math.max(type === "int" ? 112 : 128, name.length * 8.5 + 34);
};

export function Table({ fields, answer, asked, onSort, fetch }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const { matching } = answer;

  const columns = columnsOf(fields, answer.rows[0]);
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
                  {columns.map(({ name, type }) => (
                    <div key={name} role="gridcell" class={cellClass(row?.[name], type)}>
                      {row === undefined ? "" : shown(row[name] ?? null)}
                    </div>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {isOpen && record !== undefined && (
        <Detail record={record} position={active} close={() => setOpen(false)} />
      )}
    </div>
  );
}

/** What says most about a record comes first; the others follow in the order of its fields. */
const LEADING = [
  "contact_email",
  "name",
  "send_status",
  "open_type",
  "open_country",
  "open_count",
  "size",
  "mime_type",
];

/** The fields that records carry: List Fields they do not. */
function columnsOf(fields: readonly FieldInfo[], record: Row | undefined): FieldInfo[] {
  const place = ({ name }: FieldInfo) => LEADING.indexOf(name);
  const isLeading = ({ name }: FieldInfo) => LEADING.includes(name);
  return [
    ...fields.filter(isLeading).sort((a, b) => place(a) - place(b)),
    ...fields.filter((field) => !isLeading(field)),
  ].filter(({ name }) => record === undefined || name in record);
}

const cellClass = (value: string | null | undefined, type: string) =>
  `${type === "int" ? "number" : ""}${value === null || value === "" ? " none" : ""}`;

function Head({
  field,
  asked,
  onSort,
}: Pick<Props, "asked" | "onSort"> & { readonly field: FieldInfo }) {
  const { name, type } = field;
  const { sortBy, sortOrder } = asked;
  const isSorted = sortBy === name;
  const order = sortOrder === "ASC" ? "ascending" : "descending";
  return (
    <div
      role="columnheader"
      class={type === "int" ? "number" : ""}
      aria-sort={isSorted ? order : "none"}
    >
      <button type="button" onClick={() => onSort(name)}>
        {name}
        <span class="arrow" aria-hidden="true">
          {isSorted ? (sortOrder === "ASC" ? "↑" : "↓") : ""}
        </span>
      </button>
    </div>
  );
}

/** Every field of a record, whole. */
function Detail(props: {
  readonly record: Row;
  readonly position: number;
  readonly close: () => void;
}) {
  const { record, position, close } = props;
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
        {Object.entries(record).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={value === null || value === "" ? "none" : ""}>
              {shown(value)}
              {name.endsWith("_time") && Number(value) > 0 && (
                <span class="quiet"> {date(Number(value))}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
