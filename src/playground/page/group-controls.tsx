// What is measured, by what, and of which records: one sentence of choices.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  BOUNDS,
  canMeasure,
  firstGroup,
  groupedBy,
  isAdditive,
  isInSeveral,
  isOrdered,
} from "../groups.ts";
import { MEASURES, ORDERS, partsOf, SHOWS } from "../groups.ts";
import type { GroupBy, Measure, Part, Show } from "../groups.ts";
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
  const { by, part, measure, of, where, order, least, then, having, also = [], edges } = group;
  const { fields } = loaded;
  const change = (some: Partial<GroupBy>) => onGroup({ ...group, ...some });
  const fieldOf = (name: string) => fields.find((each) => each.name === name);
  const grouped = fieldOf(by) ?? { type: "json" as const, unit: undefined };
  // Identifiers, years and coordinates are measured too, but nobody means them first.
  const measurable = (by: Measure) =>
    fields
      .filter((field) => canMeasure(by, field))
      .sort((a, b) => Number(b.isMeasure) - Number(a.isMeasure));
  const measures = measurable(measure);
  const parts = partsOf(grouped);
  return (
    <div class="asked" role="group" aria-label="Groups">
      <label>
        <span>Show</span>
        <Select
          value={measure}
          options={(Object.keys(MEASURES) as Measure[])
            .filter((each) => each === "count" || measurable(each).length > 0)
            .map((each) => [each, MEASURES[each]] as const)}
          onChange={(next) => {
            const chosen = next as Measure;
            const names = chosen === "count" ? [] : measurable(chosen).map(({ name }) => name);
            const isSame = names.includes(of);
            change({
              ...{ measure: chosen, of: isSame ? of : (names[0] ?? ""), having: undefined },
              also: isSame ? group.also?.filter((each) => each !== chosen) : undefined,
            });
          }}
        />
      </label>
      {measure !== "count" && (
        <label>
          <span>of</span>
          <Select
            value={of}
            options={measures.map(({ name }) => [name, shown(name)] as const)}
            onChange={(next) => change({ of: next, also: undefined, having: undefined })}
          />
        </label>
      )}
      {also.map((each) => (
        <button
          key={each}
          type="button"
          aria-label={`Without ${MEASURES[each]}`}
          onClick={() => change({ also: also.filter((other) => other !== each) })}
        >
          {MEASURES[each]} ×
        </button>
      ))}
      {measure !== "count" && then === undefined && (
        <Select
          aria-label="and also"
          value=""
          options={[
            ["", "and…"],
            ...(Object.keys(MEASURES) as Measure[])
              .filter((each) => each !== "count" && each !== measure && !also.includes(each))
              .filter((each) => measurable(each).some(({ name }) => name === of))
              .map((each) => [each, MEASURES[each]] as const),
          ]}
          onChange={(next) => change({ also: [...also, next as Measure] })}
        />
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
      {part === "range" && <Edges edges={edges} onEdges={(next) => change({ edges: next })} />}
      <Then {...{ loaded, group, grouped }} onThen={(next) => change({ then: next })} />
      {then === undefined && (
        <Where {...{ engine, loaded, where, by }} onWhere={(next) => change({ where: next })} />
      )}
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
      {measure !== "count" && (
        <Having {...{ having }} onHaving={(next) => change({ having: next })} />
      )}
    </div>
  );
}

interface ThenProps extends Pick<Props, "loaded" | "group"> {
  readonly grouped: Pick<FieldInfo, "type">;
  readonly onThen: (then: GroupBy["then"]) => void;
}

/** The second column, if there is one: a click proposes the one that looks most like it. */
function Then({ loaded, group, grouped, onThen }: ThenProps): JSX.Element {
  const { by, measure, then } = group;
  const { fields, facets } = loaded;
  const can = fields
    .filter((field) => partsOf(field).length > 0)
    .filter((field) => !(isInSeveral(grouped) && isInSeveral(field)));
  const others = can.filter(({ name }) => name !== by);
  const second = then && fields.find((each) => each.name === then.by);
  const choose = (first: GroupBy | undefined) =>
    onThen(first && { by: first.by, part: first.part, show: then?.show ?? "value" });
  return (
    // One box for both, so that the focus goes from the button to what takes its place.
    <span class="same-place">
      {then === undefined || second === undefined ? (
        <button
          type="button"
          class="plain"
          onClick={() => choose(firstGroup({ facets, fields: others.length > 0 ? others : can }))}
        >
          and by…
        </button>
      ) : (
        <>
          <label>
            <span>and by</span>
            <Select
              value={then.by}
              options={[
                ["", "nothing else"],
                ...can.map(({ name }) => [name, shown(name)] as const),
              ]}
              onChange={(next) => {
                const field = fields.find((each) => each.name === next);
                choose(field && groupedBy(field));
              }}
            />
          </label>
          {partsOf(second).length > 1 && (
            <Select
              aria-label="and in steps of"
              value={then.part}
              options={partsOf(second).map((each) => [each, PART_NAMES[each]] as const)}
              onChange={(next) => onThen({ ...then, part: next as Part })}
            />
          )}
          <Select
            aria-label="Shown"
            value={then.show}
            options={(Object.keys(SHOWS) as Show[])
              .filter((each) => !/row|column|all/.test(each) || isAdditive(measure))
              .map((each) => [each, SHOWS[each]] as const)}
            onChange={(next) => onThen({ ...then, show: next as Show })}
          />
        </>
      )}
    </span>
  );
}

interface HavingProps {
  readonly having: GroupBy["having"];
  readonly onHaving: (having: GroupBy["having"]) => void;
}

/** Which measures are listed. */
function Having({ having, onHaving }: HavingProps): JSX.Element {
  const [bound = "", value = 0] = having ?? [];
  return (
    <>
      <Select
        aria-label="Groups with"
        value={bound}
        options={[["", "any value"], ...BOUNDS.map((each) => [each] as const)]}
        onChange={(next) => {
          const known = BOUNDS.find((each) => each === next);
          onHaving(known && [known, value]);
        }}
      />
      {bound !== "" && (
        <input
          type="number"
          step="any"
          aria-label={`${bound} this value`}
          value={value}
          onInput={({ currentTarget }) => {
            const number = currentTarget.valueAsNumber;
            if (!Number.isNaN(number)) onHaving([bound, number]);
          }}
        />
      )}
    </>
  );
}

interface EdgesProps {
  readonly edges: GroupBy["edges"];
  readonly onEdges: (edges: GroupBy["edges"]) => void;
}

/** Where ranges begin, as numbers with commas or spaces between them. */
function Edges({ edges, onEdges }: EdgesProps): JSX.Element {
  const [draft, setDraft] = useState(edges?.join(", ") ?? "");
  return (
    <input
      aria-label="Ranges begin at"
      class="edges"
      value={draft}
      placeholder="from 18, 30, 45…"
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => {
        const { value } = currentTarget;
        setDraft(value);
        const numbers = value.split(/[\s,;]+/).flatMap((word) => (word === "" ? [] : Number(word)));
        const known = [...new Set(numbers)].sort((a, b) => a - b);
        if (known.every(Number.isFinite)) onEdges(known.length === 0 ? undefined : known);
      }}
    />
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
