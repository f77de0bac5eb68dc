// Charts beside each other: bars of values, histograms, and search boxes. Each counts what all other criteria
// select, so that it shows what another choice would give.

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { facetChoice, typedBound, withFacet, type FacetChoice } from "../criteria-list.ts";
import { isOf } from "../messages.ts";
import type {
  CriteriaList,
  Facet,
  FacetCounts,
  Loaded,
  RangeFacet,
  SearchFacet,
  Searches,
} from "../messages.ts";
import { millisecondsOf } from "../calendar.ts";
import { useLatest } from "./asking.ts";
import { Select } from "./controls.tsx";
import type { ChartProps } from "./chart.ts";
import type { Engine } from "./engine.ts";
import { Histogram } from "./histogram.tsx";
import { pictureOf } from "./picture.ts";
import { offer } from "./save.tsx";
import { Values } from "./values.tsx";
import { boundIn, PLAIN, type Format } from "../texts.ts";
import { count, counted, shown, textIn } from "./words.ts";

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  /** Without criteria. */
  readonly all: readonly FacetCounts[];
  readonly list: CriteriaList;
  /** With what makes other criteria of those that there are. */
  readonly onChange: (make: (list: CriteriaList) => CriteriaList) => void;
}

export function Facets({ engine, loaded, all, list, onChange }: Props): JSX.Element {
  const [steps, setSteps] = useState(1);
  const isChart = ({ kind }: Facet) => kind !== "search";
  const facets = useMemo(
    () => [
      ...loaded.facets.filter(isChart).slice(0, steps * MOST_CHARTS),
      ...loaded.facets.filter((facet) => !isChart(facet)).slice(0, steps * MOST_SEARCHES),
    ],
    [loaded.facets, steps],
  );
  const formats = new Map(loaded.fields.map((field) => [field.name, field]));
  const left = loaded.facets.filter((facet) => !facets.includes(facet));
  const without = loaded.fields.filter(
    ({ name }) => !loaded.facets.some(({ field }) => field === name),
  );
  const [searches, setSearches] = useState<Searches>(NO_SEARCHES);
  useEffect(() => setSearches(NO_SEARCHES), [loaded.fields]);
  const [zooms, setZooms] = useState<readonly Zoom[]>([]);
  useEffect(() => setZooms([]), [loaded.facets]);
  const drawn = useMemo(
    () => facets.map((facet) => zooms.find(({ of }) => of === facet)?.facet ?? facet),
    [facets, zooms],
  );
  const selected = useLatest(engine, loaded, "facets", [list, drawn, searches]) ?? [];
  const zoom = async (of: RangeFacet, from: number, end: number) => {
    const facet = await engine.call("zoom", of, from, end);
    if (facet === undefined) return;
    const [whole] = await engine.call("facets", [], [facet], NO_SEARCHES);
    setZooms((before) => [...before.filter((each) => each.of !== of), { of, facet, whole }]);
  };
  const search = (field: string, text: string | undefined) =>
    setSearches((before) => {
      const next = new Map(before);
      if (text === undefined) next.delete(field);
      else next.set(field, text);
      return next;
    });
  return (
    <>
      <div class="facets">
        {facets.map((of, i) => {
          const facet = drawn[i] ?? of;
          const zoomed = zooms.find((each) => each.of === of);
          const [whole, part] = [zoomed ? [zoomed.whole] : all, selected].map((counts) =>
            counts.find((each) => each !== undefined && isOf(each, facet)),
          );
          return (
            <Chart
              key={facet.field}
              {...{ facet, whole, part }}
              isZoomed={zoomed !== undefined}
              onZoom={(from, end) => {
                if (of.kind === "range" && from < end) void zoom(of, from, end);
                else setZooms((before) => before.filter((each) => each.of !== of));
              }}
              format={formats.get(facet.field) ?? PLAIN}
              choice={facetChoice(list, facet)}
              choose={(next) => onChange((before) => withFacet(before, facet, next))}
              search={searches.get(facet.field)}
              onSearch={(text) => search(facet.field, text)}
            />
          );
        })}
      </div>
      <p class="quiet note">
        {loaded.facets.length === 0 && "There is nothing to chart. "}
        {left.length > 0 && (
          <button type="button" onClick={() => setSteps(steps + 1)}>
            Show more charts
          </button>
        )}
        {left.length > 0 &&
          `${counted(left.length, "column")} left: ${namesOf(left.map(({ field }) => field))}. `}
        {without.length > 0 &&
          `No chart for ${namesOf(without.map(({ name }) => name))}: one value only, all values distinct, or JSON.`}
      </p>
    </>
  );
}

/** A chart of a part of the range of another one. */
interface Zoom {
  readonly of: Facet;
  readonly facet: RangeFacet;
  readonly whole: FacetCounts | undefined;
}

/** How many charts and search boxes are shown at first, and are added by a click. */
const MOST_CHARTS = 12;
const MOST_SEARCHES = 4;

const MOST_NAMES = 20;

