// The maximum that the page reads of a file: of gzipped text, of a file held in memory, and of a file that is only
// inspected.

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/index.ts";
import { headOf, mostBytes, wholeOf } from "../../src/playground/engine/bytes.ts";
import { tableOf } from "../../src/playground/engine/file-tables.ts";

const MEGABYTE = 2 ** 20;
const LINE = `${"x".repeat(MEGABYTE - 1)}\n`;

/** A table in a file, and how many of its bytes have been read. */
async function openTable(
  name: string,
  parts: readonly Uint8Array<ArrayBuffer>[],
  maxBytes = Infinity,
) {
  const file = new Blob([...parts]);
  const head = await headOf(file);
  const taken = { bytes: 0 };
  function* bytes() {
    taken.bytes = 0;
    for (const part of parts) {
      taken.bytes += part.length;
      yield part;
    }
  }
  const nobody = () => undefined;
  return { taken, table: await tableOf(file, { name, head, maxBytes, text: {} }, bytes, nobody) };
}

const thrownBy = async (action: () => unknown): Promise<unknown> => {
  try {
    return await action();
  } catch (thrown) {
    return thrown;
  }
};

test("a gzipped text may have 2 GiB, and one that is not compressed any number of bytes", async () => {
  expect(await mostBytes(new Blob(["a\n1\n"]))).toBe(Infinity);
  expect(await mostBytes(new Blob([gzipSync("a\n1\n")]))).toBe(2 ** 31);
});

test("a gzipped text is read no further than it may have bytes", async () => {
  // A member of gzip after the other, of a megabyte each.
  const head = new Uint8Array(gzipSync("a\n"));
  const packed = new Uint8Array(gzipSync(LINE));
  const lines = 64;
  const most = lines * MEGABYTE;
  const parts = [head, ...Array.from({ length: lines + 100 }, () => packed)];
  const { taken, table } = await openTable("bomb.csv.gz", parts, most);
  const thrown = await thrownBy(() => table.infer());
  expect(thrown).toBeInstanceOf(InputError);
  expect(thrown).toMatchObject({
    path: "source",
    reason: `has more than ${most} bytes, decompressed`,
  });
  expect(taken.bytes).toBe(head.length + lines * packed.length);
});

describe("a file that is held as a whole", () => {
  // Its parts are one piece of memory.
  const megabyte = new Blob([new Uint8Array(MEGABYTE)]);
  const ofMegabytes = (count: number, ...rest: BlobPart[]) =>
    new Blob([...Array.from({ length: count }, () => megabyte), ...rest]);

  test("may not have more than 1 GiB", async () => {
    const thrown = await thrownBy(() => wholeOf(ofMegabytes(1024, "x")));
    expect(thrown).toBeInstanceOf(InputError);
    expect(String(thrown)).toContain("has more than 1 GiB, which is the limit of this format");
    expect((await wholeOf(ofMegabytes(3))).length).toBe(3 * MEGABYTE);
  });

  test("may not have more, unpacked", async () => {
    const packed = new Blob([gzipSync(Buffer.alloc(3 * MEGABYTE))]);
    const thrown = await thrownBy(() => wholeOf(packed, 2 * MEGABYTE));
    expect(String(thrown)).toContain("unpacks to more than 1 GiB");
    expect((await wholeOf(packed)).length).toBe(3 * MEGABYTE);
  });
});

describe("a look at a text", () => {
  test("ends after a thousand records", async () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `${i}\n`).join("");
    const parts = [`n\n`, text].map((each) => new TextEncoder().encode(each));
    const { table } = await openTable("many.csv", parts);
    expect(table.sample).toHaveLength(1000);
  });

  test.each([
    ["csv", "a\n", LINE],
    ["ndjson", "", `{"a":"${LINE.slice(0, -9)}"}\n`],
  ])("ends after 64 MiB: %s", async (ending, head, line) => {
    const part = new TextEncoder().encode(line);
    const { table, taken } = await openTable(`long.${ending}`, [
      new TextEncoder().encode(head),
      ...Array.from({ length: 200 }, () => part),
    ]);
    expect(table.sample.length).toBeGreaterThan(60);
    expect(table.sample.length).toBeLessThanOrEqual(64);
    expect(taken.bytes).toBeLessThanOrEqual(65 * MEGABYTE);
  });
});
