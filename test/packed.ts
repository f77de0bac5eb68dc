// `npm run packed`: the package, packed once for the current state of the checkout and shared by several tests, since
// packing takes seconds. `npm run test:system` runs it first: two tests at once would build the same dist/.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";

const project = resolve(import.meta.dirname, "..");
/** What the package is made of. */
const MADE_OF = [
  ...["package.json", "package-lock.json", "tsconfig.json", "LICENSE"],
  ...["README.md", "src", "data", "test/check"],
];

/** The path of the tarball, and what building it printed. */
export function packed(): { readonly tarball: string; readonly printed: string } {
  const hash = createHash("sha256");
  for (const name of MADE_OF.flatMap(filesIn)) {
    hash.update(`${name}\0`).update(readFileSync(join(project, name)));
  }
  const folder = join(project, "node_modules/.cache/tercet/packed");
  const name = join(folder, hash.digest("hex").slice(0, 16));
  const [tarball, log] = [`${name}.tgz`, `${name}.txt`];
  if (!existsSync(tarball)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(log, npm("run", "build"));
    const file = npm("pack", "--ignore-scripts", "--pack-destination", folder).trim();
    renameSync(join(folder, file), tarball);
  }
  return { tarball, printed: readFileSync(log, "utf8") };
}

const npm = (...parameters: readonly string[]): string =>
  execFileSync("npm", ["--silent", ...parameters], { cwd: project, encoding: "utf8" });

function filesIn(path: string): string[] {
  if (!existsSync(join(project, path))) throw new Error(`${path} is not there`);
  if (/\.\w+$|^LICENSE$/.test(path)) return [path];
  return readdirSync(join(project, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
    .sort();
}

if (process.argv[1] === import.meta.filename) packed();
