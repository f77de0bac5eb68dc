// A database server as a child process: on loopback, in its own folder, ended by process id. Engines differ in the
// command and in how readiness is detected.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

export interface Command {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The signal that asks the server to end. */
  readonly signal: NodeJS.Signals;
}

export interface Server {
  /** The folder of its data. */
  readonly folder: string;
  /** Its ports on 127.0.0.1, as many as were asked for. */
  readonly ports: readonly number[];
  /** The id of its process. */
  pid(): number;
  /** Ends it at once, in the midst of whatever it does. Its data stay. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops it where it stands, as a machine that hangs: it takes connections in, and answers nothing. */
  freeze(): void;
  /** Lets it go on after {@link Server.freeze}. */
  thaw(): void;
  /** Starts it again after {@link Server.kill}, on the same ports. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly name: string;
  /** How many ports it listens on. */
  readonly ports: number;
  /** Fills the folder, before the first start. */
  readonly prepare?: (folder: string) => Promise<void> | void;
  readonly command: (folder: string, ports: readonly number[]) => Command;
  /** Rejects while the server is not up. */
  readonly isUp: (ports: readonly number[]) => Promise<unknown>;
}

/** Servers refuse to run as root; whoever is root runs them as nobody. */
export const USER = process.getuid?.() === 0 ? 65534 : undefined;

// From the root of the project, where commands run: the benchmark bundles this file elsewhere.
const KEEPER = resolve("test/engines/keeper.js");
const ATTEMPTS = 3;
const WAIT = { step: 20, most: 30_000 };

/** @throws Error with what the server printed, where it does not come up */
export async function startServer(options: ServerOptions): Promise<Server> {
  const folder = makeFolder(options.name);
  try {
    await options.prepare?.(folder);
    for (let attempt = 1; ; attempt++) {
      const ports = await freePorts(options.ports);
      try {
        return await runServer(options, folder, ports);
      } catch (thrown) {
        // Between looking for a port and listening on it, another process may have taken it.
        if (attempt === ATTEMPTS) throw thrown;
      }
    }
  } catch (thrown) {
    removeFolder(folder);
    throw thrown;
  }
}

export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tercet-${name}-`));
  if (USER !== undefined) chownSync(folder, USER, USER);
  return folder;
}

async function runServer(
  options: ServerOptions,
  folder: string,
  ports: readonly number[],
): Promise<Server> {
  let running = await begin(options, folder, ports);
  return {
    folder,
    ports,
    pid: () => running.pid,
    kill: async (signal) => {
      process.kill(running.pid, signal);
      await running.ended;
    },
    freeze: () => {
      // Who may make others is stopped first.
      process.kill(running.pid, "SIGSTOP");
      for (const pid of childrenOf(running.pid)) process.kill(pid, "SIGSTOP");
    },
    thaw: () => {
      for (const pid of [...childrenOf(running.pid), running.pid]) process.kill(pid, "SIGCONT");
    },
    restart: async () => {
      running = await begin(options, folder, ports);
    },
    close: async () => {
      if (!running.hasEnded()) process.kill(running.pid, running.signal);
      await running.ended;
      removeFolder(folder);
    },
  };
}

/** The processes that a process has made. */
function childrenOf(parent: number): number[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  return listed
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid = 0]) => pid);
}

interface Running {
  readonly pid: number;
  readonly signal: NodeJS.Signals;
  readonly ended: Promise<unknown>;
  hasEnded(): boolean;
}

/** Starts the server by its keeper, and waits until it is up. */
async function begin(
  { name, command, isUp }: ServerOptions,
  folder: string,
  ports: readonly number[],
): Promise<Running> {
  const given = command(folder, ports);
  const keeper = spawn(
    process.execPath,
    [KEEPER, JSON.stringify({ ...given, user: USER, folder })],
    { stdio: ["ignore", "pipe", "pipe", "ipc"] },
  );
  let printed = "";
  for (const stream of [keeper.stdout, keeper.stderr]) {
    stream
      ?.setEncoding("utf8")
      .on("data", (text: string) => (printed = (printed + text).slice(-4000)));
  }
  const ended = once(keeper, "exit");
  const hasEnded = () => keeper.exitCode !== null || keeper.signalCode !== null;
  const fail = (what: string) => new Error(`${name} ${what}:\n${printed}`);

  const pid = await Promise.race([pidFrom(keeper), ended.then(() => undefined)]);
  if (pid === undefined) throw fail("did not start");
  const end = Date.now() + WAIT.most;
  for (;;) {
    if (hasEnded()) throw fail("ended while it started");
    try {
      await isUp(ports);
      return { pid, signal: given.signal, ended, hasEnded };
    } catch (thrown) {
      if (Date.now() > end) {
        process.kill(pid, "SIGKILL");
        await ended;
        throw fail(`is not up after ${WAIT.most} ms (${String(thrown)})`);
      }
    }
    await setTimeout(WAIT.step);
  }
}

async function pidFrom(keeper: ChildProcess): Promise<number> {
  const [pid] = (await once(keeper, "message")) as [unknown];
  if (typeof pid !== "number") throw new Error("the keeper gave no process id");
  return pid;
}

async function freePorts(count: number): Promise<number[]> {
  const holders = await Promise.all(
    Array.from({ length: count }, async () => {
      const holder = createServer().listen(0, "127.0.0.1");
      await once(holder, "listening");
      return holder;
    }),
  );
  return await Promise.all(
    holders.map(async (holder) => {
      const address = holder.address();
      holder.close();
      await once(holder, "close");
      if (address === null || typeof address === "string") throw new Error("there is no free port");
      return address.port;
    }),
  );
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
