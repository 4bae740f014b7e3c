// Stores in memory that are wrong on purpose, each in one way: the laws' own tests are that each is found by its law. Their tables
// take all that the store decides, so that nothing else finds it first.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import type { ClaimPlace } from "../../../domain/ledger/commands.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import type { LedgerEvent } from "../../../domain/ledger/events.ts"
import { evolve } from "../../../domain/ledger/evolve.ts"
import type { StepRow } from "../../../domain/ledger/rows.ts"
import { LedgerStore, type LedgerTransaction } from "../../../application/ledger/commands/ledger-store.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { MemoryLedger } from "../../../application/ledger/memory/memory-ledger.ts"
import { createdLedger, portsOfMemory } from "../../../application/ledger/memory/memory-ports.ts"
import type { MemoryTables } from "../../../application/ledger/memory/memory-tables.ts"
import { LedgerReader } from "../../../application/ledger/reading/ledger-reader.ts"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"
import { memoryLedgerPorts } from "../memory-ledger.ts"
import type { MakeLayer } from "../ledger-life.ts"

const FAR = "9999-12-31T23:59:59.999Z"

/** The step as an event says that it was, so that the event can follow. */
const agreeing = (step: StepRow, event: LedgerEvent): StepRow => {
  switch (event.type) {
    case "StepClaimed":
      return { ...step, status: "PENDING", fencing_token: event.data.fencing_token - 1 }
    case "LeaseRenewed":
    case "StepCompleted":
    case "StepRequeued": {
      const { data, recorded_at } = event
      const runs = step.lease_expires_at !== null && step.lease_expires_at > recorded_at
      return {
        ...step,
        status: "LEASED",
        lease_owner: data.worker_id,
        lease_expires_at: event.type === "StepRequeued" ? recorded_at : runs ? step.lease_expires_at : FAR,
        fencing_token: "previous_token" in data ? data.previous_token : data.fencing_token
      }
    }
    default:
      return step
  }
}

/** A ledger without a rule of its own. */
class LenientLedger extends MemoryLedger {
  protected override changesOf(event: LedgerEvent) {
    const step = (id: string) => {
      const row = this.tables.step(id)
      return row && agreeing(row, event)
    }
    const firstPending = () => ("step_id" in event.data ? event.data.step_id : undefined)
    return evolve({ step, firstPending, messageOfKey: () => undefined, hasThought: () => false }, event)
  }
}

interface Wrong {
  /** What a unit of work sees instead; asked for once a transaction. */
  readonly transaction?: (right: LedgerTransaction, tables: MemoryTables) => Partial<LedgerTransaction>
  readonly reader?: (right: LedgerReader["Service"]) => Partial<LedgerReader["Service"]>
}

/** The ledger over the ports of a store that is wrong. */
const over = (ledger: MemoryLedger, { reader, transaction }: Wrong) => {
  const wrongStore = Layer.effect(
    LedgerStore,
    Effect.map(LedgerStore, (right) => ({
      ...right,
      transact: <A>(work: (unit: LedgerTransaction) => A) =>
        right.transact((unit) => work({ ...unit, ...transaction?.(unit, ledger.tables) }))
    }))
  )
  const wrongReader = Layer.effect(
    LedgerReader,
    Effect.map(LedgerReader, (right) => ({ ...right, ...reader?.(right) }))
  )
  return Ledger.layerFrom(
    Layer.merge(wrongStore, wrongReader).pipe(
      Layer.provideMerge(portsOfMemory(ledger, "wrong")),
      Layer.provideMerge(memoryLedgerPorts)
    )
  )
}

/** A new ledger that is wrong. */
const wrong =
  (how: Wrong): MakeLayer =>
  () =>
    Layer.unwrap(
      Effect.map(createdLedger(new LenientLedger(sha256), "wrong"), (ledger) => over(ledger, how))
    ).pipe(Layer.provide(memoryLedgerPorts))

const isIn = (step: StepRow, place: ClaimPlace): boolean =>
  "run_id" in place
    ? step.run_id === place.run_id && (place.job_id ?? step.job_id) === step.job_id
    : step.run_id.startsWith(place.prefix)

