// What the request envelope costs on top of a plain call, shown on the cheapest query there is.

import type { Service } from "../../src/index.ts";
import { timeInTurns, turns } from "../measure.ts";
import type { BenchQuery } from "../queries.ts";
import { print, printTable, progress, time } from "../report.ts";

export async function envelope(service: Service, lookup: BenchQuery): Promise<void> {
  progress("envelope");
  const next = turns(lookup.values.map(([email = ""]) => email));
  const criteria = () => [["contact_email", "exactly", next()] as const];
  const request = () => ({
    id: 1,
    method: "getBatchContacts",
    params: ["key", "1", criteria()],
  });
  const texts = turns(lookup.values.map(() => JSON.stringify(request())));
  const timings = await timeInTurns(
    new Map<string, () => unknown>([
      ["getBatchContacts", () => service.getBatchContacts("1", criteria())],
      ["dispatch", () => service.dispatch(request())],
      ["dispatchJson", () => service.dispatchJson(texts())],
    ]),
    { rounds: 8, milliseconds: 100 },
  );
  const plain = timings.get("getBatchContacts")?.median ?? NaN;
  print("\nEnvelope: a unique lookup by");
  printTable(
    ["call", "median", "over the plain call, µs"],
    Array.from(timings, ([name, { median }]) => [
      name,
      time(median),
      ((median - plain) / 1000).toFixed(2),
    ]),
  );
}
