// The service that keeps cassettes, over files in memory: which cassettes a task takes, what becomes of a refusal, and what is
// decided before anything is written.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CartridgeManifest } from "../../../domain/network/cartridges/cartridge.ts"
import { CassetteDamaged, ConfigurationMissing } from "../../../domain/network/errors.ts"
import { CassetteFiles, type CassetteFilesShape, type KeptCassette } from "./cassette-files.ts"
import { CassetteKeeping, type CassetteKeepingShape } from "./keeping.ts"

const cassette = (id: string, given: Partial<KeptCassette> = {}): KeptCassette => ({
  id,
  file: `/${id}.db`,
  type: "local",
  mutability: "mutable",
  asked: { mutability: "mutable", memories: "shared" },
  isFollowed: true,
  refusal: undefined,
  ...given
})

const CASSETTES = [
  cassette("docs"),
  cassette("sealed", { mutability: "immutable" }),
  cassette("inbox", { mutability: "ephemeral", isFollowed: false }),
  cassette("shelf", { type: "external" }),
  cassette("outside", { refusal: "it lies outside the root folder" })
]

const manifest = (given: Partial<CartridgeManifest>): CartridgeManifest =>
  ({
    cassette_id: "docs",
    mutability: "mutable",
    memories: "shared",
    ttl_ms: 1,
    ...given
  }) as CartridgeManifest

interface Given {
  readonly damaged?: ReadonlyArray<string>
  readonly missing?: ReadonlyArray<string>
  readonly manifest?: Partial<CartridgeManifest>
  readonly changes?: number
  readonly unreadable?: number
}

/** Files that do nothing but say what was asked of them. */
const filesOf = ({
  changes = 0,
  damaged = [],
  manifest: given = {},
  missing = [],
  unreadable = 0
}: Given) => {
  const asked: Array<string> = []
  let readings = 0
  const on = <A>(task: string, id: string, report: A) =>
    Effect.suspend(() => {
      asked.push(`${task} ${id}`)
      return damaged.includes(id)
        ? Effect.fail(
            new CassetteDamaged({ file: `/${id}.db`, where: "INTEGRITY", reason: "a page is damaged" })
          )
        : Effect.succeed(report)
    })
  const shape: CassetteFilesShape = {
    read: Effect.suspend(() => {
      readings += 1
      if (readings <= unreadable) return Effect.fail(new ConfigurationMissing({ file: "/network.yaml" }))
      return Effect.succeed({
        cassettes: CASSETTES,
        index: (id, { isFollowed, prune }) =>
          on(`index${isFollowed ? "" : " nothing"}${prune ? " prune" : ""}`, id, {
            cassette_id: id
          } as never),
        reindex: (id) => on("reindex", id, { cassette_id: id, chunks: 1, embedded: 0 }),
        sweep: (id, now) => on(`sweep ${now.slice(0, 4)}`, id, { cassette_id: id, removed: [] }),
        verify: (id) => Effect.succeed({ findings: [], warnings: [id], facts: undefined }),
        carry: (id) => on("carry", id, id === "docs" ? ({ cassette_id: id } as never) : undefined),
        exportTo: (id, agent, target, form) =>
          on(`export ${agent} ${target} ${form}`, id, { created: true, manifest: manifest({}) }),
        importFrom: (id) => on("import", id, { manifest: manifest({}), chunks: 2, embedded: 0 }),
        isThere: (id) => !missing.includes(id)
      })
    }),
    openCartridge: () => Effect.succeed({ manifest: manifest(given), check: Effect.void }),
    changes: Stream.fromIterable(Array.from({ length: changes }, () => undefined))
  }
  return {
    asked,
    layer: CassetteKeeping.layerNoDeps.pipe(Layer.provide(Layer.succeed(CassetteFiles, shape)))
  }
}

const keeping = <A, E>(given: Given, use: (service: CassetteKeepingShape) => Effect.Effect<A, E>) => {
  const { asked, layer } = filesOf(given)
  return Effect.map(
    Effect.result(Effect.provide(Effect.flatMap(CassetteKeeping, use), layer)),
    (outcome) => ({
      asked,
      outcome: Result.match(outcome, {
        onFailure: (error) => (error as { readonly message: string }).message,
        onSuccess: (value) => value
      })
    })
  )
}

