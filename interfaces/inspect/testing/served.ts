// A page that is served for a test, and questions to it as any program could ask them.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { request } from "node:http"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { EvidenceSeen } from "../../../domain/inspection/answers.ts"
import { History } from "../../../application/history/history.ts"
import { Inspection, type InspectionOptions } from "../../../application/inspection/inspection.ts"
import { programOf } from "../../../infrastructure/testing/programs/program.ts"
import { bundledProgram } from "../../cli/bundled-sources.ts"
import { inspectedLedger } from "../../embedding/inspected-ledger.ts"
import { PAGE_FILE, pageFrom } from "../page-file.ts"
import type { InspectedLedger } from "../questions.ts"
import { SECRET_HEADER, servePage } from "../server.ts"

/** The page as the bundler makes it of the sources. */
export const builtPage = () => pageFrom(readFileSync(join(dirname(bundledProgram()), PAGE_FILE), "utf8"))

/** A page without content, for tests of what is around it. */
export const emptyPage = pageFrom("<style>a{}</style><script>0</script>")

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Another secret than the right one; null for none. */
  readonly secret?: string | null
}

export interface Served {
  readonly url: string
  readonly secret: string
  readonly inspected: InspectedLedger
  readonly ask: (path: string, options?: AskOptions) => Promise<Answered>
  /** The body of an answer that must be 200. */
  readonly json: <A = Readonly<Record<string, unknown>>>(path: string) => Promise<A>
  readonly close: () => Promise<void>
}

const asked = (origin: URL, path: string, secret: string, options: AskOptions): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { headers = {}, method = "GET" } = options
    const given = options.secret === undefined ? secret : options.secret
    const sent = { ...(given === null ? {} : { [SECRET_HEADER]: given }), ...headers }
    const call = request(
      { host: origin.hostname, port: origin.port, path, method, headers: sent },
      (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body }),
          reject
        )
      }
    )
    call.on("error", reject)
    call.end()
  })

/** Opens a ledger file as `cortex inspect` does. */
const openInspected = async (
  filename: string,
  options: Partial<InspectionOptions> = {}
): Promise<{ readonly inspected: InspectedLedger; readonly scope: Scope.Closeable }> => {
  const scope = Effect.runSync(Scope.make())
  const given = { file: filename, allowNetworkFs: false, ...options }
  const layer = inspectedLedger(filename, given)
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const inspected = {
    inspection: Context.get(context, Inspection),
    history: Context.get(context, History),
    verification: given,
    network: undefined
  }
  return { inspected, scope }
}

/** Serves the page about evidence that was handed over. */
export const serveEvidence = async (evidence: EvidenceSeen, page = emptyPage) => {
  const scope = Effect.runSync(Scope.make())
  const { url } = await Effect.runPromise(Scope.provide(servePage({ evidence }, page, 0), scope))
  return { url, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Serves the page about a ledger file. */
export const serve = async (
  filename: string,
  options: Partial<Omit<InspectionOptions, "network">> & {
    readonly page?: typeof emptyPage
    readonly network?: InspectedLedger["network"]
    /** True for the child as the product finds it, beside the server; else it is the one of the bundle, which starts sooner. */
    readonly ownChild?: boolean
  } = {}
): Promise<Served> => {
  const { network, ownChild = false, page = emptyPage, ...rest } = options
  const opened = await openInspected(filename, {
    ...rest,
    network: network === undefined ? undefined : "network.yaml"
  })
  const verifyingProgram = ownChild ? undefined : programOf("interfaces/inspect/verifying-child.ts")
  const inspected = { ...opened.inspected, network, verifyingProgram }
  const { url } = await Effect.runPromise(Scope.provide(servePage(inspected, page, 0), opened.scope))
  const origin = new URL(url)
  const secret = origin.hash.slice("#key=".length)
  const ask: Served["ask"] = (path, asking = {}) => asked(origin, path, secret, asking)
  return {
    url,
    secret,
    inspected,
    ask,
    json: async <A>(path: string) => {
      const answer = await ask(path)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return JSON.parse(answer.text) as A
    },
    close: () => Effect.runPromise(Scope.close(opened.scope, Exit.void))
  }
}

/** The names and the hashes of the files of a folder. */
export const contentsOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
      .sort()
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")
      ])
  )
