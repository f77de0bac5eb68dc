#!/usr/bin/env node
// The `tercet` command: its commands, options and help.

import { Command, InvalidArgumentError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { report } from "./errors.ts";
import { printBatch, printFiles } from "./generate.ts";
import { leaveOnBrokenPipe } from "./output.ts";
import { rpc } from "./rpc.ts";
import { searchBatch, searchDirectory, TABLE_LIMIT } from "./search.ts";
import { check, repair } from "./store.ts";

const program = new Command("tercet")
  .description("Search Files and the Contacts of a Batch by three-element criteria, in memory.")
  .version(manifest.version)
  // report() says it, in one line.
  .configureOutput({ writeErr: () => undefined })
  .exitOverride()
  .addHelpText(
    "after",
    "\nExit codes: 0 done, 1 unexpected failure or something left out, 2 bad usage or bad input.",
  );

addSearchOptions(
  program
    .command("files")
    .description("Search the files of a directory tree, or the Files of a store.")
    .argument(
      "<DIR>",
      "the directory, or a store; symbolic links below it are not followed",
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
  tercet files . --criteria '[["name","exactly","package.json"]]' --json`,
  )
  .action(searchDirectory);

addSearchOptions(
  program
    .command("contacts")
    .description("Search the Contacts of a Batch.")
    .argument(
      "<BATCH.json|DIR>",
      'one Batch, { "id", "lists": [...] }, gzipped or not; - is standard input; or a store',
      notEmpty,
    )
    .option("--batch <ID>", "which Batch, where a store has several"),
)
  .addHelpText(
    "after",
    `
Examples:
  tercet contacts batch.json --sort-by Email --order ASC
  tercet contacts batch.json --criteria '[["open_type","not","not_opened"]]' --sort-by open_count
  tercet contacts batch.json --criteria '[["send_status","in","failed,pending"]]' --json
  tercet generate batch --count 1000 | tercet contacts - --limit 5`,
  )
  .action(searchBatch);

program
  .command("rpc")
  .description("Answer requests from stdin, one to a line, on stdout, in order.")
  .option(
    "--files <DIR|FILE.json>",
    "the Files: a directory tree, or a JSON array of Files",
    notEmpty,
  )
  .option("--batch <FILE.json>", "a Batch; may be given more than once", append)
  .option("--store <DIR>", "a store instead, as it is when a request is read", notEmpty)
  .addHelpText(
    "after",
    `
A line ends at \\n or \\r\\n. A blank line is skipped; any other gets one response, also where it
is not JSON. Every non-empty api key is accepted. JSON files may be gzipped.

Examples:
  echo '{"id":1,"method":"searchFiles","params":["key",[["size","greater_than",1000]],3]}' |
    tercet rpc --files .
  tercet rpc --batch monday.json --batch tuesday.json < requests.ndjson > responses.ndjson`,
  )
  .action(rpc);

const store = program.command("store").description("Look after a service that lasts.");

store
  .command("check")
  .description("Read every byte of a store, and tell what is wrong with it; it changes nothing.")
  .argument("<DIR>", "the folder of the store", notEmpty)
  .action(check);

store
  .command("repair")
  .description("Make of what is whole of a damaged store one that opens; keep what is damaged.")
  .argument("<DIR>", "the folder of the store; nobody may have it open to write", notEmpty)
  .action(repair);

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
  .action(printFiles);

addGenerateOptions(generate.command("batch").description("Write a Batch."))
  .option("--lists <K>", "how many Lists (default: 1)", toCount)
  .addHelpText(
    "after",
    `
Examples:
  tercet generate batch --count 5000 --lists 3 > batch.json
  tercet contacts batch.json --sort-by open_count`,
  )
  .action(printBatch);

function addSearchOptions(command: Command): Command {
  return command
    .option("--criteria <JSON>", "a list of [field, operator, value]; see the examples")
    .option("--sort-by <FIELD>", "the field to sort by; in the order of the input without it")
    .option("--order <ASC|DESC>", "the order of sorting (default: DESC)")
    .option("--limit <N>", `how many at most (default: ${TABLE_LIMIT} in a table, all with --json)`)
    .option("--offset <N>", "how many to skip (default: 0)")
    .option("--json", "print the result as JSON instead of a table")
    .option("--explain", "print how the query is answered, and how long it takes, instead");
}

function addGenerateOptions(command: Command): Command {
  return command
    .requiredOption("--count <N>", "how many records; must be given", toCount)
    .option("--seed <S>", "an integer (default: 1)", toInteger);
}

function append(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, notEmpty(value)];
}

/** A name that a script leaves empty must not stand for the working directory. */
function notEmpty(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

function toInteger(text: string): number {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("It must be an integer.");
}

function toCount(text: string): number {
  const number = toInteger(text);
  if (number >= 0) return number;
  throw new InvalidArgumentError("It must not be negative.");
}

async function main(): Promise<void> {
  leaveOnBrokenPipe();
  try {
    await program.parseAsync();
  } catch (thrown) {
    report(thrown);
  }
}

void main();
