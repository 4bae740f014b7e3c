/**
 * Rounds in which one cassette of eight hangs and another is damaged, and rounds in which the parent of a hanging child
 * is killed: what answers say, how long they take, and which processes are left. Tests run a few, a benchmark many.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { NetworkShape } from "../../../application/network/hub.ts"
import type { CassetteAnswer } from "../../../domain/network/cassette.ts"
import { isGone } from "../../testing/programs/process-end.ts"
import { programOf } from "../../testing/programs/program.ts"
import { childCassette } from "../children/child-cassette.ts"
import { cassetteWith, local, withNetworkOf } from "./cassettes.ts"

const program = programOf("infrastructure/network/testing/child-that-may-hang.ts")
const parentProgram = programOf("infrastructure/network/testing/parent-of-hanging-child.ts")

/** What came of the rounds. */
export interface FaultRounds {
  /** How the cassettes answered in each round. */
  readonly answers: ReadonlyArray<Readonly<Record<string, CassetteAnswer>>>
  /** How many hits there were in each round. */
  readonly hits: ReadonlyArray<number>
  /** How long each answer took (milliseconds). */
  readonly waits: ReadonlyArray<number>
  /** Children that were started, and those that were still there in the end. */
  readonly children: ReadonlyArray<number>
  readonly left: ReadonlyArray<number>
  /** How they answered once the causes were gone. */
  readonly repaired: Readonly<Record<string, CassetteAnswer>>
}

/** Asks until the hung cassette is back; a child that takes long to start is late, too. */
const isBack = Effect.fnUntraced(function* (network: NetworkShape) {
  for (let tries = 0; tries < 50; tries++) {
    if ((yield* network.query("text")).answers["hung"]?.status === "ok") return
  }
  throw new Error("no child starts within its deadline: set a longer one")
})

const sound = ["one", "two", "three", "four", "five", "six"]

/** Asks eight cassettes: six sound ones, `hung`, which a child serves that hangs, and the damaged `corrupt`. */
export const faultRounds = async (
  folder: string,
  rounds: number,
  deadlineMillis: number
): Promise<FaultRounds> => {
  const documents = (id: string) => ({ "a/b.md": `some text of ${id}` })
  const files = Object.fromEntries(
    [...sound, "hung", "corrupt"].map((id) => [id, cassetteWith(folder, id, documents(id))])
  )
  const file = (id: string) => files[id] ?? ""
  const whole = readFileSync(file("corrupt"))
  const hang = `${file("hung")}.hang`
  const answers: Array<FaultRounds["answers"][number]> = []
  const hits: Array<number> = []
  const waits: Array<number> = []
  const children = () =>
    readFileSync(`${file("hung")}.children`, "utf8")
      .trim()
      .split("\n")
      .map(Number)
  const hung = childCassette({
    id: "hung",
    file: file("hung"),
    shownPath: "hung.db",
    program,
    deadlineMillis,
    pauseMillis: 0
  })
  const cassettes = [...sound, "corrupt"].map((id) => local(id, file(id)))
  const repaired = await withNetworkOf([hung, ...cassettes], (network) =>
    Effect.gen(function* () {
      yield* isBack(network)
      writeFileSync(file("corrupt"), Buffer.alloc(whole.length, 0xa5))
      for (let round = 0; round < rounds; round++) {
        yield* isBack(network)
        writeFileSync(hang, "")
        const start = performance.now()
        const answer = yield* network.query("text")
        waits.push(performance.now() - start)
        answers.push(answer.answers)
        hits.push(answer.hits.length)
        rmSync(hang)
      }
      writeFileSync(file("corrupt"), whole)
      yield* isBack(network)
      return (yield* network.query("text")).answers
      // That a cassette comes and goes is what is done here.
    }).pipe(Effect.provide(Logger.layer([])))
  )
  const started = children()
  const left: Array<number> = []
  for (const pid of started) if (!(await isGone(pid))) left.push(pid)
  return { answers, hits, waits, children: started, left, repaired }
}

/** Kills parents while their child hangs; gives the children that were left. */
export const orphanRounds = async (rounds: number): Promise<ReadonlyArray<number>> => {
  const left: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const parent = spawn(process.execPath, [parentProgram], { stdio: ["ignore", "pipe", "inherit"] })
    const [line] = (await once(parent.stdout, "data")) as [Buffer]
    parent.kill("SIGKILL")
    const pid = Number(line.toString())
    if (!(await isGone(pid))) left.push(pid)
  }
  return left
}