const namesOf = (names: readonly string[]): string => {
  const more = names.length - MOST_NAMES;
  const first = names.slice(0, MOST_NAMES).map(shown).join(", ");
  return more > 0 ? `${first} and ${count(more)} more` : first;
};

interface AnyChartProps extends ChartProps<Facet> {
  readonly search: string | undefined;
  readonly onSearch: (search: string | undefined) => void;
  readonly isZoomed: boolean;
  /** Nothing between two bounds: back to all. */
  readonly onZoom: (from: number, end: number) => void;
}

/** A chart is drawn again only if it shows something else: not at each step of the brush of another. */
function Chart(props: AnyChartProps): JSX.Element {
  const { facet, format, whole, part, choice, choose, search, onSearch } = props;
  const { isZoomed, onZoom } = props;
  const { field } = facet;
  const range = choice !== undefined && "from" in choice ? choice : undefined;
  return useMemo(
    () => (
      <section class="facet" aria-label={shown(field)}>
        <header>
          <h2>{shown(field)}</h2>
          <span class="quiet">{choiceText(facet, format, choice)}</span>
          {choice !== undefined && (
            <button type="button" class="plain" onClick={() => choose(undefined)}>
              Reset
            </button>
          )}
        </header>
        {facet.kind === "values" && (
          <Values {...{ facet, format, whole, part, choice, choose, search, onSearch }} />
        )}
        {facet.kind === "range" && (
          <Histogram {...{ facet, format, whole, part, choice, choose }} />
        )}
        {facet.kind === "search" && <Search {...{ facet, choice, choose }} />}
        {facet.kind === "range" && (
          <p class="choices">
            <Latest {...{ facet, choice, choose }} />
            {range !== undefined && (
              <button
                type="button"
                class="plain small"
                onClick={() => onZoom(range.from, range.end)}
              >
                Zoom in
              </button>
            )}
            {isZoomed && (
              <button type="button" class="plain small" onClick={() => onZoom(0, 0)}>
                Zoom out
              </button>
            )}
          </p>
        )}
        {facet.kind !== "search" && (
          <button
            type="button"
            class="plain small picture"
            aria-label={`Save ${shown(field)} as SVG`}
            onClick={() => {
              const picture = pictureOf(facet, format, whole, part);
              offer(new Blob([picture], { type: "image/svg+xml" }), `${field}.svg`);
            }}
          >
            SVG
          </button>
        )}
      </section>
    ),
    [facet, format, whole, part, JSON.stringify(choice), search, isZoomed],
  );
}

const HOURS = 3_600_000;

/** How long before the latest time, in milliseconds. */
const LATEST = [
  ["last hour", HOURS],
  ["last 24 hours", 24 * HOURS],
  ["last 7 days", 7 * 24 * HOURS],
  ["last 30 days", 30 * 24 * HOURS],
  ["last 365 days", 365 * 24 * HOURS],
] as const;

/** Chooses the end of the times that there are. */
function Latest({
  facet,
  choice,
  choose,
}: Pick<ChartProps<RangeFacet>, "facet" | "choice" | "choose">): JSX.Element | null {
  const { unit, highest, from, step } = facet;
  if (unit === undefined) return null;
  const scale = millisecondsOf(unit);
  const all = LATEST.filter(([, length]) => length < (highest - from) * scale);
  if (all.length === 0) return null;
  const fromOf = (length: number) => highest - length / scale + step;
  const isChosen = ([, length]: (typeof all)[number]) =>
    choice !== undefined && "from" in choice && choice.from === fromOf(length);
  return (
    <Select
      aria-label={`Latest of ${shown(facet.field)}`}
      value={all.find(isChosen)?.[0] ?? ""}
      options={[["", "all times"], ...all.map(([name]) => [name] as const)]}
      onChange={(wanted) => {
        const [, length = 0] = all.find(([name]) => name === wanted) ?? [];
        choose(length === 0 ? undefined : { from: fromOf(length), end: Infinity });
      }}
    />
  );
}

const NO_SEARCHES: Searches = new Map();

function choiceText(facet: Facet, format: Format, choice: FacetChoice | undefined): string {
  if (choice === undefined || "text" in choice) return "";
  if ("values" in choice) {
    const [first = null] = choice.values;
    const { length } = choice.values;
    return length === 1 ? textIn(first, format) : `${length} values`;
  }
  const isWhole = facet.kind !== "search" && facet.step === 1;
  const bounds = isWhole
    ? [choice.from, choice.end - 1]
    : [choice.from, choice.end].map(typedBound);
  const [low, high] = bounds.map((bound) =>
    Number.isFinite(bound) ? boundIn(bound, format) : "…",
  );
  // Of one day the second time says it once.
  const [day = ""] = (low ?? "").split(" ");
  const isSame = day.includes("-") && high?.startsWith(`${day} `) === true;
  return `${low ?? ""} to ${isSame ? high.slice(day.length + 1) : (high ?? "")}`;
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
