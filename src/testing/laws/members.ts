// Objects in a service's results, with members of unknown types.

export type Members = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown, name: string): Members {
  if (!isMembers(value)) throw new Error(`${name} is not an object`);
  return value;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
