// The demo: real work on real files, with three competing worker processes of which one is killed in the middle. It
// indexes the documents, plans a job that reads them, lets the workers finish, requeues what the dead one held once its lease
// has run out, and leaves a verified ledger, a signed checkpoint, a bundle and a dossier as proof. Usage: pnpm demo [folder]
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  Bundle,
  Checkpoints,
  Corpus,
  Dossiers,
  generateKeyFiles,
  History,
  Ledger,
  loadSigningKey,
  planRequest,
  Thoughts,
  type ThoughtType,
  type TrustFile
} from "../../interfaces/embedding/index.ts"
import { copyFiles, requestFor, textFiles } from "./documents.ts"
import { prove } from "./proof.ts"
import { timelineLines } from "../../interfaces/cli/history/timeline-lines.ts"

const RUN = "demo"
const TTL_SECONDS = 2
const WORKERS = ["anna", "ben", "carl"] as const
/** The first worker to make this claim is killed right after it: with more files than workers there is always one. */
const FATAL_CLAIM = 2
/** Fewest files, so that each worker has something to do. */
const LEAST_FILES = 4
/** Longest timeline that is printed whole, and how much of a longer one is shown at its begin and its end. */
const TIMELINE_LINES = 60
const TIMELINE_BEGIN = 15

const repository = fileURLToPath(new URL("../..", import.meta.url))
const folder = resolve(process.argv[2] ?? repository)
const output = mkdtempSync(join(tmpdir(), "cassette-demo-"))
const filename = join(output, "CORTEX", "_generated", "system3.db")

// The reader that closes the pipe has seen enough.
process.stdout.on("error", () => process.exit(0))

const say = (text: string) => process.stdout.write(`${text}\n`)

const startWorker = (name: string): ChildProcess =>
  spawn(
    process.execPath,
    [fileURLToPath(new URL("worker.ts", import.meta.url)), filename, output, RUN, name, String(TTL_SECONDS)],
    { stdio: ["ignore", "pipe", "inherit"] }
  )

/** Kills, with SIGKILL, whichever worker is the first to have claimed so many steps; gives its name. */
const killFirstAtClaim = (workers: ReadonlyMap<string, ChildProcess>, claim: number): { victim?: string } => {
  const fate: { victim?: string } = {}
  for (const [name, worker] of workers) {
    let claims = 0
    worker.stdout?.on("data", (chunk: Buffer) => {
      claims += chunk.toString().split("\n").length - 1
      if (claims < claim || fate.victim !== undefined) return
      fate.victim = name
      worker.kill("SIGKILL")
    })
  }
  return fate
}

const finished = async (workers: ReadonlyArray<ChildProcess>): Promise<void> => {
  for (const worker of workers) worker.stdout?.resume()
  await Promise.all(workers.map((worker) => once(worker, "exit")))
}

const think = (agent_id: string, type: ThoughtType, content: string) =>
  Thoughts.use(({ createThoughtRecord }) => createThoughtRecord({ task_id: RUN, type, agent_id, content }))

/** Indexes the documents and posts the job that reads them. */
const plan = Effect.fn("demo.plan")(function* (paths: ReadonlyArray<string>) {
  copyFiles(folder, output, paths)
  const { report, request } = yield* requestFor(RUN, paths)
  say(`Indexed ${report.files} text files of ${folder}, copied to ${output}`)
  writeFileSync(join(output, "request.json"), `${JSON.stringify(request, null, 2)}\n`)
  yield* think(
    "planner",
    "plan",
    "Three workers share the reading; each slice is read once and given out again"
  )
  const { plan, posted } = yield* planRequest(request)
  say(
    `Planned one job of ${plan.cost.steps} steps over ${plan.cost.symbols} symbols, ${plan.cost.bytes} bytes to read`
  )
  return { run_id: RUN, job_id: posted.job_id }
})

/** Waits for the dead worker's lease to run out and lets its step wait again. */
const requeueAbandoned = Effect.gen(function* () {
  const ledger = yield* Ledger
  const abandoned = (yield* ledger.steps({ run_id: RUN })).filter((step) => step.status === "LEASED")
  for (const step of abandoned) {
    say(`${step.lease_owner} still holds a step until ${step.lease_expires_at}: waiting for its lease to end`)
    // A timer may end a moment before the wall clock gets there.
    yield* Effect.sleep(Math.max(0, Date.parse(step.lease_expires_at ?? "") - Date.now()) + 20)
    yield* ledger.requeueStep({
      run_id: RUN,
      step_id: step.step_id,
      reason: `${step.lease_owner} was killed`,
      requested_by: "demo"
    })
    yield* think("demo", "decision", `${step.lease_owner} is dead: its step waits again for another worker`)
  }
  return abandoned.length
})

const shortened = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= TIMELINE_LINES
    ? lines
    : [
        ...lines.slice(0, TIMELINE_BEGIN),
        `      ... ${lines.length - TIMELINE_LINES} events more ...`,
        ...lines.slice(TIMELINE_BEGIN - TIMELINE_LINES)
      ]

