// What the worker is asked, and what it has answered.

import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { IndexReport } from "../../index.ts";
import type { View } from "../link.ts";
import type { Answer, Asked, FacetCounts, Fault, Loaded, Progress, Source } from "../messages.ts";
import type { TaskName, Tasks } from "../messages.ts";
import { Engine, Refused } from "./engine.ts";

/** The worker's program, which the build puts here. */
declare const WORKER: string;

/** A worker of a Blob runs where a page is a file, unless it is a module. */
const SCRIPT = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));

const FIRST_ROWS = 60;

/** The worker, and what it tells without being asked. */
export function useEngine() {
  const [progress, setProgress] = useState<Progress>();
  const [indexes, setIndexes] = useState<readonly IndexReport[]>([]);
  const engine = useMemo(
    () =>
      new Engine(SCRIPT, (news) => {
        if ("progress" in news) setProgress(news.progress);
        else setIndexes(news.indexes);
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
  indexes: View["indexes"],
  onLoaded: (loaded: Loaded) => void,
) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState("");
  /** The counts of charts without criteria. */
  const [all, setAll] = useState<readonly FacetCounts[]>([]);
  useEffect(() => {
    setLoaded(undefined);
    setProblem("");
    if (source === undefined) return;
    setProgress({ phase: "Starting", done: 0, total: undefined });
    let isCurrent = true;
    let isLoading = true;
    const end = (use: () => void) => {
      if (!isCurrent) return;
      isLoading = false;
      setProgress(undefined);
      use();
    };
    engine.call("load", source, indexes).then(
      (next) =>
        end(() => {
          setLoaded(next);
          onLoaded(next);
          void engine.call("facets", [], next.facets, new Map()).then(setAll);
        }),
      (thrown: unknown) =>
        end(() => setProblem(thrown instanceof Error ? thrown.message : String(thrown))),
    );
    return () => {
      isCurrent = false;
      if (isLoading) engine.stop();
    };
  }, [source, indexes]);
  return { loaded, problem, setProblem, all };
}

/**
 * The last answer to a task about the data. It is asked before the page is drawn: after it would be a
 * frame later. A question that is refused leaves the answer as it was.
 */
export function useLatest<Name extends TaskName>(
  engine: Engine,
  loaded: Loaded,
  task: Name,
  parameters: Parameters<Tasks[Name]>,
): ReturnType<Tasks[Name]> | undefined {
  const [answer, setAnswer] = useState<{ value: ReturnType<Tasks[Name]>; of: Loaded }>();
  useLayoutEffect(() => {
    engine.latest(task, ...parameters).then(
      (value) => value && setAnswer({ value, of: loaded }),
      () => undefined,
    );
  }, [loaded, ...parameters]);
  return answer?.of === loaded ? answer.value : undefined;
}

/** The rows that were asked for last, and what is wrong with the question. */
export function useAnswer(engine: Engine, loaded: Loaded | undefined, asked: Asked) {
  const [answer, setAnswer] = useState<Answer>();
  const [fault, setFault] = useState<Fault>();
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
  useLayoutEffect(() => {
    if (loaded === undefined) setAnswer(undefined);
    else void ask(0, FIRST_ROWS);
  }, [loaded, ask]);
  return { answer, fault, ask };
}
