// Values that tests share, made when the first test asks for them. What runs while a test file loads
// belongs to no test: a mutation run would then take every test for one that can see its mutants.

/** A function that makes the value at its first call, and gives the same one at each. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
