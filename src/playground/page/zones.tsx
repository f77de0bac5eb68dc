// In which zone times are shown, typed and grouped.

import type { JSX } from "preact";
import type { FieldInfo } from "../messages.ts";
import { Select } from "./controls.tsx";

interface Props {
  readonly fields: readonly FieldInfo[];
  /** `""` for UTC. */
  readonly zone: string;
  readonly onZone: (zone: string) => void;
}

/** Nothing if no column has times with a clock. */
export function Zones({ fields, zone, onZone }: Props): JSX.Element | null {
  if (!fields.some(({ unit, form }) => unit !== undefined && form?.separator !== "")) return null;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const names = new Set([zone, own, ...Intl.supportedValuesOf("timeZone")]);
  const others = [...names].filter((name) => name !== "" && name !== "UTC");
  return (
    <Select
      aria-label="Time zone"
      value={zone}
      options={[["", "UTC"], ...others.map((name) => [name, name.replaceAll("_", " ")] as const)]}
      onChange={onZone}
    />
  );
}
