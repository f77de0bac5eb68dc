// How a check continues, ends and reports: services that hang, can't be made, must be closed or have one operation; the
// results of an aborted check; the report of a failure.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { text as textOf } from "node:stream/consumers";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createService, type EnvelopeRequest, type Service } from "../../src/index.ts";
import {
  checkService,
  formatLaw,
  formatReport,
  laws,
  NoResponse,
  ResponseTimeout,
  type CheckedData,
  type CheckedService,
  type LawReport,
  type CheckReport,
} from "../../src/testing/index.ts";
import { untyped } from "../rules/fixtures.ts";
import { brokenServices, unbroken } from "./broken.ts";
import { named } from "./caught.ts";

const seed = 20261121;
const options = { seed, numRuns: 3 };

const commutative = "AND is commutative";
const ties = "ties keep insertion order in both directions";

const lawOf = named(laws);

const brokenOf = (name: string) => brokenServices.find(({ law }) => law === name)?.make ?? unbroken;

/** Methods of a service, as functions that need no `this`. */
interface Methods {
  readonly searchFiles: Service["searchFiles"];
  readonly dispatch: Service["dispatch"];
  readonly dispatchJson: Service["dispatchJson"];
}

const methodsOf = (data: object): Methods => createService(data);

const outcomes = ({ laws: reports }: CheckReport) => reports.map(({ outcome }) => outcome);

/** A service whose answers are promises of its model's, `hangs` of them later than ever. */
function hanging(data: CheckedData, hangs: () => boolean): CheckedService {
  const { searchFiles } = unbroken(data) as Required<CheckedService>;
  return {
    searchFiles: (...parameters) =>
      hangs() ? new Promise(() => undefined) : Promise.resolve(searchFiles(...parameters)),
  };
}

describe("a service that does not answer", () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(() => void process.off("unhandledRejection", note));

  test("fails the law, in words, and the laws before and after it are reported", async () => {
    let asked = 0;
    const ended: LawReport[] = [];
    const report = await checkService((data) => hanging(data, () => ++asked === 60), {
      ...options,
      timeout: 20,
      onLaw: (law) => ended.push(law),
    });
    expect(report.laws).toHaveLength(laws.length);
    expect(ended).toEqual(report.laws);
    const failed = report.laws.filter(({ outcome }) => outcome === "failed");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toMatch(/^searchFiles\(.*\) was not answered within 20 ms$/);
    expect(failed[0]?.counterexample).toMatch(/^files: /);
    expect(report.laws[0]?.outcome).toBe("passed");
    expect(report.laws.at(-1)?.outcome).not.toBe("failed");
  });

  test("at all, fails each law, and each at its first question", async () => {
    let asked = 0;
    const report = await checkService(
      { searchFiles: () => (asked++, new Promise(() => undefined)) },
      { ...options, timeout: 2 },
    );
    expect(report.passed).toBe(false);
    expect(outcomes(report)).toContain("failed");
    expect(asked).toBe(outcomes(report).filter((outcome) => outcome === "failed").length);
  });

  test("in time, and is rejected then, ends nothing", async () => {
    const searchFiles = () =>
      setTimeout(10).then(() => {
        throw new Error("too late");
      });
    const law = lawOf(commutative);
    const { reason } = await law.report({ searchFiles }, { ...options, timeout: 1 });
    expect(reason).toBe("searchFiles() was not answered within 1 ms");
    await setTimeout(20);
    expect(unhandled).toEqual([]);
  });

  test("while it is made, is closed when it comes", async () => {
    let closed = 0;
    const make = async (): Promise<CheckedService> => {
      await setTimeout(20);
      return { searchFiles: () => [], close: () => closed++ };
    };
    const { reason } = await lawOf(commutative).report(make, { ...options, timeout: 1 });
    expect(reason).toBe("the function that makes a service was not answered within 1 ms");
    await setTimeout(40);
    expect(closed).toBe(1);
  });
});

describe("a service that says that there is no answer", () => {
  test.each([
    ["data that is not valid is refused", NoResponse],
    ["criteria that are not valid are refused: error 311", NoResponse],
    ["criteria that are not valid are refused: error 311", ResponseTimeout],
  ])("fails the law in its words, also where an error is right: %s", async (name, Kind) => {
    const make = (data: CheckedData): CheckedService => {
      try {
        const { searchFiles } = unbroken(data) as Required<CheckedService>;
        return {
          searchFiles: (...parameters) => {
            try {
              return searchFiles(...parameters);
            } catch {
              throw new Kind("the line went dead");
            }
          },
        };
      } catch {
        throw new Kind("the line went dead");
      }
    };
    const { outcome, reason } = await lawOf(name).report(make, {
      seed,
      shrink: false,
    });
    expect({ outcome, reason }).toEqual({ outcome: "failed", reason: "the line went dead" });
  });
});

