// Answers the calls that host.ts makes of a process, one after the other, until it lets go.

/** What a process can be asked to do. */
export type Tasks = Readonly<Record<string, (...parameters: never[]) => unknown>>;

export interface Call {
  readonly task: string;
  readonly parameters: readonly unknown[];
}

export type Reply = { readonly result: unknown } | { readonly error: string };

export function answerCalls(tasks: Tasks): void {
  process.on("message", (message) => {
    const { task, parameters } = message as Call;
    const run = tasks[task] as (...given: readonly unknown[]) => unknown;
    void (async () => {
      try {
        process.send?.({ result: await run(...parameters) } satisfies Reply);
      } catch (error) {
        process.send?.({ error: String(error) } satisfies Reply);
      }
    })();
  });
  process.on("disconnect", () => process.exit());
}
