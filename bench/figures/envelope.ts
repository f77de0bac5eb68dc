// What the request envelope costs on top of a plain call, and from text to text, compared with
// JSON.stringify alone of the same response.

import type { GetBatchContactsParameters } from "../../src/index.ts";
import { wireContacts } from "../contacts.ts";
import { callsTable, contacts, figure } from "../figure.ts";
import { inTurns, timeInTurns } from "../measure.ts";
import { prepareAll } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import type { Calls } from "../results.ts";

/** Parameters of `getBatchContacts` after the Batch. */
type Rest<Given extends unknown[]> = Given extends [unknown, ...infer Others] ? Others : never;
type Query = Rest<GetBatchContactsParameters>;

interface Envelope {
  readonly size: number;
  readonly pages: readonly Calls[];
}

export const envelope = figure("envelope", {
  async task({ size, rounds }): Promise<Envelope> {
    const service = serviceOf(wireContacts(size));
    const collection = collectionOf(service);
    prepareAll(collection);
    const time = async (label: string, asked: readonly Query[]): Promise<Calls> => {
      const requests = asked.map((parameters) => ({
        id: 1,
        method: "getBatchContacts",
        params: ["key", "1", ...parameters],
      }));
      const texts = requests.map((each) => JSON.stringify(each));
      const responses = requests.map((each) => service.dispatch(each));
      const runs = {
        getBatchContacts: inTurns((query) => service.getBatchContacts("1", ...query), asked),
        dispatch: inTurns((request) => service.dispatch(request), requests),
        dispatchJson: inTurns((text) => service.dispatchJson(text), texts),
        "JSON.stringify of the response": inTurns((each) => JSON.stringify(each), responses),
      };
      return { label, calls: await timeInTurns(runs, rounds) };
    };
    const lookups = Array.from({ length: 64 }, (_, i): Query => {
      const contact = collection.at(Math.floor((i * size) / 64));
      return [[["contact_email", "exactly", String(contact?.contact_email)]]];
    });
    const page = (limit: number): Query[] => [
      [[["open_type", "exactly", "html"]], limit, 0, "last_open_time", "DESC"],
    ];
    const pages = [
      await time("a unique lookup", lookups),
      await time("a page of 50, html by last open", page(50)),
      await time("a page of 1,000, html by last open", page(1000)),
    ];
    return { size, pages };
  },
  sections: ({ size, pages }) => [
    {
      title: `The request envelope over ${contacts(size)}`,
      note: "Median time of a call. `dispatchJson` takes text and returns text.",
      ...callsTable("answer", pages),
    },
  ],
});
