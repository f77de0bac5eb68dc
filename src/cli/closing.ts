// The open sources of a command.

const closing: (() => void)[] = [];

/** Adds a source for {@link closeSources} to close. */
export function closeAtEnd(close: () => void): void {
  closing.push(close);
}

/** Closes all sources, after which no more records can be read. */
export function closeSources(): void {
  for (const close of closing.splice(0)) close();
}
