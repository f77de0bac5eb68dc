// What the request envelope costs on top of a plain call, and text to text beside what JSON.stringify
// alone takes for the same response.

import type { Service } from "../../src/index.ts";
import { wireContacts } from "../contacts.ts";
import { timeInTurns, turns, type Rounds } from "../measure.ts";
import { prepareAll } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import type { Calls } from "../results.ts";

/** Parameters of `getBatchContacts` after the Batch. */
type Rest<Given extends unknown[]> = Given extends [unknown, ...infer Others] ? Others : never;
type Query = Rest<Parameters<Service["getBatchContacts"]>>;

export async function envelope(size: number, rounds: Rounds): Promise<Calls[]> {
  const service = serviceOf(wireContacts(size));
  const collection = collectionOf(service);
  prepareAll(collection);
  const lookups = Array.from({ length: 64 }, (_, i): Query => {
    const contact = collection.at(Math.floor((i * size) / 64));
    return [[["contact_email", "exactly", String(contact?.contact_email)]]];
  });
  const page = (limit: number): Query[] => [
    [[["open_type", "exactly", "html"]], limit, 0, "last_open_time", "DESC"],
  ];
  const time = async (label: string, asked: readonly Query[]): Promise<Calls> => {
    const requests = asked.map((parameters) => ({
      id: 1,
      method: "getBatchContacts",
      params: ["key", "1", ...parameters],
    }));
    const [plain, request] = [turns(asked), turns(requests)];
    const text = turns(requests.map((each) => JSON.stringify(each)));
    const response = turns(requests.map((each) => service.dispatch(each)));
    const calls = await timeInTurns(
      {
        getBatchContacts: () => service.getBatchContacts("1", ...plain()),
        dispatch: () => service.dispatch(request()),
        dispatchJson: () => service.dispatchJson(text()),
        "JSON.stringify of the response": () => JSON.stringify(response()),
      },
      rounds,
    );
    return { label, calls };
  };
  return [
    await time("a unique lookup", lookups),
    await time("a page of 50, html by last open", page(50)),
    await time("a page of 1,000, html by last open", page(1000)),
  ];
}
