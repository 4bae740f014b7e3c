// Serves the page on this machine alone. Every question needs the secret that only the printed address has; what comes from
// another page, under another name of the machine or with another method is refused before anything is read.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { PageFile } from "./page-file.ts"
import { answerTo, type Inspected } from "./questions.ts"
import { makeVerifying } from "./verification.ts"

const LOOPBACK = "127.0.0.1"

/** The header that carries the secret. */
export const SECRET_HEADER = "x-cassette-secret"

const headers = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin"
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** What is wrong with a request before its question is looked at, as a status and a sentence. */
type Refusal = readonly [status: number, message: string]

const refusalOf = (
  request: IncomingMessage,
  hosts: ReadonlySet<string>,
  path: string,
  secret: Buffer
): Refusal | undefined => {
  const { host, origin } = request.headers
  if (host === undefined || !hosts.has(host)) return [421, "ask at the address that was printed"]
  if (request.method !== "GET") return [405, "this page only reads"]
  if (origin !== undefined && origin !== `http://${host}`) return [403, "another page may not ask"]
  if (path === "/") return undefined
  const given = request.headers[SECRET_HEADER]
  return typeof given === "string" && timingSafeEqual(digest(given), secret)
    ? undefined
    : [401, "open the whole address that cortex inspect printed: its end is the secret"]
}

const answerJson = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}

const answerPage = (response: ServerResponse, page: PageFile): void => {
  response.writeHead(200, {
    ...headers,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": page.policy
  })
  response.end(page.html)
}

/** Runs an answer until it is there or the asker has gone. */
const runUntilClosed = (response: ServerResponse, work: Effect.Effect<void>): void => {
  const fiber = Effect.runFork(work)
  response.on("close", () => {
    Effect.runFork(Fiber.interrupt(fiber))
  })
}

const handle = (
  request: IncomingMessage,
  response: ServerResponse,
  given: {
    readonly hosts: ReadonlySet<string>
    readonly secret: Buffer
    readonly page: PageFile
    readonly inspected: Inspected
    readonly verify: ((response: ServerResponse) => void) | undefined
  }
): void => {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2)
  const refusal = refusalOf(request, given.hosts, path, given.secret)
  if (refusal !== undefined) {
    const [status, message] = refusal
    return answerJson(response, status, { code: "REFUSED", message })
  }
  if (path === "/") return answerPage(response, given.page)
  if (path === "/v1/verify" && given.verify !== undefined) {
    response.writeHead(200, { ...headers, "content-type": "application/x-ndjson" })
    return given.verify(response)
  }
  return runUntilClosed(
    response,
    Effect.map(answerTo(given.inspected, path, new URLSearchParams(query)), ({ body, status }) =>
      answerJson(response, status, body)
    )
  )
}

/** A page that is being served. */
export interface ServedPage {
  /** The address with its secret. */
  readonly url: string
}

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, LOOPBACK)
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

/** A port that cannot be listened on. */
export class PortTaken extends Error {}

/** Serves the page until the scope ends; port 0 is any that is free. */
export const servePage = (inspected: Inspected, page: PageFile, port: number) =>
  Effect.gen(function* () {
    const secret = randomBytes(24).toString("base64url")
    const hosts = new Set<string>()
    const verify =
      "inspection" in inspected
        ? makeVerifying(inspected.verification, inspected.verifyingProgram)
        : undefined
    const given = { hosts, secret: digest(secret), page, inspected, verify }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => createServer((request, response) => handle(request, response, given))),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const bound = yield* Effect.tryPromise({
      try: () => listen(server, port),
      catch: (error) => new PortTaken((error as Error).message)
    })
    for (const name of [LOOPBACK, "localhost"]) hosts.add(`${name}:${bound}`)
    const served: ServedPage = { url: `http://${LOOPBACK}:${bound}/#key=${secret}` }
    return served
  })
