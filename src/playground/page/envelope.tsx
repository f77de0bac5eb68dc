// The request and the response as they are on the wire, and the same request in other languages.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { DialectName } from "../../sql/index.ts";
import type { Asked, Kind } from "../messages.ts";
import {
  asShell,
  asTest,
  asSql,
  asTypeScript,
  LIMIT,
  limitOf,
  MISTAKES,
  requestFor,
  requestText,
  tableOf,
  type Subject,
} from "../requests.ts";
import type { Engine } from "./engine.ts";
import { useIds } from "./pane.ts";
import { visible } from "./words.ts";

interface Props {
  readonly subject: Subject;
  readonly asked: Asked;
  readonly engine: Engine;
}

export function Envelope(props: Props): JSX.Element {
  const { kind } = props.subject;
  return (
    <div class="envelope">
      {kind !== undefined && <Request {...props} kind={kind} />}
      <Same {...props} />
    </div>
  );
}

function Request({ subject, asked, engine, kind }: Props & { readonly kind: Kind }): JSX.Element {
  const written = requestText(requestFor(subject, asked));
  const [text, setText] = useState(written);
  const [response, setResponse] = useState("");
  const id = useIds();
  useEffect(() => setText(written), [written]);
  useEffect(() => {
    void engine.latest("dispatch", text).then((answer) => {
      if (answer !== undefined) setResponse(pretty(answer));
    });
  }, [text]);
  return (
    <>
      <section>
        <header>
          <h2>
            <label for={id("request")}>Request</label>
          </h2>
          <select
            aria-label="A request that gets an error"
            value=""
            onChange={({ currentTarget }) => {
              const mistake = MISTAKES.find(({ code }) => String(code) === currentTarget.value);
              const request = requestFor(subject, asked);
              setText(mistake === undefined ? written : requestText(mistake.make(request, kind)));
              currentTarget.value = "";
            }}
          >
            <option value="">Get an error…</option>
            {MISTAKES.map(({ code, label }) => (
              <option key={code} value={code}>
                {code}: {label}
              </option>
            ))}
            <option value="none">none: the request again</option>
          </select>
        </header>
        <textarea
          id={id("request")}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </section>
      <section>
        <header>
          <h2 id={id("response")}>Response</h2>
        </header>
        <pre tabIndex={0} role="region" aria-labelledby={id("response")} class="response">
          {visible(response)}
        </pre>
      </section>
    </>
  );
}

/** The same question in other languages. */
function Same({ subject, asked, engine }: Props): JSX.Element {
  const [language, setLanguage] = useState("TypeScript");
  const [snippet, setSnippet] = useState({ language: "", text: "" });
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [snippet]);
  const copy = () =>
    void navigator.clipboard.writeText(snippet.text).then(
      () => setSaid("Copied"),
      () => setSaid("Not copied"),
    );
  useEffect(() => {
    let isWanted = true;
    // Until it has come, what was shown stays, under its own name.
    const show = (text: string): void => {
      if (isWanted) setSnippet({ language, text });
    };
    write(language, { subject, asked, engine }).then(
      (text) => {
        if (text !== undefined) show(text);
      },
      (thrown: unknown) => show(thrown instanceof Error ? thrown.message : String(thrown)),
    );
    return () => {
      isWanted = false;
    };
  }, [language, asked, subject.file, subject.kind, subject.read, subject.fields]);
  return (
    <section class="same">
      <header>
        <h2>The same as</h2>
        <div class="switch" role="group" aria-label="Language">
          {[...Object.keys(CODE), ...Object.keys(DIALECTS)].map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === language}
              onClick={() => setLanguage(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <button type="button" class="plain" onClick={copy}>
          {said === "" ? "Copy" : said}
        </button>
      </header>
      <pre tabIndex={0} role="region" aria-label={`As ${snippet.language}`} class="snippet">
        {visible(snippet.text)}
      </pre>
    </section>
  );
}

/** Calls with the same answer, by the language they are written in. */
const CODE: Readonly<Record<string, (props: Props) => string | Promise<string | undefined>>> = {
  TypeScript: ({ subject, asked }) => asTypeScript(subject, asked),
  Test: async ({ subject, asked, engine }) => {
    const found = await engine.latest("found", asked, LIMIT);
    return found && asTest(subject, asked, found);
  },
  Shell: ({ subject, asked }) => asShell(subject, asked),
};

/** `undefined` if it was asked for again meanwhile. */
async function write(language: string, props: Props): Promise<string | undefined> {
  const dialect = DIALECTS[language];
  const { subject, engine } = props;
  const asked = await engine.latest("plain", props.asked);
  if (asked === undefined) return undefined;
  if (dialect === undefined) return await CODE[language]?.({ ...props, asked });
  const statement = await engine.latest("sql", asked, limitOf(subject), dialect, tableOf(subject));
  return statement && asSql(statement);
}

/** What the library compiles to, by the name that people know. */
const DIALECTS: Readonly<Record<string, DialectName>> = {
  PostgreSQL: "postgres",
  DuckDB: "duckdb",
  SQLite: "sqlite",
  ClickHouse: "clickhouse",
  MariaDB: "mariadb",
};

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
