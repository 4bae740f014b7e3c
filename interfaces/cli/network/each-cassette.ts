// How a command tells what became of several cassettes in turn: those that were refused are told at the end, all together.
import * as Effect from "effect/Effect"
import type { EachCassette } from "../../../application/network/keeping/keeping.ts"
import { CassettesRefused } from "../../shared/failures.ts"
import { Format } from "../../shared/options.ts"
import { answer } from "../output.ts"
import type { Line } from "../../shared/terminal-text.ts"

/** Writes what was done; cassettes that were refused are the command's error. */
export const answerEach = Effect.fnUntraced(function* (
  task: CassettesRefused["task"],
  { done, refused }: EachCassette<object, { readonly message: string }>,
  lines: () => ReadonlyArray<Line>
) {
  if (refused.length === 0 || (yield* Format) === "text") {
    yield* answer({
      data: { cassettes: done },
      lines: () => (done.length === 0 && refused.length > 0 ? [] : lines())
    })
  }
  if (refused.length === 0) return
  const told = refused.map(({ cassette_id, code, error }) => ({ cassette_id, code, message: error.message }))
  return yield* new CassettesRefused({ task, cassettes: done, refused: told })
})
