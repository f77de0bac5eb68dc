// The commands of `tercet`, their options and help.

import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { operators } from "../index.ts";
import { closeSources } from "./closing.ts";
import { report } from "./errors.ts";
import {
  ESCAPE_FORMULAS,
  FORCE,
  FORMAT,
  FROM,
  LIST_FIELD,
  ORDER,
  SKIP_INVALID,
  addFormatOptions,
  addQueryOptions,
  addGenerateOptions,
  addReadingOptions,
  addSearchOptions,
  addTextOptions,
  append,
  notEmpty,
  toCount,
  toInteger,
  toPositive,
} from "./options.ts";
import { joinWords } from "./words.ts";

const OPERATORS = operators.map(({ name }) => name).join(", ");

/** Runs a typed command: prints its output and sets the exit code. */
export async function runProgram(parameters: readonly string[]): Promise<void> {
  try {
    const isSearch = ["query", "files", "contacts"].includes(parameters[0] ?? "");
    const words = isSearch ? joinWords(parameters) : parameters;
    await program.parseAsync(words, { from: "user" });
  } catch (thrown) {
    report(thrown);
  } finally {
    closeSources();
  }
}

const program = new Command("tercet")
  .description("Search Files and the Contacts of a Batch by three-element criteria, in memory.")
  .version(manifest.version)
  // report() prints it on one line.
  .configureOutput({ writeErr: () => undefined })
  .exitOverride()
  .addHelpText(
    "after",
    "\nExit codes: 0 success, 1 unexpected failure or incomplete result, 2 invalid usage or input.",
  );

addSearchOptions(
  program
    .command("files")
    .description("Search the files of a directory tree, or the Files of a store or a file.")
    .argument(
      "<DIR|FILE>",
      `a directory, a store or a file; symbolic links below a directory are not followed`,
      notEmpty,
    ),
)
  .addHelpText(
    "after",
    `
Examples:
  tercet files . --sort-by size --limit 10
  tercet files src --criteria '[["extension","exactly",".ts"],["size","greater_than",5000]]'
  tercet files ~/Pictures --criteria '[["mime_type","starts_with","image/"]]' --sort-by image_width
  tercet files . --where name exactly package.json --json
  tercet files . --count-by extension --where size greater_than 1000`,
  )
  .action(loading(async () => (await import("./query.ts")).queryFiles));

addSearchOptions(
  program
    .command("contacts")
    .description("Search the Contacts of a Batch.")
    .argument(
      "<BATCH.json|FILE|DIR>",
      'one Batch, { "id", "lists": [...] }, a file of Contacts, a store, or - for standard input',
      notEmpty,
    )
    .option("--batch <ID>", "which Batch, if a store has several")
    .option(...LIST_FIELD),
)
  .addHelpText(
    "after",
    `
Examples:
  tercet contacts batch.json --sort-by Email --order ASC
  tercet contacts batch.json --criteria '[["open_type","not","not_opened"]]' --sort-by open_count
  tercet contacts batch.json --where send_status in failed,pending --json
  tercet contacts ages.csv --list-field Age=int --criteria '[["Age","greater_than",50]]'
  tercet generate batch --count 1000 | tercet contacts - --limit 5`,
  )
  .action(loading(async () => (await import("./query.ts")).queryContacts));

