// How charts are scaled, as somebody chooses.

import { createContext, type JSX } from "preact";
import { useContext } from "preact/hooks";
import { Scalings, type Scaling } from "./scaling.ts";

export const ChangeScaling = createContext<(scaling: Scaling) => void>(() => undefined);

/** @param isAlone whether there is nothing behind what is drawn */
export function ScalingSwitch({ isAlone = false }: { readonly isAlone?: boolean }): JSX.Element {
  const scaling = useContext(Scalings);
  const change = useContext(ChangeScaling);
  const box = (name: "isOne" | "isLog", text: string) => (
    <label class="toggle">
      <input
        type="checkbox"
        checked={scaling[name]}
        onChange={({ currentTarget }) => change({ ...scaling, [name]: currentTarget.checked })}
      />
      {text}
    </label>
  );
  return (
    <span class="scaling">
      {!isAlone && box("isOne", "Selection and all on one scale")}
      {box("isLog", "Log scale")}
    </span>
  );
}
