// Runs one command line inside the test's own process, with captured streams: as quick as a function call, and the
// same path as the binary from `main` on.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { HostShape } from "../../shared/host.ts"
import { main } from "../main.ts"
import { binary } from "./binary.ts"
import { testHost } from "./test-host.ts"

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly stdin?: string | Uint8Array
  readonly host?: Partial<HostShape>
}

async function* chunksOf(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(input)
}

/** Runs `cortex ARGS`. */
export const runCli = async (args: ReadonlyArray<string>, options: RunOptions): Promise<Ran> => {
  const written = { stdout: "", stderr: "" }
  const code = await main(
    testHost({
      args,
      cwd: options.cwd,
      stdin: () => chunksOf(options.stdin ?? ""),
      write: async (stream, text) => {
        written[stream] += text
      },
      self: [process.execPath, binary],
      ...options.host
    })
  )
  return { code, ...written }
}

/** Runs `cortex ARGS --format json` and reads the one document that it must print. */
export const runJson = async (
  args: ReadonlyArray<string>,
  options: RunOptions
): Promise<{ readonly code: number | null; readonly document: Document; readonly stderr: string }> => {
  const { code, stderr, stdout } = await runCli([...args, "--format", "json"], options)
  return { code, document: documentOf(stdout), stderr }
}

/** The envelope that every command but `log` prints. */
export interface Document {
  readonly ok: boolean
  readonly data?: Readonly<Record<string, unknown>>
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly details: Readonly<Record<string, unknown>>
  }
}

/** The one document on standard output; throws when there is anything else. */
export const documentOf = (stdout: string): Document => {
  if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`expected one line of JSON, got ${JSON.stringify(stdout)}`)
  return JSON.parse(stdout) as Document
}

/** A new empty folder, with what removes it. */
export const temporaryFolder = (): { readonly folder: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-cli-"))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
