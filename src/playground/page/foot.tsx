// Under each column of numbers, what they add up to in the records that match.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Summary } from "../../index.ts";
import type { ShownColumn } from "../columns.ts";
import type { CriteriaList, FieldInfo, Loaded } from "../messages.ts";
import type { Engine } from "./engine.ts";
import { alignment } from "./head.tsx";
import { count, number, timeText } from "./words.ts";

/** In pixels. */
export const FOOT = 44;

/**
 * Sums are asked for so long after the last change of the question, in milliseconds, and column by column: whoever
 * types on waits for one of them at most.
 */
const PAUSE = 300;

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly columns: readonly ShownColumn[];
  readonly criteria: CriteriaList;
}

interface Found {
  /** What the sums are of: another question may have been asked since. */
  readonly of: readonly unknown[];
  readonly summaries: ReadonlyMap<string, Summary>;
}

const NOTHING_FOUND: Found = { of: [], summaries: new Map() };

export function Foot({ engine, loaded, columns, criteria }: Props): JSX.Element {
  const names = columns.flatMap(({ field: { name, type } }) =>
    type === "int" || type === "float" ? [name] : [],
  );
  const [{ of, summaries }, setFound] = useState<Found>(NOTHING_FOUND);
  useEffect(() => {
    let isWanted = true;
    const sum = async () => {
      const found = new Map<string, Summary>();
      for (const name of names) {
        const [summary] = (await engine.latest("summaries", criteria, [name])) ?? [];
        if (!isWanted || summary === undefined) return;
        found.set(name, summary);
      }
      setFound({ of: [loaded, criteria], summaries: found });
    };
    const pause = setTimeout(() => void sum().catch(() => undefined), PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(pause);
    };
  }, [loaded, criteria, names.join()]);
  return (
    <div
      class={of[0] === loaded && of[1] === criteria ? "line foot" : "line foot stale"}
      role="row"
    >
      {columns.map(({ field }) => {
        const summary = summaries.get(field.name);
        return (
          <div
            key={field.name}
            role="gridcell"
            class={alignment(field)}
            {...(summary === undefined ? {} : { title: titleOf(summary, field) })}
          >
            {summary !== undefined &&
              linesOf(summary, field).map(([name, value]) => (
                <span key={name}>
                  <span class="quiet">{name}</span> {value}
                </span>
              ))}
          </div>
        );
      })}
    </div>
  );
}

function linesOf({ sum, mean, minimum, maximum }: Summary, { unit }: FieldInfo) {
  const text = (value: number | null) =>
    value === null ? "" : unit === undefined ? number(value) : timeText(value, unit).slice(0, 10);
  return unit === undefined
    ? ([
        ["sum", text(sum)],
        ["mean", text(mean)],
      ] as const)
    : ([
        ["from", text(minimum)],
        ["to", text(maximum)],
      ] as const);
}

function titleOf(summary: Summary, { unit }: FieldInfo): string {
  const { minimum, maximum, nulls } = summary;
  const [low, high] = [minimum, maximum].map((value) => timeText(value, unit));
  const { sum, mean } = summary;
  const range =
    unit === undefined
      ? `sum ${sum}, mean ${mean}, from ${minimum} to ${maximum}`
      : `from ${low} to ${high}`;
  return `${count(summary.count)} numbers, ${range}; ${count(nulls)} null`;
}
