// Every way in which the network refuses or fails, as tagged data that carries what is needed to act. A cassette that
// does not answer is a status of the whole answer; it becomes an error only where nothing else is left.
import * as Schema from "effect/Schema"
import { differenceText } from "./birth.ts"
import { CassetteAnswer } from "./cassette.ts"
import type { SymbolError } from "./symbols/symbol-errors.ts"

/** How each asked cassette answered. */
const Answers = Schema.Record(Schema.String, CassetteAnswer)

const listed = (names: ReadonlyArray<string>): string => (names.length === 0 ? "none" : names.join(", "))

const reasonsOf = (answers: typeof Answers.Type): string =>
  Object.entries(answers)
    .filter(([, { status }]) => status !== "ok")
    .map(([id, { reason, status }]) => `${id}: ${reason ?? status}`)
    .join("; ")

/** A cassette did not answer: inside the network an error, outside it a status. */
export class CassetteOffline extends Schema.TaggedError<CassetteOffline>()("CassetteOffline", {
  cassette_id: Schema.String,
  status: Schema.Literals(["offline", "timeout", "error", "refused"]),
  reason: Schema.String,
  /** Another program is at work in its file: the same question may be answered a moment later. */
  busy: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message() {
    return `Cassette ${this.cassette_id} does not answer: ${this.reason}`
  }
}

/** The file is a work ledger: it is never opened as a cassette. */
export class LedgerIsNotACassette extends Schema.TaggedError<LedgerIsNotACassette>()("LedgerIsNotACassette", {
  file: Schema.String
}) {
  override get message() {
    return `${this.file} is a ledger, and a ledger is not a cassette: name another file`
  }
}

/** The file is there, but it is no cassette. */
export class NotACassette extends Schema.TaggedError<NotACassette>()("NotACassette", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a cassette: ${this.reason}`
  }
}

/** The network has a cassette with this id already. */
export class CassetteExists extends Schema.TaggedError<CassetteExists>()("CassetteExists", {
  cassette_id: Schema.String
}) {
  override get message() {
    return `A cassette with the id ${this.cassette_id} is registered already: unregister it first`
  }
}

/** The network has no cassettes with these ids; `known` lists those that it has. */
export class UnknownCassette extends Schema.TaggedError<UnknownCassette>()("UnknownCassette", {
  cassettes: Schema.Array(Schema.String),
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `There is no cassette ${listed(this.cassettes)}: the network has ${listed(this.known)}`
  }
}

/** No cassette has the capability that was asked for; `available` lists those that there are. */
export class NoCassetteWithCapability extends Schema.TaggedError<NoCassetteWithCapability>()(
  "NoCassetteWithCapability",
  { capability: Schema.String, available: Schema.Array(Schema.String) }
) {
  override get message() {
    return `No cassette has the capability ${this.capability}: those that answered have ${listed(this.available)}`
  }
}

/** Not one of the asked cassettes answered. */
export class NetworkUnavailable extends Schema.TaggedError<NetworkUnavailable>()("NetworkUnavailable", {
  answers: Answers
}) {
  override get message() {
    return `No cassette answered (${reasonsOf(this.answers) || "there is none"}): run cortex network status`
  }
}

/** A complete answer was demanded and some cassette did not give its part. */
export class NetworkIncomplete extends Schema.TaggedError<NetworkIncomplete>()("NetworkIncomplete", {
  answers: Answers
}) {
  override get message() {
    return `Not every cassette answered (${reasonsOf(this.answers)}): ask without --strict for what the others found`
  }
}

/** The configuration does not say what it must; each issue names its line (from 1). */
export class InvalidConfiguration extends Schema.TaggedError<InvalidConfiguration>()("InvalidConfiguration", {
  file: Schema.String,
  issues: Schema.Array(Schema.Struct({ line: Schema.Int, path: Schema.String, message: Schema.String }))
}) {
  override get message() {
    const [first] = this.issues
    const more = this.issues.length > 1 ? ` (and ${this.issues.length - 1} more)` : ""
    const where = first?.path === "" ? "" : ` ${first?.path}`
    return `${this.file}:${first?.line ?? 1}:${where} ${first?.message ?? "is no configuration"}${more}`
  }
}

/** There is no configuration of a network. */
export class ConfigurationMissing extends Schema.TaggedError<ConfigurationMissing>()("ConfigurationMissing", {
  file: Schema.String
}) {
  override get message() {
    return `There is no ${this.file}: make one with cortex network init`
  }
}

/** There is a configuration already; it was not written over. */
export class ConfigurationExists extends Schema.TaggedError<ConfigurationExists>()("ConfigurationExists", {
  file: Schema.String
}) {
  override get message() {
    return `${this.file} exists already: edit it, or remove it first`
  }
}

/** What makes vectors of texts did not make them. */
export class EmbedderFailed extends Schema.TaggedError<EmbedderFailed>()("EmbedderFailed", {
  model: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The embedder ${this.model} made no vectors: ${this.reason}`
  }
}

