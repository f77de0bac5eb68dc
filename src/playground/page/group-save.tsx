// Saves a table of groups as a file, or as a picture.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { keysName, measureName } from "../group-labels.ts";
import type { Groups } from "../groups.ts";
import { stemOf } from "../link.ts";
import type { CriteriaList, FieldInfo, FileFormat } from "../messages.ts";
import type { Format } from "../texts.ts";
import { Problem } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { Panel } from "./panel.tsx";
import { groupPicture } from "./group-picture.ts";
import { FORMATS, offer } from "./save.tsx";
import { counted, shown } from "./words.ts";

interface Props {
  readonly engine: Engine;
  readonly list: CriteriaList;
  readonly found: Groups;
  /** What is drawn, if anything is. */
  readonly field?: FieldInfo;
  readonly format: Format;
  readonly name: string;
}

export function GroupSave({ engine, list, found, field, format, name }: Props): JSX.Element {
  const [problem, setProblem] = useState("");
  const [said, setSaid] = useState("");
  const { of } = found;
  const save = async (ending: string, make: () => Blob | Promise<Blob>, close: () => void) => {
    setProblem("");
    try {
      const file = `${stemOf(name)}.${measureName(of)} by ${keysName(of)}.${ending}`;
      offer(await make(), file);
      setSaid(`Saved as ${shown(file)}`);
      close();
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <>
      <span role="status" class="said">
        {said}
      </span>
      <Panel label="Save groups" name="Save groups">
        {(close) => (
          <>
            <p>{counted(found.found, "group")} as</p>
            <p class="choices">
              {(Object.keys(FORMATS) as FileFormat[]).map((each) => (
                <button
                  key={each}
                  type="button"
                  onClick={() =>
                    void save(each, () => engine.call("saveGroups", list, of, each), close)
                  }
                >
                  {FORMATS[each]}
                </button>
              ))}
            </p>
            {field !== undefined && (
              <>
                <p>The listed groups with their bars, as</p>
                <p class="choices">
                  <button
                    type="button"
                    onClick={() =>
                      void save(
                        "svg",
                        () =>
                          new Blob([groupPicture(found, field, format)], { type: "image/svg+xml" }),
                        close,
                      )
                    }
                  >
                    SVG
                  </button>
                </p>
              </>
            )}
            <Problem text={problem} />
          </>
        )}
      </Panel>
    </>
  );
}
