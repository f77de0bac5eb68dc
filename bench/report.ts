// Makes RESULTS.md, its tables for a terminal, and the table of the README, from raw results. Needs no peer
// and draws nothing.

import { existsSync, readFileSync } from "node:fs";
import { align } from "../src/cli/table.ts";
import type { Chart } from "./charts.ts";
import { bestOther, shown, type Figure, type Row, type Section } from "./figure.ts";
import { FIGURES } from "./figures/index.ts";
import { digits } from "./format.ts";
import type { Results } from "./results.ts";

/** The raw results in a folder, in the order of the figures. */
export function readResults(folder: string): Results[] {
  return FIGURES.flatMap(({ name }) => {
    const path = `${folder}/${name}.json`;
    return existsSync(path) ? [JSON.parse(readFileSync(path, "utf8")) as Results] : [];
  });
}

/** What a figure makes of its result. */
function each<Made>(
  all: readonly Results[],
  of: (figure: Figure) => ((result: unknown) => Made[]) | undefined,
) {
  return all.flatMap(({ figure: name, result }) => {
    const figure = FIGURES.find((known) => known.name === name);
    return (figure && of(figure)?.(result)) ?? [];
  });
}

export const sectionsOf = (all: readonly Results[]): Section[] =>
  each(all, ({ sections }) => sections);

export const chartsOf = (all: readonly Results[]): Chart[] => each(all, ({ charts }) => charts);

const rowsOf = (all: readonly Results[]): Row[] => each(all, ({ rows }) => rows);

/** Every measured row in which a peer is ahead. */
export function behindSection(all: readonly Results[]): Section {
  const rows = rowsOf(all).flatMap(({ name, unit, values: { tercet = NaN, ...others } }) =>
    Object.entries(others)
      .filter(([, other]) => other < tercet)
      .map(([peer, other]) => [
        name,
        peer,
        shown(tercet, unit),
        shown(other, unit),
        digits(tercet / other),
      ]),
  );
  return {
    title: "Where a peer is ahead",
    note: "Every row of the tables above in which a peer's number is less. Ratio: tercet's to the peer's.",
    head: ["row", "peer", "tercet", "peer's", "ratio"],
    rows,
  };
}

function runsSection(all: readonly Results[]): Section {
  const [first] = all;
  const { machine, versions } = first ?? {};
  return {
    title: "Runs",
    note: [
      machine === undefined
        ? ""
        : `${machine.processor}, ${machine.cores} cores, ${(machine.memory / 2 ** 30).toFixed(1)} GiB; Node ${machine.node}, V8 ${machine.v8}, ${machine.platform}.`,
      Object.entries(versions ?? {})
        .map(([name, version]) => `${name} ${version}`)
        .join(", "),
    ]
      .join(" ")
      .concat("."),
    head: ["figure", "command", "date", "minutes"],
    rows: all.map(({ figure, command, date, minutes }) => [
      figure,
      `\`${command}\``,
      date,
      String(minutes),
    ]),
  };
}

export function reportOf(all: readonly Results[]): string {
  const charts = chartsOf(all);
  const sections = [...sectionsOf(all), behindSection(all), runsSection(all)];
  return [
    "# Results",
    "Written by `npm run bench:report` from the raw results in `bench/results`; edit neither by hand. Every peer holds the same records in its own process, with its best idiom and indexes, and takes turns with the others in rounds. Its answers are compared with those of a plain filter, sort and slice before they are timed. `bench/peers` shows how each peer loads and answers; `bench/queries.ts` has the questions.",
    ...sections.map((section) => markdownOf(section, charts)),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The headline rows, for the README: every question once, and updates. */
export function headline(all: readonly Results[]): string {
  const found = all.filter(({ figure }) => ["queries", "updates"].includes(figure));
  const rows = rowsOf(found).map((row) => {
    const best = bestOther(row);
    return [
      row.name,
      shown(row.values.tercet, row.unit),
      best?.text ?? "",
      digits(best?.ratio ?? NaN),
    ];
  });
  return tableOf(["what", "tercet", "fastest peer", "ratio"], rows);
}

/** A document with its table replaced: the one that follows a line. */
export function withTable(text: string, after: string, table: string): string {
  const start = text.indexOf("\n|", text.indexOf(`\n${after}`)) + 1;
  return text.slice(0, start) + text.slice(start).replace(/^(?:\|.*\n)+/u, () => `${table}\n`);
}

/** What the table of bench/README.md follows. */
export const HEADLINE = "Over 100,000 Contacts";

function markdownOf(section: Section, charts: readonly Chart[]): string {
  const { title, note, head, rows, chart } = section;
  const picture = charts.find(({ name }) => name === chart);
  return [
    `## ${title}`,
    ...(note === undefined ? [] : [note]),
    ...(picture === undefined ? [] : [`![${picture.title}](charts/${picture.name}.svg)`]),
    ...(rows.length === 0 ? [] : [tableOf(head, rows)]),
  ].join("\n\n");
}

/** The columns of words; the others are numbers. */
const WORDS = ["peer", "fastest peer", "measured", "what", "command", "date"];

/** A Markdown table as formatters write it: words to the left, numbers to the right. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRight = head.map((name, i) => i > 0 && !WORDS.includes(name));
  const rule = toRight.map((right) => (right ? "--:" : "---"));
  const [first = [], second = [], ...rest] = align([head, rule, ...rows], toRight);
  const dashes = second.map((cell) => cell.replaceAll(" ", "-"));
  return [first, dashes, ...rest].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
