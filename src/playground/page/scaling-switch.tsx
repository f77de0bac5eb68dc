// How charts are scaled, as somebody chooses.

import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { Charts } from "../link.ts";
import { Scalings, type Scaling } from "./scaling.ts";

const ChangeScaling = createContext<(scaling: Scaling) => void>(() => undefined);

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

interface ScaledProps {
  readonly charts: Charts;
  readonly onCharts: (charts: Charts) => void;
  readonly children: ComponentChildren;
}

/** Charts, and the switches of their scales. */
export function Scaled({ charts, onCharts, children }: ScaledProps): JSX.Element {
  const { one, log } = charts;
  const scaling = useMemo(() => ({ isOne: one !== "", isLog: log !== "" }), [one, log]);
  const change = ({ isOne, isLog }: Scaling) =>
    onCharts({ ...charts, one: isOne ? "1" : "", log: isLog ? "1" : "" });
  return (
    <Scalings.Provider value={scaling}>
      <ChangeScaling.Provider value={change}>{children}</ChangeScaling.Provider>
    </Scalings.Provider>
  );
}
