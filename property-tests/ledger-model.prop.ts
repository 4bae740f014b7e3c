// The whole ledger against a model: random lives of posts, claims, completions and requeues, by several workers in
// several runs, under a clock that jumps both ways, with commands that wait together and openings in between. After
// every command the answers are the model's, the steps are the model's, and both projections agree.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { propParameters, propRuns } from "./support/configuration.ts"
import { anyJump, anyPlan, type Plan } from "../interfaces/test-kit/ledger-commands.ts"
import { type Command, LedgerModel, RUNS } from "../interfaces/test-kit/ledger-model.ts"
import { LedgerSystem, START } from "./support/ledger-system.ts"

const stepsOfModel = (model: LedgerModel, run: string) =>
  model.steps
    .filter((step) => step.run === run)
    .map(({ expires, id, owner, status, token }) => ({
      step_id: id,
      status,
      lease_owner: owner,
      lease_expires_at: owner === null ? null : new Date(expires).toISOString(),
      fencing_token: token
    }))

const stepsOfLedger = async (real: LedgerSystem, run: string) =>
  (await real.run(real.ledger.steps({ run_id: run }))).map(
    ({ fencing_token, lease_expires_at, lease_owner, status, step_id }) => ({
      step_id,
      status,
      lease_owner,
      lease_expires_at,
      fencing_token
    })
  )

/** How many commands this process gave to both: for the line at the end, and for what is not done after each. */
const given = { commands: 0 }

const MANY = propRuns > 1_000

/** With very many runs both projections are compared after every so many commands, and at the end of each life. */
const PROJECTIONS_EVERY = MANY ? 32 : 1

/** Most commands that wait together: with very many runs more of them, so that a million takes minutes. */
const MOST_TOGETHER = MANY ? 40 : 6

/** The lists over all runs say what the model says. */
const compareLists = async (model: LedgerModel, real: LedgerSystem): Promise<void> => {
  const isoTime = (millis: number) => new Date(millis).toISOString()
  const inOrder = (rows: ReadonlyArray<ReadonlyArray<string | number | boolean>>) =>
    rows.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  const leases = model.steps.filter(({ status }) => status === "LEASED")
  expect(
    (await real.run(real.ledger.leases())).map(
      ({ expired, fencing_token, lease_expires_at, run_id, step_id, worker_id }) => [
        lease_expires_at,
        step_id,
        run_id,
        worker_id,
        fencing_token,
        expired
      ]
    )
  ).toStrictEqual(
    inOrder(
      leases.map(({ expires, id, owner, run, token }) => [
        isoTime(expires),
        id,
        run,
        owner ?? "",
        token,
        expires <= model.now
      ])
    )
  )
  const waiting = model.steps.filter(({ status }) => status === "PENDING")
  expect(
    (await real.run(real.ledger.waiting())).map(({ fencing_token, run_id, step_id }) => [
      run_id,
      step_id,
      fencing_token
    ])
  ).toStrictEqual(inOrder(waiting.map(({ id, run, token }) => [run, id, token])))
}

/** The tables say what the model says, and both projections agree. */
const compare = async (
  model: LedgerModel,
  real: LedgerSystem,
  runs: ReadonlyArray<string> = RUNS
): Promise<void> => {
  if (given.commands % PROJECTIONS_EVERY === 0) {
    const report = await real.run(real.ledger.verifyCassette({ pure: true, rungs: ["projections"] }))
    expect(report.findings).toStrictEqual([])
    await compareLists(model, real)
  }
  expect((await real.run(real.ledger.head)).position).toBe(model.position)
  for (const run of runs) {
    const [found, wanted] = [await stepsOfLedger(real, run), stepsOfModel(model, run)]
    // vitest's own comparison explains a difference and is slow; most of the time there is none.
    if (!isDeepStrictEqual(found, wanted)) expect(found).toStrictEqual(wanted)
  }
}

/** The runs that a command may touch. */
const runsOf = (command: Command): ReadonlyArray<string> =>
  command.kind === "batch" || command.kind === "claimAny" ? RUNS : [command.run_id]

