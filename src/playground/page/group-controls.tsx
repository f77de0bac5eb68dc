// What is measured, by what, and of which records: one sentence of choices.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { groupedBy, isInSeveral, isNumber, isOrdered, MEASURES, ORDERS } from "../groups.ts";
import { partsOf } from "../groups.ts";
import type { GroupBy, Measure, Part } from "../groups.ts";
import { PART_NAMES } from "../group-labels.ts";
import { isScalar, textFormOf } from "../criteria-list.ts";
import type { FieldInfo, Loaded, Scalar } from "../messages.ts";
import { PLAIN } from "../texts.ts";
import { Select } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { count, shown, textIn } from "./words.ts";

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly group: GroupBy;
  readonly onGroup: (group: GroupBy) => void;
}

/** Groups of at least so many records. */
const LEAST = [1, 2, 3, 5, 10, 100, 1000];

export function GroupControls({ engine, loaded, group, onGroup }: Props): JSX.Element {
  const { by, part, measure, of, where, order, least } = group;
  const { fields } = loaded;
  const change = (some: Partial<GroupBy>) => onGroup({ ...group, ...some });
  const fieldOf = (name: string) => fields.find((each) => each.name === name);
  const grouped = fieldOf(by) ?? { type: "json" as const, unit: undefined };
  const numbers = isInSeveral(grouped)
    ? []
    : fields.filter((field) => isNumber(field) && field.unit === undefined);
  // Identifiers, years and coordinates are measured too, but nobody means them first.
  const measures = [...numbers].sort((a, b) => Number(b.isMeasure) - Number(a.isMeasure));
  const parts = partsOf(grouped);
  return (
    <div class="asked" role="group" aria-label="Groups">
      <label>
        <span>Show</span>
        <Select
          value={measure}
          options={(Object.keys(MEASURES) as Measure[])
            .filter((each) => each === "count" || measures.length > 0)
            .map((each) => [each, MEASURES[each]] as const)}
          onChange={(next) => {
            const chosen = next as Measure;
            const first = measures.some(({ name }) => name === of) ? of : measures[0]?.name;
            change({ measure: chosen, of: chosen === "count" ? "" : (first ?? "") });
          }}
        />
      </label>
      {measure !== "count" && (
        <label>
          <span>of</span>
          <Select
            value={of}
            options={measures.map(({ name }) => [name, shown(name)] as const)}
            onChange={(next) => change({ of: next })}
          />
        </label>
      )}
      <label>
        <span>by</span>
        <Select
          value={by}
          options={fields
            .filter((field) => partsOf(field).length > 0)
            .map(({ name }) => [name, shown(name)] as const)}
          onChange={(next) => {
            const field = fieldOf(next);
            if (field !== undefined) onGroup(groupedBy(field, undefined, group));
          }}
        />
      </label>
      {parts.length > 1 && (
        <label>
          <span class="hidden">in steps of</span>
          <Select
            value={part}
            options={parts.map((each) => [each, PART_NAMES[each]] as const)}
            onChange={(next) => {
              const chosen = next as Part;
              change({ part: chosen, order: isOrdered(chosen) ? "key" : "most" });
            }}
          />
        </label>
      )}
      <Where {...{ engine, loaded, where, by }} onWhere={(next) => change({ where: next })} />
      <label>
        <span class="hidden">Order</span>
        <Select
          value={order}
          options={(Object.keys(ORDERS) as (keyof typeof ORDERS)[])
            .filter((each) => each !== "share" || where !== undefined)
            .map((each) => [each, ORDERS[each]] as const)}
          onChange={(next) => change({ order: next as GroupBy["order"] })}
        />
      </label>
      <label>
        <span class="hidden">Groups</span>
        <Select
          value={least}
          options={[...new Set([...LEAST, least])].map(
            (each) =>
              [each, each === 1 ? "all groups" : `groups of ${count(each)} and more`] as const,
          )}
          onChange={(next) => change({ least: Number(next) })}
        />
      </label>
    </div>
  );
}

/** How many values are offered. */
const MOST_VALUES = 200;

interface WhereProps extends Pick<Props, "engine" | "loaded"> {
  readonly where: GroupBy["where"];
  readonly by: string;
  readonly onWhere: (where: GroupBy["where"]) => void;
}

/** The second series: the records with a value of another field. */
function Where({ engine, loaded, where, by, onWhere }: WhereProps): JSX.Element | null {
  const { fields, facets } = loaded;
  const [values, setValues] = useState<readonly Scalar[]>([]);
  const few = facets.flatMap((facet) =>
    facet.kind === "values" && facet.areElements !== true ? [facet.field] : [],
  );
  const name = where?.[0];
  const named = fields.filter((field) => few.includes(field.name) || field.name === name);
  const valuesOf = async (field: FieldInfo): Promise<readonly Scalar[]> => {
    const { groups } = await engine.call("groups", [], groupedBy(field, "value"), MOST_VALUES);
    return groups.map(({ key }) => key);
  };
  const field = named.find((each) => each.name === name);
  useEffect(() => {
    let isWanted = true;
    setValues([]);
    if (field === undefined) return;
    void valuesOf(field).then(
      (found) => isWanted && setValues(found),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [loaded, name]);
  if (named.length === 0) return null;
  const choose = async (next: string) => {
    const chosen = named.find((each) => each.name === next);
    if (chosen === undefined) {
      onWhere(undefined);
      return;
    }
    const [first = null, second] = await valuesOf(chosen);
    // Of yes and no, yes is asked about.
    onWhere([next, second === true ? true : first]);
  };
  const value = where === undefined ? "" : keyOf(where[1]);
  const offered = where === undefined ? values : [where[1], ...values];
  const options = new Map(
    offered.filter(isScalar).map((each) => [keyOf(each), textIn(each, field ?? PLAIN)]),
  );
  return (
    <>
      <label>
        <span>of which</span>
        <Select
          value={name ?? ""}
          options={[
            ["", "all"],
            ...named
              .filter((each) => each.name !== by || each.name === name)
              .map((each) => [each.name, shown(each.name)] as const),
          ]}
          onChange={(next) => void choose(next)}
        />
      </label>
      {where !== undefined && (
        <label>
          <span>is</span>
          <Select
            value={value}
            options={[...options]}
            onChange={(next) => {
              const found = offered.find((each) => keyOf(each) === next);
              if (found !== undefined) onWhere([where[0], found]);
            }}
          />
        </label>
      )}
    </>
  );
}

/** A value as an option has it. */
const keyOf = (value: Scalar): string => JSON.stringify(textFormOf(value));
