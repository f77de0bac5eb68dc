// Criteria whose values name several values of a field at once: periods of time (rule C18). They are bound to ranges, so
// that nothing else knows of periods.

import { describe } from "../schema/errors.ts";
import { remedyFor, type TextValue } from "../schema/field.ts";
import type { Span, Spans } from "../schema/kinds/kind.ts";
import type { Bounds } from "./bounds.ts";
import { bind, OperandError, type BoundOperator, type OperandSetting } from "./operands.ts";
import type { Taken } from "./operator.ts";
import type { OperatorChoice } from "./operators.ts";
import { negatedOperator } from "./tree.ts";
import { testOfTexts } from "./value-test.ts";

/**
 * Binds an operator to a value in a field of which one value may name several.
 *
 * @returns the operators of which one must hold; `undefined` if the value is not accepted
 * @throws OperandError
 */
export function bindSpans(
  operator: OperatorChoice,
  input: unknown,
  setting: OperandSetting,
  { of, accepts }: Spans,
): readonly BoundOperator[] | undefined {
  const spanOf = (value: unknown) => of(value, setting);
  const bound = (value: unknown) => {
    const one = bind(operator, value, setting);
    return one && [one];
  };
  switch (operator.takes) {
    case "value": {
      const span = input === null ? undefined : spanOf(input);
      if (span === undefined) return input === null ? bound(null) : undefined;
      if (isOne(span)) return bound(span.low);
      return [operator.selects === "other" ? negatedOperator(within(span)) : within(span)];
    }
    case "bound": {
      const span = spanOf(input);
      return span && bound(endOf(span, operator.selects));
    }
    case "range": {
      if (!Array.isArray(input) || input.length !== 2) return undefined;
      const spans = [0, 1].map((index) => memberOf(input[index], index));
      return bound(spans.map((span, i) => endOf(span, operator.selects[i === 0 ? 0 : 1])));
    }
    case "values": {
      const members = membersOf(input, setting.maxValues);
      if (members === undefined) return undefined;
      const values = new Set<TextValue>();
      const spans: Span[] = [];
      for (const [index, member] of members.entries()) {
        const span = member === null ? undefined : memberOf(member, index);
        if (span === undefined) values.add(null);
        else if (isOne(span)) values.add(span.low);
        else spans.push(span);
      }
      const ofValues = values.size > 0 || spans.length === 0 ? bound([...values]) : [];
      return ofValues && [...ofValues, ...united(spans).map(within)];
    }
    case "text":
    case "element":
    case "elements":
      return bound(input);
  }

  function memberOf(given: unknown, index: number): Span {
    const span = spanOf(given);
    if (span !== undefined) return span;
    const reason = `value[${index}] must be ${accepts}, not ${describe(given)}`;
    throw new OperandError(reason + remedyFor(setting, given));
  }
}

/** The values that an operator takes in such a field, for a message: completes "takes …". */
export function acceptedSpans(takes: Taken, accepts: string): string {
  if (takes === "value") return `${accepts}, or null`;
  if (takes === "range") return `an array of two bounds, the lower one first, each ${accepts}`;
  return takes === "values"
    ? `an array of these, or a string with commas between: ${accepts}`
    : accepts;
}

const isOne = ({ low, high }: Span) => low === high;

/** After a period, and until it, mean its end; from it, and before it, its start. */
const endOf = ({ low, high }: Span, comparison: ">" | ">=" | "<" | "<=") =>
  comparison === ">" || comparison === "<=" ? high : low;

/** Holds within a range. */
function within({ low, high }: Span): BoundOperator {
  const bounds: Bounds = {
    kind: "interval",
    limits: [
      { comparison: ">=", bound: low },
      { comparison: "<=", bound: high },
    ],
  };
  return { value: Object.freeze([low, high] as const), test: testOfTexts(bounds), bounds };
}

function membersOf(given: unknown, maxValues: number): readonly unknown[] | undefined {
  const isList = Array.isArray(given);
  if (!isList && typeof given !== "string") return undefined;
  // One more than allowed, since a string may have a hundred million commas.
  const length = isList ? given.length : given.split(",", maxValues + 1).length;
  if (length > maxValues) {
    throw new OperandError(`there may be at most ${maxValues} values`, { code: "limit" });
  }
  return isList ? Array.from({ length }, (_, i) => given[i] as unknown) : given.split(",");
}

/** The same ranges in order, those that overlap as one. */
function united(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => (a.low < b.low ? -1 : Number(a.low > b.low)))) {
    const last = all.at(-1);
    if (last === undefined || span.low > last.high) all.push(span);
    else if (span.high > last.high) all[all.length - 1] = { low: last.low, high: span.high };
  }
  return all;
}
