// Runs the commands of a document in one shell. `cortex` is a function of that shell: what it is called with is run in this
// process, from `main` on, and the shell prints what was answered. Pipes, files and variables are the shell's own. A variable that
// is set for one command alone does not reach it.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { main } from "../../interfaces/cli/main.ts"
import { binary } from "../../interfaces/cli/testing/binary.ts"
import { testHost } from "../../interfaces/cli/testing/test-host.ts"
import type { OutputStream } from "../../interfaces/shared/host.ts"

/** What documents begin with; in a shell of this file the function stands in its place. */
export const ALIAS = 'alias cortex="$PWD/cortex"'

/** Stands between what two commands print; no command prints it. */
const NEXT = "--- next command ---"

/** Prints, reads and gives back what the command would: `answer` is written before a line comes back. */
const asFunction = `cortex() {
  cat > "$EXCHANGE/stdin"
  printf '%s\\0' "$#" "$PWD" "$@" >&3
  read -r _ <&4
  . "$EXCHANGE/answer"
}`

export interface Session {
  readonly commands: ReadonlyArray<string>
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export const outputsOf = (stdout: string): ReadonlyArray<string> => stdout.split(`${NEXT}\n`).slice(1)

/** The text of a shell that prints a line before what each command prints. */
export const script = (commands: ReadonlyArray<string>): string =>
  ["exec 2>&1", ...commands].join(`\necho "${NEXT}"\n`)

/** Runs one command line, and writes what the shell does to answer as it would: its texts in their order, and its exit code. */
const answer = async (
  args: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv,
  exchange: string
): Promise<void> => {
  const written: Array<{ readonly stream: OutputStream; readonly text: string }> = []
  const code = await main(
    testHost({
      args,
      cwd,
      env,
      stdin: async function* () {
        yield await readFile(join(exchange, "stdin"))
      },
      write: async (stream, printed) => {
        written.push({ stream, text: printed })
      },
      self: [process.execPath, binary]
    })
  )
  const lines = written.map(({ stream, text: printed }, index) => {
    writeFileSync(join(exchange, `${index}`), printed)
    return `cat "$EXCHANGE/${index}"${stream === "stderr" ? " >&2" : ""}`
  })
  await writeFile(join(exchange, "answer"), [...lines, `return ${code}`, ""].join("\n"))
}

/** Answers what the shell asks until it ends: the number of arguments, the folder and the arguments, each with a zero byte behind. */
const answerAll = async (asked: Readable, told: Writable, env: NodeJS.ProcessEnv, exchange: string) => {
  let read = ""
  for await (const chunk of asked.setEncoding("utf8")) {
    read += chunk as string
    const [count, cwd = "", ...args] = read.split("\0").slice(0, -1)
    if (count === undefined || args.length < Number(count)) continue
    read = ""
    await answer(args, cwd, env, exchange)
    told.write("\n")
  }
}

/** What each command prints. `exchange` is a folder that is not there yet. */
export const printedInProcess = async (
  { commands, cwd, env }: Session,
  exchange: string
): Promise<ReadonlyArray<string>> => {
  mkdirSync(exchange)
  const [first, ...others] = commands
  if (first !== ALIAS) throw new Error(`a session begins with ${ALIAS}, not with ${first}`)
  const shell = spawn("sh", ["-c", script([asFunction, ...others])], {
    cwd,
    env: { ...env, EXCHANGE: exchange },
    stdio: ["ignore", "pipe", "inherit", "pipe", "pipe"]
  })
  const [, , , asked, told] = shell.stdio as unknown as [null, Readable, null, Readable, Writable]
  const [printed] = await Promise.all([
    text(shell.stdout!),
    answerAll(asked, told, env, exchange),
    once(shell, "close")
  ])
  return outputsOf(printed)
}
