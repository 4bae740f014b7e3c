// All orders in which three workers' programs of four commands each can be committed: none is left to chance. There are two
// casts of workers: one that gives leases back and takes them back, and one that renews them. Each order
// has a run and two steps of its own in a ledger; the clock goes on with each command, so that leases end in between. Each
// answer and each step at the end is the model's. Orders of one batch advance together, and in every run one at a time.

import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import { propRuns } from "./support/configuration.ts"
import {
  type Answer,
  type Command,
  LedgerModel,
  type ModelStep,
  type OneCommand
} from "../interfaces/test-kit/ledger-model.ts"
import { LedgerSystem, START } from "./support/ledger-system.ts"

/** A lease is over three commands after its claim. */
const TICK_MILLIS = 400
const TTL_SECONDS = 1

/** Orders that share a ledger. */
const BATCH = 200

interface Ticket {
  readonly step_id: string
  readonly fencing_token: number
}

/** What a worker knows of its run: the ids of the steps, and what it was given. */
interface Knowledge {
  readonly run_id: string
  readonly steps: ReadonlyArray<string>
  readonly tickets: Readonly<Record<string, Array<Ticket>>>
}

type Deed = (knowledge: Knowledge, worker_id: string) => OneCommand

const ticketOf = ({ steps, tickets }: Knowledge, worker: string, which: number): Ticket =>
  tickets[worker]?.at(which) ?? { step_id: steps[0] ?? "", fencing_token: 1 }

const claim: Deed = ({ run_id }, worker_id) => ({
  kind: "claim",
  run_id,
  worker_id,
  job_id: undefined,
  ttl_seconds: TTL_SECONDS
})

const complete =
  (which: number): Deed =>
  (knowledge, worker_id) => ({
    kind: "complete",
    run_id: knowledge.run_id,
    worker_id,
    ...ticketOf(knowledge, worker_id, which),
    outcome: "SUCCESS",
    receipt_payload: { by: worker_id }
  })

const renew =
  (which: number): Deed =>
  (knowledge, worker_id) => ({
    kind: "renew",
    run_id: knowledge.run_id,
    worker_id,
    ...ticketOf(knowledge, worker_id, which),
    ttl_seconds: TTL_SECONDS
  })

const release: Deed = (knowledge, worker_id) => {
  const { fencing_token, step_id } = ticketOf(knowledge, worker_id, -1)
  const lease = { worker_id, fencing_token }
  return { kind: "requeue", run_id: knowledge.run_id, step_id, reason: "given back", lease, force: false }
}

const takeBack =
  (force: boolean): Deed =>
  ({ run_id, steps }) => ({
    kind: "requeue",
    run_id,
    step_id: steps[0] ?? "",
    reason: "taken",
    lease: undefined,
    force
  })

type Cast = Readonly<Record<string, ReadonlyArray<Deed>>>

/** Each program has a moment at which it may be late: the first worker completes with the first token that it ever had. */
const casts: Readonly<Record<string, Cast>> = {
  "give back and take back": {
    w1: [claim, complete(-1), claim, complete(0)],
    w2: [claim, release, claim, complete(-1)],
    w3: [takeBack(false), claim, takeBack(true), complete(-1)]
  },
  "renew their leases": {
    w1: [claim, renew(-1), complete(0), complete(-1)],
    w2: [claim, renew(0), renew(0), complete(-1)],
    w3: [takeBack(false), claim, renew(-1), takeBack(true)]
  }
}
const workers = ["w1", "w2", "w3"]

/** Every order of the workers in which each has its turn so many times. */
function* orders(turns: Readonly<Record<string, number>>): Generator<ReadonlyArray<string>> {
  const left = workers.filter((worker) => (turns[worker] ?? 0) > 0)
  if (left.length === 0) yield []
  for (const worker of left) {
    for (const rest of orders({ ...turns, [worker]: (turns[worker] ?? 0) - 1 })) yield [worker, ...rest]
  }
}

/** One order on its way. */
class Play {
  readonly knowledge: Knowledge
  readonly #cast: Cast
  readonly #order: ReadonlyArray<string>
  readonly #done: Record<string, number> = {}

  constructor(cast: Cast, run_id: string, order: ReadonlyArray<string>, steps: ReadonlyArray<string>) {
    this.#cast = cast
    this.knowledge = { run_id, steps, tickets: Object.fromEntries(workers.map((worker) => [worker, []])) }
    this.#order = order
  }

  command(turn: number): OneCommand {
    const worker = this.#order[turn] ?? ""
    const done = this.#done[worker] ?? 0
    this.#done[worker] = done + 1
    const deed = this.#cast[worker]?.[done]
    if (deed === undefined) throw new Error(`${worker} has no deed ${done}`)
    return deed(this.knowledge, worker)
  }

