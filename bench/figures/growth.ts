// How tercet's time grows with the number of contacts: the time at each size, and the exponent, the
// slope of log time over log size. 0 is constant, 1 is linear.

import { flatten, wireContacts } from "../contacts.ts";
import { timeInTurns, turns } from "../measure.ts";
import { collectionOf, serviceOf, tercetRun } from "../peers/tercet.ts";
import { queriesFor } from "../queries.ts";
import { count, digits, print, printTable, progress, time } from "../report.ts";

/** The queries whose growth is shown: lookup, selective contains, sorted page, unsorted page. */
const QUERIES = [1, 5, 9, 11];
const SMALLEST = 10_000;
/** Needles are looked for among this many contacts, so that every size searches for the same. */
const SAMPLE = 100_000;

export async function growth(largest: number): Promise<void> {
  const needles = queriesFor(Array.from(wireContacts(Math.min(SAMPLE, largest)), flatten));
  const needle = needles.find(({ id }) => id === 5);
  const sizes: number[] = [];
  for (let size = Math.min(SMALLEST, largest); size < largest; size *= 10) sizes.push(size);
  sizes.push(largest);

  const times = new Map<number, number[]>(QUERIES.map((id) => [id, []]));
  const labels = new Map<number, string>();
  for (const size of sizes) {
    progress(`growth: ${count(size)} contacts`);
    const service = serviceOf(wireContacts(size));
    const collection = collectionOf(service);
    collection.prepare({
      match: ["contact_email"],
      contains: ["contact_email"],
      sort: ["contact_email"],
    });
    // Only the keys of the lookup are needed as flat records, and few of them.
    const keys = Array.from({ length: 64 }, (_, i) => [
      String(collection.at(Math.floor((((i * 37) % 64) * size) / 64))?.contact_email),
    ]);
    const runs = new Map<number, () => unknown>();
    for (const given of needles) {
      if (!QUERIES.includes(given.id)) continue;
      const query = {
        ...(given.id === 5 ? (needle ?? given) : given),
        values: given.id === 1 ? keys : given.values,
        offset: given.offset > 0 ? Math.floor(size / 2) : 0,
      };
      const run = tercetRun(collection, query);
      const next = turns(query.values);
      runs.set(query.id, () => run(next()));
      labels.set(query.id, query.label);
    }
    for (const [id, { median }] of await timeInTurns(runs)) times.get(id)?.push(median);
  }
  print("\nGrowth: tercet's median time by number of contacts, and the exponent");
  printTable(
    ["query", ...sizes.map(count), "exponent"],
    [...times].map(([id, medians]) => [
      `${id} ${labels.get(id) ?? ""}`,
      ...medians.map(time),
      sizes.length > 1 ? digits(slope(sizes, medians)) : "–",
    ]),
  );
}

/** The slope of log y over log x, by least squares. */
function slope(xs: readonly number[], ys: readonly number[]): number {
  const points = xs.map((x, i) => [Math.log(x), Math.log(ys[i] ?? NaN)] as const);
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  return mean(([x, y]) => (x - meanX) * (y - meanY)) / mean(([x]) => (x - meanX) ** 2);
}
