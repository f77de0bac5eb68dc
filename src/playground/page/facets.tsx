// Charts beside each other: bars of values, which filter by a click, histograms, which filter by a brush,
// and search boxes. Each counts what all other criteria select, so that it shows what another choice would
// give.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { facetChoice, wireOf, withFacet, type FacetChoice } from "../criteria-list.ts";
import type {
  CriteriaList,
  Facet,
  FacetCounts,
  RangeFacet,
  Scalar,
  SearchFacet,
  ValuesFacet,
} from "../messages.ts";
import { count, shortCount, shown, shownNumber } from "./words.ts";

interface Props {
  readonly facets: readonly Facet[];
  /** Without criteria. */
  readonly all: readonly FacetCounts[];
  readonly selected: readonly FacetCounts[];
  readonly list: CriteriaList;
  readonly onChange: (list: CriteriaList) => void;
}

export function Facets({ facets, all, selected, list, onChange }: Props): JSX.Element {
  return (
    <div class="facets">
      {facets.map((facet) => {
        const { field } = facet;
        const choice = facetChoice(list, facet);
        const choose = (next: FacetChoice | undefined) => onChange(withFacet(list, facet, next));
        const [whole, part] = [all, selected].map((counts) =>
          counts.find((each) => each.field === field),
        );
        return (
          <section key={field} class="facet" aria-label={shown(field)}>
            <header>
              <h2>{shown(field)}</h2>
              <span class="quiet">{choiceText(facet, choice)}</span>
              {choice !== undefined && (
                <button type="button" class="plain" onClick={() => choose(undefined)}>
                  Reset
                </button>
              )}
            </header>
            {facet.kind === "values" && <Values {...{ facet, whole, part, choice, choose }} />}
            {facet.kind === "range" && <Histogram {...{ facet, whole, part, choice, choose }} />}
            {facet.kind === "search" && <Search {...{ facet, choice, choose }} />}
          </section>
        );
      })}
    </div>
  );
}

function choiceText(facet: Facet, choice: FacetChoice | undefined): string {
  if (choice === undefined || "text" in choice) return "";
  if ("values" in choice) {
    const [first = null, ...others] = choice.values;
    return others.length === 0 ? shown(first) : `${choice.values.length} values`;
  }
  const { step = 0, unit } = facet.kind === "range" ? facet : {};
  const [low, high] = [choice.from, choice.end - step].map((bound) =>
    Number.isFinite(bound) ? shownNumber(bound, unit) : "…",
  );
  // Of one day the second time says it once.
  const [day = ""] = (low ?? "").split(" ");
  const isSame = day.includes("-") && high?.startsWith(`${day} `) === true;
  return `${low ?? ""} to ${isSame ? high.slice(day.length + 1) : (high ?? "")}`;
}

interface ChartProps<Kind> {
  readonly facet: Kind;
  readonly whole: FacetCounts | undefined;
  readonly part: FacetCounts | undefined;
  readonly choice: FacetChoice | undefined;
  readonly choose: (choice: FacetChoice | undefined) => void;
}

/** How many bars criteria can add. */
const MOST_ADDED = 50;

