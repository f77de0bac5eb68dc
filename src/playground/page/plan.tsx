// A plan as it is drawn: a bar for the rows of each step, the estimate beside it, and its share of the time.
// And the same question without indexes, when somebody wants to know what they are worth.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { QueryPlan } from "../../index.ts";
import type { Asked, Loaded } from "../messages.ts";
import { useLatest } from "./asking.ts";
import type { Engine } from "./engine.ts";
import { PLANNED_PAGE, stepsOf, type Step } from "./steps.ts";
import { count, counted, milliseconds, percent, shown } from "./words.ts";

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly asked: Asked;
}

export function Plan({ engine, loaded, asked }: Props): JSX.Element {
  const plan = useLatest(engine, loaded, "plan", [asked, PLANNED_PAGE]);
  if (plan === undefined) return <p class="quiet">No plan yet.</p>;
  const steps = stepsOf(plan);
  const most = Math.max(1, ...steps.flatMap(rowsIn));
  return (
    <>
      <Steps steps={steps} most={most} total={plan.milliseconds ?? 0} />
      <Without {...{ engine, loaded, asked }} took={plan.milliseconds ?? 0} />
    </>
  );
}

const rowsIn = ({ rows = 0, estimated = 0, parts }: Step): number[] => [
  rows,
  estimated,
  ...parts.flatMap((part) => stepsOf(part).flatMap(rowsIn)),
];

interface StepsProps {
  readonly steps: readonly Step[];
  /** How many rows the widest bar stands for, real or estimated. */
  readonly most: number;
  /** The time of the whole plan, in milliseconds. */
  readonly total: number;
}

function Steps({ steps, most, total }: StepsProps): JSX.Element {
  return (
    <ol class="tree">
      {steps.map((step, i) => (
        <li key={i} class="step">
          <p class="what">{shown(step.what)}</p>
          {step.criteria.map((each) => (
            <p key={each} class="by">
              <code>{shown(each)}</code>
            </p>
          ))}
          <Rows step={step} most={most} />
          {step.took !== undefined && total > 0 && (
            <p class="time">
              <span class="track">
                <span style={{ width: `${Math.min(1, step.took / total) * 100}%` }} />
              </span>
              {milliseconds(step.took)}, {percent(Math.min(1, step.took / total))} of the time
            </p>
          )}
          {step.note !== "" && <p class="quiet">{shown(step.note)}</p>}
          {step.parts.map((part: QueryPlan, at) => (
            <Steps key={at} steps={stepsOf(part)} {...{ most, total }} />
          ))}
        </li>
      ))}
    </ol>
  );
}

/** The rows of a step, and an outline of those that were estimated. */
function Rows({ step, most }: { readonly step: Step; readonly most: number }): JSX.Element | null {
  const { estimated, rows, wrong, isStopped } = step;
  if (rows === undefined) return null;
  const width = (value: number) => `${(value / most) * 100}%`;
  return (
    <div class="rowbar">
      <span class="track">
        <span class="real" style={{ width: width(rows) }} />
        {estimated !== undefined && <span class="guess" style={{ width: width(estimated) }} />}
      </span>
      <span>
        {counted(rows, "row")}
        {estimated !== undefined && <span class="quiet">, estimated {count(estimated)}</span>}
        {isStopped && <span class="quiet">; stopped early</span>}
        {wrong !== undefined && <span class="fault"> {wrong}</span>}
      </span>
    </div>
  );
}

/** Reads every record, which takes its time: it is done when somebody asks for it. */
function Without({ engine, loaded, asked, took }: Props & { readonly took: number }): JSX.Element {
  const [scan, setScan] = useState<number>();
  const [isRunning, setRunning] = useState(false);
  useEffect(() => setScan(undefined), [loaded, asked]);
  const run = () => {
    setRunning(true);
    const show = (found: number | undefined) => {
      setRunning(false);
      setScan(found);
    };
    engine.call("scan", asked, PLANNED_PAGE).then(show, () => show(undefined));
  };
  const times = took > 0 && scan !== undefined ? scan / took : 1;
  return (
    <div class="without">
      <button type="button" disabled={isRunning} onClick={run}>
        {isRunning ? "Running…" : "Run it without indexes"}
      </button>
      {scan !== undefined && (
        <p role="status">
          <strong>{milliseconds(scan)}</strong> without indexes, {milliseconds(took)} with this plan
          {times >= 1.5 &&
            `: ${times.toLocaleString("en-US", { maximumSignificantDigits: 2 })} times as long`}
          .
        </p>
      )}
    </div>
  );
}
