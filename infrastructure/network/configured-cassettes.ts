// From a configuration to cassettes: where each lies, whether it may lie there, and whether this process or a child reads
// it. A cassette that may not be read is one that refuses to answer, so that the others go on and status tells why.
import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import * as Effect from "effect/Effect"
import type { FileIndex } from "../../application/network/cassette.ts"
import {
  type CassetteConfiguration,
  memoryScopeOf,
  mutabilityOf,
  saidBirth,
  STANDARD_CASSETTES,
  ttlMillis
} from "../../domain/network/configuration.ts"
import { CassetteOffline } from "../../domain/network/errors.ts"
import type { EmbedderIdentity } from "../../domain/network/vectors.ts"
import { isBelow } from "../corpus/files/file-reading.ts"
import { childCassette } from "./children/child-cassette.ts"
import { type CassetteAddress, localCassette } from "./index/local-cassette.ts"
import type { ConfiguredCassette } from "./configured-cassette.ts"
import { memoryRuleOf } from "./writing/memory-rule.ts"
import { memoryForgetting } from "./writing/memory-forgetting.ts"
import { memorySaving } from "./writing/memory-saving.ts"

/** The folder that sources and local cassettes must lie in: the one that holds CORTEX/, or the file's own. */
export const rootOf = (file: string): string => {
  const folder = dirname(file)
  return basename(folder) === "CORTEX" ? dirname(folder) : folder
}

/** The real path of what is there, with what is not there yet behind it. */
const realPath = (path: string): string => {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? realpathSync(path) : join(realPath(parent), basename(path))
}

/** What a cassette of the configuration in `file` is; `root` bounds local ones. */
export const configuredCassette = (
  file: string,
  root: string,
  configuration: CassetteConfiguration
): ConfiguredCassette => {
  const folder = dirname(file)
  const absolute = resolve(folder, configuration.path)
  const isOutside = configuration.type === "local" && !isBelow(realpathSync(root), realPath(absolute))
  const birth = {
    mutability: mutabilityOf(configuration),
    memories: memoryScopeOf(configuration),
    ttlMillis: ttlMillis(configuration.ttl)
  }
  return {
    id: configuration.id,
    file: absolute,
    shownPath: relative(folder, absolute).split(sep).join("/"),
    configuration,
    birth: { id: configuration.id, ...birth },
    asked: configuration.type === "external" ? saidBirth(configuration) : birth,
    refusal: isOutside ? "it lies outside the root folder: only a cassette of type external may" : undefined
  }
}

const bucketGlob = (file: string, root: string, bucket: string): string => {
  const way = relative(dirname(file), root).split(sep).join("/")
  return `${way === "" ? "." : way}/${bucket}/**`
}

/** The globs of a cassette's files, relative to the configuration file. */
export const sourcesOf = (
  file: string,
  root: string,
  { id, sources }: CassetteConfiguration
): ReadonlyArray<string> => {
  if (sources !== undefined) return sources
  const bucket = STANDARD_CASSETTES.find((standard) => standard.id === id)?.bucket
  return bucket === null || bucket === undefined ? [] : [bucketGlob(file, root, bucket)]
}

/** The types of a cassette's documents by glob, relative to the configuration file. */
export const contentTypesOf = (
  file: string,
  root: string,
  { content_types, id }: CassetteConfiguration
): Readonly<Record<string, string>> => {
  const standard = STANDARD_CASSETTES.find((each) => each.id === id)
  if (content_types !== undefined || typeof standard?.bucket !== "string") return content_types ?? {}
  return standard.type === undefined ? {} : { [bucketGlob(file, root, standard.bucket)]: standard.type }
}

const refusing = ({ id, shownPath }: CassetteAddress, reason: string): FileIndex => {
  const refused = Effect.fail(
    new CassetteOffline({ cassette_id: id, status: "refused", reason: `${shownPath}: ${reason}` })
  )
  return {
    cassetteId: id,
    inProcess: true,
    kind: "file",
    handshake: refused,
    getStats: refused,
    query: () => refused,
    askIndex: () => refused,
    memories: null,
    close: Effect.void
  }
}

/** How the cassettes of one network are read. */
export interface CassetteReading {
  /** How long a child may take for one request (milliseconds). */
  readonly deadlineMillis: number | undefined
  /** The program of a child, where it does not stand beside the network's own. */
  readonly childProgram?: string | undefined
  /** Who makes the network's vectors, if anybody does. */
  readonly embedder: EmbedderIdentity | undefined
  /** The agent that asks; null when none was named. */
  readonly agent: string | null
}

/** The cassette itself: external ones are read by a child, unless the configuration says otherwise. */
export const cassetteOf = (
  configured: ConfiguredCassette,
  { agent, childProgram, deadlineMillis, embedder }: CassetteReading
): FileIndex => {
  const { configuration, refusal } = configured
  if (refusal !== undefined) return refusing(configured, refusal)
  const { isolation = configuration.type === "external" ? "process" : "inline" } = configuration
  const cassette =
    isolation === "process"
      ? childCassette({ ...configured, deadlineMillis, program: childProgram, embedder, agent })
      : localCassette({ ...configured, embedder, agent })
  return configuration.type === "local"
    ? {
        ...cassette,
        memories: {
          save: memorySaving(configured),
          forget: memoryForgetting(configured),
          rule: memoryRuleOf(configured)
        }
      }
    : cassette
}