const stepsIn = (tables: MemoryTables, place: ClaimPlace, ...statuses: ReadonlyArray<StepRow["status"]>) =>
  tables.sorted("cassette_steps").filter((step) => isIn(step, place) && statuses.includes(step.status))

/** What a step was before its newest lease, as a cache would have it that renewals do not reach. */
const staleSteps = (): Wrong => {
  const before = new Map<string, StepRow>()
  return {
    transaction: (right, tables) => ({
      step: (id) => (tables.step(id)?.status === "LEASED" ? before.get(id) : undefined) ?? right.step(id),
      append: (event: EventEnvelope) => {
        if (event.type === "LeaseRenewed") {
          for (const step of tables.sorted("cassette_steps"))
            if (event.data.includes(step.step_id)) before.set(step.step_id, step)
        }
        right.append(event)
      }
    })
  }
}

/** Ledgers by their names that lose their newest event whenever they are opened again. */
const forgetful = (): MakeLayer => {
  const ledgers = new Map<string, MemoryLedger>()
  return (name) => {
    const before = ledgers.get(name)
    if (before === undefined) {
      const born = createdLedger(new LenientLedger(sha256), "wrong").pipe(
        Effect.tap((ledger) => Effect.sync(() => ledgers.set(name, ledger)))
      )
      return Layer.unwrap(Effect.map(born, (ledger) => over(ledger, {}))).pipe(
        Layer.provide(memoryLedgerPorts)
      )
    }
    const ledger = new LenientLedger(sha256)
    for (const event of before.events.slice(0, Math.max(1, before.events.length - 1))) ledger.append(event)
    ledgers.set(name, ledger)
    return over(ledger, {})
  }
}

/** The stores, by what is wrong with them. */
export const wrongStores = {
  "tells of no receipt where a step is done": wrong({
    transaction: () => ({ receiptOfStep: () => undefined })
  }),
  "gives the newest waiting step": wrong({
    transaction: (_, tables) => ({ nextPendingStep: (place) => stepsIn(tables, place, "PENDING").at(-1) })
  }),
  "gives a step that is leased": wrong({
    transaction: (_, tables) => ({
      nextPendingStep: (place) => stepsIn(tables, place, "PENDING", "LEASED")[0]
    })
  }),
  "checks the lease that was renewed": () => wrong(staleSteps())(""),
  "knows no end of a lease": wrong({
    transaction: (right) => ({
      step: (id) => {
        const step = right.step(id)
        return step?.status === "LEASED" ? { ...step, lease_expires_at: FAR } : step
      }
    })
  }),
  "begins with token 1 at each claim": wrong({
    transaction: (right) => ({
      nextPendingStep: (place) => {
        const step = right.nextPendingStep(place)
        return step && { ...step, fencing_token: 0 }
      }
    })
  }),
  "lets a step be completed again": wrong({
    transaction: (right) => ({
      step: (id) => {
        const step = right.step(id)
        return step?.status === "COMMITTED" ? { ...step, status: "LEASED", lease_expires_at: FAR } : step
      }
    })
  }),
  "forgets idempotency keys": wrong({ transaction: () => ({ messageByKey: () => undefined }) }),
  "keeps what it refuses": wrong({
    transaction: (right) => ({
      append: (event) => {
        right.append(event)
        if (event.type === "LeaseRenewed") throw new InvariantViolation({ message: "no renewals" })
      }
    })
  }),
  "shows a batch what stood before it": wrong({
    transaction: (right, tables) => {
      const before = tables.copy()
      return { ...right, nextPendingStep: (place) => before.nextPending(place) }
    }
  }),
  "changes an event when it is read": wrong({
    reader: (right) => ({
      events: (...asked) =>
        Effect.map(right.events(...asked), (events) =>
          events.map((event) => (event.type === "StepClaimed" ? { ...event, stream_id: "run:other" } : event))
        )
    })
  }),
  "shows receipts of one job alone": wrong({
    reader: (right) => ({
      receipts: (of, page) => ("run_id" in of ? Effect.succeed([]) : right.receipts(of, page))
    })
  }),
  "loses the newest event when it is opened again": forgetful()
} satisfies Readonly<Record<string, MakeLayer>>
