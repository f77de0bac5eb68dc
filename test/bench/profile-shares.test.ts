// Where the time of a profile goes.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Profiler } from "node:inspector";
import { PARTS, sharesOf } from "../../bench/profile-shares.ts";

/** A profile whose stacks are given by the names of functions, the outermost first. */
function profileOf(samples: readonly (readonly [time: number, ...stack: string[]])[]) {
  const nodes: (Profiler.ProfileNode & { children: number[] })[] = [];
  const nodeFor = (stack: readonly string[]): number => {
    const parent = stack.length === 1 ? undefined : nodes[nodeFor(stack.slice(0, -1)) - 1];
    const functionName = stack.at(-1) ?? "";
    const known = nodes.find(
      ({ id, callFrame }) =>
        callFrame.functionName === functionName &&
        (parent === undefined ? id === 1 : parent.children.includes(id)),
    );
    if (known !== undefined) return known.id;
    const id = nodes.length + 1;
    const url = /^[(]|dispatch$/.test(functionName) ? "" : "file:///bench.js";
    const callFrame = { functionName, url, scriptId: "1", lineNumber: 0, columnNumber: 0 };
    nodes.push({ id, callFrame, children: [] });
    parent?.children.push(id);
    return id;
  };
  return {
    samples: samples.map(([, ...stack]) => nodeFor(["(root)", ...stack])),
    timeDeltas: samples.map(([time]) => time),
    nodes,
    startTime: 0,
    endTime: 1,
  };
}

test("a sample belongs to the innermost function that has a name", () => {
  const { time, shares } = sharesOf(
    profileOf([
      [40, "query", "planQuery", "costOf"],
      [30, "query", "planQuery2", "costOf", "codeOf", "hash"],
      [20, "query"],
      [10, "query", "(garbage collector)"],
    ]),
  );
  expect(time).toBe(100_000);
  expect(shares).toEqual({
    planning: 0.4,
    "hashing the key": 0.3,
    "the rest": 0.2,
    "garbage collection": 0.1,
  });
  expect(Object.keys(shares)[0]).toBe("planning");
});

test("the functions that are named are there", () => {
  const sources = ["src", "bench"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.includes("node_modules"))
      .map((path) => readFileSync(`${folder}/${path}`, "utf8")),
  );
  const names = Object.values(PARTS)
    .flat()
    .filter((name) => name !== "(garbage collector)");
  const isThere = (name: string) => {
    const called = new RegExp(
      `(?<![\\w.])${name}\\b(?:<\\w+>)?\\(|\\b${name}(?:: [^=\\n]+)? = \\(`,
      "u",
    );
    return sources.some((source) => called.test(source));
  };
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});

test("what the profiler itself takes, and waiting, is no part of it", () => {
  const profile = profileOf([
    [900, "profile", "dispatch"],
    [900, "(idle)"],
    [10, "query", "execute"],
  ]);
  expect(sharesOf(profile)).toEqual({ time: 10_000, shares: { "running the plan": 1 } });
});
