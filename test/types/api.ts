// The public surface, by API Extractor from the packed declarations: `test/api/*.api.md`, a report of each entry under
// version control, and, by `npm run reference`, pages in `reports/reference` with all doc comments.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from "@microsoft/api-extractor";
import { packed } from "../packed.ts";

const project = resolve(import.meta.dirname, "../..");
export const ENTRIES = [
  ...[
    "index",
    "light",
    "import",
    "synthetic",
    "testing",
    "faults",
    "arrow",
    "sql",
    "store",
    "worker",
  ],
] as const;
export type Entry = (typeof ENTRIES)[number];

/** Where the report of an entry stands. */
export const reportOf = (entry: Entry): string => join(project, "test/api", `${entry}.api.md`);

/** The packed declarations of each entry, unpacked into a folder inside the project, whose dependencies they use. */
export interface Surface {
  readonly folder: string;
  /** The file of the declarations of an entry. */
  readonly fileOf: (entry: Entry) => string;
  remove(): void;
}

export function unpackSurface(): Surface {
  const cache = join(project, "node_modules/.cache/tercet");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "api-"));
  const installed = join(folder, "node_modules/tercet");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["xzf", packed().tarball, "-C", installed, "--strip-components=1"]);
  const fileOf = (entry: Entry) => join(folder, entry, "index.d.ts");
  for (const entry of ENTRIES) {
    const text = readFileSync(join(installed, `dist/types/${entry}.d.ts`), "utf8");
    mkdirSync(dirname(fileOf(entry)));
    // Each entry is a package to API Extractor: what it takes from another is an import, not declared once more.
    writeFileSync(
      fileOf(entry),
      text.replaceAll(/'\.\/(\w+)\.js'/g, (_, name: string) => nameOf(name)),
    );
    const name = entry === "index" ? "tercet" : `@tercet/${entry}`;
    writeFileSync(join(folder, entry, "package.json"), JSON.stringify({ name, type: "module" }));
  }
  return { folder, fileOf, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const nameOf = (entry: string) => `'tercet${entry === "index" ? "" : `/${entry}`}'`;

/** Makes each entry's report, and writes what `api-documenter` reads into `folder/model`. */
export function extract({ folder, fileOf }: Surface): (entry: Entry) => string {
  const reports = join(folder, "reports");
  mkdirSync(reports);
  const configs = ENTRIES.map((entry) =>
    ExtractorConfig.prepare({
      configObject: configOf(entry, join(folder, entry), fileOf(entry), reports),
      configObjectFullPath: undefined,
      packageJsonFullPath: join(folder, entry, "package.json"),
    }),
  );
  const [first] = configs;
  if (first === undefined) throw new Error("there are no entries");
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: ENTRIES.map(fileOf),
  });
  for (const config of configs) {
    Extractor.invoke(config, {
      compilerState,
      localBuild: true,
      messageCallback: (message) => (message.handled = true),
    });
  }
  return (entry) => sorted(readFileSync(join(reports, `${entry}.api.md`), "utf8"));
}

/** A report with unions of strings in alphabetical order: the compiler's own order changes with unrelated code. */
const sorted = (report: string): string =>
  report.replace(/"[^"\n]*"(?: \| "[^"\n]*")+/g, (union) => union.split(" | ").sort().join(" | "));

function configOf(entry: Entry, projectFolder: string, file: string, reports: string): IConfigFile {
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  return {
    projectFolder,
    mainEntryPointFilePath: file,
    newlineKind: "lf",
    compiler: {
      overrideTsconfig: {
        extends: join(project, "tsconfig.json"),
        compilerOptions: { types: [] },
        files: [file],
      },
    },
    apiReport: {
      enabled: true,
      reportFileName: entry,
      reportFolder: reports,
      reportTempFolder: join(projectFolder, "temp"),
      includeForgottenExports: true,
    },
    docModel: { enabled: true, apiJsonFilePath: join(projectFolder, `../model/${entry}.api.json`) },
    messages: {
      compilerMessageReporting: silent,
      extractorMessageReporting: silent,
      tsdocMessageReporting: silent,
    },
  };
}

/** `npm run reference`: writes the reports into `api`, and the reference into `reports/reference`. */
function writeReference(): void {
  const surface = unpackSurface();
  try {
    const report = extract(surface);
    for (const entry of ENTRIES) writeFileSync(reportOf(entry), report(entry));
    const target = join(project, "reports/reference");
    if (existsSync(target)) rmSync(target, { recursive: true });
    const documenter = join(project, "node_modules/@microsoft/api-documenter/bin/api-documenter");
    const paths = ["--input-folder", join(surface.folder, "model"), "--output-folder", target];
    execFileSync(process.execPath, [documenter, "markdown", ...paths], { stdio: "inherit" });
  } finally {
    surface.remove();
  }
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(join(project, "test/api"), { recursive: true });
  writeReference();
}
