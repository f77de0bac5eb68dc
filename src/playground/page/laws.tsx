// The laws, for a `searchFiles` of one's own: its code, and which of the laws it keeps.

import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useCheck, type Check, type LawLine } from "./check.ts";
import { Problem, Select, Switch } from "./controls.tsx";
import { count } from "./words.ts";

/** The text of `example.js`. */
declare const EXAMPLE: string;

const EXAMPLES = {
  wrong: EXAMPLE.replace(
    /( *)const direction = .*\n.*\n/,
    "$1found.sort((a, b) => compare(a[sortBy], b[sortBy]));\n" +
      '$1if (sortOrder !== "ASC") found.reverse();\n',
  ),
  right: EXAMPLE,
};

const RUNS = [25, 100, 1000];

export function Laws({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [code, setCode] = useState(EXAMPLES.wrong);
  const [numRuns, setRuns] = useState(25);
  const [seed, setSeed] = useState(1);
  const { state, start, cancel } = useCheck();
  const picker = useRef<HTMLInputElement>(null);
  const read = (file: File | undefined) => void file?.text().then(setCode);
  const example = (["wrong", "right"] as const).find((each) => EXAMPLES[each] === code);
  return (
    <main
      class="laws"
      onDrop={(event) => {
        event.preventDefault();
        read(event.dataTransfer?.files[0]);
      }}
    >
      <header>
        <h2>Does your searchFiles keep the laws?</h2>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </header>
      <p class="intro">
        Paste or drop a JavaScript module whose default export makes a service from Files. Each law
        of <code>tercet/testing</code> is put to it in many random cases, in a worker without
        network; a case that breaks a law is made as small as possible.
      </p>
      <section aria-label="Code">
        <Switch
          name="example"
          legend={<legend class="quiet">Examples</legend>}
          options={{ wrong: "With a mistake", right: "Correct" }}
          value={example}
          onChange={(which) => setCode(EXAMPLES[which])}
        />
        <textarea
          id="code"
          aria-label="Your code"
          spellcheck={false}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
        <form
          class="settings"
          onSubmit={(event) => {
            event.preventDefault();
            if (state.isRunning) cancel();
            else start({ code, seed, numRuns });
          }}
        >
          <button type="submit" class="main">
            {state.isRunning ? "Cancel" : "Check"}
          </button>
          <label>
            Runs
            <Select
              value={numRuns}
              options={RUNS.map((each) => [each, count(each)])}
              onChange={(to) => setRuns(Number(to))}
            />
          </label>
          <label>
            Seed
            <input
              type="number"
              min={0}
              max={2 ** 31 - 1}
              value={seed}
              onInput={({ currentTarget }) => setSeed(Math.trunc(Number(currentTarget.value)) || 0)}
            />
          </label>
          <button type="button" onClick={() => picker.current?.click()}>
            Open code
          </button>
          <input
            type="file"
            hidden
            accept=".js,.mjs"
            ref={picker}
            onChange={({ currentTarget }) => {
              read(currentTarget.files?.[0]);
              currentTarget.value = "";
            }}
          />
        </form>
      </section>
      <section aria-label="Laws">
        <Progress {...state} />
        <Problem text={state.problem} />
        <ul class="reports">
          {state.laws.map((law) => (
            <Line key={law.name} {...law} />
          ))}
        </ul>
        <h2>In your own project</h2>
        <pre tabIndex={0} role="region" aria-label="As code">
          {projectCode(seed, numRuns)}
        </pre>
        <p class="quiet">
          <code>tercet check -- COMMAND</code> checks a service in any other language.
        </p>
      </section>
    </main>
  );
}

function Progress({ laws, isRunning }: Check): JSX.Element {
  const reports = laws.flatMap(({ report }) => report ?? []);
  const failed = reports.filter(({ outcome }) => outcome === "failed").length;
  const held = reports.length - failed;
  const kept = `${held} of ${laws.length} laws hold`;
  return (
    <>
      {isRunning && (
        <progress aria-label="Checking" value={reports.length} max={laws.length || 1} />
      )}
      <p role="status">
        {laws.length > 0 && !isRunning && (
          <strong>
            {failed === 0 ? kept : `${kept}, ${failed} ${failed === 1 ? "fails" : "fail"}`}
          </strong>
        )}
      </p>
    </>
  );
}

const WORDS = { passed: "holds", failed: "fails", aborted: "", "not applicable": "" } as const;

function Line({ name, rules, report }: LawLine): JSX.Element {
  return (
    <li class={report?.outcome ?? "waiting"}>
      <span class="outcome">{report === undefined ? "" : WORDS[report.outcome]}</span>{" "}
      <span>
        {name} <span class="quiet">{rules.join(" ")}</span>
      </span>
      {report?.outcome === "failed" && (
        <dl>
          <Part title="What is wrong">{report.reason}</Part>
          <Part title="Smallest case">{report.counterexample}</Part>
          <Part title="Call">{report.call}</Part>
          <Part title="Expected">{report.expected}</Part>
          <Part title="Received">{report.received}</Part>
          <Part title="To see it again">{report.again}</Part>
        </dl>
      )}
    </li>
  );
}

function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return children === undefined ? null : (
    <>
      <dt>{title}</dt>
      <dd class="value">{children}</dd>
    </>
  );
}

const projectCode = (seed: number, numRuns: number): string =>
  [
    'import { checkService, formatReport } from "tercet/testing";',
    'import make from "./search-files.js"; // the code above',
    "",
    `console.log(formatReport(checkService(make, { seed: ${seed}, numRuns: ${numRuns} })));`,
  ].join("\n");
