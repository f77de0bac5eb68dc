// `tercet completion` writes a script that completes commands and options in a shell. It is made from the definition of
// the program, so that it has whatever the help has.

import type { Command } from "commander";
import { UsageError } from "./errors.ts";
import { send } from "./output.ts";

/** A word that may come next. */
interface Word {
  readonly word: string;
  readonly description: string;
  /** Whether it is an option whose value follows. */
  readonly takesValue: boolean;
}

/** A command, by its words after the name of the program, and the words that it accepts. */
interface Level {
  readonly at: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
}

/** The commands of a program, those of others included. */
function levelsOf(command: Command, at = ""): Level[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((each) => each.name() !== "help");
  const own: Level = {
    at,
    commands: commands.map((each) => ({
      ...{ word: each.name(), description: each.description(), takesValue: false },
    })),
    options: help
      .visibleOptions(command)
      .flatMap(({ long, description, required, optional }) =>
        long == null ? [] : [{ word: long, description, takesValue: required || optional }],
      ),
  };
  const inner = commands.flatMap((each) => levelsOf(each, `${at} ${each.name()}`.trim()));
  return [own, ...inner];
}

/** A word for any of the shells, in single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Follows the words of a line from command to command, in bash and zsh: `at` is then the command. */
const follow = (levels: readonly Level[], words: string) =>
  `  for word in ${words}; do
    case "$at $word" in
      ${levels
        .filter(({ at }) => at !== "")
        .map(({ at }) => quoted(at.includes(" ") ? at : ` ${at}`))
        .join("|")}) at="\${at:+$at }$word" ;;
    esac
  done`;

const allOf = ({ commands, options }: Level) => [...commands, ...options];

const scripts: Readonly<Record<string, (levels: readonly Level[]) => string>> = {
  bash: (levels) => `# eval "$(tercet completion bash)" in ~/.bashrc
_tercet() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" word words=""
${follow(levels, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
  case "$at" in
${levels
  .map((level) => {
    const words = allOf(level).map(({ word }) => word);
    return `    ${quoted(level.at)}) words=${quoted(words.join(" "))} ;;`;
  })
  .join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$current" in
    -*) ;;
    *) COMPREPLY+=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _tercet tercet
`,
  zsh: (levels) => `#compdef tercet
# eval "$(tercet completion zsh)" in ~/.zshrc, after compinit
_tercet() {
  local at="" word
  local -a found
${follow(levels, '"${(@)words[2,CURRENT-1]}"')}
  case "$at" in
${levels
  .map((level) => {
    const words = allOf(level).map(({ word, description }) => {
      return quoted(`${word}:${description.replaceAll(":", "\\:")}`);
    });
    return `    ${quoted(level.at)}) found=(${words.join(" ")}) ;;`;
  })
  .join("\n")}
  esac
  _describe -o 'tercet' found
  [[ "$PREFIX" == -* ]] || _files
}
compdef _tercet tercet
`,
  fish: (levels) => {
    const lines = levels.flatMap(({ at, commands, options }) => {
      const words = at.split(" ").filter((word) => word !== "");
      const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
      const others = commands.map(({ word }) => word).join(" ");
      const none = others === "" ? [] : [`not __fish_seen_subcommand_from ${others}`];
      const when = (conditions: readonly string[]) =>
        conditions.length === 0 ? "" : ` -n ${quoted(conditions.join("; and "))}`;
      return [
        ...commands.map(({ word, description }) => {
          return `complete -c tercet${when([...seen, ...none])} -a ${word} -d ${quoted(description)}`;
        }),
        ...options.map(({ word, description, takesValue }) => {
          const value = takesValue ? " -r" : "";
          return `complete -c tercet${when([...seen, ...none])} -l ${word.slice(2)}${value} -d ${quoted(description)}`;
        }),
      ];
    });
    return `# tercet completion fish > ~/.config/fish/completions/tercet.fish\n${lines.join("\n")}\n`;
  },
};

export const SHELLS = Object.keys(scripts);

/** Prints the script of a shell. @throws UsageError if there is none */
export async function printCompletion(program: Command, shell: string): Promise<void> {
  const script = scripts[Object.hasOwn(scripts, shell) ? shell : ""];
  if (script === undefined) {
    throw new UsageError(`completion: ${JSON.stringify(shell)} is not one of ${SHELLS.join(", ")}`);
  }
  await send(process.stdout, script(levelsOf(program)));
}
