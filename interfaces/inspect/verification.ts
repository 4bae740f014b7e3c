// Verifies a ledger for the page in a child process, whose lines go to the page as they come. It ends with its reader.
import { spawn } from "node:child_process"
import type { ServerResponse } from "node:http"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import type { TrustFile } from "../../domain/evidence/trust.ts"

/** Which file is verified, and what it is held against. */
export interface VerificationRequest {
  readonly file: string
  readonly allowNetworkFs: boolean
  readonly checkpoint?: string | undefined
  readonly trust?: TrustFile | undefined
}

/** The child's program beside this module, as source or as it was bundled. */
const programHere = (): string => {
  const here = fileURLToPath(import.meta.url)
  return fileURLToPath(new URL(`./verifying-child${extname(here)}`, import.meta.url))
}

/** Writes the child's lines to an answer whose head was written, and ends it. What is given back stops it for another. */
const streamVerification = (
  response: ServerResponse,
  request: VerificationRequest,
  program: string
): (() => void) => {
  const args = [...process.execArgv, program, JSON.stringify(request)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  child.stderr.on("data", (text: Buffer) => {
    said = `${said}${text.toString()}`.slice(-2_000)
  })
  child.stdout.pipe(response, { end: false })
  const end = (code: string, message: string | undefined) => {
    if (response.writableEnded) return
    if (message !== undefined) {
      response.write(`${JSON.stringify({ error: { code, message, details: {} } })}\n`)
    }
    response.end()
  }
  child.on("error", ({ message }) => end("INTERNAL", message))
  child.on("close", (status) =>
    end("INTERNAL", status === 0 ? undefined : `the verification ended with ${status}: ${said}`)
  )
  response.on("close", () => child.kill("SIGKILL"))
  return () => {
    child.stdout.unpipe(response)
    end("REPLACED", "another window verifies this ledger now: its verdict is shown there")
    child.kill("SIGKILL")
  }
}

/** Verifies for the windows of a page, one at a time: the newest takes the place of the one that runs. */
export const makeVerifying = (
  request: VerificationRequest,
  program = programHere()
): ((response: ServerResponse) => void) => {
  let stopOlder = () => {}
  return (response) => {
    stopOlder()
    stopOlder = streamVerification(response, request, program)
  }
}
