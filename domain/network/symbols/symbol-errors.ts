// Every way in which a symbol of the network is refused, as tagged data that carries what is needed to act. A symbol
// that names nothing is an error and never an empty answer; what another agent keeps to itself is the very same error.
import * as Schema from "effect/Schema"

/** What is no symbol; `reason` says in which way. */
export class InvalidNetworkSymbol extends Schema.TaggedError<InvalidNetworkSymbol>()("InvalidNetworkSymbol", {
  symbol: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.symbol} is no symbol: ${this.reason}; a symbol is @C: (a chunk), @P: (a document of the type research) or @A: (a memory), then 12 to 64 lower-case hexadecimal digits`
  }
}

const Unanswered = Schema.Array(Schema.Struct({ cassette_id: Schema.String, reason: Schema.String }))

/** From the symbol that was asked for to the one that the error is about. */
const Trail = Schema.Array(Schema.String)

const through = (trail: ReadonlyArray<string>): string => (trail.length > 1 ? ` (${trail.join(" → ")})` : "")

/** How many cassettes one sentence names. */
const MAX_NAMED = 10

const listed = (ids: ReadonlyArray<string>): string =>
  ids.length > MAX_NAMED
    ? `${ids.slice(0, MAX_NAMED).join(", ")} and ${ids.length - MAX_NAMED} more`
    : ids.join(", ")

/**
 * No cassette that answered has such a text. `asked` are those, `unanswered` might have it, and `elsewhere` are cassettes that
 * were not asked for it and have it.
 */
export class NetworkSymbolNotFound extends Schema.TaggedError<NetworkSymbolNotFound>()(
  "NetworkSymbolNotFound",
  {
    symbol: Schema.String,
    trail: Trail,
    unanswered: Unanswered,
    asked: Schema.optionalKey(Schema.Array(Schema.String)),
    elsewhere: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {
  override get message() {
    const { asked = [], elsewhere = [] } = this
    if (elsewhere.length > 0) {
      return `${this.symbol} is not in ${listed(asked)} but in ${listed(elsewhere)}: name that cassette`
    }
    const among = asked.length === 0 ? "" : ` (asked: ${listed(asked)})`
    const silent = this.unanswered.map(({ cassette_id, reason }) => `${cassette_id}: ${reason}`)
    return silent.length === 0
      ? `No cassette has ${this.symbol}${through(this.trail)}${among}`
      : `No cassette that answered has ${this.symbol}${through(this.trail)}; the answer is partial, these did not answer: ${silent.join("; ")}`
  }
}

/** Several texts begin with the digits. */
export class AmbiguousNetworkSymbol extends Schema.TaggedError<AmbiguousNetworkSymbol>()(
  "AmbiguousNetworkSymbol",
  { symbol: Schema.String, trail: Trail, candidates: Schema.Array(Schema.String), has_more: Schema.Boolean }
) {
  override get message() {
    const more = this.has_more ? " and more" : ""
    return `${this.symbol} names several texts${through(this.trail)}: ${this.candidates.join(", ")}${more}; give more digits`
  }
}

/** A text leads back to itself. */
export class NetworkSymbolCycle extends Schema.TaggedError<NetworkSymbolCycle>()("NetworkSymbolCycle", {
  trail: Trail
}) {
  override get message() {
    return `The symbols lead in a circle: ${this.trail.join(" → ")}; resolve it without --expand, or with a smaller --depth`
  }
}

/** What a cassette keeps under the hash has another hash. */
export class NetworkSymbolDamaged extends Schema.TaggedError<NetworkSymbolDamaged>()("NetworkSymbolDamaged", {
  symbol: Schema.String,
  trail: Trail,
  cassettes: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The text of ${this.symbol}${through(this.trail)} is not the one that its hash names, in ${this.cassettes.join(", ")}: run cortex network verify`
  }
}

/** A text would grow beyond the limit, or name too many others. */
export class ExpandedTextTooLarge extends Schema.TaggedError<ExpandedTextTooLarge>()("ExpandedTextTooLarge", {
  limit: Schema.Int,
  unit: Schema.Literals(["bytes", "symbols"])
}) {
  override get message() {
    return `The expanded text would have over ${this.limit} ${this.unit}: expand fewer levels, or its symbols one by one`
  }
}

/** How a symbol can fail to give its text. */
export type SymbolError =
  | AmbiguousNetworkSymbol
  | ExpandedTextTooLarge
  | InvalidNetworkSymbol
  | NetworkSymbolCycle
  | NetworkSymbolDamaged
  | NetworkSymbolNotFound
