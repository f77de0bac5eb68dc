// A service in another process, which responds to each line of its standard input with a line of its standard output.
// Anything else it does is reported as an error, and the process is restarted.

import { spawn, type ChildProcess } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import {
  NoResponse,
  ResponseTimeout,
  type CheckedData,
  type CheckedService,
} from "../testing/index.ts";
import { systemReason } from "./errors.ts";
import { splitLines } from "./lines.ts";

/** How many characters of its output errors show. */
const SHOWN = 1000;
/** How many milliseconds it has to exit after writing to standard error. */
const LAST_WORDS = 100;

const isWindows = process.platform === "win32";
const decoder = new TextDecoder("utf-8", { fatal: true });

interface Question {
  readonly answer: (line: Buffer | undefined) => void;
  readonly fail: (reason: Error) => void;
}

export class ServiceProcess {
  readonly #command: readonly string[];
  readonly #timeout: number;
  readonly #longest: number;
  #child: ChildProcess | undefined;
  #question: Question | undefined;
  /** The most recently loaded data; `undefined` in a new process. */
  #loaded: CheckedData | undefined;
  /** The beginning of an unfinished line of its output. */
  #begun = "";
  /** The end of its standard error. */
  #errors = "";
  /** A line that it wrote without a request. */
  #unasked: Buffer | undefined;
  #lastId: unknown;
  /** The line with the most recent load request. */
  lastLoad = "";

  /**
   * @param timeout the milliseconds it has for a response
   * @param longest the maximum bytes of a response
   */
  constructor(command: readonly string[], timeout: number, longest = 64 * 1024 * 1024) {
    this.#command = command;
    this.#timeout = timeout;
    this.#longest = longest;
  }