addQueryOptions(
  program
    .command("query")
    .description("Search any table: CSV, NDJSON, JSON, Arrow or Parquet, or a saved collection.")
    .argument(
      "<FILE...>",
      "the table, compressed or not, - for standard input, or STORE/COLLECTION; several files, a folder of them, or a pattern such as 'data/*.csv' are one table if they have the same fields",
      append,
    ),
)
  .optionsGroup("Which records, in which order:")
  .option("--not", "before a criterion: negates it")
  .option(
    "--sort <FIELD[:ASC],...>",
    "the fields to sort by, such as state:ASC,total (default: DESC); a later field decides among equal values of the earlier ones; repeatable",
    append,
  )
  .option("--select <FIELDS>", "only these fields, in this order, such as id,total", append)
  .option("--after <CURSOR>", 'the cursor of an earlier page; "" begins')
  .option("--before <CURSOR>", "the cursor of a later page: the records before it", notEmpty)
  .option("--last", "the last records")
  .optionsGroup("Types:")
  .option("--schema <FILE>", "the types of the fields, as printed by --infer", notEmpty)
  .option(
    "--type <FIELD=TYPE>",
    "the type of a field, instead of the inferred one, such as placed=time or zip=string; repeatable",
    append,
  )
  .option("--infer", "print the types of the fields as JSON")
  .optionsGroup("Other tables:")
  .option(
    "--reference <FIELD=TABLE:KEY>",
    "the records of another table to which a field refers, by a unique field, such as customer=customers.csv:id; the query may then name customer.country; repeatable",
    append,
  )
  .optionsGroup("Output:")
  .option(...FORMAT)
  .option("--to <FILE>", "the file to write (default: standard output)", notEmpty)
  .option(...FORCE)
  .option(...ESCAPE_FORMULAS)
  .optionsGroup("Reading:")
  .option(...FROM)
  .option(...SKIP_INVALID)
  .addHelpText(
    "after",
    `
Operators: ${OPERATORS}.
The value null means null in a field that may be null. What a criterion compares
depends on the type of its field; the types are shown on standard error.

Examples:
  tercet query orders.csv --where total greater_than 1000 --sort total --limit 5
  tercet query orders.csv --where state in open,new --or --where total at_least 5000
  tercet query orders.csv --where total at_least 50 --not --where city starts_with B
  tercet query orders.csv --criteria '[["total","at_least",50],[["city","exactly",null],"OR",["state","exactly","new"]]]'
  tercet query orders.csv --count-by state --where total greater_than 100
  tercet query orders.csv --count-by city --summarize total --by sum --limit 10
  tercet query orders.csv --histogram total --bins 5
  tercet query orders.csv --count-by placed --prefix 7 --summarize total
  tercet query orders.csv --summary total --quantiles 0.5,0.99
  tercet query orders.csv --group-by state,city --measure paid=sum:total --sort paid
  tercet query 'orders*.csv' --where state exactly open --sort state:ASC,total
  tercet query orders.csv --reference customer=customers.csv:id --where customer.country exactly AU --select id,customer.name
  tercet query orders.csv --infer > schema.json
  tercet query orders.csv --schema schema.json --sort state:ASC --format ndjson
  gzip -c orders.csv | tercet query - --where city exactly null --count`,
  )
  .action(loading(async () => (await import("./query.ts")).queryTable));

addReadingOptions(
  program
    .command("rpc")
    .description("Respond to requests on stdin, one per line, on stdout, in order.")
    .option(
      "--files <DIR|FILE>",
      "the Files: a directory tree, or a file of them in any format",
      notEmpty,
    )
    .option("--batch <FILE.json>", "a Batch; repeatable", append)
    .option("--store <DIR>", "a store instead; each request uses its current state", notEmpty)
    .option(
      "--max-line <BYTES>",
      "the maximum length of a request (default: 67108864)",
      toPositive,
    ),
)
  .addHelpText(
    "after",
    `
A line ends at \\n or \\r\\n. A blank line is skipped; any other gets one response, even if it
is not JSON. Every non-empty api key is accepted. Files may be gzipped.

Examples:
  echo '{"id":1,"method":"searchFiles","params":["key",[["size","greater_than",1000]],3]}' |
    tercet rpc --files .
  tercet rpc --batch monday.json --batch tuesday.json < requests.ndjson > responses.ndjson`,
  )
  .action(loading(async () => (await import("./rpc.ts")).rpc));

program
  .command("check")
  .description("Check a service in any language: start it, and run the laws of tercet/testing.")
  .argument("<COMMAND...>", "the command that starts the service, after --")
  .option("--operations <NAMES>", "call only searchFiles or only getBatchContacts", notEmpty)
  .option(
    "--laws <TEXT>",
    "laws with this string in their name, or about this rule; repeatable",
    append,
  )
  .option("--law <NAME>", "the law with this name", notEmpty)
  .option("--runs <N>", "how many cases for each law (default: 100)", toPositive)
  .option("--seed <S>", "the seed of the cases (default: a new one)", toInteger)
  .option("--path <PATH>", "a single case, as printed by a failure", notEmpty)
  .option(
    "--timeout <MS>",
    "the time limit of a response in milliseconds (default: 5000)",
    toPositive,
  )
  .option("--api-key <KEY>", 'a key that the service accepts (default: "key")', notEmpty)
  .option("--bail", "stop at the first law that fails")
  .option("--json", "print the report as JSON")
  .option("--junit <FILE>", "also write the report as JUnit XML", notEmpty)
  .option(...FORCE)
  .addHelpText(
    "after",
    `
The service reads lines of JSON from standard input, and answers each by a line on standard output:
{"load":{"files":[...],"batches":[...]}} by {"loaded":true}, or {"loaded":false} if the data is not
valid, and a request by its answer, or by an empty line if it gets none. It may be asked to load
again at any time.

Exit codes: 0 all laws held, 1 a law failed, 2 the check could not run.

Examples:
  tercet check -- python3 service.py
  tercet check --laws C4 --laws sort --runs 1000 -- ./service
  tercet check --junit report.xml -- php service.php`,
  )
  .action(loading(async () => (await import("./check.ts")).checkCommand));

