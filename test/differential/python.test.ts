// Compares both operations with the service in Python, which was written from the rules alone.

import { afterAll, beforeAll, describe } from "vitest";
import type { BatchContacts } from "../../src/index.ts";
import { lacksPython, startService } from "../check/lines.ts";
import { serviceTests, Tally } from "./answers.ts";

describe.skipIf(lacksPython)("a service in Python (skipped without python3)", () => {
  const tally = new Tally();
  let python: ReturnType<typeof startService>;
  beforeAll(() => {
    python = startService();
  });
  afterAll(() => {
    python.end();
    console.log(`Python: ${tally.report()}`);
  });

  const call = async <Result>(method: string, ...parameters: unknown[]) => {
    const params = ["key", ...parameters];
    const answer = await python.ask(JSON.stringify({ id: 1, method, params }));
    const { result, error } = JSON.parse(answer) as { result: Result; error: unknown };
    if (error !== null) throw new Error(answer);
    return result;
  };
  const service = {
    searchFiles: (...page: unknown[]) => call<unknown>("searchFiles", ...page),
    getBatchContacts: (...page: unknown[]) => call<BatchContacts>("getBatchContacts", ...page),
  };
  serviceTests(
    async (data) => {
      await python.load(data);
      return { data, service };
    },
    { files: 8, contacts: 8 },
    tally,
  );
});
