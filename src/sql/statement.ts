// What is sent to an engine, and what comes back: the whole of what tercet knows of drivers.

/** What stands for a placeholder. Lists go to engines that have arrays; to the others as JSON text. */
export type Parameter = string | number | readonly string[] | readonly number[];

/** How texts are asked for. */
export type TextForm = "texts" | "bytes";

/** A statement, and the parameters for its placeholders in their order. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** A row of a result: its values in their order, or by the names of the columns. */
export type Row = object;

/** The platform's AbortSignal, where it has one. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean };

/**
 * The caller's driver: sends a statement to an engine. A `bigint` or number that it gives for an
 * integer is as good as its decimal string, and bytes are as good as the text that they are in UTF-8.
 *
 * @param signal is aborted when nobody waits for the rows any more; a driver that can should then
 *   cancel the statement
 * @returns the rows in their order; of a statement that has none, anything
 */
export type Run = (
  text: string,
  parameters: readonly Parameter[],
  options: { readonly signal: Signal },
) => PromiseLike<readonly Row[]>;
