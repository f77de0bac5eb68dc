// Records grouped by a field: a ranked list with bars, what is left out of it, and a line where time passes.

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { facetChoice, withFacet } from "../criteria-list.ts";
import { byName, measureName } from "../group-labels.ts";
import { facetOfGroups, firstGroup, fits, isOrdered, isWithin, STEPS, toggled } from "../groups.ts";
import type { Group, GroupBy, Groups } from "../groups.ts";
import { PLAIN } from "../texts.ts";
import { useLatest } from "./asking.ts";
import { GroupControls } from "./group-controls.tsx";
import { GroupList } from "./group-list.tsx";
import { GroupSave } from "./group-save.tsx";
import { Lines } from "./lines.tsx";
import { PivotTable, type FoundProps } from "./pivot.tsx";
import { count, counted, shown } from "./words.ts";

/** How many groups are listed at first, and are added by a click: two years of months, or all hours, of one's own order. */
const LISTED = 20;
const LISTED_IN_ORDER = 31;
const MORE = 100;

/** A line has at most so many steps. */
const MOST_STEPS = 2000;

interface Props extends Omit<FoundProps, "group" | "most" | "more"> {
  /** What somebody asked for. */
  readonly group: GroupBy | undefined;
  readonly onGroup: (group: GroupBy) => void;
}

export function GroupTable(props: Props): JSX.Element {
  const { engine, loaded, list, name, onGroup, onChange } = props;
  const { fields } = loaded;
  const [more, setMore] = useState(0);
  const [proposed] = useState(() => firstGroup(loaded));
  const asked = props.group !== undefined && fits(props.group, fields) ? props.group : proposed;
  const group = useMemo(() => {
    if (asked === undefined) return undefined;
    const zoneOf = (of: string) => fields.find((each) => each.name === of)?.zone;
    const then = asked.then && { ...asked.then, zone: zoneOf(asked.then.by) };
    return { ...asked, zone: zoneOf(asked.by), then };
  }, [asked, fields]);
  useEffect(() => setMore(0), [group?.by, group?.part]);
  if (group === undefined) {
    return <p class="note quiet">This table has no column to group by.</p>;
  }
  return (
    <div class="groups">
      <GroupControls {...{ engine, loaded, group, onGroup }} />
      <Listed
        {...{ engine, loaded, list, group, name, onChange }}
        most={more + (isOrdered(group.part) ? LISTED_IN_ORDER : LISTED)}
        more={() => setMore(more + MORE)}
      />
    </div>
  );
}

const Listed = (props: FoundProps): JSX.Element =>
  props.group.then === undefined ? <Found {...props} /> : <PivotTable {...props} />;

function Found(props: FoundProps): JSX.Element | null {
  const { engine, loaded, list, group, name, most, more, onChange } = props;
  const isSteps = (part: GroupBy["part"]) => STEPS.some((each) => each === part);
  const limit = isSteps(group.part) ? Math.max(MOST_STEPS, most) : most;
  const found = useLatest(engine, loaded, "groups", [list, group, limit]);
  if (found === undefined) return null;
  const { of } = found;
  const field = loaded.fields.find((each) => each.name === of.by);
  if (field === undefined) return null;
  const facet = facetOfGroups(of, loaded.fields);
  const choice = facetChoice(list, facet);
  const toggle = (next: Group) => {
    if (next.choice !== undefined) {
      const chosen = toggled(choice, next.choice);
      onChange((before) => withFacet(before, facet, chosen));
    }
  };
  const isChosen = (each: Group) => each.choice !== undefined && isWithin(each.choice, choice);
  const inOrder = of.order === "key" ? found.groups : [];
  const steps = isSteps(of.part) ? inOrder.filter(({ end }) => end !== undefined) : [];
  const format = loaded.fields.find((each) => each.name === of.of) ?? PLAIN;
  const listed = found.groups.slice(0, most);
  const isMore = listed.length < Math.max(found.found, found.groups.length);
  return (
    <section aria-label={`${measureName(of)} by ${byName(of)}`}>
      <header>
        <h2>
          {shown(measureName(of))} by {shown(byName(of))}
        </h2>
        <p class="quiet" role="status">
          {summaryOf(found, listed.length)}
        </p>
        {choice !== undefined && (
          <button
            type="button"
            class="plain"
            onClick={() => onChange((before) => withFacet(before, facet, undefined))}
          >
            Reset
          </button>
        )}
        <span class="space" />
        <GroupSave {...{ engine, list, found, field, format, name }} />
      </header>
      {steps.length > 2 && <Lines {...{ of, steps, field, format, isChosen, toggle }} />}
      <GroupList
        {...{ found, listed, field, format, isChosen, toggle }}
        isAll={list.length === 0}
      />
      {isMore && (
        <button type="button" class="plain" onClick={more}>
          Show {count(MORE)} more
        </button>
      )}
    </section>
  );
}

/** What is counted, and what is left out. */
function summaryOf({ of, found, smaller, total, nulls }: Groups, listed: number): string {
  const what = counted(found, "group");
  const few = counted(of.least, "record");
  return [
    listed < found ? `${count(listed)} of ${what}` : what,
    ...(of.least > 1 ? [`${count(smaller)} with fewer than ${few} left out`] : []),
    counted(total.records, "record"),
    ...(nulls > 0 ? [`${count(nulls)} without ${shown(of.of)}`] : []),
  ].join(" · ");
}
