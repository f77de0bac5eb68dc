// How the question was answered: the plan as a tree, the last step first, with what was estimated and
// what was so; and the indexes that there are.

import type { ComponentChildren, JSX } from "preact";
import type { IndexReport, QueryPlan } from "../../index.ts";
import type { Asked, Loaded } from "../messages.ts";
import { useLatest } from "./asking.ts";
import { Switch } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { bytes, count, milliseconds } from "./words.ts";

/** How many records the plan is asked for: what a page of the table takes. */
const PLANNED_PAGE = 50;

const SOURCES: Readonly<Record<QueryPlan["access"]["path"], string>> = {
  scan: "every record, in insertion order",
  nothing: "no record: no value is so",
  "index-lookup": "one value of the index",
  "bitmap-scan": "some values of the index",
  trigrams: "records that have all the trigrams",
  "index-scan": "the index, in its order",
  union: "whatever one of these finds",
  "digest-lookup": "records with the digest of the value",
  judge: "each of a few records, judged by all criteria",
  "kept-rows": "what is kept from the last time",
};

const FILTERS: Readonly<Record<QueryPlan["filters"][number]["path"], string>> = {
  codes: "keep by the codes of an index",
  trigrams: "keep what has all the trigrams",
  test: "test the value of each record",
  predicate: "test each record by all criteria",
  union: "keep whatever one of these finds",
  live: "leave out what was changed since",
};

const ORDERS: Readonly<Record<NonNullable<QueryPlan["sort"]>["path"], string>> = {
  source: "in order as read",
  select: "the page selected by the codes of an index",
  sort: "sorted by value",
};

interface Props {
  readonly engine: Engine;
  /** `undefined` while it is being loaded: indexes appear as they are built. */
  readonly loaded: Loaded | undefined;
  readonly asked: Asked;
  readonly indexes: readonly IndexReport[];
  readonly mode: "auto" | "none";
  readonly onMode: (mode: "auto" | "none") => void;
}

export function How({ engine, loaded, asked, indexes, mode, onMode }: Props): JSX.Element {
  return (
    <div class="how">
      <section aria-label="Plan">
        <h2>The plan</h2>
        {loaded !== undefined && <PlanOf {...{ engine, loaded, asked }} />}
      </section>
      <section aria-label="Indexes">
        <h2>Indexes</h2>
        <Switch
          name="indexes"
          legend={<legend class="hidden">When indexes are built</legend>}
          options={{ auto: "as they pay", none: "none" }}
          value={mode}
          onChange={onMode}
        />
        {indexes.length === 0 ? (
          <p class="quiet">There are none: each question reads every record.</p>
        ) : (
          <IndexTable indexes={indexes} />
        )}
      </section>
    </div>
  );
}

function PlanOf({
  engine,
  loaded,
  asked,
}: Pick<Props, "engine" | "asked"> & { readonly loaded: Loaded }): JSX.Element {
  const plan = useLatest(engine, loaded, "plan", [asked, PLANNED_PAGE]);
  return plan === undefined ? <p class="quiet">No plan yet.</p> : <Plan plan={plan} />;
}

/** The indexes that there are, by kind. */
function IndexTable({ indexes }: { readonly indexes: readonly IndexReport[] }): JSX.Element {
  const sum = indexes.reduce((all, each) => all + each.bytes, 0);
  return (
    <table class="indexes">
      <thead>
        <tr>
          <th scope="col">field</th>
          <th scope="col">kind</th>
          <th scope="col" class="number">
            takes
          </th>
        </tr>
      </thead>
      <tbody>
        {indexes.map(({ field, kind, bytes: size }) => (
          <tr key={`${kind} ${field}`}>
            <td>{field}</td>
            <td>{kind}</td>
            <td class="number">{bytes(size)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={2}>{count(indexes.length)} indexes</td>
          <td class="number">{bytes(sum)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function sourceText({ path, field }: QueryPlan["access"]): string {
  return field === undefined || path === "nothing" ? SOURCES[path] : `${SOURCES[path]} of ${field}`;
}

function Plan({ plan }: { readonly plan: QueryPlan }): JSX.Element {
  const { access, filters, sort } = plan;
  const steps: JSX.Element[] = [
    <Step what={sourceText(access)} step={access}>
      {access.parts.length > 0 && (
        <ul class="tree">
          {access.parts.map((part, i) => (
            <li key={i}>
              <Plan plan={part} />
            </li>
          ))}
        </ul>
      )}
    </Step>,
    ...filters.map((filter) => (
      <Step what={FILTERS[filter.path]} step={filter}>
        {filter.missingIndexes.length > 0 && (
          <p class="quiet">{filter.missingIndexes.join(", ")} would save this</p>
        )}
      </Step>
    )),
    ...(sort === undefined
      ? []
      : [
          <Step
            what={`${sort.field} ${sort.order}: ${ORDERS[sort.path]}`}
            step={{ criteria: [] }}
          />,
        ]),
    // A part of a union hands out all that it has.
    ...(plan.limit === null
      ? []
      : [<Step what={`a page of ${count(plan.limit)}`} step={{ ...plan, criteria: [] }} />]),
  ];
  // The last step stands for the tree, and what it takes its records from is below it.
  return steps.reduce((inner, outer) => (
    <ul class="tree">
      <li>
        {outer}
        {inner}
      </li>
    </ul>
  ));
}

interface StepProps {
  readonly what: string;
  readonly step: { readonly criteria: readonly string[] } & Partial<
    Pick<QueryPlan, "estimatedRows" | "actualRows" | "milliseconds">
  >;
  readonly children?: ComponentChildren;
}

function Step({ what, step, children }: StepProps): JSX.Element {
  const { criteria, estimatedRows, actualRows } = step;
  return (
    <div class="step">
      <p class="what">{what}</p>
      {criteria.map((each) => (
        <p key={each} class="by">
          <code>{each}</code>
        </p>
      ))}
      <dl class="figures">
        {estimatedRows !== undefined && (
          <Figure name="estimated" value={count(Math.round(estimatedRows))} />
        )}
        {actualRows !== undefined && <Figure name="rows" value={count(actualRows)} />}
        {step.milliseconds !== undefined && (
          <Figure name="took" value={milliseconds(step.milliseconds)} />
        )}
      </dl>
      {children}
    </div>
  );
}

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
