// After the end of a layer's scope every operation of every service that the layer gives fails with one typed error.
// The members are walked, so that a new one has to stand here with its arguments, and to fail as the others do.
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { describe, expect, expectTypeOf, it } from "vitest"
import { ExpansionCache } from "../../application/corpus/expansion-cache.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import {
  Checkpoints,
  type CheckpointsShape,
  Corpus,
  type CorpusClosed,
  type CorpusShape,
  Ledger,
  type LedgerClosed,
  type LedgerShape,
  Thoughts,
  type ThoughtsShape
} from "./index.ts"
import { Network, type NetworkClosed, type NetworkShape } from "./network.ts"

/** The errors of what a member of a service is or gives; of a plain value, anything. */
type ErrorOf<Member> =
  Member extends Effect.Effect<unknown, infer E, unknown>
    ? E
    : Member extends Stream.Stream<unknown, infer E, unknown>
      ? E
      : Member extends (...args: never) => infer Given
        ? ErrorOf<Given>
        : unknown

/** The members of a service that do not say that they may fail with `E`. */
type Silent<Shape, E> = {
  readonly [Name in keyof Shape]: [E] extends [ErrorOf<Shape[Name]>] ? never : Name
}[keyof Shape]

it("every operation says so in its type", () => {
  expectTypeOf<Silent<LedgerShape | ThoughtsShape | CheckpointsShape, LedgerClosed>>().toEqualTypeOf<never>()
  expectTypeOf<Silent<CorpusShape, CorpusClosed>>().toEqualTypeOf<never>()
  expectTypeOf<Silent<ExpansionCache["Service"], CorpusClosed>>().toEqualTypeOf<never>()
  expectTypeOf<Silent<NetworkShape, NetworkClosed>>().toEqualTypeOf<never>()
})

const step = { run_id: "r", step_id: "step_0000000000002_6bc3e907409fef01.0001.00001" }
const trust = { origin: "cassette/x", keys: [] } as never

interface Case {
  readonly layer: (folder: string) => Layer.Layer<never, unknown>
  readonly tag: string
  readonly services: ReadonlyArray<{
    readonly service: { readonly key: string }
    /** The functions with arguments that would do; effects need none. */
    readonly calls: Readonly<Record<string, ReadonlyArray<unknown>>>
    readonly values?: ReadonlyArray<string>
  }>
}

const cases: Readonly<Record<string, Case>> = {
  "Ledger.layer": {
    layer: (folder) => Ledger.layer({ filename: join(folder, "l.db") }),
    tag: "LedgerClosed",
    services: [
      {
        service: Ledger,
        values: ["ledgerId", "fault"],
        calls: {
          postMessage: [{ run_id: "r", source: "USER", payload: {} }],
          claimStep: [{ run_id: "r", worker_id: "w" }],
          claimAny: [{ worker_id: "w" }],
          renewLease: [{ ...step, worker_id: "w", fencing_token: 1 }],
          commands: [[{ _tag: "ClaimAny", worker_id: "w" }]],
          leases: [],
          waiting: [],
          failures: [],
          changed: [0],
          eventsAfter: [],
          eventsBefore: [],
          runLength: ["r"],
          ids: [{ kind: "run", prefix: "r" }],
          completeStep: [
            { ...step, worker_id: "w", fencing_token: 1, receipt_payload: {}, outcome: "SUCCESS" }
          ],
          requeueStep: [{ ...step, reason: "x", force: true }],
          message: ["m"],
          messages: ["r"],
          jobStatus: ["j"],
          steps: [{ run_id: "r" }],
          receipts: [{ run_id: "r" }],
          stepStates: ["r"],
          runSummary: ["r"],
          events: [],
          stateAt: [{ position: 1 }],
          stateRowsAt: [{ position: 1 }],
          verifyCassette: [],
          backup: ["/nowhere/b.db"],
          rebuild: ["/nowhere/r.db"]
        }
      },
      {
        service: Thoughts,
        calls: {
          createThoughtRecord: [{ type: "plan", task_id: "t", agent_id: "a", content: "c" }],
          getThoughtRecord: ["x"],
          thoughtRow: ["x"],
          thoughtIdOf: ["x"],
          listThoughtRecords: [],
          thoughtRecords: [],
          verifyChain: []
        }
      },
      {
        service: Checkpoints,
        calls: {
          make: [{ key: undefined }],
          verify: ["note", trust],
          proveInclusion: [{ position: 1 }],
          proveInclusions: [{ events: [] }],
          proveConsistency: [{ from: 0 }]
        }
      }
    ]
  },
  "Corpus.layer": {
    layer: (root) => Corpus.layer({ root }),
    tag: "CorpusClosed",
    services: [
      {
        service: Corpus,
        calls: {
          index: [],
          sections: [],
          section: ["x"],
          sectionIdOf: ["x"],
          addSymbol: [{ symbol_id: "@A/b", path: "a.md" }],
          symbols: [],
          symbol: ["@A/b"],
          removeSymbol: ["@A/b"],
          checkSymbols: [],
          currentSection: ["@A/b"],
          sectionText: [{}],
          resolve: [{ reference: "@A/b", slice: "head(1)", run_id: "r" }],
          measure: [[]],
          verify: []
        }
      },
      { service: ExpansionCache, values: ["substrate"], calls: { lookup: [{}], store: [{}] } }
    ]
  },
  "Network.layerEmpty": {
    layer: () => Network.layerEmpty,
    tag: "NetworkClosed",
    services: [
      {
        service: Network,
        calls: {
          register: [{}],
          unregister: ["x"],
          swap: [{}],
          swapEmbedder: [undefined],
          query: ["x"],
          queryAll: ["x"],
          queryByCapability: ["x", "fts"],
          neighbours: ["x"],
          memorySave: ["x", "c"],
          memoryQuery: ["x"],
          memoryForget: ["x", "y"],
          memoryRecall: ["x"],
          resolveSymbol: ["x"],
          expandSymbols: ["x"],
          shortSymbols: [["x"]]
        }
      }
    ]
  }
}

