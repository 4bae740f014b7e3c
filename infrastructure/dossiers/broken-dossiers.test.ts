// Dossiers that were changed: single bytes, files, lines and stories with all hashes made right. Two verifiers that share no
// line are asked. The bytes are some of all: a property, dossiers, draws them. What a dossier alone cannot tell is found with the ledger.
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MAX_DOSSIER_ENTRIES, MAX_LINE_BYTES } from "../../domain/dossiers/limits.ts"
import { manifestText, rootHashOf } from "../../domain/dossiers/manifest.ts"
import { TAR_END } from "../../domain/foundation/tar.ts"
import { hostileArchives, tarFile } from "../files/testing/hostile-archives.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import {
  broken,
  brokenClaims,
  brokenDossiers,
  hasPython,
  objectOf,
  readParts,
  secondOpinions,
  writeParts
} from "./testing/broken-dossiers.ts"
import {
  exported,
  openStory,
  OTHER_RUN,
  reportAt,
  reportWith,
  RUN,
  TASK,
  tellStory
} from "./testing/dossiers.ts"

const codesOf = ({ findings }: { readonly findings: ReadonlyArray<{ readonly code: string }> }) =>
  findings.map(({ code }) => code)

const exitOf = ({ verdict }: { readonly verdict: string }) =>
  verdict === "PASS" ? 0 : verdict === "FAIL" ? 1 : 2

/** A story with honest dossiers of both of its runs, and of the run of another ledger. */
const honest = Effect.gen(function* () {
  const [story, stranger] = [yield* openStory(), yield* openStory()]
  yield* tellStory(story)
  yield* tellStory(stranger)
  const trustFile = join(story.folder, "trust.json")
  writeFileSync(trustFile, JSON.stringify(story.trust))
  return {
    story,
    trustFile,
    whole: (yield* exported(story, "whole")).path,
    hashed: (yield* exported(story, "hashed", { run_id: RUN, tasks: [TASK], bodies: "hashed" })).path,
    packed: (yield* exported(story, "a.tar", { run_id: RUN, packed: true })).path,
    other: (yield* exported(story, "other", { run_id: OTHER_RUN })).path,
    foreign: (yield* exported(stranger, "foreign")).path
  }
})

describe("a broken dossier", () => {
  it.effect("is found out, each by its code and with its exit code, by both verifiers", () =>
    Effect.gen(function* () {
      const { foreign, hashed, other, story, trustFile, whole } = yield* honest
      const paths: Array<string> = []
      const all = [...brokenDossiers, ...brokenClaims]
      for (const [index, one] of all.entries()) {
        const { change, code, exit, name } = one
        const from = brokenClaims.includes(one) ? hashed : whole
        const path = broken(from, join(story.folder, `broken-${index}`), (copy) =>
          change(copy, other, foreign)
        )
        const report = yield* reportAt(path, story.trust)
        assert.include(codesOf(report), code, name)
        assert.strictEqual(exitOf(report), exit, name)
        paths.push(path)
      }
      for (const [index, opinion] of (hasPython ? secondOpinions(trustFile, paths) : []).entries()) {
        const { code, exit, name } = all[index]!
        assert.strictEqual(opinion.exit, exit, `${name}: ${opinion.codes}`)
        assert.include(opinion.codes, code, name)
      }
    })
  )

  it.effect(
    "is found out whichever byte was changed, and honest ones pass, says the second verifier too",
    () =>
      Effect.gen(function* () {
        const { foreign: _, hashed, packed, story, trustFile, whole } = yield* honest
        if (hasPython) {
          for (const { codes, exit } of secondOpinions(trustFile, [whole, hashed, packed])) {
            assert.deepStrictEqual([exit, codes], [0, []])
          }
        }
        const paths: Array<string> = []
        for (const from of [whole, hashed]) {
          for (const name of readdirSync(from)) {
            const bytes = readFileSync(join(from, name))
            const step = Math.max(1, Math.floor(bytes.length / 4))
            for (let at = 0; at < bytes.length; at += step) {
              const path = broken(from, join(story.folder, `byte-${paths.length}`), (copy) => {
                const changed = Buffer.from(bytes)
                changed[at] = bytes[at]! ^ 1
                writeFileSync(join(copy, name), changed)
              })
              assert.notStrictEqual(exitOf(yield* reportAt(path, story.trust)), 0, `${name} ${at}`)
              paths.push(path)
            }
          }
        }
        if (hasPython)
          for (const { exit, path } of secondOpinions(trustFile, paths)) assert.notStrictEqual(exit, 0, path)
      })
  )
})

