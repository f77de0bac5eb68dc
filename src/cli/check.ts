// `tercet check` runs the laws of `tercet/testing` against a service in another process.

import {
  formatLaw,
  laws,
  rulesOf,
  type CheckReport,
  type Law,
  type LawReport,
  type Operation,
} from "../testing/index.ts";
import { messageOf, UsageError } from "./errors.ts";
import { send } from "./output.ts";
import { ServiceProcess } from "./service-process.ts";
import { align } from "./table.ts";
import { openTarget, writeTarget } from "./target.ts";
import { forShell, printable } from "./text.ts";

/** The options, as typed. */
export interface CheckFlags {
  readonly seed?: number;
  readonly path?: string;
  readonly law?: string;
  readonly laws?: readonly string[];
  readonly operations?: string;
  readonly runs?: number;
  readonly timeout?: number;
  readonly apiKey?: string;
  readonly bail?: true;
  readonly json?: true;
  readonly junit?: string;
  readonly force?: true;
}

/** The exit codes for a failed law, and for a check that could not finish. */
const [EXIT_FAILED, EXIT_ABORTED] = [1, 2];

/** The signals that end the check along with the service. Windows has no SIGQUIT. */
const SIGNALS = (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const).filter(
  (signal) => signal !== "SIGQUIT" || process.platform !== "win32",
);

export async function checkCommand(command: readonly string[], flags: CheckFlags): Promise<void> {
  const { seed = Math.floor(Math.random() * 2 ** 31), path, timeout = 5000, apiKey } = flags;
  const selected = selectLaws(flags);
  if (path !== undefined && flags.law === undefined) throw new UsageError("--path: needs --law");
  const operations = flags.operations?.split(",").map(toOperation);
  const target =
    flags.junit === undefined ? undefined : openTarget(flags.junit, { ...flags, content: "XML" });

  const controller = new AbortController();
  const checked = new ServiceProcess(command, timeout);
  const abort = () => {
    controller.abort();
    checked.kill();
  };
  for (const signal of SIGNALS) process.on(signal, abort);
  process.on("exit", checked.kill);
  const reports: Timed[] = [];
  try {
    await requireRunnable(checked);
    for (const law of selected) {
      const start = performance.now();
      const { again, ...report } = await law.report((data) => checked.service(data), {
        seed,
        path,
        operations,
        apiKey,
        numRuns: flags.runs,
        timeout: Infinity, // the process has its own timeout
        signal: controller.signal,
      });
      const seconds = (performance.now() - start) / 1000;
      reports.push({
        ...readable(report, checked.lastLoad),
        ...(again === undefined ? {} : { again: repeatText(command, flags, report) }),
        seconds,
      });
      if (flags.json === undefined) await print(formatLaw(report).split("\n", 1));
      if (controller.signal.aborted || (flags.bail && report.outcome === "failed")) break;
    }
  } finally {
    await checked.close();
    for (const signal of SIGNALS) process.off(signal, abort);
    process.off("exit", checked.kill);
  }

  const isHeld = ({ outcome }: LawReport) => outcome === "passed" || outcome === "not applicable";
  const report: CheckReport = { about: "service", passed: reports.every(isHeld), laws: reports };
  const rules = rulesOf(report);
  if (flags.json) {
    await print([JSON.stringify({ seed, ...report, rules }, undefined, 2)]);
  } else {
    const failed = reports.filter(({ outcome }) => outcome === "failed");
    const bySize = failed.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    for (const each of bySize) await print(["", ...failureLines(each)]);
    const cells = rules.map(({ rule, outcome, reason, laws: about }) => {
      const { length } = reports.filter(({ name, runs }) => about.includes(name) && runs > 0);
      return [rule, outcome, reason ?? `${length} ${length === 1 ? "law" : "laws"}`];
    });
    await print(["", ...Array.from(align(cells), (row) => row.join("  ").trimEnd())]);
    const count = (outcome: string) => reports.filter((each) => each.outcome === outcome).length;
    await print(["", `${count("passed")} laws held, ${failed.length} failed; seed ${seed}`]);
  }
  if (target !== undefined) writeTarget(target, junit(reports));
  if (!report.passed) {
    const isFailed = reports.some(({ outcome }) => outcome === "failed");
    process.exitCode = isFailed ? EXIT_FAILED : EXIT_ABORTED;
  }
}