  learn(turn: number, command: Command, { reply, tag }: Answer): void {
    if ((command.kind !== "claim" && command.kind !== "renew") || tag !== "done") return
    const { fencing_token, step_id } = reply as Ticket
    this.knowledge.tickets[this.#order[turn] ?? ""]?.push({ step_id, fencing_token })
  }

  /** What can still make a difference: who has done how much and knows what, and how the steps stand. */
  state(model: ReadonlyArray<ModelStep>, now: number): string {
    const numbers = new Map(this.knowledge.steps.map((id, index) => [id, index]))
    const known = workers.map((worker) => [
      this.#done[worker] ?? 0,
      this.knowledge.tickets[worker]?.map(({ fencing_token, step_id }) => [
        numbers.get(step_id),
        fencing_token
      ])
    ])
    const stands = model.map(({ expires, owner, status, token }) => [status, owner, token, expires - now])
    return JSON.stringify([known, stands])
  }
}

const post = (run_id: string): Command => ({
  kind: "post",
  run_id,
  source: "USER",
  payload: { steps: [{ n: 1 }, { n: 2 }] },
  idempotency_key: null,
  jobs: undefined
})

/** Gives the commands to both and compares the answers; vitest explains a difference and is slow. */
const perform = async (
  model: LedgerModel,
  real: LedgerSystem,
  commands: ReadonlyArray<Command>
): Promise<ReadonlyArray<Answer>> => {
  const wanted = commands.map((command) => model.apply(command))
  const found = await real.perform(commands)
  expect(found.length).toBe(wanted.length)
  for (const [index, answer] of wanted.entries()) {
    const other = found[index]
    const same = Object.entries(answer).every(([key, value]) => isDeepStrictEqual(other?.[key], value))
    if (!same) expect(other, JSON.stringify(commands[index])).toMatchObject(answer)
  }
  return wanted
}

const stepsAgree = async (model: LedgerModel, real: LedgerSystem, run_id: string): Promise<void> => {
  const rows = await real.run(real.ledger.steps({ run_id }))
  expect(
    rows.map(({ fencing_token, lease_owner, status }) => [status, lease_owner, fencing_token])
  ).toStrictEqual(
    model.steps.filter(({ run }) => run === run_id).map(({ owner, status, token }) => [status, owner, token])
  )
}

/** Plays a batch of orders in a ledger of their own. */
const playBatch = async (
  cast: Cast,
  batch: ReadonlyArray<ReadonlyArray<string>>,
  states: Set<string>,
  outcomes: Record<string, number>
): Promise<void> => {
  const real = new LedgerSystem()
  await real.open()
  try {
    const model = new LedgerModel(START)
    const runs = batch.map((_, index) => `run-${index}`)
    await perform(model, real, runs.map(post))
    const stepsOf = (run_id: string) => model.steps.filter(({ run }) => run === run_id)
    const modelSteps = runs.map(stepsOf)
    const plays = batch.map(
      (order, index) => new Play(cast, runs[index] ?? "", order, modelSteps[index]?.map(({ id }) => id) ?? [])
    )
    for (let turn = 0; turn < (batch[0]?.length ?? 0); turn++) {
      model.now += TICK_MILLIS
      real.clock.set(model.now)
      const commands = plays.map((play) => play.command(turn))
      const answers = await perform(model, real, commands)
      for (const [index, play] of plays.entries()) {
        const [command, answer] = [commands[index]!, answers[index]!]
        play.learn(turn, command, answer)
        states.add(play.state(modelSteps[index] ?? [], model.now))
        const name = `${command.kind} ${answer.tag}`
        outcomes[name] = (outcomes[name] ?? 0) + 1
      }
    }
    for (const run of runs) await stepsAgree(model, real, run)
    const report = await real.run(real.ledger.verifyCassette({ pure: true }))
    expect(report).toMatchObject({ verdict: "PASS", findings: [], head: { position: model.position } })
  } finally {
    await real.close()
  }
}

/** Commands of each worker: three, or with many runs all four, which takes minutes. */
const TURNS = propRuns >= 1_000 ? 4 : 3
/** Four commands take longer than a suite should (milliseconds). */
const TIMEOUT = 3_600_000

/** Each way of being too late must be met, and each way of getting on. */
const wanted: Readonly<Record<string, ReadonlyArray<string>>> = {
  "give back and take back": [
    "claim done",
    "complete done",
    "complete LeaseExpired",
    "complete NotLeased",
    "complete WrongWorker",
    "requeue done",
    "requeue LeaseNotExpired"
  ],
  "renew their leases": [
    "claim done",
    "renew done",
    "renew LeaseExpired",
    "renew NotLeased",
    "renew StaleFencingToken",
    "complete StaleFencingToken",
    "requeue done",
    "requeue LeaseNotExpired",
    // The first workers that complete with the newest token have their fourth turn.
    ...(TURNS === 4 ? ["complete done", "complete LeaseExpired"] : [])
  ]
}

describe.each(Object.entries(casts))("every order of three workers' commands that %s", (name, cast) => {
  it(
    `with ${TURNS} commands each is the model's`,
    async () => {
      const all = [...orders(Object.fromEntries(workers.map((worker) => [worker, TURNS])))]
      // (3n)! / n!^3
      expect(all.length).toBe(TURNS === 4 ? 34_650 : 1_680)
      const states = new Set<string>()
      const outcomes: Record<string, number> = {}
      for (let begin = 0; begin < all.length; begin += BATCH) {
        await playBatch(cast, all.slice(begin, begin + BATCH), states, outcomes)
      }
      console.log(`${all.length} orders, ${all.length * TURNS * 3} commands, ${states.size} states`, outcomes)
      for (const outcome of wanted[name] ?? []) expect(outcomes[outcome], outcome).toBeGreaterThan(0)
    },
    TIMEOUT
  )
})
