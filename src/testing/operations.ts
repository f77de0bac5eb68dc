// The operations of the service that the laws check, and the names of their parameters.

/** The name of an operation that the laws can check. */
export type Operation = "searchFiles" | "getBatchContacts";

const PAGE = ["search_criteria", "limit", "offset", "sort_by", "sort_order"];

/** The parameters of each operation, in order. */
export const PARAMETERS: Readonly<Record<Operation, readonly string[]>> = {
  searchFiles: ["api_key", ...PAGE],
  getBatchContacts: ["api_key", "batch_id", ...PAGE],
};

export const isOperation = (value: unknown): value is Operation =>
  typeof value === "string" && Object.hasOwn(PARAMETERS, value);

export const OPERATIONS: readonly Operation[] = Object.keys(PARAMETERS).filter(isOperation);