const tasks: Readonly<
  Record<
    string,
    (service: CassetteKeepingShape, ids: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>
  >
> = {
  index: ({ index }, cassettes) => index({ cassettes }),
  reindex: ({ reindex }, ids) => reindex(ids),
  sweep: ({ sweep }, ids) => sweep(ids),
  migrate: ({ migrate }, ids) => migrate(ids)
}

describe("a task on cassettes", () => {
  it.effect("takes all that it may write to, and those that do not follow their sources are only made", () =>
    Effect.gen(function* () {
      const { asked } = yield* keeping({}, ({ index }) => index())
      assert.deepStrictEqual(asked, ["index docs", "index sealed", "index nothing inbox"])
      const named = yield* keeping({}, ({ index }) => index({ cassettes: ["inbox"], prune: true }))
      assert.deepStrictEqual(named.asked, ["index prune inbox"])
    })
  )

  it.effect("refuses by name what it may not write to, with the reason, and does nothing else", () =>
    Effect.gen(function* () {
      for (const [ids, message] of [
        [["docs", "shelf"], /shelf refuses the write: it is external/],
        [["outside"], /outside the root folder/],
        [["nothing"], /nothing/]
      ] as const) {
        for (const task of Object.keys(tasks)) {
          const { asked, outcome } = yield* keeping({}, (service) => tasks[task]!(service, ids))
          assert.match(String(outcome), message, task)
          assert.deepStrictEqual(asked, [], task)
        }
      }
      const sealed = yield* keeping({}, ({ reindex }) => reindex(["sealed"]))
      assert.match(String(sealed.outcome), /it is sealed/)
    })
  )

  it.effect("goes on behind a refusal, and fails with that of a cassette that is alone", () =>
    Effect.gen(function* () {
      const several = yield* keeping({ damaged: ["docs"] }, ({ reindex }) => reindex())
      assert.deepStrictEqual(several.asked, ["reindex docs", "reindex inbox"])
      assert.deepInclude(several.outcome, { done: [{ cassette_id: "inbox", chunks: 1, embedded: 0 }] })
      assert.include(JSON.stringify(several.outcome), '"code":"CASSETTE_DAMAGED"')
      const alone = yield* keeping({ damaged: ["docs"] }, ({ reindex }) => reindex(["docs"]))
      assert.match(String(alone.outcome), /a page is damaged/)
    })
  )

  it.effect("sweeps what expires, or what is named and there", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* keeping({}, ({ sweep }) => sweep())).asked, ["sweep 1970 inbox"])
      assert.deepStrictEqual((yield* keeping({}, ({ sweep }) => sweep(["docs"]))).asked, ["sweep 1970 docs"])
      const missing = yield* keeping({ missing: ["docs"] }, ({ sweep }) => sweep(["docs"]))
      assert.match(String(missing.outcome), /the file is missing/)
      assert.deepStrictEqual((yield* keeping({ missing: ["inbox"] }, ({ sweep }) => sweep())).asked, [])
    })
  )

  it.effect("verifies every cassette, an external one too, but none that may not be used", () =>
    Effect.gen(function* () {
      const { outcome } = yield* keeping({}, ({ verify }) => verify(["docs", "shelf"]))
      assert.deepStrictEqual(
        outcome,
        ["docs", "shelf"].map((id) => ({ findings: [], warnings: [id], facts: undefined }))
      )
      assert.match(String((yield* keeping({}, ({ verify }) => verify())).outcome), /outside the root folder/)
    })
  )

  it.effect("tells of those alone that were carried", () =>
    Effect.gen(function* () {
      const { outcome } = yield* keeping({}, ({ migrate }) => migrate())
      assert.deepStrictEqual(outcome, { done: [{ cassette_id: "docs" } as never], refused: [] })
    })
  )
})

describe("a cartridge", () => {
  it.effect("is made as a folder and for no agent, unless it is said otherwise", () =>
    Effect.gen(function* () {
      const plain = yield* keeping({}, (service) =>
        service.exportCartridge({ cassette: "docs", target: "/c" })
      )
      assert.deepStrictEqual(plain.asked, ["export null /c folder docs"])
      const tar = yield* keeping({}, (service) =>
        service.exportCartridge({ cassette: "docs", target: "/c", form: "tar", agent: "ana" })
      )
      assert.deepStrictEqual(tar.asked, ["export ana /c tar docs"])
    })
  )

  it.effect("is imported where the configuration asks for what it is, and nowhere else", () =>
    Effect.gen(function* () {
      const made = yield* keeping({}, ({ importCartridge }) => importCartridge("/c"))
      assert.deepInclude(made.outcome, { file: "/docs.db", chunks: 2 })
      for (const [given, message] of [
        [{ mutability: "stable" }, /stable/],
        [{ memories: "private" }, /private/],
        [{ cassette_id: "unknown" }, /unknown/],
        [{ cassette_id: "shelf" }, /it is external/]
      ] as const) {
        const { asked, outcome } = yield* keeping({ manifest: given }, (service) =>
          service.importCartridge("/c")
        )
        assert.match(String(outcome), message)
        assert.deepStrictEqual(asked, [])
      }
    })
  )
})

describe("following the sources", () => {
  it.effect("indexes what follows them at each change, and goes on when a run fails", () =>
    Effect.gen(function* () {
      const { asked, outcome } = yield* keeping({ changes: 2, unreadable: 1 }, ({ follow }) =>
        Effect.map(Stream.runCollect(follow), (runs) => [...runs].map(({ _tag }) => _tag))
      )
      assert.deepStrictEqual(outcome, ["Failure", "Success"])
      assert.deepStrictEqual(asked, ["index docs", "index sealed"])
    })
  )
})
