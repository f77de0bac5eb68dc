// The public names of tercet/sql: the same criteria on SQL engines.

export { applyPatchesSql, type ApplyPatchesOptions } from "./apply-patches-sql.ts";
export { checkDriver, type DriverProblem } from "./check-driver.ts";
export { checkTable, type CheckTableOptions } from "./check-table.ts";
export type { TableProblem } from "./table-problem.ts";
export { compileSql, type CompileOptions, type QueryStatement } from "./compile-sql.ts";
export {
  createTable,
  createTables,
  type CreateTableOptions,
  type CreateTablesOptions,
  type ListFieldIndex,
  type ServiceIndexes,
} from "./tables.ts";
export type { Cluster, SpreadBy } from "./cluster.ts";
export {
  insertRecords,
  insertRows,
  type InsertOptions,
  type InsertRecordsOptions,
} from "./insert-rows.ts";
export type { ColumnName, ColumnNames } from "./columns.ts";
export type {
  ContactTableNames,
  ListTableNames,
  ServiceTables,
  TableName,
  TableNames,
} from "./names.ts";
export { DriverError } from "./driver.ts";
export { RowError } from "./records.ts";
export { ConsistencyError } from "./consistency.ts";
export type { DialectName, Parameter, Row, Run, Signal, Statement, TextForm } from "./dialect.ts";
export { createSqlCollection, type SqlCollection } from "./sql-collection.ts";
export type { SqlCollectionOptions } from "./table-options.ts";
export {
  checkDatabaseTables,
  type CheckDatabaseTablesOptions,
  type DatabaseTableProblem,
} from "./check-database.ts";
export { createDatabaseTables, type CreateDatabaseTablesOptions } from "./database-tables.ts";
export type { Schemas, SqlTable } from "./described-tables.ts";
export {
  createSqlDatabase,
  type SqlDatabase,
  type SqlDatabaseMethods,
  type SqlDatabaseOptions,
} from "./sql-database.ts";
export type { AbortOptions } from "./waiting.ts";
export { createSqlService, type SqlService, type SqlServiceOptions } from "./sql-service.ts";
