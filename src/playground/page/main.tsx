// The page: what it shows is one view, which stands in its address, and what the worker answers to it.

import { render, type JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { IndexReport, QueryPlan } from "../../index.ts";
import type { DialectName } from "../../sql/index.ts";
import type { CriteriaList } from "../criteria-list.ts";
import { fromLink, TABS, toLink, type Tab, type View } from "../link.ts";
import type {
  Answer,
  Asked,
  FacetCounts,
  Fault,
  Lists,
  Loaded,
  Progress,
  Source,
} from "../messages.ts";
import { Criteria } from "./criteria.tsx";
import { Data } from "./data.tsx";
import { Engine, Refused } from "./engine.ts";
import { Envelope } from "./envelope.tsx";
import { Facets } from "./facets.tsx";
import { keepFocus } from "./focus.ts";
import { How, PLANNED_PAGE } from "./how.tsx";
import { ByList, PER_PAGE } from "./lists.tsx";
import { Table } from "./table.tsx";
import { bytes, count, milliseconds } from "./words.ts";

/** The worker's program, which the build puts here. */
declare const WORKER: string;

const FIRST_ROWS = 60;

/** So long after the last change it stands in the address, in milliseconds. */
const LINK_PAUSE = 150;

const TITLES: Readonly<Record<Tab, string>> = {
  answer: "Answer",
  facets: "Facets",
  how: "How",
  envelope: "Envelope",
};

function App(): JSX.Element {
  const [view, setView] = useState<View>(() => fromLink(location.hash));
  const [source, setSource] = useState<Source>(() => generated(fromLink(location.hash)));
  const [loaded, setLoaded] = useState<Loaded>();
  const [progress, setProgress] = useState<Progress>();
  const [problem, setProblem] = useState("");
  const [indexes, setIndexes] = useState<readonly IndexReport[]>([]);
  const [fault, setFault] = useState<Fault>();
  const [answer, setAnswer] = useState<Answer>();
  const [byList, setByList] = useState(false);
  const [listPage, setListPage] = useState(0);
  const [lists, setLists] = useState<Lists>();
  const [all, setAll] = useState<readonly FacetCounts[]>([]);
  const [selected, setSelected] = useState<readonly FacetCounts[]>([]);
  const [plan, setPlan] = useState<QueryPlan>();
  const [isChoosing, setChoosing] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const [isDragged, setDragged] = useState(false);
  const [isCopied, setCopied] = useState(false);

  const engine = useMemo(
    () =>
      new Engine(WORKER, (news) => {
        if ("progress" in news) setProgress(news.progress);
        else setIndexes(news.indexes);
      }),
    [],
  );

  const { criteria, sortBy, sortOrder, tab } = view;
  const question = JSON.stringify([criteria, sortBy, sortOrder]);
  const asked = useMemo<Asked>(() => ({ criteria, sortBy, sortOrder }), [question]);
  const change = (part: Partial<View>) => setView((before) => ({ ...before, ...part }));

  // Browsers refuse an address that changes as often as a brush moves.
  useEffect(() => {
    setCopied(false);
    const pause = setTimeout(() => writeLink(view), LINK_PAUSE);
    return () => clearTimeout(pause);
  }, [view]);

  // A link that is opened in a page that is there already.
  useEffect(() => {
    const follow = () => {
      const next = fromLink(location.hash);
      setView(next);
      setSource((before) => {
        const now = generated(next);
        return JSON.stringify(now) === JSON.stringify(before) ? before : now;
      });
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  useEffect(() => {
    setLoaded(undefined);
    setAnswer(undefined);
    setPlan(undefined);
    setProblem("");
    setProgress({ phase: "Starting", done: 0, total: undefined });
    let isCurrent = true;
    let isLoading = true;
    engine.call("load", source, view.indexes).then(
      (next) => {
        if (!isCurrent) return;
        isLoading = false;
        setProgress(undefined);
        setLoaded(next);
        void engine.call("facets", [], next.facets).then(setAll);
      },
      (thrown: unknown) => {
        if (!isCurrent) return;
        isLoading = false;
        setProgress(undefined);
        setProblem(reasonOf(thrown));
      },
    );
    return () => {
      isCurrent = false;
      if (isLoading) engine.restart();
    };
  }, [source, view.indexes]);

  const ask = useCallback(
    async (offset: number, limit: number) => {
      try {
        const next = await engine.latest("answer", asked, offset, limit);
        if (next === undefined) return;
        setAnswer(next);
        setFault(undefined);
      } catch (thrown) {
        if (thrown instanceof Refused) setFault(thrown.fault);
      }
    },
    [asked],
  );

  // Questions are asked before the page is drawn: after it would be a frame later. What stands below is
  // asked when it is looked at, and first. A question that is refused changes none of it.
  useLayoutEffect(() => {
    if (loaded === undefined) return;
    const ignore = () => undefined;
    if (tab === "facets") {
      engine
        .latest("facets", criteria, loaded.facets)
        .then((counts) => counts && setSelected(counts), ignore);
    } else if (tab === "how") {
      engine.latest("plan", asked, PLANNED_PAGE).then((next) => next && setPlan(next), ignore);
    } else if (tab === "answer" && byList) {
      engine
        .latest("lists", asked, listPage * PER_PAGE, PER_PAGE)
        .then((next) => next && setLists(next), ignore);
    }
  }, [loaded, tab, asked, byList, listPage]);

  useLayoutEffect(() => {
    if (loaded === undefined) return;
    setListPage(0);
    void ask(0, FIRST_ROWS);
  }, [loaded, ask]);

  const take = (next: Source) => {
    setChoosing(false);
    setSource(next);
    change({
      criteria: [],
      sortBy: "",
      ...("file" in next ? {} : { kind: next.kind, count: next.count, seed: next.seed }),
    });
  };
  const sort = (field: string) => {
    if (sortBy !== field) change({ sortBy: field, sortOrder: "DESC" });
    else if (sortOrder === "DESC") change({ sortOrder: "ASC" });
    else change({ sortBy: "", sortOrder: "DESC" });
  };
  const share = () => {
    writeLink(view);
    void navigator.clipboard.writeText(location.href).then(
      () => setCopied(true),
      () => setProblem("The link could not be copied; it is this page’s address."),
    );
  };
  const complete = useCallback(
    async (field: string, prefix: string) => (await engine.latest("complete", field, prefix)) ?? [],
    [],
  );
  const dispatch = useCallback((text: string) => engine.latest("dispatch", text), []);
  const compile = useCallback(
    (question: Asked, limit: number, dialect: DialectName) =>
      engine.latest("sql", question, limit, dialect),
    [],
  );
  const tabs = useRef<HTMLDivElement>(null);

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
        const [file] = event.dataTransfer?.files ?? [];
        if (file !== undefined) take({ file, name: file.name });
      }}
    >
      <header class="top">
        <h1>tercet</h1>
        <button
          type="button"
          class="main"
          title="A Batch as JSON; Contacts or Files as CSV, NDJSON, JSON, Parquet or Arrow"
          onClick={() => picker.current?.click()}
        >
          Open a file
        </button>
        <input
          type="file"
          hidden
          ref={picker}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) take({ file, name: file.name });
            // The same file may be picked again, when it has changed.
            currentTarget.value = "";
          }}
        />
        <button
          type="button"
          class="source"
          title="Generate other data"
          onClick={() => setChoosing(true)}
        >
          {sourceText(source, loaded)}
        </button>
        <span class="quiet wide">Drop a file anywhere to open it. It stays on this machine.</span>
        <span class="space" />
        {!("file" in source) && (
          <button type="button" onClick={share}>
            {isCopied ? "Link copied" : "Copy link"}
          </button>
        )}
      </header>

      {isChoosing && <Data {...view} onLoad={take} onClose={() => setChoosing(false)} />}

      <main>
        <Criteria
          fields={loaded?.fields ?? []}
          list={criteria}
          fault={fault}
          onChange={(list: CriteriaList) => change({ criteria: list })}
          complete={complete}
        />
        <Status
          loaded={loaded}
          progress={progress}
          problem={problem}
          answer={answer}
          isStale={fault !== undefined}
        />
        <div class="tabs">
          <div role="tablist" aria-label="What is shown" ref={tabs}>
            {TABS.map((each, i) => (
              <button
                key={each}
                type="button"
                role="tab"
                id={`tab-${each}`}
                aria-selected={tab === each}
                aria-controls="shown"
                tabIndex={tab === each ? 0 : -1}
                onClick={() => change({ tab: each })}
                onKeyDown={({ key }) => {
                  const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
                  const next = TABS[(i + by + TABS.length) % TABS.length];
                  if (by === 0 || next === undefined) return;
                  change({ tab: next });
                  tabs.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
                }}
              >
                {TITLES[each]}
              </button>
            ))}
          </div>
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
          {tab === "answer" && byList && loaded !== undefined && lists !== undefined && (
            <ByList
              found={lists}
              page={listPage}
              matching={answer?.matching ?? 0}
              onPage={setListPage}
            />
          )}
          {tab === "facets" && loaded !== undefined && (
            <Facets
              facets={loaded.facets}
              all={all}
              selected={selected}
              list={criteria}
              onChange={(list) => change({ criteria: list })}
            />
          )}
          {tab === "how" && (
            <How
              plan={plan}
              indexes={indexes}
              mode={view.indexes}
              onMode={(mode) => change({ indexes: mode })}
            />
          )}
          {tab === "envelope" && loaded !== undefined && (
            <Envelope subject={loaded} asked={asked} dispatch={dispatch} compile={compile} />
          )}
        </div>
      </main>
    </div>
  );
}

