// Does a service over an engine answer as the service in memory does, and does it keep the laws?

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { batch, checkServiceAsync, files, formatReport, request } from "../../src/testing/index.ts";
import type { Engine } from "../engines/engine.ts";
import { settings } from "../property.ts";
import { enginesHere } from "./engines-here.ts";
import { serviceOn } from "./load.ts";

describe.each(enginesHere)("%s", (_, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  test("every request has the answer that the service in memory gives", async () => {
    const cases = fc
      .tuple(files({ maxLength: 8 }), batch({ maxContacts: 6 }))
      .chain(([files, batch]) => {
        const data = { files, batches: [batch] };
        const requests = fc.array(request(data), { minLength: 1, maxLength: 40, size: "max" });
        return fc.tuple(fc.constant(data), requests);
      });
    await fc.assert(
      fc.asyncProperty(cases, async ([data, requests]) => {
        const options = { compatibility: {}, authenticate: (key: string) => key === "key" };
        const memory = createService({ ...data, ...options });
        const service = await serviceOn(engine, data, options);
        for (const each of requests) {
          expect(await service.dispatch(each)).toEqual(memory.dispatch(each));
          const text = JSON.stringify(each);
          expect(await service.dispatchJson(text)).toBe(memory.dispatchJson(text));
        }
      }),
      settings(15),
    );
  }, 600_000);

  test("the laws hold", async () => {
    const report = await checkServiceAsync((data) => serviceOn(engine, data), settings(8));
    expect(report.passed, formatReport(report)).toBe(true);
  }, 600_000);
});
