/**
 * Cartridges for tests: exported, read to the end, imported, and judged by a second checker, which is a Python program and
 * is asked only where there is a Python. Nothing outside tests may import it.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CartridgeRefused } from "../../../domain/network/errors.ts"
import { exportCassette } from "../cartridges/cartridge-export.ts"
import { openCartridge } from "../cartridges/cartridge-files.ts"
import { eachBatch, importCartridge, openedCartridge } from "../cartridges/cartridge-import.ts"
import { readCartridge } from "../cartridges/cartridge-reading.ts"

/** Exports a cassette's file, for an agent if one is named. */
export const exported = (
  id: string,
  file: string,
  target: string,
  form: "folder" | "tar" = "folder",
  agent: string | null = null
) => Effect.runPromise(exportCassette({ id, file, agent }, target, form))

/** Imports a cartridge, or tells why not. */
export const imported = (path: string, file: string) =>
  Effect.runPromise(
    Effect.result(
      Effect.scoped(Effect.flatMap(openedCartridge(path), (reader) => importCartridge(path, reader, file)))
    )
  )

/** Why a cartridge is refused, or undefined when it is whole. */
export const refusalOf = (path: string): CartridgeRefused | undefined => {
  const outcome = Effect.runSync(
    Effect.result(
      Effect.scoped(
        Effect.flatMap(openedCartridge(path), (reader) => eachBatch(path, reader, () => Effect.void))
      )
    )
  )
  return Result.isFailure(outcome) ? (outcome.failure as CartridgeRefused) : undefined
}

/** The files of a cartridge's folder. */
export const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "utf8")])
  )

/** The manifest of a cartridge. */
export const manifestOf = (path: string) => {
  const cartridge = openCartridge(path)
  try {
    return readCartridge(cartridge).manifest
  } finally {
    cartridge.close()
  }
}

const script = fileURLToPath(new URL("../../../examples/check-cartridge.py", import.meta.url))

/** True when there is a Python 3 to ask. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0

/** What is wrong with a cartridge and where, as one line; `whole` when nothing is. */
export const verdictOf = (path: string): string => {
  const refusal = refusalOf(path)
  return refusal === undefined ? "whole" : `${refusal.code} ${refusal.file} ${refusal.line}`
}

/** What the second checker says of each path, as `verdictOf` does. */
export const secondVerdicts = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { stderr, stdout } = spawnSync("python3", [script, ...paths], { encoding: "utf8" })
  if (stderr !== "") throw new Error(stderr)
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => {
      const found = JSON.parse(line) as { ok: boolean; code: string; file: string; line: number | null }
      return found.ok ? "whole" : `${found.code} ${found.file} ${found.line}`
    })
}