/** What a claim alone says of the leases where it found nothing. */
const countsOf = (model: LedgerModel, command: Command): object =>
  command.kind === "claim"
    ? model.leaseCounts(({ job, run }) => run === command.run_id && (command.job_id ?? job) === job)
    : command.kind === "claimAny"
      ? model.leaseCounts(({ run }) => run.startsWith(command.prefix ?? ""))
      : {}

type LedgerCommand = fc.AsyncCommand<LedgerModel, LedgerSystem>

/** One command, or several that wait together and are committed in order. */
class Together implements LedgerCommand {
  readonly #plans: ReadonlyArray<Plan>
  #commands: ReadonlyArray<Command> = []

  constructor(plans: ReadonlyArray<Plan>) {
    this.#plans = plans
  }

  check = () => true

  async run(model: LedgerModel, real: LedgerSystem): Promise<void> {
    const expected = this.#plans.map((plan) => {
      const command = plan(model)
      return { command, answer: model.apply(command) }
    })
    this.#commands = expected.map(({ command }) => command)
    const answers = await real.perform(this.#commands)
    given.commands += answers.length
    expect(answers.length).toBe(expected.length)
    for (const [index, { answer }] of expected.entries()) expect(answers[index]).toMatchObject(answer)
    const [only, ...others] = this.#commands
    if (only !== undefined && others.length === 0 && answers[0]?.tag === "NoPendingStep") {
      expect(answers[0]).toMatchObject(countsOf(model, only))
    }
    // A command touches no other run than its own: with very many runs the others are looked at now and then.
    const touched = new Set(this.#commands.flatMap(runsOf))
    await compare(model, real, given.commands % PROJECTIONS_EVERY === 0 ? RUNS : [...touched])
  }

  toString = () => (this.#commands.length === 0 ? "not run" : JSON.stringify(this.#commands))
}

class ClockJump implements LedgerCommand {
  readonly #millis: number

  constructor(millis: number) {
    this.#millis = millis
  }

  check = () => true

  run(model: LedgerModel, real: LedgerSystem): Promise<void> {
    model.now += this.#millis
    real.clock.set(model.now)
    return Promise.resolve()
  }

  toString = () => `clock ${this.#millis >= 0 ? "+" : ""}${this.#millis} ms`
}

class Reopening implements LedgerCommand {
  check = () => true

  async run(model: LedgerModel, real: LedgerSystem): Promise<void> {
    await real.close()
    await real.open()
    expect(real.ledger.fault).toBeUndefined()
    await compare(model, real)
  }

  toString = () => "reopen"
}

const one = anyPlan.map((plan): LedgerCommand => new Together([plan]))
const several = fc
  .array(anyPlan, { minLength: 2, maxLength: MOST_TOGETHER, size: "max" })
  .map((plans): LedgerCommand => new Together(plans))
const jump = anyJump.map((millis): LedgerCommand => new ClockJump(millis))
const reopening = fc.constant(null).map((): LedgerCommand => new Reopening())

const live = async (real: LedgerSystem, commands: Iterable<LedgerCommand>): Promise<void> => {
  await real.open()
  try {
    await fc.asyncModelRun(() => ({ model: new LedgerModel(START), real }), commands)
    const report = await real.run(real.ledger.verifyCassette({ pure: true }))
    expect(report).toMatchObject({ verdict: "PASS", findings: [] })
  } finally {
    await real.close()
  }
}

const size = { maxCommands: 50, size: "max" } as const

describe("a ledger's life", () => {
  const start = performance.now()
  afterAll(() => {
    const seconds = (performance.now() - start) / 1_000
    console.log(`${given.commands} commands against the model in ${seconds.toFixed(1)} s`)
  })

  it("is the model's, in memory", async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands([one, one, one, several, jump], size), (commands) =>
        live(new LedgerSystem(), commands)
      ),
      propParameters()
    )
  })

  it("is the model's, in a file that is opened again and again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cassette-model-"))
    let files = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.commands([one, one, several, jump, reopening], size), (commands) =>
          live(new LedgerSystem(join(folder, `${(files += 1)}.db`)), commands)
        ),
        propParameters(0.1)
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
