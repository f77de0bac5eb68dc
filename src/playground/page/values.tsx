// Bars of values, which filter by a click: those that are chosen, the most frequent ones or, with "more",
// all that a search finds.

import type { JSX } from "preact";
import { wireOf } from "../criteria-list.ts";
import type { Scalar, ValuesFacet } from "../messages.ts";
import type { ChartProps } from "./chart.ts";
import { count, percent, shown } from "./words.ts";

/** How many chosen values are listed. */
const MOST_CHOSEN = 50;

interface Props extends ChartProps<ValuesFacet> {
  /** What is searched for; `undefined` while only the most frequent values are listed. */
  readonly search: string | undefined;
  readonly onSearch: (search: string | undefined) => void;
}

export function Values({ facet, part, choice, choose, search, onSearch }: Props): JSX.Element {
  const {
    values: counted,
    found,
    total,
  } = part !== undefined && "values" in part ? part : { values: [], found: 0, total: 0 };
  const counts = new Map(counted.map(({ value, count }) => [wireOf(value), count]));
  const countOf = (value: Scalar) => counts.get(wireOf(value)) ?? 0;
  const chosen = new Map(
    choice !== undefined && "values" in choice
      ? choice.values.map((value) => [wireOf(value), value])
      : [],
  );
  const listed = search === undefined ? facet.values : counted.map(({ value }) => value);
  const others = listed.filter((value) => !chosen.has(wireOf(value)));
  const values = [...[...chosen.values()].slice(0, MOST_CHOSEN), ...others];
  const most = Math.max(1, ...values.map(countOf));
  const toggle = (value: Scalar) => {
    const next = new Map(chosen);
    if (!next.delete(wireOf(value))) next.set(wireOf(value), value);
    choose({ values: [...next.values()] });
  };
  const more = facet.distinct - facet.values.length;
  return (
    <>
      {search !== undefined && (
        <input
          type="search"
          class="search"
          aria-label={`Search the values of ${shown(facet.field)}`}
          placeholder={`search ${count(facet.distinct)} values`}
          autocomplete="off"
          spellcheck={false}
          value={search}
          onInput={({ currentTarget }) => onSearch(currentTarget.value)}
        />
      )}
      <ul class={search === undefined ? "values" : "values long"}>
        {values.map((value) => (
          <Bar
            key={`${typeof value} ${value}`}
            value={value}
            count={countOf(value)}
            length={countOf(value) / most}
            share={countOf(value) / Math.max(1, total)}
            isChosen={chosen.has(wireOf(value))}
            isOff={chosen.size > 0 && !chosen.has(wireOf(value))}
            toggle={() => toggle(value)}
          />
        ))}
      </ul>
      {search !== undefined && found > counted.length && (
        <p class="quiet small">
          The {count(counted.length)} most frequent of {count(found)}.
        </p>
      )}
      {more > 0 && (
        <button
          type="button"
          class="plain small"
          aria-expanded={search !== undefined}
          onClick={() => onSearch(search === undefined ? "" : undefined)}
        >
          {search === undefined ? `${count(more)} more` : "Fewer"}
        </button>
      )}
    </>
  );
}

interface BarProps {
  readonly value: Scalar;
  readonly count: number;
  /** The length of the bar, up to 1. */
  readonly length: number;
  /** Of all records that are counted. */
  readonly share: number;
  readonly isChosen: boolean;
  /** Whether others are chosen. */
  readonly isOff: boolean;
  readonly toggle: () => void;
}

function Bar(props: BarProps): JSX.Element {
  const { value, count: counted, length, share, isChosen, isOff, toggle } = props;
  return (
    <li>
      <button type="button" class={isOff ? "off" : ""} aria-pressed={isChosen} onClick={toggle}>
        <span class="bar" style={{ transform: `scaleX(${length})` }} />
        <span class="name">{shown(value)}</span>
        <span class="count">{count(counted)}</span>
        <span class="share">{percent(share)}</span>
      </button>
    </li>
  );
}