const isOperation = (value: unknown): boolean =>
  Effect.isEffect(value) || Stream.isStream(value) || typeof value === "function"

/** What an operation fails with; a defect, an interruption and a success are none. */
const failureOf = (operation: unknown): Promise<unknown> =>
  Effect.runPromise(
    Effect.flip(
      Stream.isStream(operation)
        ? Stream.runDrain(operation as Stream.Stream<unknown, unknown>)
        : (operation as Effect.Effect<unknown, unknown>)
    )
  )

/** The services of a layer whose scope has ended. */
const closed = (layer: Layer.Layer<never, unknown>) => Effect.runPromise(Effect.scoped(Layer.build(layer)))

describe.each(Object.entries(cases))("after the end of %s", (_, { layer, services, tag }) => {
  it("every operation fails with the same error", async () => {
    const context = await closed(layer(temporaryFolder()))
    for (const { calls, service, values = [] } of services) {
      const members = Object.entries(context.mapUnsafe.get(service.key) as object)
      const functions = members.filter(([, value]) => typeof value === "function").map(([name]) => name)
      expect(functions.sort()).toEqual(Object.keys(calls).sort())
      for (const [name, value] of members) {
        if (values.includes(name)) continue
        expect(isOperation(value), name).toBe(true)
        const operation = typeof value === "function" ? value(...(calls[name] ?? [])) : value
        expect(await failureOf(operation), name).toMatchObject({ _tag: tag })
      }
    }
  })
})

describe("what runs while the scope of a ledger ends", () => {
  const opened = async () => {
    const scope = Scope.makeUnsafe()
    const layer = Ledger.layer({ filename: join(temporaryFolder(), "l.db") })
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    const ledger = Context.get(context, Ledger)
    const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
    return { ledger, end }
  }
  const post = { run_id: "r", source: "USER", payload: {} } as const

  it("is finished first: commands, verification, a copy", async () => {
    const { end, ledger } = await opened()
    const copy = join(temporaryFolder(), "copy.db")
    const running = Effect.runPromise(
      Effect.all([ledger.postMessage(post), ledger.verifyCassette(), ledger.backup(copy)], {
        concurrency: "unbounded"
      })
    )
    await Promise.resolve()
    const [[posted, report]] = await Promise.all([running, end()])
    expect(posted).toMatchObject({ created: true })
    expect(report.verdict).toBe("PASS")
  })

  it("is ended where it waits for events", async () => {
    const { end, ledger } = await opened()
    const seen: Array<number> = []
    const live = Effect.runFork(
      Effect.flip(
        Stream.runForEach(ledger.events(), ({ position }) => Effect.sync(() => seen.push(position)))
      )
    )
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await end()
    expect(await Effect.runPromise(Fiber.join(live))).toMatchObject({ _tag: "LedgerClosed" })
    expect(seen).toEqual([1])
  })

  it("is ended where a claim or a follower waits, however long it would", async () => {
    const { end, ledger } = await opened()
    const waiting = [
      Effect.asVoid(ledger.claimStep({ run_id: "r", worker_id: "w", wait: Infinity })),
      Effect.asVoid(ledger.claimAny({ worker_id: "w", wait: "1 day" })),
      Effect.asVoid(ledger.changed(99))
    ].map((work) => Effect.runFork(Effect.flip(work)))
    // Each must have begun to wait.
    await Effect.runPromise(ledger.head)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await end()
    for (const fiber of waiting) {
      expect(await Effect.runPromise(Fiber.join(fiber))).toMatchObject({ _tag: "LedgerClosed" })
    }
  })

  it("is ended at its next step where it was half consumed", async () => {
    const { end, ledger } = await opened()
    await Effect.runPromise(ledger.postMessage(post))
    const seen: Array<number> = []
    const failure = await Effect.runPromise(
      Effect.flip(
        Stream.runForEach(ledger.events({ live: false }), ({ position }) =>
          Effect.andThen(
            Effect.sync(() => seen.push(position)),
            Effect.promise(end)
          )
        )
      )
    )
    expect(failure).toMatchObject({ _tag: "LedgerClosed" })
    expect(seen).toEqual([1, 2])
  })
})
