// A strict TypeScript program over each entry of the package, and the settings that compile it. It is a string, since
// it imports the package like a user's program. Two tests compile it: `package.test.ts` with the compiler of this
// project, `runtimes/run.ts` with the oldest that is supported.

export const typedConsumer = `
import { createCollection, defineSchema, int, string, TercetError, type RecordOf } from "tercet";
import { readJson } from "tercet/import";
import { generateFiles } from "tercet/synthetic";
import { checkService, criteria, type CheckedService } from "tercet/testing";
import { FileError, openCollection, saveCollection } from "tercet/arrow";
import { openFile, openStore, saveFile, type StoredService } from "tercet/store";
import { compileSql, createSqlService, type Run } from "tercet/sql";
import { connect, serve, type RemoteDatabase, type WorkerPort } from "tercet/worker";
import { createDatabase, createService } from "tercet";
import fc from "fast-check";
const Person = defineSchema({ id: int(), name: string() });
const people = createCollection(Person, [{ id: 1, name: "x" }]);
const found: RecordOf<typeof Person>[] = people.query({ criteria: [["name", "exactly", "x"]] });
// The arbitraries are those of the caller's fast-check.
fc.assert(fc.property(criteria(Person), (drawn) => people.count(drawn) >= 0));
// @ts-expect-error there is no such field
people.query({ criteria: [["nmae", "exactly", "x"]] });
const opened: RecordOf<typeof Person>[] = [
  ...openCollection(saveCollection(people), { schema: Person }),
];
const unreadable: TercetError = new FileError("footer", "is missing");
const service: CheckedService = createService({ files: generateFiles({ count: 1, seed: 1 }) });
const lasting: () => StoredService = () => openStore("store", { durability: "os" });
const rows: () => RecordOf<typeof Person>[] = () => [...openFile("file", { schema: Person })];
saveFile("file", people);
const read = createCollection(Person, readJson("[]", { schema: Person }));
const compiled = compileSql(
  Person,
  { criteria: [["name", "contains", "x"]] },
  { dialect: "postgres", table: { name: "people", columns: { name: "full_name" } } },
);
const person: RecordOf<typeof Person> = compiled.toRecord(["1", "x"]);
// @ts-expect-error there is no such field
compileSql(Person, { criteria: [["nmae", "contains", "x"]] }, { dialect: "duckdb", table: "t" });
const run: Run = async (text, parameters, { signal }) => (signal.aborted ? [] : [[text]]);
const engine: CheckedService = createSqlService({ dialect: "sqlite", run });
const known: boolean = new Error() instanceof TercetError;
const db = createDatabase({ people });
declare const port: WorkerPort;
serve(db, port);
const remote: RemoteDatabase<{ people: typeof people }> = connect<typeof db>(port);
const there: Promise<RecordOf<typeof Person>[]> = remote.query("people", { limit: 1 });
// @ts-expect-error there is no such field
remote.query("people", { sortBy: "nmae" });
export { there, person, engine, found, opened, unreadable, lasting, rows, service, read, known, checkService };`;

/** Compiler options of a consumer who checks everything, the declarations of the package included. */
export const consumerOptions = {
  strict: true,
  noEmit: true,
  esModuleInterop: true,
  target: "ES2022",
  lib: ["ES2022"],
  types: [],
  skipLibCheck: false,
};
