// The servers that other tests start: they stop with the test, however it ends, and still have their data after a
// crash.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { startPostgres } from "./postgres-server.ts";

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(10);
}

test("a server that is killed breaks its queries off, and comes back with its data until it is closed", async () => {
  const server = await startPostgres();
  const { folder } = server;
  const pool = server.connect("postgres");
  try {
    await pool.query("CREATE TABLE kept AS SELECT 7 AS n");
    const sleeping = pool.query("SELECT pg_sleep(60)").catch((thrown: unknown) => thrown);
    await pool.query("SELECT 1");
    await server.kill("SIGQUIT");
    expect(await sleeping).toBeInstanceOf(Error);
    await expect(pool.query("SELECT 1")).rejects.toThrow("ECONNREFUSED");
    await server.restart();
    expect((await pool.query("SELECT n FROM kept")).rows).toEqual([{ n: 7 }]);
    expect(isAlive(server.pid())).toBe(true);
  } finally {
    await pool.end();
    await server.close();
  }
  expect(isAlive(server.pid())).toBe(false);
  expect(existsSync(folder)).toBe(false);
});

test("a server ends when the process is killed that started it", async () => {
  const program = `
    const { startPostgres } = await import(${JSON.stringify(import.meta.resolve("./postgres-server.ts"))});
    const server = await startPostgres();
    console.log(JSON.stringify({ pid: server.pid(), folder: server.folder }));
    process.kill(process.pid, "SIGKILL");
  `;
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const { pid, folder } = JSON.parse(printed) as { pid: number; folder: string };
  await until(() => !isAlive(pid) && !existsSync(folder));
});
