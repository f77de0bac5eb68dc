// The parts of the packages in test/engines/node_modules that the tests use. Declared here, so that checking the
// repository does not require these packages.

declare module "chdb" {
  export class Session {
    query(sql: string): string;
    queryBind(sql: string, parameters: Readonly<Record<string, unknown>>, format: string): string;
    cleanup(): void;
  }
}

declare module "mysql2/promise" {
  export interface Asked {
    readonly sql: string;
    readonly rowsAsArray: true;
  }
  export interface Connection {
    readonly threadId: number;
    /** Of a statement without rows, what it did. */
    execute(asked: Asked, values: readonly unknown[]): Promise<[unknown[][] | object, unknown]>;
    release(): void;
  }
  export interface Pool {
    query(text: string | Asked): Promise<[unknown[][], unknown]>;
    getConnection(): Promise<Connection>;
    end(): Promise<void>;
  }
  export function createPool(options: Readonly<Record<string, unknown>>): Pool;
}