describe("a service that passes over cases", () => {
  const passing = lawOf(commutative);

  test("fails the law if all of its calls do, or some", async () => {
    for (const share of [1, 2]) {
      let calls = 0;
      const make = (data: CheckedData): CheckedService => ({
        searchFiles: (...parameters) => {
          fc.pre(++calls % share !== 0);
          return createService(data).searchFiles(...parameters);
        },
      });
      const { outcome, reason } = await passing.report(make, options);
      expect(outcome).toBe("failed");
      expect(reason).toContain("threw what fc.pre() throws");
    }
  });

  test("may do so with data that does not suit it, unless too few are left", async () => {
    let cases = 0;
    const picky = (every: number) => (data: CheckedData) => {
      fc.pre(cases++ % every === 0);
      return unbroken(data);
    };
    expect((await passing.report(picky(2), options)).outcome).toBe("passed");
    cases = 0;
    const { outcome, runs, reason } = await passing.report(picky(Infinity), options);
    expect({ outcome, runs, reason }).toEqual({
      outcome: "failed",
      runs: 0,
      reason:
        "the function that makes a service passed over 301 of 301 cases: too few are left to judge by",
    });
  });
});

describe("what was found is kept", () => {
  test("when the caller aborts: in the report, and reported as each law ends", async () => {
    const controller = new AbortController();
    let [asked, open, last] = [0, 0, 0];
    const make = (data: CheckedData): CheckedService => {
      open++;
      const { searchFiles } = unbroken(data) as Required<CheckedService>;
      const answer = (...parameters: never[]) => {
        last = ++asked;
        if (asked === 80) controller.abort();
        return Promise.resolve(searchFiles(...parameters));
      };
      return { searchFiles: answer, close: () => Promise.resolve(open--) };
    };
    const ended: LawReport[] = [];
    const report = await checkService(make, {
      ...options,
      signal: controller.signal,
      onLaw: (law) => ended.push(law),
    });
    expect(ended).toEqual(report.laws);
    expect(report.passed).toBe(false);
    expect(new Set(outcomes(report))).toEqual(new Set(["passed", "aborted"]));
    expect(outcomes(report).indexOf("aborted")).toBeGreaterThan(0);
    expect(formatReport(report)).toContain("aborted: ");
    expect([last, open]).toEqual([80, 0]);
  });

  test("when the caller aborts while a question waits", async () => {
    const controller = new AbortController();
    const checking = checkService((data) => hanging(data, () => true), {
      ...options,
      timeout: Infinity,
      signal: controller.signal,
    });
    await setImmediate();
    controller.abort();
    expect(new Set(outcomes(await checking))).toEqual(new Set(["aborted"]));
  });

  test("when a law has failed and its case is being made smaller", async () => {
    const controller = new AbortController();
    const make = brokenOf(ties);
    let made = 0;
    const counted = (data: CheckedData) => {
      made++;
      return make(data);
    };
    await lawOf(ties).report(counted, { seed, shrink: false });
    const before = made;
    made = 0;
    const aborting = (data: CheckedData) => {
      if (++made > before) controller.abort();
      return make(data);
    };
    const report = await lawOf(ties).report(aborting, { seed, signal: controller.signal });
    expect(report.outcome).toBe("failed");
    expect(report.reason).toMatch(/^equal, and turned round/);
    expect(report.path).toMatch(/^\d+/);
  });

  test("when no service can be made any more", async () => {
    const make = brokenOf(ties);
    let left = Infinity;
    const failing = (data: CheckedData): CheckedService => {
      if (left-- <= 0) throw new Error("there are too many");
      return make(data);
    };
    const whole = await lawOf(ties).report(failing, { seed, shrink: false });
    left = whole.runs + 1; // one for the example: the case that fails is the last that can be made
    const report = await lawOf(ties).report(failing, { seed, shrink: false });
    expect(report.reason).toBe(whole.reason);

    left = 100;
    const all = await checkService(failing, options);
    expect(all.laws).toHaveLength(laws.length);
    expect(all.laws[0]?.outcome).toBe("passed");
    const reasons = all.laws.map(({ reason }) => reason);
    expect(reasons).toContain("the service could not be made: there are too many");
  });

  test("law by law, where all are answered at once", async () => {
    const ended: LawReport[] = [];
    const report = await checkService(unbroken, { ...options, onLaw: (law) => ended.push(law) });
    expect(ended).toEqual(report.laws);
  });
});