  /**
   * A service with this data. There may be several: data is loaded again if another service's data was loaded since.
   *
   * @throws Error if it refuses the data
   */
  async service(data: CheckedData): Promise<CheckedService> {
    const text = JSON.stringify({ load: data }, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    const load = async () => {
      this.#loaded = undefined;
      this.lastLoad = text;
      const { value: answer } = await this.#ask(text);
      if (!hasLoaded(answer)) throw this.#broken("answered a load with", answer);
      if (!answer.loaded) throw new Error(`it refused the data: ${shown(JSON.stringify(answer))}`);
      this.#loaded = data;
    };
    await load();
    return {
      dispatchJson: async (request: string) => {
        if (this.#loaded !== data) await load();
        // The response as received: parsing it would round the digits of an id.
        const { text, value: answer } = await this.#ask(request);
        const id = idOf(answer);
        // Only the id of the previous request is an error here; the laws judge any other wrong id.
        const isLate = id !== null && id === this.#lastId && id !== idIn(request);
        this.#lastId = idIn(request);
        if (isLate) throw this.#broken("answered another question:", answer);
        return text;
      },
    };
  }

  /** Ends the process, after giving it a second to exit by itself. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode === null) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        child.once("exit", () => {
          clearTimeout(timer);
          resolve();
        });
        child.stdin?.end();
      });
    }
    this.kill();
  }

  /** Kills the process and its children. */
  readonly kill = (): void => {
    const child = this.#child;
    const pid = child?.pid;
    this.#child = undefined;
    this.#loaded = undefined;
    try {
      if (pid !== undefined) process.kill(isWindows ? pid : -pid, "SIGKILL");
    } catch {
      // It has already exited.
    }
    // A child in another process group may keep the pipes open, which must not keep this process alive.
    for (const stream of child?.stdio ?? []) stream?.destroy();
    child?.unref();
    this.#question?.fail(new NoResponse("the check was ended before the process answered"));
  };

  /** The response line and its value; `undefined` if it is empty. */
  async #ask(line: string): Promise<{ readonly text: string; readonly value: unknown }> {
    if (this.#question !== undefined) this.kill(); // nothing waits for that response any more
    const child = this.#child ?? this.#start();
    const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        if (this.#question === question) this.#question = undefined;
      };
      const question: Question = {
        answer: (line) => {
          end();
          resolve(line);
        },
        fail: (reason) => {
          end();
          this.kill();
          reject(reason);
        },
      };
      const timer = setTimeout(() => {
        const late = `the process did not answer ${shown(line)} within ${this.#timeout} ms`;
        question.fail(new ResponseTimeout(late + this.#lastWords()));
      }, this.#timeout);
      this.#question = question;
      child.stdin?.write(`${line}\n`);
    });
    await setImmediate(); // output that was written before has arrived by then
    if (this.#errors !== "") throw this.#broken("wrote to standard error");
    if (this.#unasked !== undefined) throw this.#broken("wrote another line:", this.#unasked);
    if (answer === undefined) throw this.#broken(`answered with more than ${this.#longest} bytes`);
    if (answer.length === 0) return { text: "", value: undefined };
    try {
      const text = decoder.decode(answer);
      return { text, value: JSON.parse(text) as unknown };
    } catch {
      throw this.#broken("answered with something other than JSON in UTF-8:", answer);
    }
  }

  #start(): ChildProcess {
    const [file = "", ...parameters] = this.#command;
    // A separate process group can be killed at once.
    const child = spawn(file, parameters, { detached: !isWindows });
    this.#child = child;
    this.#errors = "";
    this.#begun = "";
    this.#unasked = undefined;
    const fail = (reason: string) => {
      if (child === this.#child) this.#question?.fail(new NoResponse(reason + this.#lastWords()));
    };
    child.on("error", (thrown) => fail(`the process can't be started: ${systemReason(thrown)}`));
    child.on("close", (code, signal) => {
      fail(`the process ended with ${signal ?? `exit code ${String(code)}`}`);
      if (child === this.#child) this.kill();
    });
    child.stdin.on("error", () => undefined); // it has closed its input; its end is reported above
    child.stderr.on("data", (piece: Buffer) => {
      if (child !== this.#child) return;
      this.#errors = (this.#errors + piece.toString()).slice(-SHOWN);
      setTimeout(() => fail("the process wrote to standard error"), LAST_WORDS).unref();
    });
    void this.#read(child);
    return child;
  }

  async #read(child: ChildProcess): Promise<void> {
    if (child.stdout === null) return;
    try {
      for await (const line of splitLines(this.#noted(child.stdout), this.#longest)) {
        if (child !== this.#child) return;
        if (this.#question === undefined) this.#unasked ??= line ?? Buffer.of();
        else this.#question.answer(line);
      }
    } catch {
      // It was killed on purpose.
    }
  }

  async *#noted(stdout: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const piece of stdout) {
      const start = piece.lastIndexOf("\n") + 1;
      const before = start === 0 ? this.#begun : "";
      this.#begun = (before + piece.toString("utf8", start, start + SHOWN)).slice(0, SHOWN);
      yield piece;
    }
  }

  /** An error about the process, which is then killed. */
  #broken(what: string, wrote?: unknown): NoResponse {
    const text = Buffer.isBuffer(wrote) ? wrote.toString() : JSON.stringify(wrote);
    const reason = `the process ${what}${wrote === undefined ? "" : ` ${shown(text)}`}`;
    const error = new NoResponse(reason + this.#lastWords());
    this.kill();
    return error;
  }

  #lastWords(): string {
    const begun = this.#begun === "" ? "" : `; it wrote ${this.#begun}`;
    return this.#errors === "" ? begun : `${begun}; standard error: ${this.#errors.trim()}`;
  }
}

const shown = (text: string | undefined = "nothing"): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;

const hasLoaded = (answer: unknown): answer is { readonly loaded: boolean } =>
  typeof answer === "object" &&
  answer !== null &&
  "loaded" in answer &&
  typeof answer.loaded === "boolean";

const idOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "id" in value ? value.id : null;

function idIn(request: string): unknown {
  try {
    return idOf(JSON.parse(request));
  } catch {
    return null;
  }
}
