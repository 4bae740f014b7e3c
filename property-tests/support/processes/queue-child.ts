// A child process that shares a queue: `node queue-child.ts <file> <name>`. It offers some elements, then takes elements with several
// takers until it is killed. Every acknowledgement goes to standard output as one JSON line, written synchronously.
import { writeSync } from "node:fs"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { Ledger } from "../../../interfaces/embedding/ledger.ts"
import { CassettePersistedQueue } from "../../../interfaces/workflow/index.ts"
import { CRASH_LEASE_SECONDS, crashQueue, type QueueTold } from "./crash-queue.ts"

const [filename = "", name = ""] = process.argv.slice(2)

const tell = (line: QueueTold): Effect.Effect<void> =>
  Effect.sync(() => {
    writeSync(1, `${JSON.stringify(line)}\n`)
  })

const OFFERS = 6
const TAKERS = 3

const program = Effect.gen(function* () {
  const queue = yield* crashQueue
  yield* tell({ did: "open", id: "" })
  yield* Effect.forEach(
    Array.from({ length: OFFERS }, (_, n) => ({ n, id: `${name}/${n}` })),
    ({ id, n }) =>
      Effect.andThen(
        queue.offer({ n }, { id, delay: n % 2 === 0 ? undefined : Duration.millis(40) }),
        tell({ did: "offer", id })
      )
  )
  const takeOne = Effect.gen(function* () {
    const id = yield* queue.take(({ n }, metadata) =>
      Effect.gen(function* () {
        yield* tell({ did: "begin", id: metadata.id })
        yield* Effect.sleep(Duration.millis(n))
        return n % 3 === 0 && metadata.attempts === 1 ? yield* Effect.fail("transient") : metadata.id
      })
    )
    yield* tell({ did: "done", id })
  })
  const taker = Effect.forever(
    Effect.catchIf(
      takeOne,
      (error) => error === "transient",
      () => Effect.void
    )
  )
  yield* Effect.all(
    Array.from({ length: TAKERS }, () => taker),
    { concurrency: "unbounded" }
  )
})

const layer = PersistedQueue.layer.pipe(
  Layer.provide(CassettePersistedQueue.layerStore({ worker_id: name, ttl_seconds: CRASH_LEASE_SECONDS })),
  Layer.provide(Ledger.layer({ filename }))
)

await Effect.runPromise(Effect.provide(program, layer))
