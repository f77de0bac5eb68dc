// The criteria as rows and as text, each always showing the other. Errors stand where they are named.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  asText,
  asValues,
  criterionScaleOf,
  facetChoice,
  FIND,
  fromText,
  isRow,
  scaleOf,
  typed,
  valuesIn,
  withElement,
  withFacet,
  withoutFacet,
  type CriterionRow,
} from "../criteria-list.ts";
import {
  ANY_COLUMN,
  hasAnyColumn,
  operatorNamed,
  OWN_OPERATORS,
  takesSeveral,
} from "../comparisons.ts";
import type { CriteriaList, Fault, FieldInfo } from "../messages.ts";
import { periodOf, typedTime } from "../times.ts";
import { Problem, Select } from "./controls.tsx";
import { useIds } from "./pane.ts";
import { count, shown } from "./words.ts";

interface Props {
  readonly fields: readonly FieldInfo[];
  readonly list: CriteriaList;
  readonly fault: Fault | undefined;
  readonly onChange: (list: CriteriaList) => void;
  readonly complete: (field: string, prefix: string) => Promise<readonly string[]>;
}

/** More criteria than these, and more lines, are no form that anybody fills in. The text has all of them. */
const MOST_ROWS = 100;
const MOST_LINES = 40;

export function Criteria(given: Props): JSX.Element {
  const { fields } = given;
  // What the box finds restricts all groups, and has no row in them.
  const choice = facetChoice(given.list, FIND);
  const found = choice !== undefined && "text" in choice ? choice.text : "";
  const list = withoutFacet(given.list, FIND);
  const onChange = (next: CriteriaList) => given.onChange(withFacet(next, FIND, choice));
  const fault = given.fault && faultIn(given.list, list, given.fault);
  const props = { ...given, list, fault, onChange };
  const more = list.length - MOST_ROWS;
  const [first = "id"] = searchableOf(fields);
  const rows = useRef<HTMLDivElement>(null);
  const id = useIds();
  const [isText, setText] = useState(false);
  const isAdding = useRef(false);
  const add = (...before: unknown[]) => {
    isAdding.current = true;
    onChange([...list, ...before, [first, "contains", ""]]);
  };
  // Who adds a criterion goes on by typing its value.
  useLayoutEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    Array.from(rows.current?.querySelectorAll<HTMLElement>(".value") ?? [])
      .at(-1)
      ?.focus();
  }, [list.length]);
  return (
    <section
      class="criteria"
      aria-label={id("") === "" ? "Criteria" : "Criteria of the second table"}
    >
      <div class="rows" ref={rows}>
        {list.slice(0, MOST_ROWS).map((element, at) => (
          <Element key={at} {...props} element={element} at={at} />
        ))}
        {more > 0 && <p class="quiet">and {count(more)} more, as text</p>}
      </div>
      <Problem text={fault && faultOfAll(fault)} />
      <div class="add">
        {hasAnyColumn(fields) && (
          <Find
            {...{ fields, found }}
            onFind={(text) => given.onChange(withFacet(given.list, FIND, { text }))}
          />
        )}
        {given.list.length === 0 && <span class="quiet">All records</span>}
        <button type="button" onClick={() => add()}>
          {list.length === 0 ? "Add a criterion" : "And"}
        </button>
        {list.length > 0 && (
          <button type="button" onClick={() => add("OR")}>
            Or
          </button>
        )}
        {given.list.length > 0 && (
          <button type="button" class="plain" onClick={() => given.onChange([])}>
            Clear
          </button>
        )}
        <button
          type="button"
          class="plain"
          aria-expanded={isText}
          aria-controls={id("text")}
          onClick={() => setText(!isText)}
        >
          As text
        </button>
      </div>
      <Text list={given.list} isShown={isText} onChange={given.onChange} />
    </section>
  );
}

/** The same fault, at the place that its criterion has among the rows. */
function faultIn(all: CriteriaList, rows: CriteriaList, fault: Fault): Fault {
  if (all === rows || fault.position === null) return fault;
  const shown = all.flatMap((element, at) =>
    isRow(element) && element[0] === ANY_COLUMN ? [] : at,
  );
  const position = shown.indexOf(fault.position);
  return { ...fault, position: position === -1 ? null : position };
}

/** One box that searches all columns. */
function Find(props: {
  readonly fields: readonly FieldInfo[];
  readonly found: string;
  readonly onFind: (text: string) => void;
}): JSX.Element {
  const { fields, found, onFind } = props;
  const others = fields.filter((each) => each.type === "json");
  return (
    <>
      <input
        type="search"
        class="find"
        aria-label="Find in any column"
        placeholder="Find in any column"
        title="In strings it ignores case and accents. It also finds numbers, and times such as 2024-03."
        autocomplete="off"
        spellcheck={false}
        value={found}
        onInput={({ currentTarget }) => onFind(currentTarget.value)}
      />
      {found !== "" && others.length > 0 && (
        <span class="quiet small">
          not in {others.map(({ name }) => shown(name)).join(", ")}: read{" "}
          {others.length === 1 ? "it" : "them"} as a string
        </span>
      )}
    </>
  );
}

