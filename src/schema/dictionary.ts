// Objects whose members have any names, such as `__proto__`: these have no prototype.

/** An object without a prototype. @param members copied into it */
export function dictionary<Value>(members?: object): Record<string, Value> {
  return Object.assign(Object.create(null) as Record<string, Value>, members);
}
