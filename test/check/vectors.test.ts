// Both services pass the vectors in the file, and each rule has some. The same seed generates the same vectors.
// revealed.test.ts checks which mistakes they reveal.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createService, InputError } from "../../src/index.ts";
import { referenceService, vectors, type Vector } from "../../src/testing/index.ts";
import { RULES } from "../../src/testing/laws/rules.ts";
import { runCommand } from "../command.ts";
import { firstWrong, vectorLines, WAYS } from "./vector-file.ts";

const file = readFileSync(join(import.meta.dirname, "../../data/vectors.ndjson"), "utf8");
const [header, ...lines] = file
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Vector & { readonly count?: number });
const counted = lines.filter(({ rules }) => rules.length > 0);

describe("data/vectors.ndjson", () => {
  test("is of this format, small, and about each rule that text can ask", () => {
    const { length: count } = counted;
    expect(header).toEqual({ format: "tercet vectors", version: 1, seed: 1, count });
    expect(Buffer.byteLength(file)).toBeLessThan(150_000);
    const missing = RULES.filter((rule) => !counted.some(({ rules }) => rules.includes(rule)));
    expect(missing).toEqual(["V9", "C11", "E10"]);
  });

  test.each([
    ["createService", createService],
    ["referenceService", referenceService],
  ])("%s answers all of it", (_, make) => {
    for (const way of WAYS) expect(firstWrong(make, lines, way)).toBeUndefined();
  });
});

describe("vectors", () => {
  test("of version 1 hash to this: where they don't, the version must be raised", async () => {
    const { code, out } = await runCommand(["vectors", "--count", "400", "--seed", "1"]);
    expect(code).toBe(0);
    const hash = createHash("sha256").update(out).digest("hex");
    expect(hash).toBe("97264ac7c6d8b5813a2642e91ba98ac6e642505737d981d26cd7e9d74401a231");
  });

  test("other seeds give other vectors, and as many as are asked for", async () => {
    const [first, ...others] = await vectorLines({ count: 20, seed: 7 });
    expect(first).toEqual({ format: "tercet vectors", version: 1, seed: 7, count: 20 });
    expect(others.filter((each) => "rules" in each && each.rules.length > 0)).toHaveLength(20);
    expect(others[0]).not.toEqual(lines.find((line) => line.load !== undefined));
  });

  test("options that are not valid are refused", async () => {
    for (const options of [{ count: -1 }, { count: 1.5 }, { count: 1, seed: 0.5 }]) {
      await expect(vectors(options).next()).rejects.toThrow(InputError);
    }
  });
});
