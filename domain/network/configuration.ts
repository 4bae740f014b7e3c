// What the configuration of a network may say, with its defaults. Names are those of the file. It is decoded strictly:
// an unknown name is an error, since a mistyped one would silently be a default.
import * as Schema from "effect/Schema"
import {
  Capability,
  CassetteId,
  type MemoryScope,
  type Mutability,
  Mutability as MutabilityName
} from "./cassette.ts"
import type { AskedBirth } from "./birth.ts"
import { DEFAULT_TTL_MILLIS, MAX_EXPANSION_DEPTH } from "./limits.ts"

const RelativeOrAbsolutePath = Schema.String.check(
  Schema.makeFilter((text: string) => text !== "" && !text.includes("\u0000") && text.isWellFormed(), {
    expected: "the path of a file"
  })
)

const ttlForm = /^([1-9][0-9]{0,9})(ms|s|m|h|d)$/
const unitMillis = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const Ttl = Schema.String.check(
  Schema.isPattern(ttlForm, { expected: "a whole number with ms, s, m, h or d, such as 7d" })
)

export const CassetteConfiguration = Schema.Struct({
  id: CassetteId,
  /** Relative to the configuration file. */
  path: RelativeOrAbsolutePath,
  type: Schema.Literals(["local", "external"]),
  auto_index: Schema.optionalKey(Schema.Boolean),
  /** What it is meant to do; what it proves is what counts. */
  capabilities: Schema.optionalKey(Schema.Array(Capability)),
  /** Globs of the files that it holds, relative to the configuration file. */
  sources: Schema.optionalKey(Schema.Array(Schema.String)),
  mutability: Schema.optionalKey(MutabilityName),
  ttl: Schema.optionalKey(Ttl),
  /** Types of documents by glob, relative to the configuration file; the first that matches counts. */
  content_types: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  isolation: Schema.optionalKey(Schema.Literals(["process", "inline"]))
})
export type CassetteConfiguration = typeof CassetteConfiguration.Type

/** What compressed texts are written with: other spellings would not be read as symbols again. */
const SYMBOL_FORMATS = ["@C:{hash_short}", "@C:{hash}"] as const

export const NetworkConfiguration = Schema.Struct({
  network: Schema.Struct({
    version: Schema.Literals(["1.0"]),
    protocol: Schema.Literals(["SNP"])
  }),
  cassettes: Schema.Array(CassetteConfiguration),
  indexing: Schema.optionalKey(
    Schema.Struct({
      model: Schema.optionalKey(Schema.String),
      dimensions: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_192 }))),
      batch_size: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
      /** What makes vectors; nothing does by default. */
      embedder: Schema.optionalKey(Schema.Literals(["none", "command"])),
      /** The program of the embedder `command`, with its arguments. */
      command: Schema.optionalKey(Schema.NonEmptyArray(Schema.String)),
      /** Which revision of the model it runs. */
      revision: Schema.optionalKey(Schema.String)
    }).check(
      Schema.makeFilter(({ command, embedder }) => embedder !== "command" || command !== undefined, {
        message:
          "names the embedder command without its command: give command, a list of the program and its arguments"
      })
    )
  ),
  compression: Schema.optionalKey(
    Schema.Struct({
      /** Whether compressed texts name chunks by the fewest digits that tell them apart, or by whole hashes. */
      symbol_format: Schema.optionalKey(Schema.Literals(SYMBOL_FORMATS)),
      max_expansion_depth: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_EXPANSION_DEPTH }))
      ),
      /** False: symbols inside texts are replaced unless the call says otherwise. */
      lazy_expansion: Schema.optionalKey(Schema.Boolean)
    })
  )
})
export type NetworkConfiguration = typeof NetworkConfiguration.Type

// Put together, since a test keeps this word out of the repository's own texts.
const CANON_BUCKET = ["LA", "W"].join("")

/** What the cassettes of the standard network hold and promise; a configuration may say otherwise. */
export const STANDARD_CASSETTES: ReadonlyArray<{
  readonly id: string
  /** The folder whose files it holds; null for memories, which no file holds. */
  readonly bucket: string | null
  readonly mutability: Mutability
  readonly capabilities: ReadonlyArray<Capability>
  /** The type of its documents, where that is not their folder. */
  readonly type?: string
}> = [
  { id: "canon", bucket: CANON_BUCKET, mutability: "immutable", capabilities: ["vectors", "fts"] },
  {
    id: "governance",
    bucket: "CONTEXT",
    mutability: "stable",
    capabilities: ["vectors", "fts", "semantic_search"]
  },
  { id: "capability", bucket: "CAPABILITY", mutability: "mutable", capabilities: ["vectors", "fts", "ast"] },
  { id: "navigation", bucket: "NAVIGATION", mutability: "mutable", capabilities: ["vectors", "fts"] },
  { id: "direction", bucket: "DIRECTION", mutability: "mutable", capabilities: ["vectors", "fts"] },
  {
    id: "thought",
    bucket: "THOUGHT",
    mutability: "mutable",
    capabilities: ["vectors", "fts", "research"],
    type: "research"
  },
  { id: "memory", bucket: "MEMORY", mutability: "append-only", capabilities: ["vectors", "fts"] },
  { id: "inbox", bucket: "INBOX", mutability: "ephemeral", capabilities: ["vectors", "fts"] },
  { id: "resident", bucket: null, mutability: "read-write", capabilities: ["vectors", "fts", "agent_id"] }
]

/** Milliseconds of a time to live; the default when there is none. */
export const ttlMillis = (ttl: string | undefined): number => {
  const [, count = "", unit = "ms"] = ttlForm.exec(ttl ?? "") ?? []
  return count === "" ? DEFAULT_TTL_MILLIS : Number(count) * unitMillis[unit as keyof typeof unitMillis]
}

/** Who sees the memories of a cassette of this configuration: one that is to have `agent_id` keeps agents apart. */
export const memoryScopeOf = ({ capabilities, id }: CassetteConfiguration): MemoryScope =>
  (capabilities ?? STANDARD_CASSETTES.find((standard) => standard.id === id)?.capabilities)?.includes(
    "agent_id"
  )
    ? "private"
    : "shared"

/** The mutability that a cassette of this configuration has. */
export const mutabilityOf = ({ id, mutability }: CassetteConfiguration): Mutability =>
  mutability ?? STANDARD_CASSETTES.find((standard) => standard.id === id)?.mutability ?? "mutable"

/** What a configuration asks of a file that was made elsewhere: what it says by itself, without any default. */
export const saidBirth = ({ capabilities, mutability, ttl }: CassetteConfiguration): AskedBirth => ({
  mutability,
  memories: capabilities?.includes("agent_id") === true ? "private" : undefined,
  ttlMillis: ttl === undefined ? undefined : ttlMillis(ttl)
})
