// `cortex network status`: how every cassette is, what it has proven, and what it only declares.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { CassetteHealth } from "../../../application/network/hub.ts"
import type { EmbedderHealth } from "../../../application/network/watched-embedder.ts"
import type { Capability } from "../../../domain/network/cassette.ts"
import type { ConfiguredCassette } from "../../embedding/network-files.ts"
import { identityText } from "../../../domain/network/vectors.ts"
import { answer, writeWarnings } from "../output.ts"
import { type Line, table } from "../../shared/terminal-text.ts"
import { configuredNetwork, withNetwork } from "./open-network.ts"

type Shown = CassetteHealth & { readonly declared: ReadonlyArray<Capability> }

const shown = (health: CassetteHealth, configured: ReadonlyArray<ConfiguredCassette>): Shown => {
  const proven = "capabilities" in health ? health.capabilities : []
  const known = configured.find(({ id }) => id === health.cassette_id)
  const declared = known?.configuration.capabilities ?? []
  return { ...health, declared: declared.filter((capability) => !proven.includes(capability)) }
}

/** Why a cassette is not as it should be: a sentence, which would make a column of the table as wide as itself. */
const reasonLines = (cassettes: ReadonlyArray<Shown>): ReadonlyArray<Line> =>
  cassettes.flatMap((cassette) =>
    "stats" in cassette || !("reason" in cassette) || cassette.reason === undefined
      ? []
      : ["", `${cassette.cassette_id} is ${cassette.status}: ${cassette.reason}`]
  )

const statusLines = (cassettes: ReadonlyArray<Shown>): ReadonlyArray<Line> => {
  const isDeclared = cassettes.some(({ declared }) => declared.length > 0)
  const declaredOf = ({ declared }: Shown): ReadonlyArray<string> => (isDeclared ? [declared.join(",")] : [])
  return table(
    [
      "cassette",
      "status",
      "mutability",
      "files",
      "chunks",
      "hash",
      "capabilities",
      ...(isDeclared ? ["declared only"] : [])
    ],
    cassettes.map((cassette) =>
      "stats" in cassette
        ? [
            cassette.cassette_id,
            cassette.status,
            cassette.mutability,
            `${cassette.stats.files}`,
            `${cassette.stats.total_chunks}`,
            cassette.db_hash,
            cassette.capabilities.join(","),
            ...declaredOf(cassette)
          ]
        : [cassette.cassette_id, cassette.status, "", "", "", "", "", ...declaredOf(cassette)]
    )
  )
}

const embedderLines = (embedder: EmbedderHealth | null): ReadonlyArray<Line> =>
  embedder === null
    ? []
    : [
        "",
        ...table(
          ["embedder", "status", "took"],
          [[identityText(embedder), embedder.status, `${embedder.took_ms} ms`]]
        )
      ]

export const statusCommand = Command.make(
  "status",
  {},
  Effect.fnUntraced(function* () {
    const { cassettes: configured } = yield* configuredNetwork
    const [health, embedder] = yield* withNetwork(({ embedderHealth, status }) =>
      Effect.all([status, embedderHealth], { concurrency: "unbounded" })
    )
    const cassettes = health.map((each) => shown(each, configured))
    yield* writeWarnings([
      ...health.flatMap((each) =>
        each.status === "partial" ? [`Cassette ${each.cassette_id}: ${each.reason ?? ""}`] : []
      ),
      ...(embedder?.last_failure == null
        ? []
        : [`The embedder ${embedder.model} at ${embedder.last_failure.at}: ${embedder.last_failure.reason}`])
    ])
    yield* answer({
      data: { cassettes, embedder },
      lines: () => [...statusLines(cassettes), ...embedderLines(embedder), ...reasonLines(cassettes)]
    })
  })
).pipe(
  Command.withDescription(
    "Ask every cassette for its state, content hash, statistics and proven capabilities. The embedder, if there is one, is asked for one vector, for at most 5 s. What does not answer is listed with the reason; the command still ends with 0."
  ),
  Command.withShortDescription("how every cassette and the embedder are"),
  Command.withExamples([
    { command: "cortex network status" },
    { command: "cortex network status --format json" }
  ])
)
