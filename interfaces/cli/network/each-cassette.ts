// What a command does to several cassettes in turn: one that is refused does not keep the others from their turn, and all of
// them are told at the end. What ends the whole command are faults of the machine or of the program alone.
import * as Effect from "effect/Effect"
import { errorCode } from "../../../domain/foundation/errors.ts"
import type { ConfiguredCassette } from "../../../infrastructure/network/configured-cassette.ts"
import { exitCodes, INTERNAL } from "../../shared/exit-codes.ts"
import { type CommandFailure, CassettesRefused } from "../../shared/failures.ts"
import { Format } from "../../shared/options.ts"
import { answer } from "../output.ts"
import type { Line } from "../../shared/terminal-text.ts"

/** A cassette that had no part in the command, and why. */
type Refused = CassettesRefused["refused"][number]

/** What a command came to. */
export interface EachOutcome<A> {
  readonly done: ReadonlyArray<A>
  readonly refused: ReadonlyArray<Refused>
}

/** Runs `work` on each cassette; the refusal of one that is alone is the command's own. */
export const eachCassette = Effect.fnUntraced(function* <A, E extends CommandFailure, R>(
  cassettes: ReadonlyArray<ConfiguredCassette>,
  work: (cassette: ConfiguredCassette) => Effect.Effect<A, E, R>
): Effect.fn.Return<EachOutcome<A>, E, R> {
  const done: Array<A> = []
  const refused: Array<Refused> = []
  for (const cassette of cassettes) {
    const outcome = yield* Effect.result(work(cassette))
    if (outcome._tag === "Success") {
      done.push(outcome.success)
      continue
    }
    const { failure } = outcome
    if (cassettes.length === 1 || exitCodes[failure._tag] === INTERNAL) return yield* Effect.fail(failure)
    refused.push({ cassette_id: cassette.id, code: errorCode(failure), message: failure.message })
  }
  return { done, refused }
})

/** Writes what was done; cassettes that were refused are the command's error. */
export const answerEach = Effect.fnUntraced(function* (
  task: CassettesRefused["task"],
  { done, refused }: EachOutcome<object>,
  lines: () => ReadonlyArray<Line>
) {
  if (refused.length === 0 || (yield* Format) === "text") {
    yield* answer({
      data: { cassettes: done },
      lines: () => (done.length === 0 && refused.length > 0 ? [] : lines())
    })
  }
  if (refused.length > 0) return yield* new CassettesRefused({ task, cassettes: done, refused })
})
