// Which mutants survive, and which may: the survivors of a Stryker report, told apart by what they
// change and not by where it stands, and how they differ from the list in `survivors.json`.

import type { schema } from "@stryker-mutator/api/core";

/** A change of the code. */
export interface Mutant {
  /** Stryker's name of the kind of change. */
  readonly mutator: string;
  /** The line that it changes, with what it replaces between « and ». */
  readonly code: string;
  readonly replacement: string;
}

/**
 * Mutants of a file that give the same answers by another way, and why. Without mutants it is a reason
 * that waits for a run of its file: to be given the mutants that it is about, or to be deleted.
 */
export interface Equivalent {
  readonly reason: string;
  readonly mutants: readonly Mutant[];
}

/** For each file the survivors that are known, and the score of its last run that was written. */
export type KnownSurvivors = Readonly<Record<string, FileSurvivors>>;

export interface FileSurvivors {
  /** How many mutants there were, and how many of them a test or the time limit detected. */
  readonly mutants: number;
  readonly detected: number;
  readonly survivors: readonly Equivalent[];
}

/** What Stryker says of a file. */
export interface FileReport {
  readonly mutants: number;
  readonly detected: number;
  readonly survivors: readonly Mutant[];
}

const UNDETECTED: ReadonlySet<schema.MutantStatus> = new Set(["Survived", "NoCoverage"]);
const DETECTED: ReadonlySet<schema.MutantStatus> = new Set(["Killed", "Timeout"]);

export function readReport({ source, mutants }: schema.FileResult): FileReport {
  const detected = mutants.filter(({ status }) => DETECTED.has(status));
  const undetected = mutants.filter(({ status }) => UNDETECTED.has(status));
  return {
    mutants: detected.length + undetected.length,
    detected: detected.length,
    survivors: undetected.map((mutant) => readMutant(source, mutant)),
  };
}

function readMutant(
  source: string,
  { mutatorName, replacement = "", location: { start, end } }: schema.MutantResult,
): Mutant {
  const lines = source.split("\n");
  const first = lines[start.line - 1] ?? "";
  const last = lines[end.line - 1] ?? "";
  const between = lines.slice(start.line - 1, end.line).join("\n");
  const to = between.length - (last.length - (end.column - 1));
  const original = between.slice(start.column - 1, to);
  const code = `${first.slice(0, start.column - 1)}«${short(original)}»${last.slice(end.column - 1)}`;
  return { mutator: mutatorName, code: code.trim(), replacement: short(replacement) };
}

/** Of a long text as much as tells it from others, on one line. */
function short(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 80 ? line : `${line.slice(0, 50)} … ${line.slice(-25)}`;
}

/** How the survivors of a file differ from those that are known. */
export interface Difference {
  /** Survivors that are not listed. */
  readonly unlisted: readonly Mutant[];
  /** What is listed and did not survive, or is not there any more. */
  readonly stale: readonly Mutant[];
}

/** A mutant that the list names twice may survive twice: a file may have the same line again. */
export function compare(
  survivors: readonly Mutant[],
  known: readonly Equivalent[] = [],
): Difference {
  const listed = known.flatMap(({ mutants }) => mutants);
  return { unlisted: part(survivors, listed).rest, stale: part(listed, survivors).rest };
}

/** Parts mutants into those that have their like among others and the rest; each like counts once. */
function part(
  mutants: readonly Mutant[],
  others: readonly Mutant[],
): { like: Mutant[]; rest: Mutant[] } {
  const left = others.map(keyOf);
  const like: Mutant[] = [];
  const rest: Mutant[] = [];
  for (const mutant of mutants) {
    const at = left.indexOf(keyOf(mutant));
    if (at >= 0) left.splice(at, 1);
    (at >= 0 ? like : rest).push(mutant);
  }
  return { like, rest };
}

/** What is wrong with reasons: one is empty, or has no mutants. */
export function faultsOf(known: readonly Equivalent[] = []): string[] {
  return known.flatMap(({ reason, mutants }) => {
    if (reason === "") return [`mutants without a reason: ${mutants.map(format).join("; ")}`];
    return mutants.length === 0 ? [`a reason without mutants: ${reason}`] : [];
  });
}

/**
 * The list of a file brought up to date: mutants that are stale go, and those that are not listed
 * wait for a reason. Reasons stay, for those.
 */
export function revise(
  { mutants, detected, survivors }: FileReport,
  known: readonly Equivalent[] = [],
): FileSurvivors {
  let unlisted = survivors;
  const kept: Equivalent[] = known.map((group) => {
    const { like } = part(group.mutants, unlisted);
    unlisted = part(unlisted, like).rest;
    return { ...group, mutants: like };
  });
  if (unlisted.length > 0) kept.push({ reason: "", mutants: unlisted });
  return { mutants, detected, survivors: kept };
}

function keyOf({ mutator, code, replacement }: Mutant): string {
  return JSON.stringify([mutator, code, replacement]);
}

/** A mutant as a person reads it. */
export function format({ mutator, code, replacement }: Mutant): string {
  return `${mutator}: ${code} → ${replacement === "" ? "nothing" : replacement}`;
}
