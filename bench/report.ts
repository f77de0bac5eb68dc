// Makes RESULTS.md, and its tables for a terminal, from raw results. Needs no peer and draws nothing.

import { readdirSync, readFileSync } from "node:fs";
import { align } from "../src/cli/table.ts";
import { behind, behindSection } from "./behind.ts";
import type { Chart } from "./charts.ts";
import { farSection } from "./far.ts";
import type { Figure, Section } from "./figure.ts";
import { FIGURES, type Results } from "./figures/index.ts";
import { scaleSection } from "./figures/scale.ts";
import type { RunInfo } from "./results.ts";
import { summarySection } from "./summary.ts";

/** All runs in a folder. */
export function readRuns(folder: string): Results[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as Results);
}

/**
 * Merges runs: a full run is too long for one sitting.
 *
 * @throws Error if they are from different machines, or answer the same question
 */
export function merge(runs: readonly Results[]): Results {
  const [first] = runs;
  if (first === undefined) throw new Error("there are no results");
  const machines = runs.map(({ machine: { memory, ...others } }) =>
    // A kernel reserves slightly different amounts of memory at each start.
    JSON.stringify({ ...others, tenthsOfGiB: Math.round((10 * memory) / 2 ** 30) }),
  );
  if (new Set(machines).size > 1) throw new Error("the results are of different machines");
  return {
    ...first,
    versions: joinedTexts(runs.map(({ versions }) => versions)),
    leftOut: joinedTexts(runs.map(({ leftOut }) => leftOut)),
    ...mergedParts(runs),
  };
}

/** The results of all figures; empty ones without runs. */
export const mergedParts = (runs: readonly Results[]) =>
  Object.assign({}, ...FIGURES.map((figure) => figure.merge(runs))) as Omit<Results, keyof RunInfo>;

const joinedTexts = (all: readonly Readonly<Record<string, string>>[]) =>
  Object.fromEntries(all.flatMap((each) => Object.entries(each)));

export function sectionsOf(results: Results): Section[] {
  const chapter = (name?: Figure<Results>["chapter"]) =>
    FIGURES.filter((figure) => figure.chapter === name).flatMap(({ sections }) =>
      sections(results),
    );
  const far = farSection(results);
  return [
    ...chapter(),
    ...chapter("uses"),
    ...(far === undefined ? [] : [far]),
    ...unansweredSections(results),
    behindSection(results),
    ...chapter("appendix"),
    machineSection(results),
  ];
}

export const chartsOf = (results: Results): Chart[] =>
  FIGURES.flatMap(({ charts }) => charts(results));

/** Queries, or whole peers, without a number, and why. */
function unansweredSections(results: Results): Section[] {
  const rows = [
    ...Object.entries(results.leftOut).map(([peer, why]) => [peer, "everything", why]),
    ...FIGURES.flatMap(({ unanswered }) => unanswered(results)),
  ];
  return rows.length === 0
    ? []
    : [{ title: "What has no number", head: ["peer", "what", "why"], rows }];
}

function machineSection({ machine, versions, rounds }: RunInfo): Section {
  const { processor, cores, memory, node, v8, platform } = machine;
  return {
    title: "Machine and versions",
    note: `${rounds} rounds; the clock and the batches are mitata's.`,
    head: ["", ""],
    rows: [
      ["processor", `${processor}, ${cores} cores`],
      ["memory", `${(memory / 2 ** 30).toFixed(1)} GiB`],
      ["Node", `${node}, V8 ${v8}, ${platform}`],
      ...Object.entries(versions),
    ],
  };
}

/** @throws Error if a peer is faster and no sentence says why */
export function reportOf(runs: readonly Results[]): string {
  const results = merge(runs);
  const unexplained = behind(results).filter(({ because }) => because === undefined);
  if (unexplained.length > 0) {
    const rows = unexplained.map(({ row, peer }) => `${row.name}: ${peer}`);
    throw new Error(`no figure has a reason for\n  ${[...new Set(rows)].join("\n  ")}`);
  }
  const charts = chartsOf(results);
  return [
    "# Results",
    "Written by `npm run bench:report` from the raw results in `bench/results`; edit neither by hand. Every peer holds the same records in its own process, with its best idiom and indexes, and takes turns with the others in rounds. Its answers are compared with those of a plain filter, sort and slice before they are timed. `bench/peers` and `bench/own` show how each peer loads and answers; `bench/queries.ts` has the queries.",
    `The runs: ${runs.map(({ command, date, minutes }) => `\`${command}\` (${date}, ${minutes} minutes)`).join(", ")}.`,
    ...sectionsOf(results).map((section) => markdownOf(section, charts)),
  ]
    .join("\n\n")
    .concat("\n");
}

/** A document with its own table, and the table's position. */
interface Table {
  readonly document: string;
  /** The start of the line before the table. */
  readonly after: string;
  readonly section: (results: Results) => Section | undefined;
}

/** The documents that contain a table of the report. */
export const TABLES: readonly Table[] = [
  { document: "src/sql/README.md", after: "## How far", section: farSection },
  { document: "src/sql/README.md", after: "### Ten million", section: scaleSection },
  { document: "bench/README.md", after: "Over 1,000,000 Contacts", section: summarySection },
];

/** The text of a document with the table of these runs; unchanged if they give none. */
export function withTable(
  text: string,
  { after, section }: Table,
  runs: readonly Results[],
): string {
  const table = section(merge(runs));
  if (table === undefined) return text;
  const start = text.indexOf("\n|", text.indexOf(`\n${after}`)) + 1;
  return (
    text.slice(0, start) +
    text.slice(start).replace(/^(?:\|.*\n)+/u, () => `${tableOf(table.head, table.rows)}\n`)
  );
}

function markdownOf(section: Section, charts: readonly Chart[]): string {
  const { title, note, head, rows, chart, remarks = [] } = section;
  const picture = charts.find(({ name }) => name === chart);
  return [
    `## ${title}`,
    ...(note === undefined ? [] : [note]),
    ...(picture === undefined ? [] : [`![${picture.title}](charts/${picture.name}.svg)`]),
    ...(rows.length === 0 ? [] : [tableOf(head, rows)]),
    ...(remarks.length === 0 ? [] : [remarks.map((text, i) => `${i + 1}. ${text}`).join("\n")]),
  ].join("\n\n");
}

const WORDS = [
  "each watches",
  "",
  "peer",
  "peer ahead",
  "fastest peer",
  "measured",
  "what",
  "parts",
  "why",
  "place",
];

/** A Markdown table as Prettier writes it: words to the left, numbers to the right. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRight = head.map((name, i) => i > 0 && !WORDS.includes(name));
  const rule = toRight.map((right) => (right ? "--:" : "---"));
  const [first = [], second = [], ...rest] = align([head, rule, ...rows], toRight);
  const dashes = second.map((cell) => cell.replaceAll(" ", "-"));
  return [first, dashes, ...rest].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