describe("a service that was made", () => {
  test("is closed before the next one is made, unless a law compares two", async () => {
    for (const [make, law, expected] of [
      [unbroken, undefined, 2],
      [brokenOf(ties), ties, 1],
    ] as const) {
      let [open, most, made] = [0, 0, 0];
      const counted = (data: CheckedData): CheckedService => {
        const service = make(data); // which refuses data that is not valid
        made++;
        most = Math.max(most, ++open);
        return { ...service, close: () => open-- };
      };
      await checkService(counted, { seed, numRuns: 5, law });
      expect({ open, most }).toEqual({ open: 0, most: expected });
      expect(made).toBeGreaterThan(5);
    }
  });

  test("over a network has no server left", async () => {
    const servers = new Set<unknown>();
    const make = async (data: CheckedData): Promise<CheckedService> => {
      const service = createService(data);
      const server = createServer((request, response) => {
        void textOf(request).then((body) => response.end(service.dispatchJson(body)));
      });
      servers.add(server);
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      const { port } = server.address() as AddressInfo;
      return {
        dispatchJson: async (body) => {
          const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body });
          return response.text();
        },
        close: async () => {
          server.closeAllConnections();
          await new Promise((closed) => server.close(closed));
          servers.delete(server);
        },
      };
    };
    const { passed } = await checkService(make, { ...options, law: commutative });
    expect(passed).toBe(true);
    expect(servers.size).toBe(0);
  });

  test("and can't be closed fails the law, unless that has failed already", async () => {
    const close = () => {
      throw new Error("it is busy");
    };
    const right = (data: CheckedData): CheckedService => ({ ...unbroken(data), close });
    const reason = "the service could not be closed: it is busy";
    expect((await lawOf(commutative).report(right, options)).reason).toBe(reason);
    const wrong = (data: CheckedData): CheckedService => ({ ...brokenOf(ties)(data), close });
    expect((await lawOf(ties).report(wrong, { seed })).reason).toBe(reason); // of the example
    const closing = (data: CheckedData): CheckedService => ({
      ...unbroken(data),
      close: () => Promise.reject(new Error("it is busy")),
    });
    expect((await lawOf(commutative).report(closing, options)).reason).toBe(reason);
  });

  test("is closed; one that was there already is not", async () => {
    let closed = 0;
    const service = { ...createService(), close: () => closed++ };
    await checkService(service, options);
    expect(closed).toBe(0);
  });
});

describe("a service of one operation", () => {
  /** Knows one of the methods, whichever way it is asked. */
  const having =
    (known: string) =>
    (data: CheckedData): CheckedService => {
      const service = createService(data);
      const answer = (request: unknown): unknown => {
        const { method }: { readonly method?: unknown } = Object(request) as object;
        const isOther = typeof method === "string" && method !== known;
        const asked: unknown = isOther ? { ...(request as object), method: "none" } : request;
        return service.dispatch(asked as EnvelopeRequest);
      };
      const dispatch = (request: unknown): unknown => {
        if (!Array.isArray(request) || request.length === 0) return answer(request);
        const answers = request.map((each) => (Array.isArray(each) ? answer(5) : answer(each)));
        const given = answers.filter((each) => each !== undefined);
        return given.length > 0 ? given : undefined;
      };
      return {
        dispatchJson: (text) => {
          try {
            if (/\d{16}/.test(text)) return service.dispatchJson(text); // JSON.parse would round the number
            const answer = dispatch(JSON.parse(text));
            return answer === undefined ? "" : JSON.stringify(answer);
          } catch {
            return service.dispatchJson(text);
          }
        },
      };
    };

  test.each(["searchFiles", "getBatchContacts"] as const)(
    "%s, behind dispatchJson, keeps the laws once it is said",
    async (operation) => {
      const report = await checkService(having(operation), { ...options, operations: [operation] });
      expect(report.passed, formatReport(report)).toBe(true);
      // Unless it is said, the other one is asked too.
      expect((await lawOf(commutative).report(having(operation), { seed })).outcome).toBe("failed");
    },
  );
});

