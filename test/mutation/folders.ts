// What mutation runs change, and which tests they run: the table of `npm run test:mutation`.

interface Folder {
  /** The percentage of mutants that tests must detect; where only samples were run, what is surely reached. */
  readonly least: number;
  /** The tests that can see a mutant, by their paths below `test/`. */
  readonly tests: RegExp;
}

const ANSWERS = /^(rules|criteria|service|engine|updates|hostile|reference|testing.reference)\b/;

export const FOLDERS: Readonly<Record<string, Folder>> = {
  "src/schema": {
    least: 85,
    tests:
      /^(schema|rules|criteria|service|database.(?!react)|hostile|updates.(objects|json)|engine.(ignore-case|summary)|import.(inference|loading|convert))\b/,
  },
  "src/criteria": { least: 93, tests: ANSWERS },
  "src/collection": { least: 92, tests: ANSWERS },
  "src/engine": { least: 92, tests: ANSWERS },
  "src/database": {
    least: 84,
    tests:
      /^(database.(?!react|order)|service.(?!jsonrpc)|updates.(service|watch)|store.(store|reader|names|repair))\b/,
  },
  "src/service": {
    least: 90,
    // Stores also read and replace Batches.
    tests: new RegExp(`${ANSWERS.source}|^store.(store|reader|names|repair)\\b`),
  },
  "src/arrow": {
    least: 84,
    tests: /^(arrow|engine.ignore-case|import.files|store.(data-files|files|store))\b/,
  },
  "src/import": { least: 81, tests: /^import.(?!command)/ },
  "src/sql": {
    least: 76,
    tests:
      /^(sql.(check-driver|check-table|collection|list-fields|patches|service|tables)|differential.(sqlite|duckdb))\b/,
  },
  "src/store": {
    least: 81,
    tests:
      /^(store.(creation|damage|data-files|descriptors|files|generations|lock|log|names|power|reader|repair|store|text)|database.store)\b/,
  },
};

/**
 * Tests that are left out: those that take seconds and ask, of more records, what others ask too, as
 * `engine/paths` does; `updates/memory`, which looks at memory, not at answers; and `service/jsonrpc`, whose server does
 * not answer in time where the machine is busy. Of servers, only those of PostgreSQL stay for the next mutant.
 */
const LEFT_OUT = [
  /: (PostgreSQL shards|MariaDB|chDB)\b.* > /,
  /^test.(engine.paths|updates.memory|service.jsonrpc)\./,
  /> with thousands of records that are asked hundreds of questions$/,
  /> an index that would take more is not kept, and queries are answered without it$/,
];

/** @param test the path of a file, or the name of a test with it */
export function isLeftOut(test: string): boolean {
  return LEFT_OUT.some((pattern) => pattern.test(test));
}
