// V8 ends a process whose heap is full. A load throws an error before that.

import { expect, test } from "vitest";
import { printedBy } from "../bundled.ts";

const PROGRAM = `
import { createCollection, createService, defineSchema, int, string, InputError } from "../../src/index.ts";

const Person = defineSchema({ id: int(), name: string() });
function* people(count = Infinity) {
  for (let id = 0; id < count; id++) yield { id, name: \`name \${id}\` };
}
function* files() {
  for (let id = 0; ; id++) yield { id, folder_id: 1, name: \`name \${id}\` };
}

function refusal(load) {
  try {
    load();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

const { path, reason, code } = refusal(() => createCollection(Person, people()));
const count = Number(/^records\\[(\\d+)\\]$/.exec(path)?.[1]);
const inService = refusal(() => createService({ files: files() }));
const { size } = createCollection(Person, people(count), { storage: "columns" });
console.log(JSON.stringify({ reason, code, count, size, place: inService.path }));
`;

interface Printed {
  readonly reason: string;
  readonly code: string;
  readonly count: number;
  readonly size: number;
  readonly place: string;
}

// The space for new objects is 48 MB by default, and not meant for those that stay.
test.each([[[]], [["--max-semi-space-size=1"]]])(
  "a load that would fill the heap is refused, and succeeds in columns: %j",
  async (newSpace: string[]) => {
    const options = ["--max-old-space-size=80", ...newSpace];
    const printed = await printedBy(PROGRAM, import.meta.dirname, options);
    const { reason, code, count, size, place } = JSON.parse(printed) as Printed;
    expect(reason).toBe(
      'can\'t be loaded, because the heap of 84 MB is nearly full; use storage: "columns", ' +
        "which hardly needs it, node --max-old-space-size, or importStore",
    );
    expect(code).toBe("limit");
    expect(place).toMatch(/^files\[\d+\]$/);
    expect(count).toBeGreaterThan(100_000);
    expect(size).toBe(count);
  },
);
