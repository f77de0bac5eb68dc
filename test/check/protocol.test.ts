// `tercet check` sends lines to a service in another process, handles any response, and reports the result of each law.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ServiceProcess } from "../../src/cli/service-process.ts";
import { laws, type CheckReport, type RuleReport } from "../../src/testing/index.ts";
import { bundleCommand, runCommand } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "tercet-check-"));
const bundle = join(folder, "service.mjs");
const junit = join(folder, "report.xml");
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "line-service.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: bundle,
    logLevel: "warning",
  });
});

const check = (...words: string[]) => runCommand(["check", ...words, "--", "node", bundle]);
const checkBroken = (...words: string[]) =>
  runCommand(["check", ...words, "--", "node", bundle, "zero"]);

const law = "limit 0 gives nothing";
const none = { files: [], batches: [] };

describe("a process", () => {
  /** A shell that loads any data, and answers a request by this command. */
  function started(command: string, ...limits: [timeout?: number, longest?: number]) {
    const loop = `while read -r line; do case "$line" in
      '{"load"'*) echo '{"loaded":true}';; *) ${command};; esac; done`;
    const [timeout = 5000, longest] = limits;
    const checked = new ServiceProcess(["sh", "-c", loop], timeout, longest);
    onTestFinished(() => checked.close());
    return checked;
  }
  const asked = async (checked: ServiceProcess, request = '{"id":2}') => {
    const { dispatchJson } = await checked.service(none);
    return await dispatchJson?.(request);
  };

  test.each([
    ["that ends", "exit 3", "the process ended with exit code 3"],
    [
      "that ends with a word to standard error",
      "echo oh no >&2; exit 1",
      "the process ended with exit code 1; standard error: oh no",
    ],
    ["that is killed", "kill -9 $$", "the process ended with SIGKILL"],
    [
      "that answers no JSON",
      "printf 'no \\033[31mJSON\\n'",
      "the process answered with something other than JSON in UTF-8: no \u001b[31mJSON",
    ],
    [
      "that answers no UTF-8",
      "printf '\"\\377\"\\n'",
      "the process answered with something other than JSON in",
    ],
    ["that does not answer", ":", 'the process did not answer {"id":2} within 300 ms'],
    [
      "that begins to answer",
      `printf '{"id":'`,
      'the process did not answer {"id":2} within 300 ms; it wrote {"id":',
    ],
    [
      "that writes to standard error and answers",
      "echo a warning >&2; sleep 0.05; echo '{}'",
      "the process wrote to standard error; standard error: a warning",
    ],
    ["that answers twice", "printf '{}\\n{}\\n'", "the process wrote another line: {}"],
  ])("%s has no answer, and is started again", async (_, command, message) => {
    const checked = started(command, 300);
    await expect(asked(checked)).rejects.toThrow(message);
    await expect(checked.service(none)).resolves.toHaveProperty("dispatchJson");
  });

  test("that answers the question before has none to this one", async () => {
    const { dispatchJson } = await started(`echo '{"id":1}'`).service(none);
    expect(await dispatchJson?.('{"id":1}')).toBe('{"id":1}');
    await expect(dispatchJson?.('{"id":2}')).rejects.toThrow('answered another question: {"id":1}');
  });

  test("that answers null for what has no id has answered", async () => {
    const { dispatchJson } = await started(`echo '{"id":null}'`).service(none);
    for (const request of ["null", "no JSON", "5"]) {
      expect(await dispatchJson?.(request)).toBe('{"id":null}');
    }
  });

  test("whose answer never ends is not kept in memory", async () => {
    const checked = started("head -c 100001 /dev/zero; echo", 5000, 100_000);
    await expect(asked(checked)).rejects.toThrow("answered with more than 100000 bytes");
  });

  test("that refuses data is told from one that fails", async () => {
    const refusing = new ServiceProcess(["sh", "-c", `read -r l; echo '{"loaded":false}'`], 5000);
    await expect(refusing.service(none)).rejects.toThrow("refused the data");
    const failing = new ServiceProcess(["sh", "-c", "read -r l; echo '{}'"], 5000);
    await expect(failing.service(none)).rejects.toThrow("answered a load with {}");
  });

  test("loads anew where other data was loaded since", async () => {
    const loads = join(folder, "loads");
    const loop = `while read -r line; do echo "$line" >> ${loads}; echo '{"loaded":true}'; done`;
    const checked = new ServiceProcess(["sh", "-c", loop], 5000);
    onTestFinished(() => checked.close());
    const data = [1n, 2n].map((id) => ({ files: [{ id, folder_id: 1, name: "a" }], batches: [] }));
    const services = [];
    for (const each of data) services.push(await checked.service(each));
    for (const each of [...services, services[1]]) await each?.dispatchJson?.("{}");
    const text = readFileSync(loads, "utf8");
    const lines = text.replace(/\{"load":.*"id":"(\d)".*\}/g, "$1").trim();
    expect(lines.split("\n")).toEqual(["1", "2", "1", "{}", "2", "{}", "{}"]);
  });
});

