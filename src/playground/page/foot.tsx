// Under each column of numbers, what they add up to in the records that match.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Summary } from "../../index.ts";
import type { ShownColumn } from "../columns.ts";
import type { CriteriaList, FieldInfo, Loaded } from "../messages.ts";
import type { Engine } from "./engine.ts";
import { alignment } from "./head.tsx";
import { resultIn } from "../texts.ts";
import { count, counted, textIn } from "./words.ts";

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

/** A time has no more characters in a foot; its title has all. */
const UP_TO_MINUTES = 16;

/** What numbers add up to; of times, and of numbers that nobody sums up, their range. */
function linesOf({ sum, mean, minimum, maximum }: Summary, field: FieldInfo) {
  const text = (value: number | null) => (value === null ? "" : resultIn(value, field));
  const bound = (value: number | null) =>
    value === null ? "" : textIn(value, field).slice(0, UP_TO_MINUTES);
  return field.isMeasure
    ? ([
        ["sum", text(sum)],
        ["mean", text(mean)],
      ] as const)
    : ([
        ["from", bound(minimum)],
        ["to", bound(maximum)],
      ] as const);
}

function titleOf({ sum, mean, minimum, maximum, ...counts }: Summary, field: FieldInfo): string {
  const sums = field.isMeasure ? `sum ${sum}, mean ${mean}, ` : "";
  const [low, high] = [minimum, maximum].map((value) => textIn(value, field));
  const range = minimum === null ? "" : `, ${sums}from ${low} to ${high}`;
  return `${counted(counts.count, "number")}${range}; ${count(counts.nulls)} null`;
}
