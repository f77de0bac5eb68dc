// What every engine under test is: a dialect, a driver as an application would write it, and a way to be
// rid of all tables. A file beside this one for each.

export type Dialect = "postgres" | "clickhouse" | "clickhouse18" | "duckdb" | "sqlite" | "mariadb";

/** A value that is bound to a statement. */
export type Parameter = unknown;

export type Run = (
  text: string,
  parameters: readonly Parameter[],
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<readonly unknown[]>;

export interface Engine {
  /** The engine and its version, for reports. */
  readonly name: string;
  readonly dialect: Dialect;
  readonly run: Run;
  /** It has no U+0000 in text. */
  readonly refusesNul?: boolean;
  /** Its driver reads a text that begins with U+FEFF without it. */
  readonly dropsByteOrderMark?: boolean;
  /** Drops whatever tables there are. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
}
