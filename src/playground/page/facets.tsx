// Charts beside each other: bars of values, which filter by a click, and histograms, which filter by a
// brush. Each counts what all other criteria select, so that it shows what another choice would give.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { facetChoice, withFacet, type CriteriaList, type FacetChoice } from "../criteria-list.ts";
import type { Facet, FacetCounts } from "../messages.ts";
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
        const choice = facetChoice(list, field);
        const choose = (next: FacetChoice | undefined) => onChange(withFacet(list, field, next));
        const [whole, part] = [all, selected].map((counts) =>
          counts.find((each) => each.field === field),
        );
        return (
          <section key={field} class="facet" aria-label={field}>
            <header>
              <h2>{field}</h2>
              <span class="quiet">{choiceText(field, choice)}</span>
              {choice !== undefined && (
                <button type="button" class="plain" onClick={() => choose(undefined)}>
                  Reset
                </button>
              )}
            </header>
            {"values" in facet ? (
              <Values {...{ facet, whole, part, choice, choose }} />
            ) : (
              <Histogram {...{ facet, whole, part, choice, choose }} />
            )}
          </section>
        );
      })}
    </div>
  );
}

function choiceText(field: string, choice: FacetChoice | undefined): string {
  if (choice === undefined) return "";
  if ("values" in choice) return choice.values.length === 1 ? "" : `${choice.values.length} values`;
  const { from, to } = choice;
  const [low, high] = [from, to].map((bound) =>
    Number.isFinite(bound) ? shownNumber(field, bound) : "…",
  );
  // Of one day the second time says it once.
  const [day = ""] = (low ?? "").split(" ");
  const isSame = day.includes("-") && high?.startsWith(`${day} `) === true;
  return `${low ?? ""} to ${isSame ? high.slice(day.length + 1) : (high ?? "")}`;
}

interface ChartProps<Kind> {
  readonly facet: Extract<Facet, Kind>;
  readonly whole: FacetCounts | undefined;
  readonly part: FacetCounts | undefined;
  readonly choice: FacetChoice | undefined;
  readonly choose: (choice: FacetChoice | undefined) => void;
}

function Values({ facet, part, choice, choose }: ChartProps<{ values: unknown }>): JSX.Element {
  const counts = part !== undefined && "values" in part ? part.values : [];
  const countOf = (value: string | null) => counts.find((each) => each.value === value)?.count ?? 0;
  const most = Math.max(1, ...facet.values.map(countOf));
  const chosen = choice !== undefined && "values" in choice ? choice.values : [];
  const toggle = (value: string | null) =>
    choose({
      values: chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value],
    });
  return (
    <ul class="values">
      {facet.values.map((value) => {
        const isChosen = chosen.includes(value);
        const isOff = chosen.length > 0 && !isChosen;
        return (
          <li key={value}>
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

function Histogram(props: ChartProps<{ bins: unknown }>): JSX.Element {
  const { whole, part, choice, choose } = props;
  const { field, from, to, bins } = props.facet;
  const width = (to - from + 1) / bins;
  const chart = useRef<SVGSVGElement>(null);
  const [anchor, setAnchor] = useState<number | undefined>(undefined);
  const [all, some] = [whole, part].map((counts) =>
    counts !== undefined && "histogram" in counts
      ? counts.histogram.bins.map((bin) => bin.count)
      : [],
  );
  const most = Math.max(1, ...(all ?? []));
  const range = choice !== undefined && "from" in choice ? choice : undefined;
  const [low, high] = [Math.max(from, range?.from ?? from), Math.min(to, range?.to ?? to)];
  const at = (value: number) => ((value - from) / (to - from + 1)) * WIDE;

  const binAt = (event: PointerEvent): number => {
    const { left, width: wide } = chart.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const share = (event.clientX - left) / wide;
    return Math.max(0, Math.min(bins - 1, Math.floor(share * bins)));
  };
  /** What is above the last bin is chosen with it: there are a few. */
  const upTo = (end: number) => (end >= to ? Infinity : end);
  const choosing = (a: number, b: number) => {
    const [first, last] = [Math.min(a, b), Math.max(a, b)];
    choose({ from: from + first * width, to: upTo(from + (last + 1) * width - 1) });
  };
  const move = (edge: "from" | "to", by: number) => {
    const [least, most] = edge === "from" ? [from, high - width + 1] : [low + width - 1, to];
    const next = { from: low, to: high };
    next[edge] = Math.max(least, Math.min(most, next[edge] + by * width));
    choose({ from: next.from, to: upTo(next.to) });
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
          <path class="all" d={bars(all ?? [], most)} />
          <path class="some" d={bars(some ?? [], most)} />
          {range !== undefined && (
            <>
              <rect class="out" x={0} y={0} width={at(low)} height={HIGH} />
              <rect class="out" x={at(high + 1)} y={0} width={WIDE - at(high + 1)} height={HIGH} />
            </>
          )}
        </svg>
        {(["from", "to"] as const).map((edge) => {
          const value = edge === "from" ? low : high;
          return (
            <button
              key={edge}
              type="button"
              class={`handle${range === undefined ? "" : " set"}`}
              role="slider"
              aria-label={`${field} ${edge}`}
              aria-valuemin={from}
              aria-valuemax={to}
              aria-valuenow={value}
              aria-valuetext={shownNumber(field, value)}
              style={{ left: `${(at(edge === "from" ? value : value + 1) / WIDE) * 100}%` }}
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
        <span>{shownNumber(field, from)}</span>
        <span class="quiet">up to {shortCount(most)}</span>
        <span>{shownNumber(field, to)}</span>
      </p>
    </div>
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
