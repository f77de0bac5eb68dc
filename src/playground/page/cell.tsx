// A cell of the table: a value, or what it is edited with.

import type { JSX } from "preact";
import type { FieldValue } from "../../index.ts";
import { isOwn, type FieldInfo } from "../messages.ts";
import { Editor } from "./editor.tsx";
import { alignment } from "./head.tsx";
import { isNone, rawText, textIn } from "./words.ts";

interface Props {
  readonly id: string;
  readonly field: FieldInfo;
  /** `undefined` until it is there. */
  readonly value: FieldValue | undefined;
  readonly isActive: boolean;
  readonly isEdited: boolean;
  readonly onChoose: () => void;
  readonly onEdit: () => void;
  readonly save: (value: unknown) => Promise<void>;
  readonly close: () => void;
}

export function Cell(props: Props): JSX.Element {
  const { id, field, value, isActive, isEdited, onChoose, onEdit, save, close } = props;
  const text = value === undefined ? "" : textIn(value, field);
  const raw = value === undefined ? "" : rawText(value);
  const isOpen = isEdited && value !== undefined && isOwn(field);
  return (
    <div
      id={id}
      role="gridcell"
      dir="auto"
      class={`${alignment(field)} ${isNone(value) ? "none" : ""} ${isActive ? "at" : ""} ${isOpen ? "edited" : ""}`}
      {...(text === raw ? {} : { title: raw })}
      onClick={onChoose}
      onDblClick={onEdit}
    >
      {isOpen ? <Editor {...{ field, value, save, close }} label="Save" /> : text}
    </div>
  );
}