describe("tercet check", () => {
  test("tells what became of each law and each rule; exit code 0", async () => {
    const { code, out, err } = await check("--runs", "1", "--seed", "1", "--junit", junit);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = out.split("\n");
    for (const [i, { name, rules }] of laws.entries()) {
      expect(lines[i]).toMatch(/^(passed|not applicable): /);
      expect(lines[i]).toContain(`${name} (${rules.join(", ")}), `);
    }
    expect(lines.filter((line) => /^[VCPER]\d+ +not asked/.test(line))).toEqual([
      "V9   not asked  needs update",
      "C11  not asked  needs a call whose parameters and result are not text",
      "E10  not asked  needs an operation as a plain call",
    ]);
    expect(lines).toContain("P5   held       7 laws");
    expect(lines.at(-2)).toMatch(/^\d+ laws held, 0 failed; seed 1$/);

    const xml = readFileSync(junit, "utf8");
    expect(xml).toContain(`<testsuites tests="${laws.length}" failures="0" skipped="`);
    expect(xml.match(/<testcase /g)).toHaveLength(laws.length);
    const again = await check("--runs", "1", "--junit", junit);
    expect(again).toMatchObject({ code: 2, out: "" });
    expect(again.err).toContain("already exists; --force replaces it");
  });

  test("shows what failed, and how to see it again; exit code 1", async () => {
    const { code, out } = await checkBroken(
      "--law",
      law,
      "--seed",
      "2",
      "--junit",
      junit,
      "--force",
    );
    const lines = out.split("\n");
    const [path = ""] = /(?<=--path )\S+/.exec(out) ?? [];
    const command = `tercet check --seed 2 --path ${path} --law '${law}' -- node ${bundle} zero`;
    expect(lines.slice(0, 11)).toEqual([
      `failed: ${law} (P5)`,
      "",
      `failed: ${law} (P5)`,
      "  limit 0: expected [], found [0]",
      '  load: {"load":{"files":[{"id":0,"folder_id":0,"name":""}],"batches":[]}}',
      '  operation: ["searchFiles"]',
      '  asked: {"query":{},"zero":0}',
      '  request: {"id":2,"method":"searchFiles","params":["key",null,0,null,null,null]}',
      '  expected: {"id":2,"result":[],"error":null}',
      expect.stringMatching(/^ {2}received: \{"id":2,"result":\[\{"id":"0",.*,"error":null\}$/),
      `  to see it again: ${command}`,
    ]);
    expect(out).toMatch(/^P5 +failed +1 law$/m);
    expect(code).toBe(1);
    expect(readFileSync(junit, "utf8")).toContain(
      '<failure message="limit 0: expected [], found [0]">failed: limit 0',
    );

    const again = await checkBroken("--seed", "2", "--path", path, "--law", law);
    expect(again.out.split("\n").slice(3, 10)).toEqual(lines.slice(3, 10));
  });

  test("prints the report as JSON, of the laws that are selected, up to the first that fails", async () => {
    const options = ["--laws", "P5", "--operations", "searchFiles", "--runs", "5", "--bail"];
    const { code, out } = await checkBroken(...options, "--seed", "1", "--json");
    const { passed, laws, rules, seed } = JSON.parse(out) as CheckReport & {
      readonly rules: readonly RuleReport[];
      readonly seed: number;
    };
    expect({ code, passed, seed }).toEqual({ code: 1, passed: false, seed: 1 });
    expect(laws.every((each) => each.rules.includes("P5"))).toBe(true);
    expect(laws.at(-1)).toMatchObject({ name: law, outcome: "failed", rules: ["P5"] });
    expect(laws.filter(({ outcome }) => outcome === "failed")).toHaveLength(1);
    expect(rules.find(({ rule }) => rule === "P5")?.outcome).toBe("failed");
    expect(rules.find(({ rule }) => rule === "V1")?.outcome).toBe("not asked");
    expect(out).not.toContain("getBatchContacts");
  });

  test.each([
    ["a request", `'{"load"'*) echo '{"loaded":true}';;`, "aborted: ", ""],
    ["its first line", "", "", "tercet: the check was ended before the process answered\n"],
  ])(
    "that is interrupted while %s waits ends the process; exit code 2",
    async (_, load, ...said) => {
      const [start, message] = said;
      const asked = join(folder, "asked");
      const loop = `echo $$ > ${asked}; while read -r line; do case "$line" in ${load} esac; done`;
      const service = ["sh", "-c", loop];
      const running = runCommand(["check", "--timeout", "60000", "--law", law, "--", ...service]);
      await setTimeout(300);
      process.emit("SIGINT");
      const { code, out, err } = await running;
      expect({ code, err }).toEqual({ code: 2, err: message });
      expect(out.slice(0, start.length)).toBe(start);
      const pid = Number(readFileSync(asked, "utf8"));
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 120_000);
    },
  );

  describe("in a process of its own", () => {
    const program = join(folder, "tercet.mjs");
    beforeAll(() => bundleCommand(program));

    /** Starts a check of a service that runs a script. */
    function start(script: string, ...words: string[]) {
      const service = join(folder, `service-${words.length}.mjs`);
      writeFileSync(service, script);
      const options = ["check", ...words, "--runs", "1", "--law", law, "--"];
      const child = spawn(process.execPath, [program, ...options, process.execPath, service]);
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      return { child, ended };
    }

    test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
      "%s ends the service and the check; exit code 2",
      async (signal) => {
        const asked = join(folder, `asked-${signal}`);
        const script = `import { renameSync, writeFileSync } from "node:fs";
          process.stdin.once("data", () => {
            writeFileSync(${JSON.stringify(`${asked}.new`)}, String(process.pid));
            renameSync(${JSON.stringify(`${asked}.new`)}, ${JSON.stringify(asked)});
          });`;
        const { child, ended } = start(script, "--timeout", "600000");
        await vi.waitFor(() => expect(existsSync(asked)).toBe(true), 120_000);
        child.kill(signal);
        expect(await ended).toBe(2);
        const pid = Number(readFileSync(asked, "utf8"));
        await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 120_000);
      },
    );

    test("ends while a process lives that the service left behind with its output", async () => {
      const left = join(folder, "left");
      // The service ends after each load, so the first request gets no answer within the time limit, while the
      // process that it left behind keeps the pipes open. The load is answered by a shell, which starts at once.
      const script = `setsid sleep 600 & echo $! >> ${left}; read -r line; echo '{"loaded":true}'`;
      const options = ["--timeout", "5000", "--bail", "--runs", "1", "--law", law];
      const child = spawn(process.execPath, [
        program,
        "check",
        ...options,
        "--",
        "sh",
        "-c",
        script,
      ]);
      const [code] = (await once(child, "exit")) as [number | null];
      expect(code).toBeGreaterThan(0);
      const pids = readFileSync(left, "utf8").trim().split("\n").map(Number);
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) process.kill(pid, "SIGKILL"); // they were alive, or this throws
    });
  });

  test.each<[words: string[], message: string]>([
    [["--", "no-such-command"], "the process can't be started: spawn no-such-command ENOENT"],
    [["--", "sh", "-c", "exit 5"], "the process ended with exit code 5"],
    [
      ["--timeout", "50", "--", "sleep", "9"],
      'did not answer {"load":{"files":[],"batches":[]}} wit',
    ],
    [["--law", "no such law", "--", "true"], "--law: there is no law no such law"],
    [["--laws", "no such law", "--", "true"], "--laws: no law matches"],
    [["--path", "1", "--", "true"], "--path: needs --law"],
    [["--operations", "countFiles", "--", "true"], "--operations: must be searchFiles or getBatch"],
    [["--runs", "0", "--", "true"], "--runs"],
    [["--timeout", "0", "--", "true"], "--timeout"],
    [[], "missing required argument"],
  ])("%j: exit code 2", async (words, message) => {
    const { code, out, err } = await runCommand(["check", ...words]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });
});
