// `tercet query`, `tercet files` and `tercet contacts` run criteria on any table, the Files of a directory tree, or the
// Contacts of a Batch.

import { formatPlan, parseCriteria, writeSchema } from "../index.ts";
import type { ParsedCriteria, Query, Schema } from "../index.ts";
import type { Answering } from "./answering.ts";
import { Asked, namesIn } from "./asked.ts";
import type { AskFlags } from "./ask-flags.ts";
import { warn } from "./errors.ts";
import { openOutput, write, type OutputFlags } from "./export.ts";
import type { ReadingFlags } from "./formats.ts";
import { send, sendAll, table as tableOf, type AnyRecord, type Column } from "./output.ts";
import { withReferences } from "./references.ts";
import { openRefusals } from "./refusals.ts";
import { columnsOf, contactsTable, filesTable, inWords, openTable } from "./tables.ts";
import type { BatchFlags, Table, TableFlags } from "./tables.ts";
import { asOne, placesIn, type Placed } from "./several.ts";
import { TABLE_LIMIT } from "./words.ts";

/** The options of all three commands, as typed. */
interface SearchFlags extends AskFlags {
  readonly json?: true;
}

/** The options of `query`, as typed. */
export interface QueryOptions extends SearchFlags, TableFlags, OutputFlags {
  readonly infer?: true;
  readonly reference?: readonly string[];
  readonly skipInvalid?: string;
}

/** Runs a query on a table, or on several as one. */
export async function queryTable(given: readonly string[], options: QueryOptions): Promise<void> {
  const places = placesIn(given);
  const isWritten = options.format !== undefined || options.to !== undefined;
  const output = isWritten && !options.infer ? openOutput(options, places) : undefined;
  const refusals = openRefusals(options.skipInvalid, { force: options.force, sources: places });
  try {
    const [first = "", ...others] = places;
    const opened = async (place: string) => ({
      place,
      table: await openTable(place, options, refusals.skip),
    });
    const tables: [Placed, ...Placed[]] = [await opened(first)];
    for (const place of others) tables.push(await opened(place));
    const whole = asOne(tables);
    if (options.infer) await send(process.stdout, schemaText(whole.schema));
    else {
      const names = namesIn(options);
      const table =
        options.reference === undefined
          ? (whole.joined?.(names) ?? whole)
          : await withReferences(
              { place: places.join(", "), table: whole },
              options.reference,
              names,
              { open: (place) => openTable(place, {}, refusals.skip), skip: refusals.skip },
            );
      refusals.commit(await answer(table, options, output));
    }
  } finally {
    refusals.close();
  }
}

/** Searches the Files of a directory, a store or a file. */
export async function queryFiles(
  place: string,
  options: SearchFlags & ReadingFlags,
): Promise<void> {
  await answer(filesTable(place, options), options);
}

/** Searches the Contacts of a Batch in a file or a store. */
export async function queryContacts(
  place: string,
  options: SearchFlags & BatchFlags,
): Promise<void> {
  await answer(await contactsTable(place, options), options);
}

/**
 * @param output writes the records in a format; default: they are shown
 * @returns how many records the table has
 */
async function answer(
  table: Table<Answering>,
  options: SearchFlags,
  output?: ReturnType<typeof openOutput>,
): Promise<number> {
  const isWhole = options.json ?? output !== undefined;
  const asked = new Asked(table, options, isWhole ? undefined : TABLE_LIMIT);
  // Checked without records first, since loading them may take long.
  asked.check();
  const collection = await table.load();
  if (table.isInferred) warn(`types inferred: ${inWords(table.schema)}`);
  const { query } = asked;
  if (options.explain) {
    const plan = asked.explain(collection);
    const text = options.json ? JSON.stringify(plan, null, 2) : formatPlan(plan);
    await send(process.stdout, `${text}\n`);
    return collection.size;
  }
  if (options.count) {
    await send(process.stdout, `${collection.count(query.criteria)}\n`);
    return collection.size;
  }
  const { schema, records, json, foot, previous, next } = asked.answer(collection);
  if (output !== undefined) {
    await output.send(write({ records, columns: { schema }, json }, output));
  } else if (options.json) await sendAll(process.stdout, json());
  else {
    const isTable = foot === undefined && query.select === undefined;
    const columns = isTable ? withNamed(table, query, records[0]) : columnsOf(schema);
    await sendAll(process.stdout, tableOf(columns, records));
    await send(process.stdout, `${foot ?? pageFoot(records.length)}\n`);
  }

  if (typeof previous === "string") warn(`the page before: --before ${previous}`);
  if (typeof next === "string") warn(`the next page: --after ${next}`);
  return collection.size;

  /** The line below a page. */
  function pageFoot(shown: number): string {
    const matching = collection.count(query.criteria);
    const { size } = collection;
    const matched = matching === size ? table.what : `matching ${table.what}, ${size} in all`;
    const isCut = options.limit === undefined && shown === TABLE_LIMIT && shown < matching;
    return `${shown} of ${matching} ${matched}${isCut ? "; --limit shows more" : ""}`;
  }
}

/** The columns, plus one for each other field that the query names. */
function withNamed(
  { schema, columns }: Table<Answering>,
  { criteria, sort = [], sortBy }: Query,
  sample: AnyRecord = {},
): readonly Column[] {
  const fields = fieldsIn(parseCriteria(schema, criteria));
  const named = new Set<unknown>([...fields, ...(sort ?? []).map(([field]) => field), sortBy]);
  const more = schema.places.flatMap(({ name }) =>
    Object.hasOwn(sample, name) &&
    named.has(name) &&
    !columns.some((column) => column.field === name)
      ? [name]
      : [],
  );
  const needed = columns.map((column) => {
    const { optional, ...rest } = column;
    return optional && named.has(column.field) ? rest : column;
  });
  const own = more.map((field) => ({ field, width: 24 }));
  return [...needed.slice(0, -1), ...own, ...needed.slice(-1)];
}

const fieldsIn = ({ groups }: ParsedCriteria): string[] =>
  groups.flat().flatMap((part) => ("groups" in part ? fieldsIn(part) : part.field));

/** The JSON of a schema, one field per line. */
function schemaText(schema: Schema): string {
  const { fields, ...others } = writeSchema(schema);
  const lines = schema.places.map(
    ({ name }) => `    ${JSON.stringify(name)}: ${JSON.stringify(fields[name])}`,
  );
  const members = [
    `  "fields": {\n${lines.join(",\n")}\n  }`,
    ...Object.entries(others).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`),
  ];
  return `{\n${members.join(",\n")}\n}\n`;
}
