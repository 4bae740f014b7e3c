// A lane of the campaign of damaged files: a folder, a process of this program that judges files, and one of Python's
// SQLite as the second opinion. It tells what came of a damaged file, and which rule it broke, if any.

import { spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { binary } from "../../../interfaces/cli/testing/binary.ts"
import { contentOf, contentQueries, type ContentQuery, momentOf } from "./content-queries.ts"
import type { DamagedCase } from "./damaged-case.ts"
import { evidenceIn } from "../evidence-rows.ts"
import type { JudgeJob, Judgement } from "./file-judge.ts"
import { CASSETTE_ID, type HonestFile, type StoreName } from "./honest-files.ts"
import { LineServer } from "./line-server.ts"
import type { Damaged } from "./page-damage.ts"
import { framesOf } from "./wal-file.ts"

/** How long one file may be judged (milliseconds): far more than any needs, on a busy machine too. */
const LIMIT_MILLIS = 300_000

interface SecondOpinion {
  readonly version: string
  readonly faults: ReadonlyArray<string>
  readonly content: ReadonlyArray<string>
}

/** `found`: a finding or a refusal; `alarm`: the same of a file in which nothing is wrong; the rest passes. */
export type Outcome = "found" | "alarm" | "same" | "older"

export interface Trial {
  readonly outcome: Outcome
  /** Which rules were broken, in words. */
  readonly broken: ReadonlyArray<string>
  readonly acknowledged: boolean
}

/** What an honest file may say: all of it, or what it said at an earlier moment, of which a file alone knows nothing. */
interface Honest {
  readonly queries: ReadonlyArray<ContentQuery>
  readonly ours: ReadonlyArray<ReadonlyArray<string>>
  readonly theirs: ReadonlyArray<ReadonlyArray<string>>
  readonly evidence: ReadonlyArray<string>
}

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const commands: Readonly<
  Record<StoreName, (file: string, root: string) => ReadonlyArray<ReadonlyArray<string>>>
> = {
  ledger: (file) => [
    ["cassette", "verify", "--db", file, "--pure"],
    ["cassette", "status", "--db", file],
    ["cassette", "log", "--db", file],
    ["doctor", "--db", file]
  ],
  corpus: (_, root) => [
    ["cache", "verify", "--root", root],
    ["cache", "stats", "--root", root],
    ["symbol", "list", "--root", root]
  ],
  cassette: (_, root) => [
    ["network", "verify", "--root", root],
    ["network", "status", "--root", root],
    ["network", "query", "--root", root, "word7"]
  ]
}

const exitOf = (args: ReadonlyArray<string>): Promise<number | string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [binary, ...args], { stdio: "ignore", timeout: LIMIT_MILLIS })
    child.on("close", (code, signal) => resolve(code ?? String(signal)))
  })

/** The states that a log can be cut back to, the newest first. */
const momentsOf = ({ bytes, older, wal }: HonestFile): ReadonlyArray<Damaged> => [
  { bytes, wal },
  ...framesOf(wal)
    .filter(({ commits }) => commits)
    .map(({ end }) => ({ bytes, wal: wal.subarray(0, end) })),
  { bytes: older, wal: Buffer.alloc(0) }
]

