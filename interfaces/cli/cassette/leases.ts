// `cortex cassette leases`: leased steps, the lease that ends first in front. It says which have ended and how their steps wait
// again; it is answered from an index, so that the history does not count.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/foundation/input.ts"
import { rowPages } from "../../../application/ledger/reading/row-pages.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import { type LeasedStep, ListLeases, prepareLeases } from "../../../domain/ledger/lists.ts"
import { Host, type HostShape } from "../../shared/host.ts"
import { switchFlag } from "../../shared/options.ts"
import type { Line } from "../../shared/terminal-text.ts"
import { requeueText, withPlace } from "../advice.ts"
import { answerStreamed, tables } from "../output.ts"
import { requireRun, warnAbout, withLedger } from "./open-ledger.ts"
import { oneScope, runsAsked, runsFlags } from "./runs-asked.ts"

/** How many leases are read at a time. */
const ROWS_AT_ONCE = 100

const decode = decodeInput(ListLeases, prepareLeases)

const leasesOf = (ledger: LedgerShape, of: ListLeases) =>
  rowPages({
    page: (last: LeasedStep | undefined) =>
      ledger.leases({
        ...of,
        limit: ROWS_AT_ONCE,
        after: last && { lease_expires_at: last.lease_expires_at, step_id: last.step_id }
      }),
    placeOf: ({ lease_expires_at, step_id }) => [lease_expires_at, step_id],
    nameOf: ({ step_id }) => `cassette_steps ${step_id}`
  })

/** What to do about the lease that ended first. */
const adviceLines = (host: HostShape, ended: LeasedStep | undefined): ReadonlyArray<Line> =>
  ended === undefined
    ? []
    : [
        "",
        "a step whose lease has ended waits again once it is requeued; the first one:",
        withPlace(host, requeueText(ended))
      ]

const leaseLines = <E>(
  leases: Stream.Stream<LeasedStep, E>,
  advice: ReadonlyArray<Line>
): Stream.Stream<Line, E> =>
  tables(
    ["step", "run", "worker", "token", "lease"],
    Stream.map(leases, ({ expired, fencing_token, lease_expires_at, run_id, step_id, worker_id }) => [
      step_id,
      run_id,
      worker_id,
      String(fencing_token),
      `${lease_expires_at}${expired ? " expired" : ""}`
    ])
  ).pipe(
    Stream.orElseIfEmpty(() => Stream.succeed<Line>("no leases")),
    Stream.concat(Stream.fromIterable(advice))
  )

export const leasesCommand = Command.make(
  "leases",
  { expired: switchFlag("expired", "only leases that have ended"), ...runsFlags("leases") },
  Effect.fnUntraced(function* ({ expired, limit, ...given }) {
    const host = yield* Host
    const of: ListLeases = { ...runsAsked(given), ...(expired ? { expired } : {}) }
    yield* Effect.fromResult(decode(of))
    yield* withLedger("read", (ledger) =>
      Effect.gen(function* () {
        yield* warnAbout(ledger)
        yield* requireRun(ledger, of.run_id)
        const [ended] = yield* ledger.leases({ ...of, expired: true, limit: 1 })
        const all = leasesOf(ledger, of)
        const leases = Option.isSome(limit) ? Stream.take(all, limit.value) : all
        yield* answerStreamed({ data: { leases }, lines: leaseLines(leases, adviceLines(host, ended)) })
      })
    )
  })
).pipe(
  Command.validate((given) => oneScope(given)),
  Command.withDescription(
    "List leased steps, the lease that ends first in front, with worker and token. A lease that has ended is marked, and the command that lets its step wait again is shown: nothing is requeued by itself."
  ),
  Command.withShortDescription("list leased steps, and whose lease has ended"),
  Command.withExamples([
    { command: "cortex cassette leases" },
    {
      command: "cortex cassette leases --expired --prefix mail- --format json",
      description: "what a program that requeues looks at"
    }
  ])
)
