// A table that is open: its question, which is its view, and all that answers it.

import type { JSX } from "preact";
import { useContext, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { isOn, withCriteria, withTimes } from "../criteria-list.ts";
import { zonedFields } from "../times.ts";
import { nameOf } from "../link.ts";
import { isSortable, type Asked, type Change as DataChange } from "../messages.ts";
import type { CriteriaList, Loaded, ReadAs } from "../messages.ts";
import { useAnswer, useEngine, useLoaded } from "./asking.ts";
import { Changes } from "./changes.tsx";
import { Problem } from "./controls.tsx";
import { Preview } from "./preview.tsx";
import { Notices } from "./notices.tsx";
import { Pane, useIds } from "./pane.ts";
import { Text } from "./text.tsx";
import { Columns } from "./columns.tsx";
import { ComputedColumns } from "./computed.tsx";
import { Criteria } from "./criteria.tsx";
import { Envelope } from "./envelope.tsx";
import { Facets } from "./facets.tsx";
import type { GroupBy } from "../groups.ts";
import { GroupTable } from "./group-by.tsx";
import { How } from "./how.tsx";
import { ByList } from "./lists.tsx";
import { useExtended, type Extended } from "./extending.ts";
import { ownFields, Relations, type Other } from "./relations.tsx";
import { Profiles } from "./profile.tsx";
import { Scaled, ScalingSwitch } from "./scaling-switch.tsx";
import { ScatterPlot } from "./scatter.tsx";
import { Save } from "./save.tsx";
import { Status } from "./status.tsx";
import { Table } from "./table.tsx";
import { mayLose, type Change, type OpenTable } from "./tables.ts";
import { Tabs } from "./tabs.tsx";
import { useWide } from "./wide.ts";
import { shown } from "./words.ts";
import { Zones } from "./zones.tsx";

interface Props {
  readonly table: OpenTable;
  readonly isShown: boolean;
  readonly change: Change;
  readonly close: () => void;
  readonly mark: (isChanged: boolean) => void;
  /** The other tables that are loaded. */
  readonly others: readonly Other[];
  /** Makes this table one of those; `undefined` if it can't be. */
  readonly offer: (own: Other | undefined) => void;
}

/** An open table. It is loaded and keeps its data while another is shown. */
export function Opened(props: Props): JSX.Element | null {
  const { table, isShown, change, close, mark, others, offer } = props;
  const { source, view, isBorrowed } = table;
  const worker = useEngine();
  const onLoaded = ({ fields }: Loaded) =>
    change(({ criteria, sort, relations, computed }) => {
      const isLater = (name: string) =>
        relations.some(({ by }) => name.startsWith(`${by}.`)) ||
        computed.some((each) => each.name === name);
      const kept = sort.filter(
        ([by]) => isLater(by) || fields.some((field) => field.name === by && isSortable(field)),
      );
      const later = computed.map(({ name }) => ({ name, operators: [] }));
      const isKept = isOn(criteria, [...fields, ...later]) || !isBorrowed;
      return { sort: kept, criteria: isKept ? criteria : [] };
    }, false);
  const data = useLoaded(worker, source, view, onLoaded, (readAs) => change({ readAs }, false));
  const isChanged = data.changed !== undefined && data.changed.done.length > 0;
  // Not after the next frame, until which it could be closed without the question.
  useLayoutEffect(() => mark(isChanged), [isChanged]);
  const { loaded, loads, changed } = data;
  const version = useMemo(() => ({}), [loads, changed]);
  useEffect(() => {
    const isOffered = loaded !== undefined && loaded.kind === undefined;
    const own = { name: nameOf(view), engine: worker.engine, version };
    offer(isOffered ? { ...own, fields: ownFields(loaded) } : undefined);
  }, [version, loaded === undefined, nameOf(view)]);
  useEffect(() => () => offer(undefined), []);
  const extended = useExtended(worker, data, view, others, isShown);
  return isShown ? (
    <Question {...data} {...{ worker, table, change, close, others, extended }} />
  ) : null;
}

interface QuestionProps
  extends ReturnType<typeof useLoaded>, Pick<Props, "change" | "close" | "others"> {
  readonly extended: Extended;
  readonly worker: ReturnType<typeof useEngine>;
  readonly table: OpenTable;
}

/** The criteria, and all that answers them. */
function Question(props: QuestionProps): JSX.Element {
  const { worker, table, problem, unread, setProblem, all, changed } = props;
  const { edit, change, close, others, extended } = props;
  const { source, view } = table;
  const { engine, indexes, progress } = worker;
  const run = (wanted: DataChange) => {
    setProblem("");
    edit(wanted).catch((thrown: unknown) =>
      setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  const { sort, tab, zone } = view;
  const fields = useMemo(
    () => zonedFields(props.loaded?.fields ?? [], zone),
    [props.loaded?.fields, zone],
  );
  const loaded = useMemo(() => props.loaded && { ...props.loaded, fields }, [props.loaded, fields]);
  const byList = view.byList && (loaded === undefined || loaded.lists.length > 0);
  const question = JSON.stringify([view.criteria, sort]);
  const asked = useMemo<Asked>(
    () => ({ criteria: withTimes(view.criteria, fields), sort }),
    [question, fields],
  );
  const { criteria } = asked;
  // A file may hold anything until it is loaded.
  const isServed =
    loaded === undefined ? /files|contacts/.test(view.kind) : loaded.kind !== undefined;
  /** Charts read criteria with numbers for times, and change them as they are typed. */
  const restrict = (make: (list: CriteriaList) => CriteriaList) =>
    change((before) => ({ criteria: make(before.criteria) }));
  const read = (readAs: ReadAs) => {
    if (mayLose(table)) change({ readAs });
  };
  /** What was read, or could not be: then it can be read otherwise. */
  const text =
    loaded === undefined ? unread && { ...unread, given: view.readAs.text } : loaded.read?.text;
  const isTable = tab === "answer" && !byList;
  const { answer, fault, isLate, ask } = useAnswer(engine, loaded, asked, isTable);
  const { charts } = view;
  const facets = useMemo(
    () =>
      loaded !== undefined && (
        <Facets {...{ engine, loaded, all }} list={criteria} onChange={restrict} />
      ),
    [loaded, all, criteria],
  );
  const pane = useContext(Pane);
  const id = useIds();
  const isWide = useWide();
  const [hasCharts, setCharts] = useState(true);
  const isBeside = isTable && isWide && hasCharts;
  // There is one main part.
  const Root = pane === "" ? "main" : "section";
  const onGroup = (group: GroupBy) => change({ group, tab: "groups" });

  return (
    <Root
      {...(pane === "" ? {} : { class: "second", "aria-label": shown(nameOf(view)) })}
      data-pane={pane}
    >
      <Criteria
        fields={fields}
        list={view.criteria}
        fault={fault}
        onChange={(list) => change({ criteria: list })}
        complete={async (...typed) => (await engine.latest("complete", ...typed)) ?? []}
      />
      {problem !== "" && <Problem text={`${shown(nameOf(view))}: ${problem}`} />}
      <div class="tabs">
        <Status
          wanted={loaded === undefined && source === undefined ? nameOf(view) : ""}
          loaded={loaded}
          progress={progress}
          onCancel={() => {
            if (
              loaded !== undefined &&
              JSON.stringify(view.computed) !== JSON.stringify(extended.computed)
            ) {
              change({ computed: extended.computed }, false);
              return;
            }
            const readAs = props.readBefore();
            if (readAs === undefined) close();
            else change({ readAs }, false);
          }}
          answer={answer}
          isStale={fault !== undefined || isLate}
        />
        <Tabs tab={tab} hasMethods={isServed} onTab={(next) => change({ tab: next })} />
        <div class="actions">
          {loaded !== undefined && answer !== undefined && (
            <>
              <Changes
                {...{ changed, edit, run, criteria }}
                {...loaded}
                matching={answer.matching}
              />
              <Save {...{ engine, asked, changed }} {...answer} {...loaded} name={nameOf(view)} />
            </>
          )}
          {isTable && loaded !== undefined && (
            <Columns
              fields={loaded.fields}
              chosen={view.columns}
              isFrozen={view.isFrozen}
              onColumns={(columns) => change({ columns })}
              onFreeze={(isFrozen) => change({ isFrozen })}
            />
          )}
          {isTable && isWide && loaded !== undefined && (
            <button
              type="button"
              class="plain"
              aria-pressed={hasCharts}
              onClick={() => setCharts(!hasCharts)}
            >
              Charts
            </button>
          )}
          {loaded !== undefined && loaded.kind === undefined && (
            <ComputedColumns
              {...{ engine, fields }}
              {...{ computed: view.computed, problems: extended.problems }}
              onChange={(computed) => change({ computed })}
              onTrue={(name) => restrict((list) => withCriteria(list, [[name, "exactly", true]]))}
            />
          )}
          <Zones {...{ fields, zone }} onZone={(next) => change({ zone: next })} />
          {loaded !== undefined && loaded.kind === undefined && (
            <Relations
              {...{ loaded, others, missing: extended.missing }}
              relations={view.relations}
              onChange={(relations) => change({ relations })}
            />
          )}
          {source !== undefined && "file" in source && (
            <Text
              text={text}
              isOpen={loaded === undefined}
              onChange={(next) => read({ ...view.readAs, text: { ...view.readAs.text, ...next } })}
            />
          )}
          {loaded?.read !== undefined && (
            <Notices
              all={loaded.read.notices}
              nearly={loaded.read.nearly}
              onType={(name, type) => {
                const { types } = view.readAs;
                const others = types.filter(([known]) => known !== name);
                read({ ...view.readAs, types: [...others, [name, type]] });
              }}
            />
          )}
          {tab === "answer" && loaded !== undefined && loaded.lists.length > 0 && (
            <label class="toggle">
              <input
                type="checkbox"
                checked={byList}
                onChange={({ currentTarget }) => change({ byList: currentTarget.checked })}
              />
              by List
            </label>
          )}
        </div>
      </div>
      {loaded === undefined && progress?.preview !== undefined && <Preview {...progress.preview} />}
      <div
        id={id("shown")}
        role="tabpanel"
        aria-labelledby={id(`tab-${tab}`)}
        class={isBeside ? "shown with-charts" : "shown"}
      >
        {isTable && loaded !== undefined && answer !== undefined && (
          <Table
            chosen={view.columns}
            isFrozen={view.isFrozen}
            onColumns={(columns) => change({ columns })}
            types={view.readAs.types}
            onTypes={loaded.read && ((types) => read({ ...view.readAs, types }))}
            {...{ engine, loaded, answer, asked, edit, run, onGroup }}
            onSort={(next) => change({ sort: next })}
            fetch={(offset, limit) => void ask(offset, limit)}
          />
        )}
        {isBeside && (
          <aside aria-label="Charts">
            <Scaled charts={charts} onCharts={(next) => change({ charts: next })}>
              {facets}
            </Scaled>
          </aside>
        )}
        {tab === "answer" && byList && loaded !== undefined && (
          <ByList {...{ engine, loaded, asked }} matching={answer?.matching ?? 0} />
        )}
        {tab === "facets" && loaded !== undefined && (
          <Scaled charts={charts} onCharts={(next) => change({ charts: next })}>
            <ScalingSwitch />
            {facets}
            <ScatterPlot
              {...{ engine, loaded, charts }}
              list={criteria}
              onCharts={(next) => change({ charts: next })}
              onChange={restrict}
            />
          </Scaled>
        )}
        {tab === "groups" && loaded !== undefined && (
          <Scaled charts={charts} onCharts={(next) => change({ charts: next })}>
            <GroupTable
              {...{ engine, loaded, onGroup }}
              list={criteria}
              group={view.group}
              name={nameOf(view)}
              onChange={restrict}
            />
          </Scaled>
        )}
        {tab === "profile" && loaded !== undefined && (
          <Profiles
            {...{ engine, loaded, onGroup }}
            list={criteria}
            onColumns={(names) =>
              change({ columns: names.map((name) => ({ name })), tab: "answer" })
            }
            onChange={restrict}
          />
        )}
        {tab === "how" && (
          <How
            {...{ engine, loaded, asked, indexes }}
            mode={view.indexes}
            onMode={(mode) => {
              if (mayLose(table)) change({ indexes: mode });
            }}
          />
        )}
        {tab === "envelope" && loaded !== undefined && (
          <Envelope
            subject={{
              ...{ ...loaded, relations: view.relations },
              file: view.file || `${view.kind}.csv`,
            }}
            asked={asked}
            engine={engine}
          />
        )}
      </div>
    </Root>
  );
}
