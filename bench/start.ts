// What a program waits for at its start: from the start of its process to its first durable step (a message posted, claimed and
// completed in a new file), against a process that loads the same modules of Effect and the same driver and writes the same rows
// in the same transactions by hand. The built library is measured, since that is what programs load: `pnpm build` comes first.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { schema } from "../migrations/snapshots/0002.ts"
import { compare } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

/** The package that is measured: this one, or another build of it. */
const PACKAGE = process.env["BENCH_PACKAGE"] ?? fileURLToPath(new URL("..", import.meta.url))

/** Milliseconds since the start of the process, as its parent saw it. */
interface Marks {
  readonly imported: number
  readonly opened: number
  readonly done: number
  /** Processor time until then, which a busy machine stretches less. */
  readonly busy: number
}

const MARK = "const mark = () => performance.timeOrigin + performance.now()\nconst imported = mark()\n"
const TELL = `const { system, user } = process.cpuUsage()
process.stdout.write(JSON.stringify({ imported, opened, done: mark(), busy: (system + user) / 1000 }))
`

const OURS = `
import * as Effect from "effect/Effect"
import { Ledger } from "cortex-cassette"
${MARK}
const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const opened = mark()
  yield* ledger.postMessage({ run_id: "r", source: "USER", payload: { intent: "greet" } })
  const { lease } = yield* ledger.claimStep({ run_id: "r", worker_id: "w" })
  yield* ledger.completeStep({ ...lease, receipt_payload: { said: "hello" }, outcome: "SUCCESS" })
  ${TELL}
})
await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: process.argv[2] })))
`

/** The modules of Effect that a file of the package loads at its import. */
const effectModulesOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  const modules = new Set<string>()
  if (seen.has(file)) return modules
  seen.add(file)
  const text = readFileSync(file, "utf8")
  for (const [, name = ""] of text.matchAll(
    /^(?:import|export)\b(?:[^;"'=(]*?\bfrom)?\s*["']([^"']+)["']/gm
  )) {
    if (name.startsWith("effect/")) modules.add(name)
    if (name.startsWith(".")) {
      for (const each of effectModulesOf(join(dirname(file), name), seen)) modules.add(each)
    }
  }
  return modules
}

const floorOf = (modules: ReadonlySet<string>): string => `
${[...modules].map((name) => `import ${JSON.stringify(name)}`).join("\n")}
import { readFileSync } from "node:fs"
import Database from "better-sqlite3"
${MARK}
const { birth, events } = JSON.parse(readFileSync("rows.json", "utf8"))
const database = new Database(process.argv[2])
database.pragma("journal_mode = WAL")
database.pragma("synchronous = FULL")
database.pragma("foreign_keys = ON")
database.pragma("secure_delete = ON")
database.pragma("temp_store = MEMORY")
database.exec(birth)
const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
const append = (event) => {
  database.exec("BEGIN IMMEDIATE")
  insert.run(event)
  database.exec("COMMIT")
}
append(events[0])
const opened = mark()
for (const event of events.slice(1)) append(event)
${TELL}
database.close()
`

const BARE = `${MARK}const opened = imported\n${TELL}`

type Program = "bare" | "floor" | "ours"

let runs = 0

/** Runs a program of the folder on a new file. */
const run = (folder: string, program: Program): Marks & { readonly file: string } => {
  runs += 1
  const file = join(folder, `${runs}.db`)
  const start = performance.timeOrigin + performance.now()
  const ran = spawnSync(process.execPath, [`${program}.mjs`, file], { cwd: folder, encoding: "utf8" })
  if (ran.status !== 0) throw new Error(ran.stderr)
  const { busy, done, imported, opened } = JSON.parse(ran.stdout) as Marks
  return { imported: imported - start, opened: opened - start, done: done - start, busy, file }
}

/** What the floor program writes: the schema, and the rows of a log that the product has just written. */
const rowsOf = (file: string): object => {
  const database = new Database(file, { readonly: true })
  const events = database.prepare("SELECT * FROM events ORDER BY position").raw().all()
  database.close()
  return { birth: `BEGIN;\n${schema};\nCOMMIT;`, events }
}

interface Manifest {
  readonly exports: Readonly<Record<".", string | { readonly default: string }>>
}

/** Writes the programs into a folder that has the package and what it needs. */
const prepare = (folder: string): void => {
  const { ".": main } = (JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as Manifest).exports
  const library = join(PACKAGE, typeof main === "string" ? main : main.default)
  if (!existsSync(library)) throw new Error(`there is no ${library}: run pnpm build first`)
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(PACKAGE, join(folder, "node_modules", "cortex-cassette"))
  for (const name of ["effect", "better-sqlite3"]) {
    symlinkSync(join(PACKAGE, "node_modules", name), join(folder, "node_modules", name))
  }
  writeFileSync(join(folder, "bare.mjs"), BARE)
  writeFileSync(join(folder, "floor.mjs"), floorOf(effectModulesOf(library)))
  writeFileSync(join(folder, "ours.mjs"), OURS)
  writeFileSync(join(folder, "rows.json"), JSON.stringify(rowsOf(run(folder, "ours").file)))
}

export const benchmark: Benchmark = {
  description:
    "from the start of a process to its first durable step, against the same modules and rows by hand",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 21)
      prepare(folder)
      const marks: Record<Program, Array<Marks>> = { bare: [], floor: [], ours: [] }
      const slice = (program: Program) => () => {
        const seen = run(folder, program)
        marks[program].push(seen)
        return seen.done
      }
      const done = await compare(repeats, {
        ours: slice("ours"),
        floor: slice("floor"),
        bare: slice("bare")
      })
      const part = (name: string, of: (seen: Marks) => number) =>
        line(name, "milliseconds", marks.ours.map(of), marks.floor.map(of))
      return {
        place,
        settings: { repeats },
        lines: [
          line(
            "start to first step",
            "milliseconds",
            done.ours,
            done.floor,
            "at most 150 on a quiet machine"
          ),
          part("processor time until then", ({ busy }) => busy),
          line("an empty program", "milliseconds", done.bare),
          part("until everything is imported", ({ imported }) => imported),
          part("opening a new file", ({ imported, opened }) => opened - imported),
          part("three commands", ({ done: end, opened }) => end - opened)
        ]
      }
    })
}
