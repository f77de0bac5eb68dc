// The first query, when no index is there yet: a collection that scans, against the plain loop over
// the same records. They are Contacts without List Fields: 24 fields.

import { Contact, createCollection, type Collection, type ContactInput } from "../../src/index.ts";
import type { FlatContact } from "../contacts.ts";
import { timeInTurns, turns } from "../measure.ts";
import { countMatches, loopOver } from "../peers/loop.ts";
import { tercetRun } from "../peers/tercet.ts";
import { fitOffset, type BenchQuery } from "../queries.ts";
import { digits, print, printTable, progress, time } from "../report.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";

export async function first(
  nested: readonly SyntheticContact[],
  queries: readonly BenchQuery[],
): Promise<void> {
  const scanning = createCollection(Contact, withoutListFields(nested), { indexes: "none" });
  const records = [...scanning] as readonly object[] as readonly FlatContact[];
  const rows: string[][] = [];
  for (const each of queries) {
    if (each.sort !== undefined && !(each.sort.field in Contact.fields)) continue;
    progress(`first query: ${each.label}`);
    const query = fitOffset(each, countMatches(records, each));
    const tercet = tercetRun(scanning as unknown as Collection, query);
    const loop = loopOver(records, query);
    const [own, others] = [turns(query.values), turns(query.values)];
    const timings = await timeInTurns(
      new Map([
        ["tercet", () => tercet(own())],
        ["loop", () => loop(others())],
      ]),
    );
    const [a, b] = [timings.get("tercet")?.median ?? NaN, timings.get("loop")?.median ?? NaN];
    rows.push([`${query.id} ${query.label}`, time(a), time(b), digits(a / b)]);
  }
  print('\nFirst query: without any index (`indexes: "none"`), against the plain loop');
  printTable(["query", "tercet", "loop", "ratio"], rows);
}

function* withoutListFields(nested: readonly SyntheticContact[]) {
  const names = Object.keys(Contact.fields);
  for (const contact of nested) {
    const own = contact as unknown as Readonly<Record<string, string | null>>;
    yield Object.fromEntries(names.map((name) => [name, own[name]])) as unknown as ContactInput;
  }
}
