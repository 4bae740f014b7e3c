/**
 * Questions by short processes, each a `cortex network query`, beside an MCP server that saves memories, a `network watch` and
 * one `network index` after another over a folder that changes.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { once } from "node:events"
import { LineClient } from "../../mcp/testing/session.ts"
import { type Child, runCortex, startCortex } from "./child-process.ts"
import { runCli } from "./in-process.ts"

/** `cortex mcp` as a process of its own. */
class ServerProcess extends LineClient {
  readonly ended: Promise<number>
  private readonly child: Child

  constructor(child: Child) {
    super()
    this.child = child
    createInterface({ input: child.stdout }).on("line", (line) => this.receive(line))
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.stderr.push(text))
    this.ended = once(child, "close").then(([code]) => Number(code))
  }

  protected push(chunk: Uint8Array | undefined): void {
    if (chunk === undefined) this.child.stdin.end()
    else this.child.stdin.write(chunk)
  }
}

/** How one question ended. */
export interface StormAnswer {
  readonly code: number | null
  /** The files of its hits; empty where it did not answer as JSON. */
  readonly paths: ReadonlyArray<string>
  /** Each cassette that did not answer in full, and why. */
  readonly missing: ReadonlyArray<string>
  readonly stderr: string
}

interface Printed {
  readonly data?: {
    readonly hits: ReadonlyArray<{ readonly path: string }>
    readonly answers: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>
  }
}

const answered = async (folder: string): Promise<StormAnswer> => {
  const args = ["network", "query", "lighthouse keeper", "--format", "json"]
  const { code, stderr, stdout } = await runCortex(args, { cwd: folder })
  const { data } = JSON.parse(stdout === "" ? "{}" : stdout) as Printed
  return {
    code,
    paths: data?.hits.map(({ path }) => path) ?? [],
    missing: Object.entries(data?.answers ?? {}).flatMap(([id, { reason, status }]) =>
      status === "ok" ? [] : [`${id} ${status}: ${reason}`]
    ),
    stderr
  }
}

const document = (folder: string, number: number): void =>
  writeFileSync(
    join(folder, `log-${number % 20}.md`),
    `# Log ${number}\n\n${"The keeper of the lighthouse writes down what passes. ".repeat(1 + (number % 40))}\n`
  )

/** Asks so many questions, `together` at a time, while the writers write; all processes have ended when this ends. */
export const queryStorm = async (
  folder: string,
  questions: number,
  together: number
): Promise<{
  readonly answers: ReadonlyArray<StormAnswer>
  readonly saves: number
  readonly indexRuns: number
}> => {
  for (let number = 0; number < 20; number++) document(folder, number)
  for (const args of [["init"], ["index"]]) await runCli(["network", ...args], { cwd: folder })
  const children = [["mcp"], ["network", "watch"]].map((args) => startCortex(args, { cwd: folder }))
  const [mcp, watch] = children as [Child, Child]
  watch.stdout.resume()
  watch.stderr.resume()
  const server = new ServerProcess(mcp)
  let left = questions
  const answers: Array<StormAnswer> = []
  const ask = async () => {
    while (left-- > 0) answers.push(await answered(folder))
  }
  let saves = 0
  const save = async () => {
    await server.initialize()
    for (; answers.length < questions; saves++) {
      await server.data("memory_save", { text: `keeper's memory ${saves}`, cassette: "memory" })
    }
  }
  let indexRuns = 0
  const index = async () => {
    for (; answers.length < questions; indexRuns++) {
      document(folder, indexRuns)
      await runCortex(["network", "index"], { cwd: folder })
    }
  }
  try {
    await Promise.all([save(), index(), ...Array.from({ length: together }, ask)])
    watch.kill("SIGINT")
    await Promise.all([server.close(), once(watch, "close")])
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill("SIGKILL")
  }
  return { answers, saves, indexRuns }
}

/** What is wrong with an answer: that of a cassette which is being indexed may be told to be a part. */
export const stormFaults = ({ code, missing, paths, stderr }: StormAnswer): ReadonlyArray<string> => [
  ...(code === 0 ? [] : [`ended with ${code}: ${stderr}`]),
  ...(paths.length > 0 ? [] : [`found nothing: ${stderr}`]),
  ...missing.filter((each) => !each.startsWith("documents partial: an index run"))
]
