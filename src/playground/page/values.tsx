// Bars of values, which filter by a click: those that are chosen, the most frequent ones or, with "more",
// all that a search finds.

import type { JSX } from "preact";
import { textFormOf } from "../criteria-list.ts";
import type { Scalar, ValuesFacet } from "../messages.ts";
import type { ChartProps } from "./chart.ts";
import { count, isNone, percent, shown, textIn } from "./words.ts";

/** How many chosen values are listed. */
const MOST_CHOSEN = 50;

interface Props extends ChartProps<ValuesFacet> {
  /** What is searched for; `undefined` while only the most frequent values are listed. */
  readonly search: string | undefined;
  readonly onSearch: (search: string | undefined) => void;
}

export function Values(props: Props): JSX.Element {
  const { facet, format, part, choice, choose, search, onSearch } = props;
  const {
    values: counted,
    found,
    total,
  } = part !== undefined && "values" in part ? part : { values: [], found: 0, total: 0 };
  const counts = new Map(counted.map((each) => [textFormOf(each.value), each]));
  const countOf = (value: Scalar) => counts.get(textFormOf(value)) ?? { count: 0, all: 0 };
  const chosen = new Map(
    choice !== undefined && "values" in choice
      ? choice.values.map((value) => [textFormOf(value), value])
      : [],
  );
  const isCounted = part !== undefined && "values" in part;
  const listed = isCounted ? counted.map(({ value }) => value) : facet.values;
  const others = listed.filter((value) => !chosen.has(textFormOf(value)));
  const values = [...[...chosen.values()].slice(0, MOST_CHOSEN), ...others];
  const most = Math.max(1, ...values.map((value) => countOf(value).all));
  const toggle = (value: Scalar) => {
    const next = new Map(chosen);
    if (!next.delete(textFormOf(value))) next.set(textFormOf(value), value);
    choose({ values: [...next.values()] });
  };
  const more = facet.distinct - values.length;
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
            name={textIn(value, format)}
            isNone={isNone(value)}
            count={countOf(value).count}
            length={countOf(value).count / most}
            all={countOf(value).all}
            allLength={countOf(value).all / most}
            share={countOf(value).count / Math.max(1, total)}
            isChosen={chosen.has(textFormOf(value))}
            isOff={chosen.size > 0 && !chosen.has(textFormOf(value))}
            toggle={() => toggle(value)}
          />
        ))}
      </ul>
      {search !== undefined && found > counted.length && (
        <p class="quiet small">
          The {count(counted.length)} most frequent of {count(found)}.
        </p>
      )}
      {(more > 0 || search !== undefined) && (
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
  readonly name: string;
  readonly isNone: boolean;
  readonly count: number;
  /** The length of the bar, up to 1. */
  readonly length: number;
  /** How many of all records have the value, and the length of the bar behind. */
  readonly all: number;
  readonly allLength: number;
  /** Of all records that are counted. */
  readonly share: number;
  readonly isChosen: boolean;
  /** Whether others are chosen. */
  readonly isOff: boolean;
  readonly toggle: () => void;
}

function Bar(props: BarProps): JSX.Element {
  const { name, count: counted, length, all, allLength, share, isChosen, isOff, toggle } = props;
  return (
    <li>
      <button
        type="button"
        class={isOff ? "off" : ""}
        aria-pressed={isChosen}
        title={`${name}: ${count(counted)} of ${count(all)}`}
        onClick={toggle}
      >
        <span class="bar whole" style={{ transform: `scaleX(${allLength})` }} />
        <span class="bar" style={{ transform: `scaleX(${length})` }} />
        <span class={props.isNone ? "name none" : "name"}>{name}</span>
        <span class="count">{count(counted)}</span>
        <span class="share">{percent(share)}</span>
      </button>
    </li>
  );
}
