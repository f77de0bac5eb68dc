// The questions to the worker, and its answers.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { IndexReport } from "../../index.ts";
import type { View } from "../link.ts";
import type { Asked, Change, Changed, Counted, FacetCounts, Fault, Rows } from "../messages.ts";
import type { Loaded, Progress, ReadAs, Source, TextRead } from "../messages.ts";
import type { TaskName, Tasks } from "../messages.ts";
import { Engine, Refused } from "./engine.ts";
import { isPasted } from "./tables.ts";

const FIRST_ROWS = 60;

/** The worker, and what it reports unasked. */
export function useEngine() {
  const [progress, setProgress] = useState<Progress>();
  const [indexes, setIndexes] = useState<readonly IndexReport[]>([]);
  const engine = useMemo(
    () =>
      new Engine((news) => {
        if ("progress" in news) {
          // It is told once.
          const { progress } = news;
          setProgress((before) => {
            const preview = progress.preview ?? before?.preview;
            return preview === undefined ? progress : { ...progress, preview };
          });
        } else setIndexes(news.indexes);
      }),
    [],
  );
  useEffect(() => () => engine.stop(), []);
  return { engine, indexes, progress, setProgress };
}

/** Loads data, if there are any. Choosing others while they load gives them up. */
export function useLoaded(
  { engine, setProgress }: ReturnType<typeof useEngine>,
  source: Source | undefined,
  { indexes, readAs, zone }: Pick<View, "indexes" | "readAs" | "zone">,
  onLoaded: (loaded: Loaded) => void,
  onRefused: (before: ReadAs) => void,
) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState("");
  /** How the text was read that could not be. */
  const [unread, setUnread] = useState<TextRead>();
  /** When the load began, and when it ended. */
  const time = useRef({ start: 0, end: 0 });
  /** The counts of charts without criteria. */
  const [all, setAll] = useState<readonly FacetCounts[]>([]);
  const [changed, setChanged] = useState<Changed>();
  const newest = useRef<Loaded | undefined>(undefined);
  /** How often something was loaded. */
  const [loads, setLoads] = useState(0);
  const show = (next: Loaded) => {
    setLoaded(next);
    newest.current = next;
    // Another table may be there before it is asked about this one.
    countAll(next).catch(() => undefined);
  };
  /** One chart after the other: a question that is asked meanwhile waits for one of them at most. */
  const countAll = async (of: Loaded) => {
    const counts: FacetCounts[] = [];
    for (const facet of of.facets) {
      counts.push(...(await engine.call("facets", [], [facet], new Map())));
      if (newest.current !== of) return;
    }
    setAll(counts);
  };
  /** What the worker holds, and how that was read. */
  const held = useRef<{ of: string; readAs: ReadAs } | undefined>(undefined);
  /** Why the types of a link were refused, while the table is read without them. */
  const refused = useRef("");
  const sources = useRef({ source, count: 0 });
  if (sources.current.source !== source)
    sources.current = { source, count: sources.current.count + 1 };
  const of = `${sources.current.count} ${indexes}`;
  const reading = JSON.stringify(readAs);
  useEffect(() => {
    const before = held.current?.of === of ? held.current.readAs : undefined;
    if (before !== undefined && JSON.stringify(before) === reading) return;
    if (before === undefined) {
      engine.stop();
      held.current = undefined;
      setLoaded(undefined);
      setChanged(undefined);
    }
    setProblem(refused.current);
    refused.current = "";
    if (source === undefined) return;
    setProgress({ phase: "Starting", done: 0, total: undefined });
    setUnread(undefined);
    time.current = { start: performance.now(), end: Infinity };
    let isCurrent = true;
    let isLoading = true;
    const end = (use: () => void) => {
      if (!isCurrent) return;
      isLoading = false;
      time.current.end = performance.now();
      setProgress(undefined);
      use();
    };
    engine.call("load", source, indexes, readAs).then(
      (next) =>
        end(() => {
          held.current = { of, readAs };
          zoned.current = "";
          setChanged(undefined);
          onLoaded(next);
          show(next);
          setLoads((before) => before + 1);
        }),
      (thrown: unknown) =>
        end(() => {
          const reason = thrown instanceof Error ? thrown.message : String(thrown);
          setProblem(reason);
          if (thrown instanceof Refused) setUnread(thrown.fault.text);
          // What was there is there still.
          if (before !== undefined) onRefused(before);
          else if (readAs.types.length > 0) {
            refused.current = reason;
            onRefused({ ...readAs, types: [] });
          }
        }),
    );
    return () => {
      isCurrent = false;
      if (!isLoading) return;
      engine.stop();
      held.current = undefined;
    };
  }, [of, reading]);
  /** In which zone the charts have their bars. */
  const zoned = useRef("");
  useEffect(() => {
    if (loaded === undefined || zoned.current === zone) return;
    zoned.current = zone;
    void engine.call("zoned", zone).then(
      (facets) => newest.current && show({ ...newest.current, facets }),
      () => undefined,
    );
  }, [zone, loads]);
  const change = async (wanted: Change) => {
    const next = await engine.call("change", wanted);
    setChanged(next);
    if (loaded === undefined || next.how === "nothing") return;
    const { size, fields, facets } = next;
    const kept = <Part>(before: Part, after: Part) =>
      JSON.stringify(before) === JSON.stringify(after) ? before : after;
    show({
      ...{ ...loaded, size },
      fields: kept(loaded.fields, fields),
      facets: kept(loaded.facets, facets),
    });
  };
  const isUnsaved = isPasted(source) || (changed !== undefined && changed.done.length > 0);
  useEffect(() => {
    if (source === undefined) return;
    const ask = (event: Event) => {
      const { start, end } = time.current;
      if (isUnsaved || Math.min(end, performance.now()) - start > SLOW) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [source, isUnsaved]);
  /** How the table is read that is shown while it is being read otherwise. */
  const readBefore = () => held.current?.readAs;
  /** Other fields are shown than those that were loaded. */
  const extend = (part: Pick<Loaded, "fields" | "facets">) => {
    if (newest.current !== undefined) show({ ...newest.current, ...part });
  };
  return {
    ...{ loaded, loads, problem, unread, setProblem, all, changed, extend, readBefore },
    edit: change,
  };
}

/** Nobody wants to load for so long again, in milliseconds: leaving the page asks first. */
const SLOW = 5000;

/**
 * The last answer to a task about the data. It is asked while the page is rendered, so that the worker answers
 * meanwhile. A question that is refused leaves the answer as it was, and so does a change of the data
 * until the next answer is there.
 */
export function useLatest<Name extends TaskName>(
  engine: Engine,
  loaded: Loaded,
  task: Name,
  parameters: Parameters<Tasks[Name]>,
): ReturnType<Tasks[Name]> | undefined {
  const [answer, setAnswer] = useState<{ value: ReturnType<Tasks[Name]>; of: Loaded["fields"] }>();
  useMemo(() => {
    engine.latest(task, ...parameters).then(
      (value) => value && setAnswer({ value, of: loaded.fields }),
      () => undefined,
    );
  }, [loaded, ...parameters]);
  return answer?.of === loaded.fields ? answer.value : undefined;
}

/** An answer that takes longer than this, in milliseconds, is late: what is shown is still that of another question. */
const LATE = 200;

/** A page that nobody sees is not drawn: then it goes on after so many milliseconds. */
const UNDRAWN = 100;

/** Resolves once what is shown is drawn, which on few cores is slower while the worker counts. */
const drawn = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, UNDRAWN);
  });

