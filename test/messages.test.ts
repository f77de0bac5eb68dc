// All error messages of the library and the command in one list, `test/messages.txt`, for people to read. They are found
// in the source: strings that are passed to an error, or to a function that passes a parameter on to one.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const project = resolve(import.meta.dirname, "..");
const LIST = join(project, "test/messages.txt");

/** The page shows no errors of its own, the laws and the reference throw for each other, and the others print. */
const LEFT_OUT = /^(?:playground|testing|build\.ts|cli\/(?:demo|options|output)\.ts)/;

const sources = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !LEFT_OUT.test(path))
  .map((path) => join(project, "src", path))
  .sort()
  .map((path) =>
    ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true),
  );

/** All calls and constructor calls, which may make errors, with the names of the called functions. */
const calls = sources.flatMap((source) => {
  const found: { readonly node: ts.CallExpression | ts.NewExpression; readonly name: string }[] =
    [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const { expression } = node;
      const called = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
      if (ts.isMemberName(called)) found.push({ node, name: called.text });
      else if (called.kind === ts.SyntaxKind.SuperKeyword)
        found.push({ node, name: classOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
});

/** The positions of the parameters that a function, by its name, passes on to an error. */
const passedOn = new Map<string, Set<number>>();

/** The arguments of a call that become part of a message; `undefined` if it makes no error. */
function messageArguments({ node, name }: (typeof calls)[number]) {
  if (name.endsWith("Error") || name === "RefusedRequest") return node.arguments ?? [];
  const positions = passedOn.get(name);
  return positions && node.arguments?.filter((_, index) => positions.has(index));
}

function classOf(node: ts.Node): string {
  const found = ts.findAncestor(node, ts.isClassDeclaration);
  return found?.heritageClauses?.[0]?.types[0]?.expression.getText() ?? "";
}

type Named = readonly [name: string, of: ts.SignatureDeclaration];

/** The functions around a node that have names, from the inside out. */
function functionsAround(node: ts.Node): Named[] {
  const found: Named[] = [];
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isFunctionLike(at)) continue;
    const { parent } = at;
    const named = ts.isArrowFunction(at) || ts.isFunctionExpression(at) ? parent : at;
    const hasName =
      ts.isFunctionDeclaration(named) ||
      ts.isMethodDeclaration(named) ||
      ts.isVariableDeclaration(named);
    if (hasName && named.name !== undefined) found.push([named.name.getText(), at]);
  }
  return found;
}

/** The variables in an expression whose values become part of the message unchanged. */
function namesIn(expression: ts.Expression): string[] {
  if (ts.isIdentifier(expression)) return [expression.text];
  if (ts.isTemplateExpression(expression)) {
    return expression.templateSpans.flatMap((span) => namesIn(span.expression));
  }
  if (ts.isConditionalExpression(expression)) {
    return [...namesIn(expression.whenTrue), ...namesIn(expression.whenFalse)];
  }
  if (ts.isBinaryExpression(expression)) {
    return [...namesIn(expression.left), ...namesIn(expression.right)];
  }
  return [];
}

/** Adds the parameters that enclosing functions pass on. Returns whether anything was new. */
function follow(): boolean {
  let isNew = false;
  for (const call of calls) {
    const names = new Set(messageArguments(call)?.flatMap(namesIn));
    if (names.size === 0) continue;
    for (const [name, { parameters }] of functionsAround(call.node)) {
      for (const [index, parameter] of parameters.entries()) {
        if (!ts.isIdentifier(parameter.name) || !names.has(parameter.name.text)) continue;
        const positions = passedOn.get(name) ?? new Set();
        isNew ||= !positions.has(index);
        passedOn.set(name, positions.add(index));
      }
    }
  }
  return isNew;
}
while (follow());

/** The strings in an expression, with `…` for inserted values. */
function textsIn(expression: ts.Expression): string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isIdentifier(expression)) return constantsNamed(expression).flatMap(textsIn);
  if (ts.isTemplateExpression(expression)) {
    const rest = expression.templateSpans.map(({ literal }) => `…${literal.text}`);
    const inner = expression.templateSpans.flatMap((span) => textsIn(span.expression));
    return [expression.head.text + rest.join(""), ...inner];
  }
  if (ts.isConditionalExpression(expression)) {
    return [...textsIn(expression.whenTrue), ...textsIn(expression.whenFalse)];
  }
  if (ts.isBinaryExpression(expression)) {
    return [...textsIn(expression.left), ...textsIn(expression.right)];
  }
  if (ts.isArrayLiteralExpression(expression)) return expression.elements.flatMap(textsIn);
  if (ts.isParenthesizedExpression(expression)) return textsIn(expression.expression);
  if (ts.isPropertyAccessExpression(expression) && ts.isCallExpression(expression.expression)) {
    return textsIn(expression.expression);
  }
  return [];
}

/** The values of the constants that a name refers to: those in the blocks around it, from the inside out. */
function constantsNamed(name: ts.Identifier): ts.Expression[] {
  for (let at: ts.Node = name.parent; ; at = at.parent) {
    if (ts.isBlock(at) || ts.isSourceFile(at)) {
      const declared = at.statements
        .filter((statement) => ts.isVariableStatement(statement))
        .flatMap((statement) => statement.declarationList.declarations)
        .filter((declaration) => declaration.name.getText() === name.text);
      if (declared.length > 0) return declared.flatMap(({ initializer }) => initializer ?? []);
    }
    if (ts.isSourceFile(at)) return [];
  }
}

/** A message has words; other strings are paths, codes or names. */
const isMessage = (text: string) => text.trim().includes(" ") && /[a-z]{2}/.test(text);

const messages = new Map<string, string[]>();
for (const call of calls) {
  const texts = messageArguments(call)?.flatMap(textsIn).filter(isMessage) ?? [];
  const file = relative(project, call.node.getSourceFile().fileName);
  if (texts.length > 0) messages.set(file, [...(messages.get(file) ?? []), ...texts]);
}
const all = [...messages.values()].flat();

test("the list in test/messages.txt is that of the source; README_UPDATE=1 writes it", () => {
  const listed = [...messages].map(([file, texts]) => {
    const lines = [...new Set(texts)].map((text) => `  ${text.replaceAll("\n", "\\n")}`);
    return [file, ...lines].join("\n");
  });
  const list = `${listed.join("\n\n")}\n`;
  if (process.env.README_UPDATE === "1") writeFileSync(LIST, list);
  else expect(readFileSync(LIST, "utf8")).toBe(list);
});

describe("all messages have one style", () => {
  test("there are many", () => {
    expect(all.length).toBeGreaterThan(300);
  });

  test.each([
    ["no full stop at the end", /[^.…]\.$/],
    ["no exclamation mark, no please", /!$|[Pp]lease/],
    ["no invalid without what is valid", /^(?:is )?invalid$/],
  ])("%s", (_, pattern) => {
    expect(all.filter((text) => pattern.test(text))).toEqual([]);
  });
});
