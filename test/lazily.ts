// Values that tests share, made when the first test needs them. Code that runs while a test file loads
// belongs to no test, so a mutation run would assume that every test can see its mutants.

/** A function that makes the value at its first call, and gives the same one at each. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