export class Lane {
  readonly #root: string
  readonly #honest = new Map<HonestFile, Honest>()
  readonly #judge = new LineServer<JudgeJob, Judgement>(
    process.execPath,
    [script("file-judge.ts")],
    LIMIT_MILLIS
  )
  readonly #second: LineServer<Pick<JudgeJob, "file" | "queries">, SecondOpinion> | undefined

  constructor(root: string, hasSecond: boolean) {
    this.#root = root
    mkdirSync(join(root, "CORTEX", "_generated"), { recursive: true })
    writeFileSync(
      join(root, "CORTEX", "network.yaml"),
      `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: ${CASSETTE_ID}, path: ../${CASSETTE_ID}.db, type: local, mutability: mutable}\n`
    )
    if (hasSecond) this.#second = new LineServer("python3", [script("second-opinion.py")], LIMIT_MILLIS)
  }

  #put({ store }: HonestFile, { bytes, wal }: Damaged): string {
    const file = {
      ledger: join(this.#root, "a.db"),
      corpus: join(this.#root, "CORTEX", "_generated", "system1.db"),
      cassette: join(this.#root, `${CASSETTE_ID}.db`)
    }[store]
    for (const part of ["", "-wal", "-shm", "-journal", "-merkle"])
      rmSync(`${file}${part}`, { force: true, recursive: true })
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
    if (wal.length > 0) writeFileSync(`${file}-wal`, wal)
    return file
  }

  async #secondOpinion(
    file: string,
    queries: ReadonlyArray<ContentQuery>
  ): Promise<SecondOpinion | undefined> {
    const answer = await this.#second?.ask({ file, queries })
    if (answer === undefined || "value" in answer) return answer?.value
    return { version: "", faults: [answer.failed], content: [] }
  }

  async #honestOf(honest: HonestFile): Promise<Honest> {
    const known = this.#honest.get(honest)
    if (known !== undefined) return known
    const queries = contentQueries(honest.bytes)
    const ours: Array<ReadonlyArray<string>> = []
    const theirs: Array<ReadonlyArray<string>> = []
    const evidence = new Set<string>()
    for (const moment of momentsOf(honest)) {
      const file = this.#put(honest, moment)
      const content = contentOf(file, queries)
      const second = await this.#secondOpinion(file, queries)
      const unanswered = [...content, ...(second?.content ?? []), ...(second?.faults ?? [])].find(
        (answer) => !/^[0-9a-f ]*$/.test(answer)
      )
      if (unanswered !== undefined)
        throw new Error(`an honest ${honest.store} does not answer: ${unanswered}`)
      ours.push(content)
      theirs.push(second?.content ?? [])
      for (const row of evidenceIn(file, honest.store)) evidence.add(row)
    }
    const made = { queries, ours, theirs, evidence: [...evidence] }
    this.#honest.set(honest, made)
    return made
  }

  /** Damages, judges, and holds the judgement against the second opinion and the honest content. */
  async try(
    damaged: DamagedCase,
    also: { readonly writes: boolean; readonly commands: boolean }
  ): Promise<Trial> {
    const { honest, number } = damaged
    const { evidence, ours, queries, theirs } = await this.#honestOf(honest)
    const file = this.#put(honest, damaged)
    const second = await this.#secondOpinion(file, queries)
    this.#put(honest, damaged)
    const job = { store: honest.store, file, root: this.#root, queries, writes: also.writes, evidence }
    const answer = await this.#judge.ask(job)
    if ("failed" in answer) return { outcome: "found", broken: [answer.failed], acknowledged: false }
    const { acknowledged, content, exit, lost, said, untouched, verdict } = answer.value
    const ourMoment = content && momentOf(honest.store, content, ours)
    const theirMoment = second === undefined ? ourMoment : momentOf(honest.store, second.content, theirs)
    const passes = verdict === "PASS"
    const broken: Array<string> = []
    if (exit === 3) broken.push(`ends in exit 3: ${said}`)
    if (!untouched) broken.push("reading has changed the file")
    if (lost !== undefined) broken.push(`after a write that was acknowledged: ${lost}`)
    if (passes && second !== undefined && second.faults.length > 0) {
      broken.push(
        `passes, but SQLite ${second.version} says: ${second.faults[0]?.replaceAll("\n", " ").slice(0, 120)}`
      )
    }
    if (passes && (ourMoment === undefined || theirMoment === undefined)) {
      const changed = queries.flatMap(({ name }, index) =>
        content?.[index] === ours[0]?.[index] ? [] : [name]
      )
      broken.push(`passes with another content of ${changed.join(", ") || "what the second SQLite reads"}`)
    }
    if (also.commands) broken.push(...(await this.#throughCommands(damaged, passes)))
    const isWhole = second?.faults.length === 0 && theirMoment !== undefined
    const outcome = passes ? (ourMoment === 0 ? "same" : "older") : isWhole ? "alarm" : "found"
    return { outcome, broken: broken.map((rule) => `${rule} (case ${number})`), acknowledged }
  }

  /** The same file through the command line: 0 when it passes, else 1 or 2, and never 3. */
  async #throughCommands(damaged: DamagedCase, passes: boolean): Promise<ReadonlyArray<string>> {
    const { honest, number } = damaged
    const file = this.#put(honest, damaged)
    const all = commands[honest.store](file, this.#root)
    const chosen = [all[0]!, all[1 + (number % (all.length - 1))]!]
    const broken: Array<string> = []
    for (const [index, args] of chosen.entries()) {
      const exit = await exitOf(args)
      const fits = index === 0 ? (exit === 0) === passes : true
      if (![0, 1, 2].includes(exit as number) || !fits)
        broken.push(`cortex ${args.join(" ")} ends in ${exit}`)
    }
    return broken
  }

  /** Ends the lane's processes. */
  end(): void {
    this.#judge.end()
    this.#second?.end()
  }
}
