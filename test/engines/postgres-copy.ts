// COPY by the driver pg, as src/sql/README.md has it: a statement with its input.

import pg from "pg";
import type { Statement } from "../../src/sql/index.ts";

class Copy extends pg.Query {
  readonly data: string;

  constructor(text: string, data: string, told: (thrown?: Error) => void) {
    super(text, told);
    this.data = data;
  }

  /** Called by the driver when the server is ready. */
  handleCopyInResponse(connection: {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
  }): void {
    connection.sendCopyFromChunk(Buffer.from(this.data));
    connection.endCopyFrom();
  }
}

/** Sends a statement of any kind. */
export async function send(
  client: pg.ClientBase,
  { text, parameters, data }: Statement,
): Promise<void> {
  if (data === undefined) {
    await client.query(text, [...parameters]);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    client.query(new Copy(text, data, (thrown) => (thrown ? reject(thrown) : resolve())));
  });
}
