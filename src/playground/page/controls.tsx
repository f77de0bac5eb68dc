// Controls that several parts of the page have.

import type { JSX } from "preact";

export function Select<Value extends string | number>({
  options,
  onChange,
  ...attributes
}: {
  /** Each value, and its text if that is another. */
  readonly options: readonly (readonly [value: Value, text?: string])[];
  readonly value: Value;
  readonly onChange: (value: string) => void;
  readonly id?: string;
  readonly "aria-label"?: string;
}): JSX.Element {
  return (
    <select {...attributes} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([value, text = value]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** One choice of a few, all of them in sight. */
export function Switch<Value extends string>(props: {
  readonly name: string;
  readonly legend: JSX.Element;
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}): JSX.Element {
  return (
    <fieldset class="switch">
      {props.legend}
      {(Object.entries(props.options) as [Value, string][]).map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={props.name}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** What is wrong, if anything. */
export function Problem({ text, id }: { readonly text: string | undefined; readonly id?: string }) {
  return text === undefined || text === "" ? null : (
    <p class="fault" role="alert" id={id}>
      {text}
    </p>
  );
}
