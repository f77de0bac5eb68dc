// What it takes before the first fast query: loading and preparing each peer, and tercet's parts.

import type { Preparation } from "../../src/index.ts";
import type { Loaded } from "../compare.ts";
import { once } from "../measure.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { print, printTable, progress, time } from "../report.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";

const PARTS: readonly (readonly [string, Preparation])[] = [
  ["a unique string field, contact_email", { match: ["contact_email"] }],
  ["an int field, send_time", { sort: ["send_time"] }],
  ["a field of few values, send_status", { match: ["send_status"] }],
  ["trigrams of contact_email", { contains: ["contact_email"] }],
];

export async function load(
  loaded: readonly Loaded[],
  nested: readonly SyntheticContact[],
): Promise<void> {
  print("\nLoading, and building the indexes");
  printTable(
    ["peer", "load", "prepare"],
    loaded.map((each) => [each.peer.name, time(each.load), time(each.prepare)]),
  );
  progress("preparing tercet, part by part");
  const collection = collectionOf(serviceOf(nested));
  const rows: string[][] = [];
  for (const [label, preparation] of PARTS) {
    rows.push([label, time(await once(() => collection.prepare(preparation)))]);
  }
  print("\nPreparing tercet, part by part, each after those above it");
  printTable(["part", "time"], rows);
}
