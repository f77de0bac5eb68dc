// Bars of values, which filter by a click: those that are chosen, the most frequent ones or, with "more",
// all that a search finds.

import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { isChosen, textFormOf } from "../criteria-list.ts";
import type { FacetCounts, Scalar, ValuesFacet } from "../messages.ts";
import type { ChartProps } from "./chart.ts";
import { Scalings } from "./scaling.ts";
import { count, counted, isNone, percents, shortCount, shown, textIn } from "./words.ts";

/** How many chosen values are listed. */
const MOST_CHOSEN = 50;

interface Props extends ChartProps<ValuesFacet> {
  /** What is searched for; `undefined` while only the most frequent values are listed. */
  readonly search: string | undefined;
  readonly onSearch: (search: string | undefined) => void;
}

export function Values(props: Props): JSX.Element {
  const { facet, format, whole, part, choice, choose, search, onSearch } = props;
  const { values: found, found: findable, total } = valuesIn(part) ?? NOTHING;
  const counts = new Map(found.map((each) => [textFormOf(each.value), each]));
  const countOf = (value: Scalar) => counts.get(textFormOf(value)) ?? { count: 0, all: 0 };
  const chosen = new Map(
    choice !== undefined && "values" in choice
      ? choice.values.map((value) => [textFormOf(value), value])
      : [],
  );
  const listed = valuesIn(part) === undefined ? facet.values : found.map(({ value }) => value);
  const others = listed.filter((value) => !chosen.has(textFormOf(value)));
  const values = [...[...chosen.values()].slice(0, MOST_CHOSEN), ...others];
  const { isOne } = useContext(Scalings);
  const mostOfAll = Math.max(1, ...values.map((value) => countOf(value).all));
  const mostSelected = Math.max(1, ...values.map((value) => countOf(value).count));
  const most = isOne ? mostOfAll : mostSelected;
  const shareOf = (value: Scalar) => countOf(value).count / Math.max(1, total);
  const shareText = percents(values.map(shareOf));
  const all = valuesIn(whole)?.total ?? total;
  const wholeText =
    total === all
      ? counted(total, "record")
      : `${counted(total, "record")} that match the other criteria`;
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
            whole={total === all ? wholeText : `${wholeText}, ${count(countOf(value).all)} of all`}
            allLength={countOf(value).all / mostOfAll}
            share={shareText(shareOf(value))}
            isChosen={chosen.has(textFormOf(value))}
            isOff={choice !== undefined && !isChosen(choice, value)}
            toggle={() => toggle(value)}
          />
        ))}
      </ul>
      {valuesIn(part) !== undefined && (
        <p class="axis scales">
          <span>shares of {counted(total, "record")}</span>
          {most !== mostOfAll && (
            <>
              <span class="of-some">selected: up to {shortCount(most)}</span>
              <span class="of-all">all: up to {shortCount(mostOfAll)}</span>
            </>
          )}
        </p>
      )}
      {search !== undefined && findable > found.length && (
        <p class="quiet small">
          The {count(found.length)} most frequent of {count(findable)}.
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

const valuesIn = (counts: FacetCounts | undefined) =>
  counts !== undefined && "values" in counts ? counts : undefined;

const NOTHING = { values: [], found: 0, total: 0 };

interface BarProps {
  readonly name: string;
  readonly isNone: boolean;
  readonly count: number;
  /** The length of the bar, up to 1. */
  readonly length: number;
  /** Of what it is a part. */
  readonly whole: string;
  /** The length of the bar behind. */
  readonly allLength: number;
  readonly share: string;
  readonly isChosen: boolean;
  /** Whether only others are selected. */
  readonly isOff: boolean;
  readonly toggle: () => void;
}

function Bar(props: BarProps): JSX.Element {
  const { name, count: counted, length, whole, allLength, share, isChosen, isOff, toggle } = props;
  return (
    <li>
      <button
        type="button"
        class={isOff ? "off" : ""}
        aria-pressed={isChosen}
        title={`${name}: ${count(counted)} of ${whole}`}
        onClick={toggle}
      >
        <span class="bar whole" style={{ transform: `scaleX(${allLength})` }} />
        <span class="bar" style={{ transform: `scaleX(${length})` }} />
        <span class={props.isNone ? "name none" : "name"} dir="auto">
          {name}
        </span>
        <span class="count">{count(counted)}</span>
        <span class="share">{share}</span>
      </button>
    </li>
  );
}
