// The vectors in the file reveal every planted mistake that text can reveal.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { checkService, type Vector } from "../../src/testing/index.ts";
import { brokenServices } from "../testing/broken.ts";
import { reveal } from "./vector-file.ts";

const file = readFileSync(join(import.meta.dirname, "../../data/vectors.ndjson"), "utf8");
const [, ...lines] = file
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Vector);

/** About the data as values, of which a service that is sent them as text has a copy anyway. */
const ON_VALUES = "the data that it is made of is neither changed nor kept";

/** JSON.parse, which most tests read the file with, loses them. */
const ON_DIGITS = "an id that is an integer is answered digit for digit, however large";

/** Laws that ask nothing of a service that takes text. */
async function notByText(): Promise<ReadonlySet<string>> {
  const make = (data: object) => {
    const service = createService(data);
    return { dispatchJson: (line: string) => service.dispatchJson(line) };
  };
  const { laws } = await checkService(make, { numRuns: 1, seed: 1 });
  return new Set(
    laws.filter(({ outcome }) => outcome === "not applicable").map(({ name }) => name),
  );
}

test("each planted mistake is revealed, but for those that text can't show", async () => {
  const notShown = await notByText();
  const shown = brokenServices.filter(
    ({ law }) => !notShown.has(law) && law !== ON_VALUES && law !== ON_DIGITS,
  );
  expect(shown.length).toBeGreaterThan(130);
  const missed = shown.filter((broken) => !reveal(lines, broken));
  expect(missed.map(({ law, mistake }) => `${law}: ${mistake}`)).toEqual([]);
});
