// `tercet rpc` responds to every line, in order, however the input is split into pieces.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createService, type BatchInput, type FileInput } from "../src/index.ts";
import { splitLines } from "../src/cli/lines.ts";
import { bundleCommand } from "./command.ts";

const place = mkdtempSync(join(tmpdir(), "tercet-rpc-"));
const bundle = join(place, "tercet.mjs");

const files: FileInput[] = Array.from({ length: 50 }, (_, index) => ({
  id: index + 1,
  folder_id: 1,
  name: `文件 ${index} 🎉\u2028.txt`,
  size: index * 10,
}));
const batches: BatchInput[] = [1, 2].map((id) => ({
  id,
  lists: [
    { id: 5, contacts: [{ send_id: id, contact_id: id, contact_email: `${id}@example.com` }] },
  ],
}));
const service = createService({ files, batches });
const parameters = ["rpc", "--files", join(place, "files.json")];

beforeAll(async () => {
  await bundleCommand(bundle);
  writeFileSync(join(place, "files.json"), JSON.stringify(files));
  for (const batch of batches) {
    const path = join(place, `${batch.id}.json`);
    writeFileSync(path, JSON.stringify(batch));
    parameters.push("--batch", path);
  }
});

afterAll(() => {
  rmSync(place, { recursive: true, force: true });
});

/** Runs `tercet rpc` on the chunks, each written separately. */
async function answers(
  chunks: readonly (string | Buffer)[],
  ...options: readonly string[]
): Promise<string> {
  const child = spawn(process.execPath, [bundle, ...parameters, ...options]);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  for (const chunk of chunks) {
    await new Promise((resolve) => child.stdin.write(chunk, resolve));
    // A pause, so that the child reads each chunk before the next.
    if (chunks.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.stdin.end();
  const code = await ended;
  expect({ code, err: Buffer.concat(err).toString() }).toEqual({ code: 0, err: "" });
  return Buffer.concat(out).toString();
}

function request(id: unknown, method: unknown, ...params: unknown[]): string {
  return JSON.stringify({ id, method, params });
}

const expected = (lines: readonly string[]) =>
  lines.map((line) => `${service.dispatchJson(line)}\n`).join("");

test("10,000 lines, good and bad, are answered in order", async () => {
  const kinds: ((id: number) => string)[] = [
    (id) => request(id, "searchFiles", "key", [["size", "greater_than", id % 500]], 3),
    (id) => request(id, "getBatchContacts", "key", 1 + (id % 2)),
    (id) => request(id, "getBatchContacts", "key", id + 10),
    (id) => `{"id":${id},`,
    (id) => `not JSON ${id}`,
    () => "[]",
    () => "null",
    (id) => request(String(id), "searchFiles", "key"),
    (id) => `{"jsonrpc":"2.0","id":"${id}","method":"searchFiles","params":{"api_key":"key"}}`,
    (id) => `[${request(id, "searchFiles", "key", null, 1)},${id}]`,
    (id) => request(id + 0.5, "searchFiles", "key"),
    (id) => request(id, "deleteFiles", "key"),
    (id) => request(id, id, "key"),
    (id) => request(id, "searchFiles", ""),
    (id) => request(id, "searchFiles", "key", [["size", "roughly", id]]),
    (id) => request(id, "searchFiles", "key", null, -id),
    (id) => request(id, "searchFiles", "key", [["name", "contains", "\u2028"]], 1, id % 50),
  ];
  const lines = Array.from({ length: 10_000 }, (_, id) => kinds[id % kinds.length]?.(id) ?? "");
  const answered = await answers([lines.map((line) => `${line}\n`).join("")]);
  expect(answered.split("\n")).toHaveLength(10_001);
  expect(answered).toBe(expected(lines));
  const codes = new Set(answered.match(/"code":\d+/g));
  expect([...codes].toSorted()).toEqual(
    [104, 107, 300, 308, 310, 311].map((code) => `"code":${code}`),
  );
});

test("a character may span chunks, and the last line may lack its end", async () => {
  const lines = [
    request(1, "searchFiles", "key", [["name", "starts_with", "文件 7 🎉"]]),
    request(2, "searchFiles", "key", [["name", "contains", "\u2028.t"]], 2),
  ];
  const bytes = Buffer.from(lines.join("\n"));
  const cuts = [...bytes.keys()].filter((index) => (bytes[index] ?? 0) >= 0x80);
  expect(cuts.length).toBeGreaterThan(10);
  const chunks = [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index]));
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  expect(await answers(chunks)).toBe(expected(lines));
});

test("CRLF ends a line, a lone carriage return does not, and blank lines get no answer", async () => {
  const one = request(1, "searchFiles", "key", null, 1);
  const two = request(2, "searchFiles", "key", null, 2).replace(",", ",\r");
  expect(await answers([`\r\n${one}\r\n \t\r\n\n${two}\r`, `\n\n`])).toBe(expected([one, two]));
  expect(await answers([])).toBe("");
});

test("a notification gets no answer", async () => {
  const notification = '{"jsonrpc":"2.0","method":"searchFiles","params":["key"]}';
  const good = request(1, "searchFiles", "key", null, 1);
  expect(await answers([`${notification}\n${good}\n[${notification}]\n`])).toBe(expected([good]));
});

test("bytes that are not UTF-8 get an error, and the next line gets its answer", async () => {
  const good = request(3, "searchFiles", "key", null, 1);
  const bad = Buffer.concat([
    Buffer.from('{"id":1,"method":"'),
    Buffer.from([0xff]),
    Buffer.from('"}\n'),
  ]);
  expect(await answers([bad, `\ufeff${good}\n`])).toBe(expected(["", good]));
});

test("an answer comes before the input ends", async () => {
  const child = spawn(process.execPath, [bundle, ...parameters]);
  const line = request(1, "searchFiles", "key", null, 1);
  child.stdin.write(`${line}\n`);
  let first = "";
  for await (const piece of child.stdout.iterator({ destroyOnReturn: false })) {
    first += String(piece);
    if (first.endsWith("\n")) break;
  }
  expect(first).toBe(expected([line]));
  child.stdin.end();
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
});

test("a line of 30 MB is one line, however the pipe cuts it", async () => {
  const line = request(1, "searchFiles", "key", [["name", "exactly", "x".repeat(30_000_000)]]);
  const answered = await answers([`${line}\n${line.slice(0, 100)}\n`]);
  expect(answered).toBe(expected([line, line.slice(0, 100)]));
});

test("a line longer than --max-line gets an error, and the next line gets its answer", async () => {
  const good = request(3, "searchFiles", "key", null, 1);
  const most = good.length;
  const error = {
    code: 310,
    message: "Invalid Method Parameters",
    data: `request: is longer than the ${most} bytes that --max-line allows`,
  };
  const refused = `${JSON.stringify({ id: null, result: null, error })}\n`;
  const lines = [`${good} \n`, "x".repeat(10_000_000), `\n${good}\n`, "y".repeat(most + 1)];
  const answered = await answers(lines, "--max-line", String(most));
  expect(answered).toBe(`${refused}${refused}${expected([good])}${refused}`);
});

test("a line that is too long is undefined, unlike an empty one, and blocks nothing", async () => {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const text of ["ab", "c\n\nabc", "de", "f\nxyz\r\n", "toolong"]) {
      yield await Promise.resolve(Buffer.from(text));
    }
  }
  const lines: (string | undefined)[] = [];
  for await (const line of splitLines(chunks(), 4)) lines.push(line?.toString());
  expect(lines).toEqual(["abc", "", undefined, "xyz", undefined]);
});
