// Checks that the laws find the mistakes that break them.

import { afterAll, expect, test } from "vitest";
import type { LawReport } from "../../src/testing/index.ts";
import { seeds } from "../property.ts";

/** A way to find a law by its name, which fails where there is none. */
export const named =
  <Law extends { readonly name: string }>(laws: readonly Law[]) =>
  (name: string): Law => {
    const found = laws.find((law) => law.name === name);
    if (found === undefined) throw new Error(`there is no law ${name}`);
    return found;
  };

interface Reporting<Make> {
  readonly report: (make: Make, options: { seed: number; shrink: false }) => Promise<LawReport>;
}

/**
 * A test for each mistake: its law finds it with as many cases as there are by default, in `count` seeds or in
 * TERCET_SEEDS of them, of which it is printed after how many cases.
 */
export function testCaught<Make>(
  broken: readonly { readonly mistake: string; readonly law: string; readonly make: Make }[],
  lawOf: (name: string) => Reporting<Make>,
  count: number,
): void {
  const found: string[] = [];
  test.each(broken)("$mistake", async ({ mistake, law, make }) => {
    const reports: LawReport[] = [];
    for (const seed of seeds(count)) {
      reports.push(await lawOf(law).report(make, { seed, shrink: false }));
    }
    const missed = reports.filter(({ outcome }) => outcome !== "failed");
    expect(missed.map((report) => report.seed)).toEqual([]);
    const cases = reports.map(({ runs }) => runs).sort((a, b) => a - b);
    found.push(
      `${mistake}: in ${cases.length} seeds, after ${cases[cases.length >> 1]} cases, at most ${cases.at(-1)}`,
    );
  });
  afterAll(() => {
    if (process.env.TERCET_SEEDS !== undefined) console.log(found.join("\n"));
  });
}