/** What is wrong with no criterion that has a row. */
function faultOfAll({ position, reason }: Fault): string | undefined {
  if (position === null) return reason;
  return position < MOST_ROWS ? undefined : `criteria[${position}]: ${reason}`;
}

function Element(props: Props & { readonly element: unknown; readonly at: number }): JSX.Element {
  const { element, at, list, fault, onChange } = props;
  const change = (to: unknown) => onChange(withElement(list, at, to));
  const problem = fault?.position === at ? fault.reason : undefined;
  const id = useIds();
  return (
    <div class={problem === undefined ? "element" : "element wrong"}>
      {isWord(element) && <div class="or">{element.toLowerCase()}</div>}
      {isRow(element) && <Row {...props} row={element} change={change} problem={problem} />}
      {!isWord(element) && !isRow(element) && (
        <div class="row" role="group" aria-label={nameOf(at)}>
          <code class="other">{shown(JSON.stringify(element))}</code>
          <Remove change={change} />
        </div>
      )}
      <Problem text={problem} id={id(`fault-${at}`)} />
    </div>
  );
}

/** Whether it stands between criteria, or before one: it goes with the criterion. */
const isWord = (element: unknown): element is "OR" | "NOT" => element === "OR" || element === "NOT";

function Remove({ change }: { readonly change: (to: unknown) => void }): JSX.Element {
  return (
    <button
      type="button"
      class="plain remove"
      aria-label="Remove this criterion"
      onClick={() => change(undefined)}
    >
      ×
    </button>
  );
}

interface RowProps extends Props {
  readonly row: CriterionRow;
  readonly at: number;
  readonly change: (to: CriterionRow | undefined) => void;
  readonly problem: string | undefined;
}

function Row(props: RowProps): JSX.Element {
  const { fields, row, at, change } = props;
  const [field, operator, value] = row;
  const operators = operatorsIn(fields, field).map(({ name }) => name);
  // Where nothing is typed yet, parts of numbers are not what anybody looks for.
  const operatorFor = (name: string) => {
    if (name === ANY_COLUMN) return operator === "matches" ? operator : "finds";
    const isText = fields.find((each) => each.name === name)?.type === "string";
    return value === "" && operator === "contains" && !isText ? "exactly" : operator;
  };
  return (
    <div class="row" role="group" aria-label={nameOf(at)}>
      <Select
        aria-label="Field"
        value={field}
        options={optionsWith(field, searchableOf(fields))}
        onChange={(to) => change([to, operatorFor(to), value])}
      />
      <Select
        aria-label="Operator"
        value={operator}
        options={optionsWith(operator, operators)}
        onChange={(to) => {
          const isOne = typeof value === "string" || typeof value === "number";
          const isList = isOne && takesSeveral(operatorNamed(to)?.takes);
          change([field, to, isList ? valuesIn(typed(value)) : value]);
        }}
      />
      <Value {...props} />
      <button
        type="button"
        class="plain null"
        aria-pressed={value === null}
        title="null: no value"
        onClick={() => change([field, operator, value === null ? "" : null])}
      >
        null
      </button>
      <Remove change={() => change(undefined)} />
    </div>
  );
}

const nameOf = (at: number): string => `Criterion ${at + 1}`;

const searchableOf = (fields: readonly FieldInfo[]): string[] => [
  ...fields.filter(({ operators }) => operators.length > 0).map(({ name }) => name),
  ...(hasAnyColumn(fields) ? [ANY_COLUMN] : []),
];

const operatorsIn = (fields: readonly FieldInfo[], field: string): FieldInfo["operators"] =>
  fields.find(({ name }) => name === field)?.operators ??
  (field === ANY_COLUMN ? OWN_OPERATORS : []);

/** What may be chosen. What somebody wrote as text is there too, whatever it is. */
function optionsWith(value: string, options: readonly string[]): [string, string][] {
  const all = options.includes(value) ? options : [value, ...options];
  return all.map((each) => [each, Object.hasOwn(WORDS, each) ? (WORDS[each] ?? "") : shown(each)]);
}

/** What the page has of its own, in the lists to choose from. */
const WORDS: Readonly<Record<string, string>> = {
  [ANY_COLUMN]: "any column",
  finds: "finds, in any case",
  matches: "matches a pattern",
};

/** Offered for times, besides values. */
const LATEST_PERIODS = ["last 24 hours", "last 7 days", "last 3 months"];