describe("a dossier that is too large", () => {
  it.effect("has too many names, and is a dossier still, in whichever order they are listed", () =>
    Effect.gen(function* () {
      const { story, whole } = yield* honest
      for (let index = 0; index <= MAX_DOSSIER_ENTRIES; index++) writeFileSync(join(whole, `x${index}`), "")
      const report = yield* reportAt(whole, story.trust)
      assert.strictEqual(report.verdict, "FAIL")
      assert.include(codesOf(report), "LIMIT_EXCEEDED")
      assert.notIncludeMembers(codesOf(report), ["FILE_MISSING"])
    })
  )

  it.effect("has a line that is too long, which is no change of its file", () =>
    Effect.gen(function* () {
      const { story, whole } = yield* honest
      const bytes = 3 * MAX_LINE_BYTES
      truncateSync(join(whole, "events.jsonl"), bytes)
      const manifest = join(whole, "dossier.json")
      const text = readFileSync(manifest, "utf8")
      const said = objectOf(
        text.replace(/"bytes":\d+,"path":"events.jsonl"/, `"bytes":${bytes},"path":"events.jsonl"`)
      )
      writeFileSync(manifest, manifestText({ ...said, root_hash: rootHashOf(sha256, said) }))
      const codes = codesOf(yield* reportAt(whole, story.trust))
      assert.includeMembers(codes, ["LINE_INVALID", "FILE_UNREADABLE"])
      assert.notInclude(codes, "FILE_CHANGED")
    })
  )
})

describe("what a dossier alone cannot tell", () => {
  it.effect("is the end of a run that was left out: the ledger finds it", () =>
    Effect.gen(function* () {
      const { story, whole } = yield* honest
      const parts = readParts(whole)
      parts.events.pop()
      parts.proofs.pop()
      writeParts(whole, parts)
      assert.deepInclude(yield* reportAt(whole, story.trust), { verdict: "PASS", complete: null })
      const report = yield* reportWith(story, whole)
      assert.deepInclude(report, { verdict: "FAIL", complete: false })
      assert.deepStrictEqual(codesOf(report), ["EVENT_LEFT_OUT"])
    })
  )

  it.effect("is a claim of the exporter about a body that it left out: the ledger finds it", () =>
    Effect.gen(function* () {
      const { hashed, story } = yield* honest
      const parts = readParts(hashed)
      parts.events = parts.events.map((line) => line.replace("FAILURE", "SUCCESS"))
      writeParts(hashed, parts)
      assert.deepInclude(yield* reportAt(hashed, story.trust), { verdict: "PASS" })
      assert.deepStrictEqual(codesOf(yield* reportWith(story, hashed)), ["EVENT_DIFFERS"])
    })
  )

  it.effect("is what a withheld event said, until its bodies are there: then its hash tells", () =>
    Effect.gen(function* () {
      const { hashed, story, trustFile, whole } = yield* honest
      const parts = readParts(hashed)
      parts.manifest["bodies"] = "whole"
      const disclosed = readParts(whole)
      parts.events = disclosed.events
      parts.thoughts = disclosed.thoughts
      writeParts(hashed, parts)
      assert.deepInclude(yield* reportAt(hashed, story.trust), { verdict: "PASS", bodies: "whole" })
      if (hasPython) assert.strictEqual(secondOpinions(trustFile, [hashed])[0]?.exit, 0)
      assert.include(disclosed.events.map((line) => String(objectOf(line)["data"])).join(""), "Ada")
    })
  )
})

describe("a packed dossier", () => {
  const hostile = [
    ...hostileArchives({
      first: ["checkpoint.txt", "a checkpoint"],
      last: ["dossier.json", "{}\n"],
      stray: "bundles/readme.txt"
    }),
    [
      "a bundle's file outside of a bundle",
      Buffer.concat([tarFile("bundles/job_1/bundle.json", "{}"), Buffer.alloc(TAR_END)])
    ]
  ] as const

  for (const [name, bytes] of hostile) {
    it.effect(`is refused with ${name}, and leaves nothing`, () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        writeFileSync(join(folder, "a.tar"), bytes)
        const error = yield* Effect.flip(reportAt(join(folder, "a.tar")))
        assert.strictEqual(error._tag, "NotADossierArchive")
        assert.deepStrictEqual(readdirSync(folder), ["a.tar"])
      })
    )
  }

  it.effect("is found out whichever byte was changed", () =>
    Effect.gen(function* () {
      const { packed, story } = yield* honest
      const bytes = readFileSync(packed)
      const changed = join(story.folder, "changed.tar")
      for (let at = 0; at < bytes.length; at += 509) {
        const copy = Buffer.from(bytes)
        copy[at] = bytes[at]! ^ 1
        writeFileSync(changed, copy)
        const outcome = yield* Effect.result(reportAt(changed, story.trust))
        assert.isTrue(outcome._tag === "Failure" || outcome.success.verdict !== "PASS", `byte ${at}`)
      }
      rmSync(changed)
      cpSync(packed, changed)
      assert.strictEqual((yield* reportAt(changed, story.trust)).verdict, "PASS")
    })
  )
})
