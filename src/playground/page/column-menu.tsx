// What the head of a column offers besides sorting: what the column holds, and groups by it.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { byName } from "../group-labels.ts";
import { firstGroup, groupedBy, isInSeveral, isNumber, MEASURES, partsOf } from "../groups.ts";
import type { GroupBy, Part } from "../groups.ts";
import type { CriteriaList, FieldInfo, Loaded, Profile } from "../messages.ts";
import type { Engine } from "./engine.ts";
import { Frequent, kindOf } from "./profile.tsx";
import { count, shown, textIn } from "./words.ts";

export interface MenuProps {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly criteria: CriteriaList;
  readonly onGroup: (group: GroupBy) => void;
}

/** How far the menu stays from the edge of the window, in pixels. */
const EDGE = 8;

export function ColumnMenu({
  field,
  engine,
  loaded,
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
    // The last one may be of other records.
    setProfile(undefined);
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
            {offersOf(field, loaded).map(([by, offers]) => (
              <p key={by} class="choices" role="group" aria-label={by}>
                <span class="quiet">{by}</span>
                {offers.map(([text, wanted]) => (
                  <button key={text} type="button" onClick={() => group(wanted)}>
                    {text}
                  </button>
                ))}
              </p>
            ))}
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

/** How many columns of numbers are offered to be summed up. */
const MOST_SUMS = 2;

type Offer = readonly [text: string, group: GroupBy];

/** Groups by a column, and what a column of numbers measures. */
function offersOf(
  field: FieldInfo,
  loaded: Loaded,
): readonly (readonly [by: string, offers: readonly Offer[]])[] {
  const { name } = field;
  const sums = loaded.fields
    .filter((each) => isMeasured(each) && each.name !== name)
    .slice(0, MOST_SUMS);
  const counted = (part: Part) => ["Count", groupedBy(field, part)] as const;
  const summed = (part: Part) =>
    sums.map((each) => [
      `Sum of ${shown(each.name)}`,
      groupedBy(field, part, { measure: "sum", of: each.name }),
    ]) as readonly Offer[];
  const first = firstGroup({
    ...loaded,
    facets: loaded.facets.filter((each) => each.field !== name),
  });
  const measures = first === undefined || !isMeasured(field) ? [] : MEASURED;
  return [
    ...partsOf(field)
      .filter((part) => OFFERED.includes(part) && (part !== "value" || field.unit === undefined))
      .map((part) => {
        const twice: Offer = ["Duplicates", { ...groupedBy(field, part), least: 2 }];
        const offers = [
          counted(part),
          ...summed(part),
          ...(part === "value" && !isInSeveral(field) ? [twice] : []),
        ];
        return [`By ${part}`, offers] as const;
      }),
    ...(first === undefined || measures.length === 0
      ? []
      : [
          [
            `By ${shown(byName(first))}`,
            measures.map((measure): Offer => [
              capital(MEASURES[measure]),
              { ...first, measure, of: name },
            ]),
          ] as const,
        ]),
  ];
}

const OFFERED: readonly Part[] = ["value", "month", "weekday", "hourOfDay", "range"];
const MEASURED = ["sum", "mean", "median", "p99"] as const;

const isMeasured = (field: FieldInfo): boolean =>
  isNumber(field) && field.isMeasure && field.unit === undefined;

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function linesOf(
  { nulls, distinct, smallest, median, largest }: Extract<Profile, { readonly isKnown: true }>,
  field: FieldInfo,
): readonly (readonly [term: string, value: string])[] {
  return [
    ["null", count(nulls)],
    ["distinct", count(distinct)],
    ["smallest", textIn(smallest, field)],
    ["median", textIn(median, field)],
    ["largest", textIn(largest, field)],
  ];
}