/** Cells of a spreadsheet, or lines. */
const SEVERAL = /[\t\r\n]/;

/** So long after the last key, in milliseconds: longer than between two of them. */
const PAUSE = 300;

function Value(props: RowProps) {
  const { row, at, fields, change, complete, problem } = props;
  const [field, operator, value] = row;
  const info = fields.find(({ name }) => name === field);
  const { type, unit, form } = info ?? {};
  const operators = operatorsIn(fields, field);
  const takes = operators.find(({ name }) => name === operator)?.takes;
  const canBeIn = operators.some(({ name }) => name === "in");
  /** A number can be written in several ways, such as `19.90`. As a text, only one of them matches. */
  const readOne = (to: string): unknown => {
    if (takes === "text" || takes === "element" || to.trim() === "") return to;
    const isTimes = info?.unit !== undefined;
    if (isTimes && periodOf(to, criterionScaleOf(info)) !== undefined) return to;
    return type === "float" && Number.isFinite(Number(to)) ? Number(to) : to;
  };
  const read = (to: string): unknown => {
    if (takes === "elements") return valuesIn(to).map((each) => each ?? "null");
    if (!takesSeveral(takes)) return readOne(to);
    return valuesIn(to).map((each) => (each === null ? null : readOne(each)));
  };
  const write = (of: unknown, at = 0): string => {
    if (takesSeveral(takes) && Array.isArray(of))
      return asValues(of.map((each: unknown, i) => (each === null ? null : write(each, i))));
    // 0 often means that something has not happened.
    const isTime = typeof of === "number" && (form !== undefined || of > 0);
    const isKnown = isTime && info?.unit !== undefined;
    return (isKnown ? typedTime(of, operator, scaleOf(info), at) : undefined) ?? typed(of);
  };
  const [draft, setDraft] = useState("");
  const id = useIds();
  const described = problem === undefined ? {} : { "aria-describedby": id(`fault-${at}`) };
  const [offered, setOffered] = useState<readonly string[]>([]);
  const isDraft = draft !== "" && JSON.stringify(read(draft)) === JSON.stringify(value);
  const text = isDraft ? draft : write(value);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The answer comes first: values are offered to who has stopped typing.
  const offer = (prefix: string) => {
    if (field === ANY_COLUMN || operator === "matches") return;
    clearTimeout(waiting.current);
    waiting.current = setTimeout(
      () => void complete(field, prefix).then(setOffered, () => undefined),
      PAUSE,
    );
  };
  return (
    <>
      <input
        aria-label="Value"
        class="value"
        value={text}
        placeholder={value === null ? "null" : ""}
        list={id(`values-${at}`)}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => offer(text)}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData("text/plain") ?? "";
          const all = pasted.split(SEVERAL).map((each) => each.trim());
          const values = all.filter((each) => each !== "");
          const isOne = takes === "value" || takes === "text" || takes === "bound";
          const to = isOne && canBeIn ? "in" : operator;
          if (values.length < 2 || (isOne && !canBeIn)) return;
          event.preventDefault();
          setDraft("");
          const list: readonly unknown[] = isOne || !Array.isArray(value) ? [] : value;
          const before = list.filter((each) => each !== "");
          change([field, to, [...before, ...values.map((each) => readOne(each))]]);
        }}
        onInput={(event) => {
          const to = event.currentTarget.value;
          setDraft(to);
          change([field, operator, read(to)]);
          offer(to);
        }}
        {...described}
      />
      <datalist id={id(`values-${at}`)}>
        {[...(unit === undefined ? [] : LATEST_PERIODS), ...offered].map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

/** The list as JSON. While it is being written it may be none; then the rows stay as they are. */
function Text(props: Pick<Props, "list" | "onChange"> & { isShown: boolean }): JSX.Element {
  const { list, isShown, onChange } = props;
  const written = asText(list);
  const [draft, setDraft] = useState(written);
  const id = useIds();
  const [problem, setProblem] = useState("");
  useLayoutEffect(() => {
    if (!isSame(draft, list)) setDraft(written);
    setProblem("");
  }, [written]);
  const read = (text: string) => {
    setDraft(text);
    try {
      const next = fromText(text);
      setProblem("");
      if (asText(next) !== written) onChange(next);
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <div class="text" id={id("text")} hidden={!isShown && problem === ""}>
      <textarea
        id={id("criteria-text")}
        aria-label="Criteria as text"
        rows={Math.min(MOST_LINES, Math.max(3, draft.split("\n").length))}
        spellcheck={false}
        value={draft}
        onInput={(event) => read(event.currentTarget.value)}
      />
      <Problem text={problem} />
    </div>
  );
}

function isSame(text: string, list: CriteriaList): boolean {
  try {
    return asText(fromText(text)) === asText(list);
  } catch {
    return false;
  }
}
