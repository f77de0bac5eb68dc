// The command as its tests run it: in the process of the test, which is much faster, or bundled from
// the source if a test needs a process.

import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { build } from "esbuild";
import { vi } from "vitest";
import { runProgram } from "../src/cli/program.ts";

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  /** The working directory. */
  readonly cwd?: string;
  /** What stands in standard input. */
  readonly input?: string | Uint8Array;
}

/** Runs the command in this process: what it prints, and its exit code. */
export async function runCommand(
  parameters: readonly string[],
  { cwd, input = "" }: RunOptions = {},
): Promise<Run> {
  const before = { directory: process.cwd(), exitCode: process.exitCode };
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
  const taken = (stream: NodeJS.WriteStream) => {
    const pieces: Buffer[] = [];
    const spy = vi.spyOn(stream, "write").mockImplementation((piece) => {
      pieces.push(Buffer.from(piece as string));
      return true;
    });
    return () => {
      spy.mockRestore();
      return Buffer.concat(pieces).toString();
    };
  };
  const [out, err] = [taken(process.stdout), taken(process.stderr)];
  Object.defineProperty(process, "stdin", {
    value: Readable.from([Buffer.from(input)]),
    configurable: true,
  });
  try {
    if (cwd !== undefined) process.chdir(cwd);
    process.exitCode = 0;
    await runProgram(parameters);
    return { code: process.exitCode, out: out(), err: err() };
  } finally {
    out();
    err();
    Object.defineProperty(process, "stdin", stdin);
    process.chdir(before.directory);
    process.exitCode = before.exitCode;
  }
}

let bundled: ReturnType<typeof bundle> | undefined;

/**
 * Writes the `tercet` command to a file, whose name ends in `.mjs`, and beside it its chunks, as the package
 * has them. It is bundled once for all files of a worker.
 */
export async function bundleCommand(outfile: string): Promise<void> {
  const { outputFiles } = await (bundled ??= bundle());
  for (const { path, contents } of outputFiles) {
    const name = basename(path);
    if (name === "main.mjs") writeFileSync(outfile, contents, { mode: 0o755 });
    else writeFileSync(join(dirname(outfile), name), contents);
  }
}

const bundle = () =>
  build({
    entryPoints: ["src/cli/main.ts"],
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: {
      // For the CommonJS packages in it.
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    outdir: "bundled",
    outExtension: { ".js": ".mjs" },
    write: false,
    logLevel: "warning",
  });