addGenerateOptions(
  program.command("vectors").description("Write requests with the expected responses, as NDJSON."),
)
  .addHelpText(
    "after",
    `
The same seed gives the same lines, as long as the first one has the same version. The package's
data/vectors.ndjson has others in the same format: the smallest cases that show common mistakes.

Examples:
  tercet vectors --count 1000 > vectors.ndjson`,
  )
  .action(loading(async () => (await import("./vectors.ts")).printVectors));

const sql = program
  .command("sql")
  .description("Print the SQL statement for an engine, and its parameters as JSON.")
  .option("--dialect <NAME>", "postgres, clickhouse, duckdb, sqlite or mariadb", notEmpty)
  .option("--criteria <JSON>", "a list of [field, operator, value]; see the examples")
  .option("--sort-by <FIELD>", "the field to sort by (default: insertion order)")
  .option(...ORDER)
  .option("--limit <N>", "the maximum number (default: all)")
  .option("--offset <N>", "how many to skip (default: 0)")
  .option("--batch <ID>", "query the Contacts of this Batch instead of Files", notEmpty)
  .option(...LIST_FIELD)
  .addHelpText(
    "after",
    `
Examples:
  tercet sql --dialect postgres --criteria '[["size","greater_than",1000]]' --limit 10
  tercet sql --dialect duckdb --batch 7 --list-field Age=int --sort-by Age
  tercet sql tables --dialect sqlite
  tercet sql tables --dialect postgres --contacts-index contact_email`,
  )
  .action(loading(async () => (await import("./sql.ts")).printQuery));

sql
  .command("tables")
  .description("Print the statements that create the tables of Files, Contacts and Lists.")
  .option("--files-index <FIELD>", "an index for Files; repeatable", append)
  .option("--contacts-index <FIELD>", "an index for the Contacts of a Batch; repeatable", append)
  .action(async (_options: unknown, command: Command) => {
    const { printTables } = await import("./sql.ts");
    await printTables(command.optsWithGlobals());
  });

program
  .command("playground")
  .description("Write a page for exploring tables in a browser, in one file.")
  .argument("[FILE.html]", "the file; drop data onto the page in a browser", "tercet.html")
  .option(...FORCE)
  .addHelpText(
    "after",
    `
Examples:
  tercet playground
  tercet playground page.html`,
  )
  .action(loading(async () => (await import("./playground.ts")).writePlayground));

const store = program.command("store").description("Check, repair or back up a store.");

store
  .command("check")
  .description("Read every byte of a store and report damage; changes nothing.")
  .argument("<DIR>", "the folder of the store", notEmpty)
  .action(loading(async () => (await import("./store.ts")).check));

store
  .command("repair")
  .description("Salvage a damaged store; keep the damaged files.")
  .argument("<DIR>", "the folder of the store; no process may have it open for writing", notEmpty)
  .action(loading(async () => (await import("./store.ts")).repair));

store
  .command("backup")
  .description("Copy a store into a new folder, while its writer continues.")
  .argument("<DIR>", "the folder of the store", notEmpty)
  .argument("<FOLDER>", "the folder of the copy; must be empty or not exist", notEmpty)
  .action(loading(async () => (await import("./store.ts")).backup));