describe("a failure shows what was asked, expected and received:", () => {
  const law = "limit 0 gives nothing";
  const mistaken = (data: object): Methods =>
    createService({ ...data, compatibility: { zeroLimit: "unlimited" } });

  test("a plain call", async () => {
    const report = await lawOf(law).report(mistaken, { seed, shrink: false });
    expect(report.call).toMatch(/^searchFiles\(.*, (-?0|"0").*\)$|^getBatchContacts\(/);
    expect(report.expected).toMatch(/^(\[\]|\{("-?\d+":\[\],?)*\})$/);
    expect(report.received).toMatch(/"(id|send_id)":"-?\d+"/);
    for (const line of ["call", "expected", "received"] as const) {
      expect(formatLaw(report)).toContain(`\n  ${line}: ${String(report[line])}\n`);
    }
  });

  test("a request, whatever the words of an error", async () => {
    const [dispatched, text] = await Promise.all(
      [
        ({ dispatch }: Methods): CheckedService => ({ dispatch }),
        ({ dispatchJson }: Methods): CheckedService => ({ dispatchJson }),
      ]
        .map((pick) => (data: object) => pick(mistaken(data)))
        .map((make) => lawOf(law).report(make, { seed, shrink: false })),
    );
    expect(dispatched?.call).toMatch(/^dispatch\(\{"id":2,"method":"\w+","params":\["key"/);
    expect(text?.call).toMatch(/^dispatchJson\('\{"id":2,/);
    for (const each of [dispatched, text]) expect(each?.received).not.toBe(each?.expected);
    const refusing = (data: CheckedData) => {
      const { searchFiles } = methodsOf(data);
      return {
        searchFiles: (...page: Parameters<typeof searchFiles>) => {
          if (page[4] === "ASC") throw Object.assign(new Error("no"), { code: 310 });
          return searchFiles(...page);
        },
      };
    };
    const refused = await lawOf(ties).report(refusing, { seed, shrink: false });
    expect(refused.received).toBe("error 310");
    expect(refused.expected).toMatch(/^\[/);
  });

  test("the answer that is wrong, not the last one", async () => {
    const report = await lawOf("OR is the union").report(brokenOf("OR is the union"), { seed });
    expect(report.call).toContain('"OR"');
    expect(report.received).not.toBe(report.expected);
  });

  test("what was received alone, where the records are right", async () => {
    const report = await lawOf("records are frozen").report(brokenOf("records are frozen"), {
      seed,
      shrink: false,
    });
    expect(report.call).toMatch(/^searchFiles\(/);
    expect(report.received).toMatch(/^\[\{"id":/);
    expect(report.expected).toBeUndefined();
  });

  test("an answer of any length is cut", async () => {
    const long = { searchFiles: () => Array.from({ length: 500 }, (_, id) => ({ id: `${id}` })) };
    const made = await lawOf(commutative).report(() => long, { seed, shrink: false });
    expect(made.received).toMatch(/ more\]$/);
    expect(made.received?.length).toBeLessThan(2000);
    const holes = { searchFiles: () => new Array<unknown>(2 ** 32 - 1) };
    expect((await lawOf(commutative).report(() => untyped(holes), options)).received).toMatch(
      / more\]$/,
    );
  });

  test("that it held when it was asked once more", async () => {
    let times = 0;
    const make = (data: CheckedData): CheckedService => {
      const { searchFiles } = unbroken(data) as Required<CheckedService>;
      return {
        searchFiles: (...page) => (++times === 5 ? [{ id: "once" }] : searchFiles(...page)),
      };
    };
    const { reason } = await lawOf(commutative).report(make, { seed, numRuns: 3, shrink: false });
    expect(reason).toMatch(/; asked once more, it held$/);
  });
});

describe("the call that a failure names", () => {
  /** Runs it as code, with what the caller has. */
  const runAgain = (code: string | undefined, names: object): unknown =>
    runInNewContext(`(async () => (${String(code)}))()`, names);

  test("checks the one law that failed, and shows the same", async () => {
    const make = brokenOf(ties);
    const all = await checkService(make, { seed, law: ties });
    const [failed] = all.laws;
    const again = (await runAgain(failed?.again, { checkService, make })) as CheckReport;
    expect(again.laws).toMatchObject([
      { name: ties, outcome: "failed", runs: 1, reason: failed?.reason, call: failed?.call },
    ]);
    expect(formatReport(all)).toContain(`\n  to see it again: ${String(failed?.again)}`);
  });

  test("has the options that the case depends on", async () => {
    const law = "sort_order is DESC by default";
    const { searchFiles } = brokenOf(law)({
      files: [1, 2, 3].map((id) => ({ id, folder_id: 1, name: `${id}` })),
      batches: [],
    }) as Required<CheckedService>;
    const service = { searchFiles: (...page: never[]) => Promise.resolve(searchFiles(...page)) };
    const given = { seed, operations: ["searchFiles"], json: false, apiKey: "secret" } as const;
    const report = await checkService(service, { ...given, law, numRuns: 50 });
    expect(report.laws[0]?.again).toMatch(
      /^await checkService\(service, \{ seed: 20261121, path: ".*", law: "sort_order is DESC by default", apiKey: "secret", json: false, operations: \["searchFiles"\] \}\)$/,
    );
    const again = await runAgain(report.laws[0]?.again, { checkService, service });
    expect(again).toMatchObject({ laws: [{ name: law, outcome: "failed", runs: 1 }] });
  });
});