/** How many match, and what that took; or how far loading is. */
function Status({
  loaded,
  progress,
  problem,
  answer,
  isStale,
}: {
  readonly loaded: Loaded | undefined;
  readonly progress: Progress | undefined;
  readonly problem: string;
  readonly answer: Answer | undefined;
  readonly isStale: boolean;
}): JSX.Element {
  return (
    <div class="status">
      {problem !== "" && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      {progress !== undefined && (
        <p class="progress">
          <progress
            aria-label="Loading"
            {...(progress.total === undefined ? {} : { value: progress.done, max: progress.total })}
          />
          <span>{progressText(progress)}</span>
        </p>
      )}
      {loaded !== undefined && answer !== undefined && (
        <p class={isStale ? "matching stale" : "matching"} role="status">
          <strong>{count(answer.matching)}</strong> of {count(loaded.size)}{" "}
          {loaded.kind === "contacts" ? "Contacts" : "Files"}
          <span class="took"> in {milliseconds(answer.milliseconds)}</span>
        </p>
      )}
    </div>
  );
}

function progressText({ phase, done, total, unit }: Progress): string {
  const shown = unit === "bytes" ? bytes : count;
  return total === undefined ? phase : `${phase}: ${shown(done)} of ${shown(total)}`;
}

function writeLink(view: View): void {
  const link = toLink(view);
  if (link !== location.hash) history.replaceState(null, "", link);
}

const generated = ({ kind, count, seed }: View): Source => ({ kind, count, seed });

function sourceText(source: Source, loaded: Loaded | undefined): string {
  if ("file" in source) return source.name;
  const { kind, count: wanted, seed } = source;
  const what = kind === "contacts" ? "Contacts" : "Files";
  return `${count(loaded?.size ?? wanted)} ${what}, seed ${seed}`;
}

const reasonOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

const root = document.querySelector<HTMLElement>("#app");
if (root !== null) {
  keepFocus(root);
  render(<App />, root);
}
