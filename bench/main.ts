// The benchmark: `npm run bench -- --help`.

import { Command, InvalidArgumentError } from "commander";
import { compare, loadPeers, tooLarge, type Comparison } from "./compare.ts";
import { flatten, wireContacts, type FlatContact } from "./contacts.ts";
import { envelope } from "./figures/envelope.ts";
import { first } from "./figures/first.ts";
import { growth } from "./figures/growth.ts";
import { load } from "./figures/load.ts";
import { measureMemory, memory } from "./figures/memory.ts";
import { PEERS } from "./peers/index.ts";
import type { Peer } from "./peers/peer.ts";
import type { TercetPeer } from "./peers/tercet.ts";
import { queriesFor, type BenchQuery } from "./queries.ts";
import {
  count,
  endProgress,
  print,
  printComparisons,
  printMachine,
  printWhereBehind,
  progress,
} from "./report.ts";

const FIGURES = ["growth", "first", "load", "memory", "envelope"];

interface Options {
  readonly size?: number;
  readonly peers: readonly string[];
  readonly queries: readonly number[];
  readonly figures: readonly string[];
  readonly growthTo?: number;
  readonly quick: boolean;
  readonly memoryOf?: "parsed" | "tercet";
}

const options = new Command("npm run bench --")
  .description("Measures tercet against its peers.")
  .option("--size <contacts>", "how many contacts (default: 1000000)", positive)
  .option("--peers <names>", "which, by comma; none: only figures", oneOf(Object.keys(PEERS)), [
    ...Object.keys(PEERS),
  ])
  .option(
    "--queries <numbers>",
    "which of the eleven, by comma",
    numbers,
    numbers("1,2,3,4,5,6,7,8,9,10,11"),
  )
  .option("--figures <names>", `of ${FIGURES.join(", ")}; none`, oneOf(FIGURES), FIGURES)
  .option("--growth-to <contacts>", "the largest size of growth (default: as --size)", positive)
  .option("--quick", "100,000 contacts and short rounds: about two minutes", false)
  .option("--memory-of <what>", "a measurement of memory, in a process of its own")
  .parse()
  .opts<Options>();

const size = options.size ?? (options.quick ? 100_000 : 1_000_000);

if (options.memoryOf === undefined) await main();
else measureMemory(options.memoryOf, size);

async function main(): Promise<void> {
  const started = performance.now();
  const wants = (figure: string) => options.figures.includes(figure);
  // First, while the heap is small.
  if (wants("memory")) memory(size);
  if (wants("growth")) await growth(options.growthTo ?? size);

  progress(`making ${count(size)} contacts`);
  const nested = [...wireContacts(size)];
  const contacts = nested.map(flatten);
  const queries = queriesFor(contacts);
  const loaded = await loadPeers(options.peers, nested, contacts);
  const peers = loaded.map(({ peer }) => peer);
  const names = peers.map(({ name }) => name);

  if (wants("load")) await load(loaded, nested);
  if (wants("first")) await first(nested, queries);
  const rounds = options.quick ? { rounds: 3, milliseconds: 60 } : { rounds: 3, milliseconds: 300 };
  const tercet = peers.find((peer): peer is TercetPeer => peer.name === "tercet");
  const lookup = queries[0];
  if (wants("envelope") && tercet !== undefined && lookup !== undefined) {
    await envelope(tercet.service, lookup);
  }

  const compareAll = async (
    among: readonly Peer[],
    records: readonly FlatContact[],
    asked: readonly BenchQuery[],
  ) => {
    const comparisons: Comparison[] = [];
    for (const query of asked) {
      if (!options.queries.includes(query.id) || among.length === 0) continue;
      comparisons.push(await compare(among, records, query, rounds));
    }
    endProgress();
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    print(`\n${count(records.length)} contacts, ${rounds.rounds} rounds, after ${minutes} minutes`);
    if (comparisons.length > 0) {
      printComparisons(
        comparisons,
        among.map(({ name }) => name),
      );
    }
    printWhereBehind(comparisons);
  };
  await compareAll(peers, contacts, queries);

  // A peer that can't be loaded at this size is compared at the largest at which it can.
  for (const [name, most] of await tooLarge(options.peers, nested)) {
    const fewer = nested.slice(0, most);
    const fewerContacts = contacts.slice(0, most);
    const both = await loadPeers(["tercet", "loop", name], fewer, fewerContacts);
    names.push(name);
    await compareAll(
      both.map(({ peer }) => peer),
      fewerContacts,
      queriesFor(fewerContacts),
    );
  }
  printMachine(names);
}

function positive(text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("must be a positive integer");
}

function numbers(text: string): number[] {
  return text.split(",").map(positive);
}

function oneOf(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = text === "none" ? [] : text.split(",");
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) return names;
    throw new InvalidArgumentError(`${unknown} is not one of ${known.join(", ")}`);
  };
}
