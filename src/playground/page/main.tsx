// The page: what it shows is one view, which stands in its address, and what the worker answers to it.

import { render, type JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { isRow } from "../criteria-list.ts";
import { fromLink, type View } from "../link.ts";
import type { Asked, Source } from "../messages.ts";
import { useAnswer, useEngine, useLoaded } from "./asking.ts";
import { Criteria } from "./criteria.tsx";
import { Envelope } from "./envelope.tsx";
import { Facets } from "./facets.tsx";
import { keepFocus } from "./focus.ts";
import { Header, openFirst } from "./header.tsx";
import { How } from "./how.tsx";
import { ByList } from "./lists.tsx";
import { Status } from "./status.tsx";
import { Table } from "./table.tsx";
import { Tabs } from "./tabs.tsx";
import { useView, type Change } from "./view.ts";

function App(): JSX.Element {
  const [source, setSource] = useState<Source | undefined>(() => sourceOf(fromLink(location.hash)));
  /** Whether the question was about other data. It is then kept only if the new data have its fields. */
  const isOfOthers = useRef(false);
  const [view, change] = useView((next) => {
    isOfOthers.current = false;
    setSource((before) => {
      const now = sourceOf(next);
      const isSame =
        before !== undefined && "file" in before
          ? before.name === next.file
          : JSON.stringify(now) === JSON.stringify(before);
      return isSame ? before : now;
    });
  });
  const worker = useEngine();
  const data = useLoaded(worker, source, view.indexes, ({ fields }) =>
    change(({ criteria, sortBy }) => {
      const isSorted = fields.some(({ name, type }) => name === sortBy && type !== "json");
      const isAsked = criteria.every(
        (each) => each === "OR" || (isRow(each) && fields.some(({ name }) => name === each[0])),
      );
      const isKept = isAsked || !isOfOthers.current;
      isOfOthers.current = false;
      return { ...(isSorted ? {} : { sortBy: "" }), ...(isKept ? {} : { criteria: [] }) };
    }),
  );
  const [isDragged, setDragged] = useState(false);
  const take = (next: Source) => {
    const file = "file" in next ? next.name : "";
    isOfOthers.current = source !== undefined && (file === "" || file !== view.file);
    setSource(next);
    change("file" in next ? { file } : { ...next, file });
  };
  return (
    <div
      class={isDragged ? "page dragged" : "page"}
      onDragOver={(event) => {
        event.preventDefault();
        setDragged(true);
      }}
      onDragLeave={() => setDragged(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDragged(false);
        openFirst(event.dataTransfer?.files, take);
      }}
    >
      <Header
        view={view}
        source={source}
        loaded={data.loaded}
        onSource={take}
        onProblem={data.setProblem}
      />
      <Question
        {...data}
        isWaiting={source === undefined}
        worker={worker}
        view={view}
        change={change}
      />
    </div>
  );
}

/** The data that a link describes. None if they were in a file. */
const sourceOf = ({ file, kind, count, seed }: View): Source | undefined =>
  file === "" ? { kind, count, seed } : undefined;

interface QuestionProps extends ReturnType<typeof useLoaded> {
  /** Whether the file of the link has not been opened yet. */
  readonly isWaiting: boolean;
  readonly worker: ReturnType<typeof useEngine>;
  readonly view: View;
  readonly change: Change;
}

/** The criteria, and all that answers them. */
function Question(props: QuestionProps): JSX.Element {
  const { isWaiting, worker, loaded, problem, all, view, change } = props;
  const { engine, indexes, progress } = worker;
  const { sortBy, sortOrder, tab } = view;
  const [byList, setByList] = useState(false);
  const question = JSON.stringify([view.criteria, sortBy, sortOrder]);
  const asked = useMemo<Asked>(() => ({ criteria: view.criteria, sortBy, sortOrder }), [question]);
  const { criteria } = asked;
  const { answer, fault, ask } = useAnswer(engine, loaded, asked);

  const sort = (field: string) => {
    if (sortBy !== field) change({ sortBy: field, sortOrder: "DESC" });
    else if (sortOrder === "DESC") change({ sortOrder: "ASC" });
    else change({ sortBy: "", sortOrder: "DESC" });
  };
  return (
    <main>
      <Criteria
        fields={loaded?.fields ?? []}
        list={criteria}
        fault={fault}
        onChange={(list) => change({ criteria: list })}
        complete={async (...typed) => (await engine.latest("complete", ...typed)) ?? []}
      />
      <Status
        wanted={loaded === undefined && isWaiting ? view.file : ""}
        loaded={loaded}
        progress={progress}
        problem={problem}
        answer={answer}
        isStale={fault !== undefined}
      />
      <div class="tabs">
        <Tabs
          tab={tab}
          hasMethods={loaded?.kind !== undefined || loaded === undefined}
          onTab={(next) => change({ tab: next })}
        />
        <span class="space" />
        {tab === "answer" && loaded !== undefined && loaded.lists.length > 0 && (
          <label class="toggle">
            <input
              type="checkbox"
              checked={byList}
              onChange={(event) => setByList(event.currentTarget.checked)}
            />
            by List
          </label>
        )}
      </div>
      <div id="shown" role="tabpanel" aria-labelledby={`tab-${tab}`} class="shown">
        {tab === "answer" && !byList && loaded !== undefined && answer !== undefined && (
          <Table
            fields={loaded.fields}
            answer={answer}
            asked={asked}
            onSort={sort}
            fetch={(offset, limit) => void ask(offset, limit)}
          />
        )}
        {tab === "answer" && byList && loaded !== undefined && (
          <ByList {...{ engine, loaded, asked }} matching={answer?.matching ?? 0} />
        )}
        {tab === "facets" && loaded !== undefined && (
          <Facets
            {...{ engine, loaded, all }}
            list={criteria}
            onChange={(list) => change({ criteria: list })}
          />
        )}
        {tab === "how" && (
          <How
            {...{ engine, loaded, asked, indexes }}
            mode={view.indexes}
            onMode={(mode) => change({ indexes: mode })}
          />
        )}
        {tab === "envelope" && loaded !== undefined && (
          <Envelope subject={{ ...loaded, file: view.file }} asked={asked} engine={engine} />
        )}
      </div>
    </main>
  );
}

const root = document.querySelector<HTMLElement>("#app");
if (root !== null) {
  keepFocus(root);
  render(<App />, root);
}
