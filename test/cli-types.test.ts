// The options of the command that fix the types of fields.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "tercet-types-"));
const orders = join(folder, "orders.csv");
const query = (...options: string[]) => runCommand(["query", orders, ...options], { cwd: folder });

beforeAll(() => {
  writeFileSync(
    orders,
    [
      "id,zip,placed,total,a:month",
      "1,8001,2024-02-29,19.5,x",
      "2,8002,2024-03-01T23:30:00Z,7,y",
      "3,8001,,3,x",
    ].join("\n"),
  );
});

test("--type sets the type of a field, which stays nullable if a value is missing", async () => {
  const { out } = await query("--type", "placed=time", "--type", "zip=string", "--infer");
  const fields = {
    ...{ id: { type: "int" }, zip: { type: "string" }, placed: { type: "time", nullable: true } },
    ...{ total: { type: "float" }, "a:month": { type: "string" } },
  };
  expect(JSON.parse(out)).toEqual({ fields });
});

test.each([
  [["--type", "day=time"], "--type: there is no field day; the fields are id, zip, placed"],
  [["--type", "zip=date"], '--type: schema.fields.zip.type: must be "int", "float"'],
  [["--type", "zip"], "--type: must be FIELD=TYPE, such as placed=time, not zip"],
  [["--type", "zip=int", "--schema", "x.json"], "x.json"],
  [["--histogram", "placed"], "; --type sets another type of a field"],
  [["--group-by", "placed:month"], 'must be an int, float or time field, not "placed"'],
  [["--group-by", "zip", "--zone", "UTC"], "--zone: needs a key with a step"],
  [["--type", "placed=time", "--histogram", "placed"], "use --group-by placed:month instead"],
])("%j is refused", async (options, message) => {
  const { err, code } = await query(...options);
  expect(err).toContain(message);
  expect(code).toBe(2);
});

test("--group-by takes steps of times, in a zone", async () => {
  const groups = async (...options: string[]) =>
    JSON.parse((await query("--type", "placed=time", "--json", ...options)).out) as unknown;
  expect(await groups("--group-by", "placed:month")).toEqual([
    { placed: null, count: 1 },
    { placed: "2024-02-01T00:00:00.000Z", count: 1 },
    { placed: "2024-03-01T00:00:00.000Z", count: 1 },
  ]);
  expect(await groups("--group-by", "placed:weekday", "--zone", "Europe/Berlin")).toEqual([
    { placed: null, count: 1 },
    { placed: 4, count: 1 },
    { placed: 6, count: 1 },
  ]);
  // A field's own name has precedence.
  expect(await groups("--group-by", "a:month")).toEqual([
    { "a:month": "x", count: 2 },
    { "a:month": "y", count: 1 },
  ]);
});