/** Rows, and how many match. Until these are counted, that is as it was, or as far as the rows tell. */
export interface Answer extends Pick<Rows, "offset" | "rows" | "isPartial">, Counted {}

const NO_ROWS: Rows = { offset: 0, rows: [], isOpen: true, isPartial: false, milliseconds: 0 };

/**
 * The rows that were asked for last, and what is wrong with the question. A page ends at its last row; counting,
 * which reads all of them, comes after it. Where no rows are shown, they are only counted: a table asks for them.
 */
export function useAnswer(
  engine: Engine,
  loaded: Loaded | undefined,
  asked: Asked,
  hasRows: boolean,
) {
  const [answer, setAnswer] = useState<Answer>();
  const [fault, setFault] = useState<Fault>();
  const [isLate, setLate] = useState(false);
  const fields = loaded?.fields;
  const last = useRef({ asked, fields, offset: 0, limit: FIRST_ROWS });
  const ask = useCallback(
    async (offset: number, limit: number, isHasty = false) => {
      const current = (last.current = { asked, fields, offset, limit });
      const late = setTimeout(() => setLate(true), LATE);
      try {
        let next =
          limit === 0 ? NO_ROWS : await engine.latest("rows", asked, offset, limit, isHasty);
        if (next?.isPartial === true) {
          if (last.current !== current) return;
          setFault(undefined);
          setAnswer({ ...next, matching: next.rows.length });
          await drawn();
          if (last.current !== current) return;
          next = await engine.latest("rows", asked, offset, limit);
        }
        if (next === undefined) return;
        const { rows, isOpen, isPartial, milliseconds } = next;
        const end = offset + rows.length;
        if (limit > 0) setFault(undefined);
        if (!isOpen) setAnswer({ ...next, matching: end });
        else {
          if (limit > 0) {
            setAnswer(
              (before) =>
                before && {
                  ...{ ...before, offset, rows, isPartial },
                  matching: Math.max(end, before.matching),
                },
            );
            await drawn();
            if (last.current !== current) return;
          }
          const counted = await engine.latest("count", asked.criteria);
          if (counted === undefined || last.current !== current) return;
          const both = milliseconds + counted.milliseconds;
          setFault(undefined);
          setAnswer({ ...next, matching: counted.matching, milliseconds: both });
        }
        setLate(false);
      } catch (thrown) {
        if (thrown instanceof Refused) setFault(thrown.fault);
        setLate(false);
      } finally {
        clearTimeout(late);
      }
    },
    [asked, fields],
  );
  useLayoutEffect(() => {
    const { offset, limit, ...of } = last.current;
    // After a change of the data, the same rows are asked for again.
    const isSame = of.asked === asked && of.fields === fields;
    if (loaded === undefined) setAnswer(undefined);
    else if (isSame) void ask(offset, limit);
    else void ask(0, hasRows ? FIRST_ROWS : 0, true);
  }, [loaded, ask]);
  return { answer, fault, isLate, ask };
}
