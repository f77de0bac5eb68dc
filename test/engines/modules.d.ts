// Of the packages in test/engines/node_modules, what the tests use of them. Written here, so that the
// check of the repository needs none of them installed.

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
