// The package as its users get it: packed, installed in an empty folder, imported from JavaScript,
// type-checked from TypeScript, run from the command line, and bundled for a browser.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const project = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "tercet-package-"));
const consumer = join(folder, "consumer");

function run(command: string, parameters: readonly string[], cwd = consumer): string {
  return execFileSync(command, parameters, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function write(name: string, text: string): void {
  writeFileSync(join(consumer, name), text);
}

beforeAll(() => {
  mkdirSync(consumer);
  run("npm", ["pack", "--silent", "--pack-destination", folder], project);
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
    version: string;
  };
  write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const packed = join(folder, `tercet-${version}.tgz`);
  run("npm", ["install", "--silent", "--prefer-offline", packed, "fast-check"]);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("it is imported from JavaScript by each of its entries", () => {
  write(
    "main.js",
    `import { createService } from "tercet";
     import { generateFiles } from "tercet/synthetic";
     const files = [...generateFiles({ count: 5, seed: 3 })];
     import { checkService } from "tercet/testing";
     console.log(createService({ files }).searchFiles().length);
     console.log(checkService(createService, { numRuns: 1 }).passed);`,
  );
  expect(run("node", ["main.js"])).toBe("5\ntrue\n");
});

test("its types check in a strict TypeScript consumer, and refuse a wrong field", () => {
  write(
    "main.ts",
    `import { createCollection, defineSchema, int, string, type RecordOf } from "tercet";
     import { criteria } from "tercet/testing";
     const Person = defineSchema({ id: int(), name: string() });
     const drawn = criteria(Person);
     const people = createCollection(Person, [{ id: 1, name: "x" }]);
     const found: RecordOf<typeof Person>[] = people.query({ criteria: [["name", "exactly", "x"]] });
     // @ts-expect-error there is no such field
     people.query({ criteria: [["nmae", "exactly", "x"]] });
     export { drawn, found };`,
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "NodeNext",
    target: "ES2022",
    lib: ["ES2022"],
    types: [],
    skipLibCheck: false,
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  expect(run("node", [join(project, "node_modules/typescript/bin/tsc")])).toBe("");
});

test("its command runs where it is installed", () => {
  expect(run("npx", ["--no", "tercet", "--version"])).toMatch(/^\d+\.\d+\.\d+\n$/);
  const files = JSON.parse(run("npx", ["--no", "tercet", "files", ".", "--json"])) as unknown[];
  expect(files).not.toHaveLength(0);
});

test("users install no dependency beyond the library's own", () => {
  const { dependencies = {} } = JSON.parse(
    readFileSync(join(consumer, "node_modules/tercet/package.json"), "utf8"),
  ) as { dependencies?: Record<string, string> };
  expect(Object.keys(dependencies)).toEqual(["immer"]);
});

test.each(["tercet", "tercet/synthetic", "tercet/testing"])(
  "%s bundles for a browser, without Node",
  async (entry) => {
    const { outputFiles, warnings } = await build({
      stdin: { contents: `export * from "${entry}";`, resolveDir: consumer },
      bundle: true,
      platform: "browser",
      external: ["fast-check"],
      format: "esm",
      write: false,
      logLevel: "silent",
    });
    const text = outputFiles.map((file) => file.text).join("");
    expect(warnings).toEqual([]);
    expect(text).not.toMatch(/\brequire\(|["']node:|\bprocess\.|\bBuffer\b|\beval\(|new Function/);
  },
);

test("publint finds nothing to say", async () => {
  const { publint } = await import("publint");
  const { messages } = await publint({
    pkgDir: join(consumer, "node_modules/tercet"),
    pack: false,
  });
  expect(messages).toEqual([]);
});