/** Signs what the ledger holds now; note and trust file are what an auditor would keep elsewhere. */
const sign = Effect.gen(function* () {
  const { ledgerId = "" } = yield* Ledger
  const checkpoints = yield* Checkpoints
  const keyFile = join(output, "audit.pem")
  const { public_key } = yield* generateKeyFiles(keyFile)
  const { key_name, note, size } = yield* checkpoints.make({ key: yield* loadSigningKey(keyFile) })
  const trust: TrustFile = {
    keys: [{ name: key_name, public_key, scope: { ledgers: [ledgerId] }, enabled: true }]
  }
  writeFileSync(join(output, "checkpoint.txt"), note)
  writeFileSync(join(output, "trust.json"), JSON.stringify(trust))
  say(`Signed a checkpoint over ${size} events: ${join(output, "checkpoint.txt")}`)
  return { note, trust }
})

/** Hands over what happened, with what was read, and holds it against the ledger; true when nothing is missing. */
const handOver = Effect.fnUntraced(function* (note: string, trust: TrustFile, bundle: string) {
  const dossiers = yield* Dossiers
  const path = join(output, "dossier")
  const request = { run_id: RUN, tasks: [RUN], bundles: [bundle] }
  const { counts } = yield* dossiers.export(request, { checkpoint: note }, path)
  say(
    `\nMade the dossier ${path}: ${counts.events} events with their proofs, ${counts.thoughts} thoughts, the bundle`
  )
  const { report } = yield* dossiers.verify(path, { trust })
  say(
    `Held against the ledger: ${report.verdict}, ${report.complete === true ? "nothing was left out" : "incomplete"}`
  )
  return report.verdict === "PASS" && report.complete === true
})

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const job = yield* plan(paths)

  const workers = new Map(WORKERS.map((name) => [name, startWorker(name)]))
  say(`Started three worker processes: ${WORKERS.join(", ")}; the first to claim a second step is killed`)
  const fate = killFirstAtClaim(workers, FATAL_CLAIM)
  yield* Effect.promise(() => finished([...workers.values()]))
  say(`${fate.victim} was killed with SIGKILL in the middle of its work; the others went on`)

  if ((yield* requeueAbandoned) > 0) {
    say("Requeued; a new process finishes the rest")
    yield* Effect.promise(() => finished([startWorker("dora")]))
  }

  say("\nTimeline")
  const linesOf = timelineLines(false)
  const lines = yield* History.use((history) =>
    Stream.runCollect(
      Stream.flatMap(history.timeline({ run_id: RUN }), (entry) => Stream.fromIterable(linesOf(entry)))
    )
  )
  for (const line of shortened(lines)) say(line)
  const report = yield* ledger.verifyCassette()
  const counts = Object.entries(report.counts).map(([name, count]) => `${name} ${count}`)
  say(`\n${counts.join(", ")}\nVerification: ${report.verdict}`)
  for (const finding of report.findings) say(`${finding.code} ${finding.where}: ${finding.message}`)
  const thoughts = yield* Thoughts.use(({ verifyChain }) => verifyChain({ task_id: RUN }))
  say(`Thoughts: ${thoughts.record_count} in one chain, ${thoughts.valid ? "intact" : "broken"}`)
  const { note, trust } = yield* sign
  const bundle = join(output, "bundle")
  const proven = yield* prove(job, bundle, say)
  const handed = yield* handOver(note, trust, bundle)
  say(`\nThe ledger is ${filename}\nLook at it:
  ./cortex cassette status --root ${output} --run-id ${RUN}
  ./cortex timeline        --root ${output} --run-id ${RUN} --last 5
  ./cortex cassette verify --root ${output} --checkpoint ${join(output, "checkpoint.txt")} --trust ${join(output, "trust.json")}
  ./cortex thought list    --root ${output} --task ${RUN}
  ./cortex bundle verify   ${bundle}
  ./cortex bundle verify   ${bundle}-forged
  ./cortex dossier verify  ${join(output, "dossier")} --trust ${join(output, "trust.json")}`)
  return report.verdict === "PASS" && thoughts.valid && proven && handed
})

if (!existsSync(folder)) {
  process.stderr.write(`There is no folder ${folder}: give the demo a folder with text files\n`)
  process.exit(2)
}
const paths = textFiles(folder, process.argv[2] === undefined ? ".md" : undefined)
if (paths.length < LEAST_FILES) {
  process.stderr.write(`${folder} has ${paths.length} text files; the demo needs at least ${LEAST_FILES}\n`)
  process.exit(1)
}
mkdirSync(join(output, "CORTEX", "_generated"), { recursive: true })
const services = Layer.mergeAll(
  Layer.provideMerge(Layer.merge(History.layer, Dossiers.layer), Ledger.layer({ filename })),
  Corpus.layer({ root: output }),
  Bundle.layer
)
process.exitCode = (await Effect.runPromise(Effect.provide(program, services))) ? 0 : 1
