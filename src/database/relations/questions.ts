// The questions that a database answers, by the name of a collection.

import { InputError, alternatives, describe } from "../../schema/errors.ts";
import { suggestion } from "../../schema/nearest.ts";
import { copyOfAsked } from "../copy-asked.ts";
import type { Relations } from "./relations.ts";

/** @throws InputError if there is no collection with that name */
export function requireCollection(names: readonly string[], name: unknown): string {
  if (typeof name === "string" && names.includes(name)) return name;
  const near = typeof name === "string" ? suggestion(name, names) : "";
  const code = typeof name === "string" ? "not_found" : "invalid";
  throw new InputError("name", `must be ${alternatives(names)}, not ${describe(name)}${near}`, {
    code,
  });
}

/** The methods that ask a question of a collection, whose fields are those that paths lead to as well. */
export function questions(names: readonly string[], relations: Relations) {
  const ask = <Result>(
    name: unknown,
    given: unknown,
    answer: (collection: Asking, asked: unknown) => Result,
  ): Result => {
    const known = requireCollection(names, name);
    // A copy, because the names in it are read first.
    const asked = copyOfAsked(given, "query");
    const question = relations.question(known, asked);
    return answer(question.collection() as unknown as Asking, question.asked);
  };
  return {
    query: (name: unknown, query?: unknown) =>
      ask(name, query, (collection, asked) => collection.query(asked)),
    page: (name: unknown, query?: unknown) =>
      ask(name, query, (collection, asked) => collection.page(asked)),
    count: (name: unknown, criteria?: unknown) =>
      ask(name, { criteria }, (collection, asked) => collection.count(criteriaIn(asked))),
    groupBy: (name: unknown, query?: unknown) =>
      ask(name, query, (collection, asked) => collection.groupBy(asked)),
    explain: (name: unknown, query?: unknown, options?: unknown) =>
      ask(name, query, (collection, asked) => collection.explain(asked, options)),
    explainCount: (name: unknown, criteria?: unknown) =>
      ask(name, { criteria }, (collection, asked) => collection.explainCount(criteriaIn(asked))),
    explainGroupBy: (name: unknown, query?: unknown) =>
      ask(name, query, (collection, asked) => collection.explainGroupBy(asked)),
  };
}

const criteriaIn = (asked: unknown) => (asked as { readonly criteria: unknown }).criteria;

/** A collection of any schema, with unchecked arguments; the types of the answers are those that callers declare. */
type Asking = Readonly<
  Record<
    "query" | "page" | "count" | "groupBy" | "explain" | "explainCount" | "explainGroupBy",
    (...given: readonly unknown[]) => never
  >
>;
