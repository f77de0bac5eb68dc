// Compares results of the same queries over the same data: from a service, from memory, and from the reference of
// tercet/testing, which shares no code with the engine. Any difference is a defect in one of them.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createService,
  File,
  type BatchContacts,
  type Contact,
  type Criteria,
  type Query,
  type Schema,
} from "../../src/index.ts";
import {
  batch,
  contactsOf,
  files,
  query,
  referenceService,
  type CheckedData,
} from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";

const QUERIES = 20;
const HOURS = 12 * 3_600_000;

interface Asked {
  searchFiles(...page: unknown[]): Promise<unknown>;
  getBatchContacts(id: string, ...page: unknown[]): Promise<BatchContacts>;
}

/** The service that is asked, and what of the drawn data it holds. */
type ServiceOf = (drawn: CheckedData) => Promise<{ data: CheckedData; service: Asked }>;

/** The properties of a service; `runs` are the data sets of each. */
export function serviceTests(
  serviceOf: ServiceOf,
  runs: { readonly files: number; readonly contacts: number },
  tally: Tally,
): void {
  test(
    "Files of a service",
    async () => {
      const cases = files({ maxLength: 40 }).chain((given) => {
        const records = [...createService({ files: given }).files];
        return fc.tuple(fc.constant(given), asked(File, records));
      });
      await fc.assert(
        fc.asyncProperty(cases, async ([drawn, queries]) => {
          const { data, service } = await serviceOf({ files: drawn, batches: [] });
          const inMemory = createService(data);
          const reference = referenceService(data);
          const ask = async ({
            criteria,
            limit,
            offset,
            sortBy,
            sortOrder,
          }: Query<typeof File>) => {
            const page = [criteria, limit, offset, sortBy, sortOrder] as const;
            const answers = {
              found: await service.searchFiles(...page),
              "in memory": inMemory.searchFiles(...page),
              "by the reference": reference.searchFiles(...page),
            };
            agree(answers, page);
            tally.add(inMemory.files.count(criteria), inMemory.files.size);
          };
          await Promise.all(queries.map(ask));
        }),
        settings(runs.files),
      );
    },
    HOURS,
  );

  test(
    "Contacts of a Batch, with their List Fields",
    async () => {
      // The second one is there to be left out.
      const two = fc
        .tuple(batch({ maxContacts: 15 }), batch())
        .filter(([first, second]) => String(first.id) !== String(second.id));
      const cases = two.chain((batches) => {
        const { schema, records } = contactsOf(batches[0]);
        return fc.tuple(fc.constant(batches), asked(schema, records));
      });
      await fc.assert(
        fc.asyncProperty(cases, async ([batches, queries]) => {
          const { data, service } = await serviceOf({ files: [], batches });
          const inMemory = createService(data);
          const reference = referenceService(data);
          const id = String(batches[0].id);
          const contacts = inMemory.batches[id]?.contacts;
          const ask = async ({ criteria, limit, offset, sortBy, sortOrder }: Query) => {
            const page = [id, untyped(criteria), limit, offset, sortBy, sortOrder] as const;
            const answers = {
              found: inOneOrder(await service.getBatchContacts(...page)),
              "in memory": inOneOrder(inMemory.getBatchContacts(...page)),
              "by the reference": inOneOrder(reference.getBatchContacts(...page)),
            };
            agree(answers, page);
            tally.add(
              contacts?.count(criteria as Criteria<typeof Contact>) ?? 0,
              contacts?.size ?? 0,
            );
          };
          await Promise.all(queries.map(ask));
        }),
        settings(runs.contacts),
      );
    },
    HOURS,
  );
}

/** What was asked, and how much of it tells a right answer from a wrong one. */
export class Tally {
  #queries = 0;
  #partial = 0;

  add(matching: number, all: number): void {
    this.#queries++;
    if (matching > 0 && matching < all) this.#partial++;
  }

  report(): string {
    const share = ((100 * this.#partial) / this.#queries).toFixed(0);
    return `${this.#queries} queries; criteria of ${share} % selected some records and not all`;
  }
}

/** As many queries in each case, whatever else it shrinks to: the one that fails is named. */
export const asked = <const S extends Schema>(schema: S, records: readonly object[]) =>
  fc.array(query(schema, { records: records as readonly Readonly<Record<string, unknown>>[] }), {
    minLength: QUERIES,
    maxLength: QUERIES,
  });

/** In which order an answer has its Lists is not prescribed. */
const inOneOrder = (answer: BatchContacts) =>
  Object.entries(answer).sort(([a], [b]) => (a < b ? -1 : 1));

/** Fails with what was asked, where one of the others is not what was found. */
export function agree(
  { found, ...others }: Readonly<Record<string, unknown>>,
  asked: readonly unknown[],
): void {
  for (const [name, expected] of Object.entries(others)) {
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    expect(found, `found, and ${name}: ${JSON.stringify(asked)}`).toEqual(expected);
    throw new Error(`the members are in another order than ${name}: ${JSON.stringify(asked)}`);
  }
}
