// What asks the worker for the columns that a table has besides its own: those of other tables, then those that are
// computed.

import { useEffect, useRef, useState } from "preact/hooks";
import type { View } from "../link.ts";
import type { Computed, Related } from "../messages.ts";
import type { useEngine, useLoaded } from "./asking.ts";
import type { Other } from "./relations.tsx";
import { shown } from "./words.ts";

/** What the worker says of them. */
export interface Extended {
  /** How many records lead to none, by relation. */
  readonly missing: readonly number[];
  /** Why columns are not computed, by their names. */
  readonly problems: readonly (readonly [name: string, reason: string])[];
  /** Those that are computed now: others are still wanted, while there is progress. */
  readonly computed: readonly Computed[];
}

const NOTHING: Extended = { missing: [], problems: [], computed: [] };

/**
 * Follows relations, and again when the other table has changed, and computes columns. While the table is not shown,
 * nothing is asked.
 */
export function useExtended(
  { engine, setProgress }: ReturnType<typeof useEngine>,
  { loads, extend, setProblem }: ReturnType<typeof useLoaded>,
  { relations, computed }: Pick<View, "relations" | "computed">,
  others: readonly Other[],
  isShown: boolean,
): Extended {
  const [extended, setExtended] = useState(NOTHING);
  const used = relations.map(({ table }) => others.find(({ name }) => name === table));
  /** The load that has other columns, what they follow, and what is computed. */
  const followed = useRef<{ readonly of: readonly unknown[]; readonly computed: string }>({
    of: [],
    computed: "[]",
  });
  const wanted = [loads, JSON.stringify(relations), ...used.map((other) => other?.version)];
  const expressions = JSON.stringify(computed);
  useEffect(() => {
    const before = followed.current;
    const isSameLoad = before.of[0] === loads;
    const isSame =
      relations.length === 0
        ? !isSameLoad || before.of.length === 2
        : before.of.length === wanted.length && wanted.every((each, i) => each === before.of[i]);
    const isComputed = expressions === (isSameLoad ? before.computed : "[]");
    if (!isShown || loads === 0 || (isSame && isComputed)) return;
    let isWanted = true;
    const related = async () => {
      const all: Related[] = [];
      for (const [i, each] of relations.entries()) {
        const other = used[i];
        if (other === undefined) {
          throw new Error(`${shown(each.by)} leads to ${shown(each.table)}, which is not open.`);
        }
        const saved = await other.engine.call("saveAll");
        all.push({ ...each, saved, fields: other.fields });
      }
      return await engine.call("relate", all);
    };
    const follow = async () => {
      let { missing } = isSameLoad ? extended : NOTHING;
      let part: Parameters<typeof extend>[0] | undefined;
      if (!isSame) {
        ({ missing, ...part } = await related());
        if (!isWanted) return;
        followed.current = { of: wanted, computed: "[]" };
      }
      let { problems } = NOTHING;
      if (computed.length > 0 || !isComputed) {
        ({ problems, ...part } = await engine.call("compute", computed));
      }
      if (!isWanted) return;
      followed.current = { of: wanted, computed: expressions };
      setExtended({ missing, problems, computed });
      setProblem(
        problems.map(([name, reason]) => `${shown(name)} is not computed: ${reason}.`).join(" "),
      );
      if (part !== undefined) extend(part);
    };
    follow()
      .catch((thrown: unknown) => {
        if (isWanted) setProblem(thrown instanceof Error ? thrown.message : String(thrown));
      })
      .finally(() => {
        if (isWanted) setProgress(undefined);
      })
      .catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [isShown, expressions, ...wanted]);
  return extended;
}