/** A cassette's vectors were made by another embedder; they are not mixed. */
export class EmbedderMismatch extends Schema.TaggedError<EmbedderMismatch>()("EmbedderMismatch", {
  cassette_id: Schema.String,
  stored: Schema.String,
  configured: Schema.String
}) {
  override get message() {
    return `The vectors of ${this.cassette_id} were made by ${this.stored}, the configuration names ${this.configured}: network reindex makes them again`
  }
}

/** A write that the cassette's mutability forbids. */
export class WriteRefused extends Schema.TaggedError<WriteRefused>()("WriteRefused", {
  cassette_id: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cassette ${this.cassette_id} refuses the write: ${this.reason}`
  }
}

/** What can be wrong with a cartridge; a code is never renamed. */
const cartridgeFaults = [
  "FILE_MISSING",
  "FILE_EXTRA",
  "FILE_KIND",
  "FILE_UNREADABLE",
  "ARCHIVE_MALFORMED",
  "LINE_TOO_LONG",
  "LINE_CUT_OFF",
  "LINE_MALFORMED",
  "FIELD_INVALID",
  "LIMIT_EXCEEDED",
  "VERSION_UNSUPPORTED",
  "MANIFEST_HASH_MISMATCH",
  "MANIFEST_DIFFERS",
  "CONTENT_HASH_MISMATCH",
  "RECORD_HASH_MISMATCH",
  "ENTRY_HASH_MISMATCH",
  "RECEIPT_HASH_MISMATCH",
  "RECEIPT_CHAIN_BROKEN",
  "RECORD_WITHOUT_RECEIPT",
  "RECORD_MISSING",
  "ORDER_WRONG",
  "RULE_BROKEN",
  "COUNT_MISMATCH",
  "ROOT_MISMATCH"
] as const
/** What is wrong with a cartridge; `cartridgeFaults` lists all. */
export type CartridgeFault = (typeof cartridgeFaults)[number]

/** A cartridge that is not whole or not honest; `line` counts from 1 and is null for a file as a whole. */
export class CartridgeRefused extends Schema.TaggedError<CartridgeRefused>()("CartridgeRefused", {
  cartridge: Schema.String,
  code: Schema.Literals(cartridgeFaults),
  file: Schema.String,
  line: Schema.NullOr(Schema.Int),
  reason: Schema.String
}) {
  override get message() {
    // A fault of the whole is not of what was exported: nothing may be there.
    if (this.file === this.cartridge)
      return `${this.cartridge} is no cartridge: ${this.reason} (${this.code})`
    const where = this.line === null ? this.file : `${this.file} line ${this.line}`
    return `${this.cartridge} is no whole cartridge: ${where}: ${this.reason} (${this.code}): export it again`
  }
}

/** Something stands where a cassette is to be made. */
export class CassetteFileExists extends Schema.TaggedError<CassetteFileExists>()("CassetteFileExists", {
  cassette_id: Schema.String,
  file: Schema.String
}) {
  override get message() {
    return `${this.file} is there already: an import makes the cassette ${this.cassette_id} and changes none, so move the file away first`
  }
}

/** The file of a cassette is damaged: it is neither written to nor exported as it stands. */
export class CassetteDamaged extends Schema.TaggedError<CassetteDamaged>()("CassetteDamaged", {
  file: Schema.String,
  where: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The cassette ${this.file} is damaged (${this.where}: ${this.reason}); nothing was written to it or exported: cortex network verify lists every fault; put the file back from a copy, or remove it and index again`
  }
}

/** A cassette's file was born otherwise than its configuration asks for; nothing of it was read or written. */
export class CassetteDiffers extends Schema.TaggedError<CassetteDiffers>()("CassetteDiffers", {
  cassette_id: Schema.String,
  file: Schema.String,
  differences: Schema.Array(
    Schema.Struct({
      fact: Schema.Literals(["memories", "mutability", "ttl"]),
      born: Schema.String,
      configured: Schema.String
    })
  )
}) {
  override get message() {
    return differenceText(this.file, this.cassette_id, this.differences)
  }
}

/** A memory is to be saved where each agent has its own, and the agent was not named. */
export class AgentMissing extends Schema.TaggedError<AgentMissing>()("AgentMissing", {
  cassette_id: Schema.String
}) {
  override get message() {
    return `In ${this.cassette_id} each agent has its own memories: say who saves, with --agent or CORTEX_AGENT (programs: the option agent of the network)`
  }
}

/** The network's scope has been closed; no cassette was asked. */
export class NetworkClosed extends Schema.TaggedError<NetworkClosed>()("NetworkClosed", {}) {
  override get message() {
    return "The network is closed: open it again"
  }
}

/** How a question to the network can fail. */
export type QueryError =
  | NetworkClosed
  | NetworkIncomplete
  | NetworkUnavailable
  | NoCassetteWithCapability
  | UnknownCassette

/** Everything that the network's commands can fail with, beside what files and SQLite can. */
export type NetworkError =
  | QueryError
  | AgentMissing
  | CartridgeRefused
  | CassetteDamaged
  | CassetteDiffers
  | CassetteExists
  | CassetteFileExists
  | CassetteOffline
  | ConfigurationExists
  | ConfigurationMissing
  | EmbedderFailed
  | EmbedderMismatch
  | InvalidConfiguration
  | LedgerIsNotACassette
  | NotACassette
  | SymbolError
  | WriteRefused
