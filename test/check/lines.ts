// A service that responds to lines of JSON, started like by `tercet check`, for arbitrary requests.

import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { CheckedData } from "../../src/testing/index.ts";

export const pythonService = join(import.meta.dirname, "service.py");

export const lacksPython = spawnSync("python3", ["--version"]).status !== 0;

/** Starts a service in Python: service.py, or another file. */
export function startService(file = pythonService) {
  const child = spawn("python3", [file], { stdio: ["pipe", "pipe", "inherit"] });
  const asked: ((answer: string) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (answer) => asked.shift()?.(answer));

  const ask = (line: string) =>
    new Promise<string>((answered) => {
      asked.push(answered);
      child.stdin.write(`${line}\n`);
    });

  /** The service with these data, until it loads others. */
  async function load(data: CheckedData) {
    const text = JSON.stringify({ load: data }, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    const answer = await ask(text);
    if (answer !== '{"loaded": true}') throw new Error(answer);
    return { dispatchJson: ask };
  }
  return { ask, load, end: () => void child.kill() };
}
