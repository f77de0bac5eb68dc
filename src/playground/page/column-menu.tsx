// What the head of a column offers besides sorting: what the column holds, and groups by it.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { groupedBy, isNumber, partsOf, type GroupBy } from "../groups.ts";
import type { CriteriaList, FieldInfo, Profile } from "../messages.ts";
import type { Engine } from "./engine.ts";
import { Frequent, kindOf } from "./profile.tsx";
import { count, shown, textIn } from "./words.ts";

export interface MenuProps {
  readonly engine: Engine;
  readonly criteria: CriteriaList;
  readonly onGroup: (group: GroupBy) => void;
}

/** How far the menu stays from the edge of the window, in pixels. */
const EDGE = 8;

export function ColumnMenu({
  field,
  engine,
  criteria,
  onGroup,
}: MenuProps & { readonly field: FieldInfo }): JSX.Element {
  const [profile, setProfile] = useState<Profile>();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const name = shown(field.name);
  /** In front of everything, because the table is clipped. */
  const place = () => {
    const box = button.current?.getBoundingClientRect();
    const { current } = menu;
    if (box === undefined || current === null) return;
    const { offsetWidth: wide, offsetHeight: high } = current;
    const left = Math.min(box.left, innerWidth - wide - EDGE);
    const top = Math.min(box.bottom, innerHeight - high - EDGE);
    current.style.left = `${Math.max(EDGE, left)}px`;
    current.style.top = `${Math.max(EDGE, top)}px`;
  };
  const onToggle = ({ newState }: { readonly newState: string }) => {
    const opens = newState === "open";
    setOpen(opens);
    if (!opens) return;
    place();
    void engine.call("profile", criteria, field.name).then(
      (found) => {
        setProfile(found);
        requestAnimationFrame(place);
      },
      () => undefined,
    );
  };
  const group = (group: GroupBy) => {
    menu.current?.hidePopover();
    onGroup(group);
  };
  return (
    <>
      <button
        type="button"
        class="more"
        ref={button}
        aria-label={`About ${name}`}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        title={`About ${name}: what it holds, groups by it`}
        onClick={() => menu.current?.togglePopover()}
      >
        <span aria-hidden="true">▾</span>
      </button>
      <div
        class="menu"
        popover="auto"
        ref={menu}
        role="dialog"
        aria-label={name}
        onToggle={onToggle}
        onKeyDown={(event) => event.stopPropagation()}
      >
        {isOpen && (
          <>
            <h2>
              {name} <span class="quiet">{kindOf(field)}</span>
            </h2>
            <p class="choices">
              {offersOf(field).map(([text, wanted]) => (
                <button key={text} type="button" onClick={() => group(wanted)}>
                  {text}
                </button>
              ))}
            </p>
            {profile?.isKnown === true && profile.field === field.name && (
              <dl>
                {linesOf(profile, field).map(([term, value]) => (
                  <div key={term}>
                    <dt>{term}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
                <div>
                  <dt>most frequent</dt>
                  <dd>
                    <Frequent {...{ field, profile }} />
                  </dd>
                </div>
              </dl>
            )}
          </>
        )}
      </div>
    </>
  );
}

/** Groups by a column, and what a column of numbers measures. */
function offersOf(field: FieldInfo): readonly (readonly [text: string, group: GroupBy])[] {
  const parts = partsOf(field);
  if (parts.length === 0) return [];
  const { name } = field;
  if (field.unit !== undefined) {
    const named = ["month", "weekday", "hour", "day", "year"] as const;
    return named.map((part) => [`Group by ${part}`, groupedBy(field, part)]);
  }
  const twice: GroupBy = { ...groupedBy(field, "value"), least: 2 };
  return [
    ["Group by value", groupedBy(field, "value")],
    ...(isNumber(field)
      ? ([
          ["Group by range", groupedBy(field, "range")],
          ["99th percentile", { ...groupedBy(field, "range"), measure: "p99", of: name }],
        ] as const)
      : []),
    ["Duplicates", twice],
  ];
}

function linesOf(
  { nulls, distinct, smallest, median, largest }: Extract<Profile, { readonly isKnown: true }>,
  field: FieldInfo,
): readonly (readonly [term: string, value: string])[] {
  return [
    ["null", count(nulls)],
    ["different", count(distinct)],
    ["smallest", textIn(smallest, field)],
    ["median", textIn(median, field)],
    ["largest", textIn(largest, field)],
  ];
}