addTextOptions(
  program
    .command("import")
    .description("Create a store from Files and Batches in other formats.")
    .argument("[SOURCE...]", "Batches as JSON or, with --batch, Contacts of one in any format")
    .requiredOption("--to <DIR>", "a new store", notEmpty)
    .option(...FROM)
    .option("--files <SOURCE>", "the Files, in any format, or a directory tree", notEmpty)
    .option("--batch <ID>", "the sources contain Contacts of the Batch with this id", notEmpty)
    .option("--list <ID>", "the List for Contacts that name none (default: 1)", notEmpty)
    .option(...LIST_FIELD)
    .option(
      "--collection <NAME>",
      "the source is a table; it becomes this collection of DIR",
      notEmpty,
    )
    .option(
      "--schema <FILE>",
      "with --collection: its schema (default: types are inferred)",
      notEmpty,
    )
    .option(
      "--type <FIELD=TYPE>",
      "with --collection: the type of a field, instead of the inferred one; repeatable",
      append,
    )
    .option(
      "--index <FIELD>",
      "write the index of substrings of a string field; repeatable",
      append,
    )
    .option(...SKIP_INVALID)
    .option(...FORCE),
)
  .addHelpText(
    "after",
    `
Formats are CSV, NDJSON, JSON, Arrow and Parquet, compressed by gzip or Zstandard or not, by
--from, the name of the file or its first bytes; - is standard input. Parquet may be compressed with Snappy, LZ4, gzip,
Brotli or Zstandard, Arrow with LZ4 or Zstandard. In flat formats the column list is the id of a
Contact's List, and fields.Age its List Field Age. Invalid records are saved as NDJSON, with place and reason.
Tables, and Contacts in one CSV or NDJSON file, may be larger than memory: some 450 MB are used for ten million
records, and twice the size of the store on disk until the import is complete.

Examples:
  tercet import monday.json tuesday.json.gz --files files.csv --to shop.store
  tercet import data.parquet --batch 7 --ignore-columns --to data.store
  tercet import orders.csv --collection orders --to shop.store
  tercet query shop.store/orders --where total greater_than 1000
  tercet import contacts.csv --batch 7 --column 'E-mail=contact_email' --to new.store
  tercet import - --batch 7 --from ndjson --skip-invalid bad.ndjson --to some.store < contacts.ndjson`,
  )
  .action(loading(async () => (await import("./import.ts")).importSources));

addFormatOptions(
  program
    .command("export")
    .description("Write the Contacts of a Batch, or Files, in another format.")
    .argument("<SOURCE>", "a store, or a file with a Batch or, with --files, Files", notEmpty)
    .option(...FORMAT)
    .option("--to <FILE>", "the file to write (default: standard output)", notEmpty)
    .option("--files", "the Files instead of the Contacts of a Batch")
    .option("--batch <ID>", "which Batch, if a store has several", notEmpty)
    .option(...LIST_FIELD)
    .option("--criteria <JSON>", "a list of [field, operator, value]")
    .option("--sort-by <FIELD>", "the field to sort by (default: insertion order)")
    .option(...ORDER)
    .option("--limit <N>", "the maximum number (default: all)")
    .option("--offset <N>", "how many to skip (default: 0)")
    .option(...FORCE)
    .option(...ESCAPE_FORMULAS),
)
  .addHelpText(
    "after",
    `
Importing restores the same records, except after --escape-formulas. tercet query writes the
records of a collection. Arrow has dictionaries, and
Parquet is compressed with Snappy; both are made in memory.

Examples:
  tercet export new.store --to new.csv
  tercet export new.store --files --to files.parquet
  tercet export batch.json --format ndjson --criteria '[["open_count","greater_than",0]]'
  tercet export batch.json --to new.csv --sort-by open_count --limit 10 --force
  tercet export files.json --files --format csv --limit 10`,
  )
  .action(loading(async () => (await import("./export.ts")).exportRecords));

program
  .command("completion")
  .description("Print a script that completes commands and options in a shell.")
  .argument("<SHELL>", "bash, zsh or fish")
  .addHelpText(
    "after",
    `
Examples:
  eval "$(tercet completion bash)"
  tercet completion fish > ~/.config/fish/completions/tercet.fish`,
  )
  .action(async (shell: string) => {
    const { printCompletion } = await import("./completion.ts");
    await printCompletion(program, shell);
  });

const generate = program
  .command("generate")
  .description("Write synthetic data as JSON; the same seed gives the same data.");

addGenerateOptions(generate.command("files").description("Write a JSON array of Files."))
  .addHelpText(
    "after",
    `
Examples:
  tercet generate files --count 100000 --seed 7 > files.json
  tercet rpc --files files.json < requests.ndjson`,
  )
  .action(loading(async () => (await import("./generate.ts")).printFiles));

addGenerateOptions(generate.command("batch").description("Write a Batch."))
  .option("--lists <K>", "how many Lists (default: 1)", toCount)
  .addHelpText(
    "after",
    `
Examples:
  tercet generate batch --count 5000 --lists 3 > batch.json
  tercet contacts batch.json --sort-by open_count`,
  )
  .action(loading(async () => (await import("./generate.ts")).printBatch));

/** Loads the code of a command only when it runs, so that the program starts sooner. */
function loading<Parameters extends readonly unknown[]>(
  load: () => Promise<(...parameters: Parameters) => unknown>,
): (...parameters: Parameters) => Promise<void> {
  return async (...parameters) => {
    const command = await load();
    await command(...parameters);
  };
}