function Values({ facet, part, choice, choose }: ChartProps<ValuesFacet>): JSX.Element {
  const counts = new Map(
    part !== undefined && "values" in part
      ? part.values.map(({ value, count }) => [wireOf(value), count])
      : [],
  );
  const countOf = (value: Scalar) => counts.get(wireOf(value)) ?? 0;
  const chosen = new Map(
    choice !== undefined && "values" in choice
      ? choice.values.map((value) => [wireOf(value), value])
      : [],
  );
  const listed = new Set(facet.values.map(wireOf));
  const added = [...chosen].flatMap(([wire, value]) => (listed.has(wire) ? [] : [value]));
  // Listed bars keep their places, or a bar would move away from under the pointer.
  const values = [...added.slice(0, MOST_ADDED), ...facet.values];
  const most = Math.max(1, ...values.map(countOf));
  const toggle = (value: Scalar) => {
    const next = new Map(chosen);
    if (!next.delete(wireOf(value))) next.set(wireOf(value), value);
    choose({ values: [...next.values()] });
  };
  return (
    <ul class="values">
      {values.map((value) => {
        const isChosen = chosen.has(wireOf(value));
        const isOff = chosen.size > 0 && !isChosen;
        return (
          <li key={`${typeof value} ${value}`}>
            <button
              type="button"
              class={isOff ? "off" : ""}
              aria-pressed={isChosen}
              onClick={() => toggle(value)}
            >
              <span class="bar" style={{ transform: `scaleX(${countOf(value) / most})` }} />
              <span class="name">{shown(value)}</span>
              <span class="count">{count(countOf(value))}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const WIDE = 480;
const HIGH = 112;

function Histogram(props: ChartProps<RangeFacet>): JSX.Element {
  const { whole, part, choice, choose } = props;
  const { field, from, end, bins, step, unit } = props.facet;
  const chart = useRef<SVGSVGElement>(null);
  const [anchor, setAnchor] = useState<number | undefined>(undefined);
  const [all, some] = [whole, part].map((counts) =>
    counts !== undefined && "histogram" in counts ? counts.histogram : undefined,
  );
  const [allCounts, someCounts] = [all, some].map(
    (each) => each?.bins.map((bin) => bin.count) ?? [],
  );
  const most = Math.max(1, ...(allCounts ?? []));
  const range = choice !== undefined && "from" in choice ? choice : undefined;
  const [low, high] = [Math.max(from, range?.from ?? from), Math.min(end, range?.end ?? end)];
  const at = (value: number) => ((value - from) / (end - from)) * WIDE;
  const binOf = (value: number) => Math.round((at(value) / WIDE) * bins);
  /** The start of a bin, without the rounding errors of binary fractions. */
  const startOf = (bin: number) =>
    step === 1
      ? from + bin * ((end - from) / bins)
      : Number((from + (bin / bins) * (end - from)).toPrecision(12));

  const binAt = (event: PointerEvent): number => {
    const { left, width: wide } = chart.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const share = (event.clientX - left) / wide;
    return Math.max(0, Math.min(bins - 1, Math.floor(share * bins)));
  };
  /** The few values above the last bin are chosen with it. */
  const chooseBins = (first: number, last: number) =>
    choose({ from: startOf(first), end: last === bins ? Infinity : startOf(last) });
  const choosing = (a: number, b: number) => chooseBins(Math.min(a, b), Math.max(a, b) + 1);
  const move = (edge: "from" | "to", by: number) => {
    const [first, last] = [binOf(low), binOf(high)];
    if (edge === "from") chooseBins(Math.max(0, Math.min(last - 1, first + by)), last);
    else chooseBins(first, Math.min(bins, Math.max(first + 1, last + by)));
  };
  const keysOf = (edge: "from" | "to"): Readonly<Record<string, () => void>> => ({
    ArrowRight: () => move(edge, 1),
    ArrowUp: () => move(edge, 1),
    ArrowLeft: () => move(edge, -1),
    ArrowDown: () => move(edge, -1),
    Home: () => move(edge, -bins),
    End: () => move(edge, bins),
    Escape: () => choose(undefined),
  });
  return (
    <div class="histogram">
      <div class="plot">
        <svg
          ref={chart}
          viewBox={`0 0 ${WIDE} ${HIGH}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setAnchor(binAt(event));
          }}
          onPointerMove={(event) => {
            if (anchor !== undefined) choosing(anchor, binAt(event));
          }}
          onPointerUp={(event) => {
            // A click where all of it was chosen takes one bin; elsewhere it gives the choice up.
            if (anchor === binAt(event)) choose(undefined);
            setAnchor(undefined);
          }}
        >
          <path class="all" d={bars(allCounts ?? [], most)} />
          <path class="some" d={bars(someCounts ?? [], most)} />
          {range !== undefined && (
            <>
              <rect class="out" x={0} y={0} width={at(low)} height={HIGH} />
              <rect class="out" x={at(high)} y={0} width={WIDE - at(high)} height={HIGH} />
            </>
          )}
        </svg>
        {(["from", "to"] as const).map((edge) => {
          const value = edge === "from" ? low : high - step;
          return (
            <button
              key={edge}
              type="button"
              class={`handle${range === undefined ? "" : " set"}`}
              role="slider"
              aria-label={`${shown(field)} ${edge}`}
              aria-valuemin={from}
              aria-valuemax={end - step}
              aria-valuenow={value}
              aria-valuetext={shownNumber(value, unit)}
              style={{ left: `${(at(edge === "from" ? low : high) / WIDE) * 100}%` }}
              onKeyDown={(event) => {
                const act = keysOf(edge)[event.key];
                if (act === undefined) return;
                event.preventDefault();
                act();
              }}
            />
          );
        })}
      </div>
      <p class="axis">
        <span>{shownNumber(from, unit)}</span>
        <span class="quiet">
          up to {shortCount(most)}
          {some !== undefined && some.nulls > 0 && `, ${shortCount(some.nulls)} null`}
        </span>
        <span>{shownNumber(end - step, unit)}</span>
      </p>
    </div>
  );
}

function Search({
  facet,
  choice,
  choose,
}: Pick<ChartProps<SearchFacet>, "facet" | "choice" | "choose">): JSX.Element {
  return (
    <input
      type="search"
      class="search"
      aria-label={`${shown(facet.field)} contains`}
      placeholder="contains"
      autocomplete="off"
      spellcheck={false}
      value={choice !== undefined && "text" in choice ? choice.text : ""}
      onInput={({ currentTarget }) => choose({ text: currentTarget.value })}
    />
  );
}

/** Bars beside each other as one path. */
function bars(counts: readonly number[], most: number): string {
  const wide = WIDE / Math.max(1, counts.length);
  const gap = Math.min(1, wide / 5);
  return counts
    .map((value, i) => {
      const high = (value / most) * HIGH;
      return value === 0
        ? ""
        : `M${(i * wide).toFixed(2)},${HIGH}v${(-high).toFixed(2)}h${(wide - gap).toFixed(2)}V${HIGH}z`;
    })
    .join("");
}