interface Timed extends LawReport {
  readonly seconds: number;
}

/** The law with that name, or the laws whose name contains a string or that test a rule. */
function selectLaws({ law, laws: words }: CheckFlags): readonly Law[] {
  const isAbout = ({ name, rules }: Law, word: string) =>
    rules.includes(word) || name.toLowerCase().includes(word.toLowerCase());
  const selected = laws.filter(
    (each) =>
      (law === undefined || each.name === law) &&
      (words?.some((word) => isAbout(each, word)) ?? true),
  );
  if (selected.length > 0) return selected;
  throw new UsageError(
    law === undefined ? "--laws: no law matches" : `--law: there is no law ${law}`,
  );
}

function toOperation(name: string): Operation {
  if (name === "searchFiles" || name === "getBatchContacts") return name;
  throw new UsageError(`--operations: must be searchFiles or getBatchContacts, not ${name}`);
}

/** @throws UsageError if the process can't even load an empty service */
async function requireRunnable(checked: ServiceProcess): Promise<void> {
  try {
    await checked.service({ files: [], batches: [] });
  } catch (thrown) {
    throw new UsageError(messageOf(thrown));
  }
}

/** A failing case with the lines that were sent: the data to load, and the request. */
function readable<Report extends LawReport>(report: Report, load: string): Report {
  const { call = "", counterexample, received, reason } = report;
  if (counterexample === undefined) return report;
  const [, request] = /^dispatchJson\('([^]*)'\)$/.exec(call) ?? [];
  return {
    ...report,
    call: request,
    counterexample: counterexample.replace(/^(?:files|batches): .*$/m, () => `load: ${load}`),
    received: received === `threw ${reason}` ? undefined : received,
  };
}

const sizeOf = ({ counterexample = "" }: LawReport): number => counterexample.length;

function failureLines({ name, rules, counterexample = "", reason = "", ...more }: LawReport) {
  const { call, expected, received, again } = more;
  const answers = Object.entries({ request: call, expected, received, "to see it again": again });
  return [
    `failed: ${name} (${rules.join(", ")})`,
    ...[
      ...`${reason}\n${counterexample}`.split("\n").filter((line) => line !== ""),
      ...answers.flatMap(([what, text]) => (text === undefined ? [] : [`${what}: ${text}`])),
    ].map((line) => `  ${line}`),
  ];
}

/** The command that repeats a failing case. */
function repeatText(command: readonly string[], flags: CheckFlags, report: LawReport): string {
  const { operations, apiKey, timeout } = flags;
  const options = { seed: report.seed, path: report.path, law: report.name, operations, timeout };
  const words = Object.entries({ ...options, "api-key": apiKey }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  return ["tercet", "check", ...words, "--", ...command].map(forShell).join(" ");
}

async function print(lines: readonly string[]): Promise<void> {
  // Multi-line JSON contains no control characters except line feeds.
  const text = lines.flatMap((line) => line.split("\n")).map(printable);
  await send(process.stdout, `${text.join("\n")}\n`);
}

/** The report as JUnit XML, which continuous integration services read. */
function* junit(reports: readonly Timed[]): Generator<string> {
  const count = (outcome: string) => reports.filter((each) => each.outcome === outcome).length;
  const skipped = count("not applicable") + count("aborted");
  const counts = `tests="${reports.length}" failures="${count("failed")}" skipped="${skipped}"`;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n`;
  yield `<testsuite name="tercet check" ${counts}>\n`;
  for (const report of reports) {
    const { name, outcome, reason = "", seconds } = report;
    yield `<testcase classname="tercet" name="${xml(name)}" time="${seconds.toFixed(3)}"`;
    if (outcome === "passed") yield "/>\n";
    else if (outcome === "failed") {
      const text = failureLines(report).map(xml).join("\n");
      yield `>\n<failure message="${xml(reason)}">${text}</failure>\n</testcase>\n`;
    } else yield `>\n<skipped message="${xml(reason || outcome)}"/>\n</testcase>\n`;
  }
  yield "</testsuite>\n</testsuites>\n";
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };

/** Escapes text for XML, which cannot contain some characters, even escaped. */
const xml = (text: string): string =>
  printable(text)
    .replace(/[\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<"]/g, (character) => ENTITIES[character] ?? "");
