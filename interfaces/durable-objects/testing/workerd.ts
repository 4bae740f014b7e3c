// Starts workerd, the runtime of Cloudflare's workers, on this machine alone: a worker from one file, objects in a folder, a port
// that the system chooses. Its binary is an optional package, which some platforms have not.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { AUDIT_KEY } from "./audit-key.ts"

/** The binary of this platform, or undefined. */
export const workerdBinary: string | undefined = (() => {
  try {
    return (createRequire(import.meta.url)("workerd") as { readonly default: string }).default
  } catch {
    return undefined
  }
})()

/** What a test says that is skipped for want of it. */
export const NO_WORKERD = "SKIPPED: there is no workerd here (its binary is an optional package)"

/** One file of a program with all that it imports. */
interface Bundle {
  readonly code: string
  /** What it leaves outside, by name. */
  readonly imports: ReadonlyArray<string>
}

const bundled = async (file: string): Promise<Bundle> => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(file, import.meta.url)),
    resolve: {
      alias: {
        "cortex-cassette/durable-objects": fileURLToPath(new URL("../index.ts", import.meta.url))
      }
    },
    external: [/^node:/, /^cloudflare:/],
    platform: "browser"
  })
  try {
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
    return { code: output[0].code, imports: output[0].imports }
  } finally {
    await bundle.close()
  }
}

const bundles = new Map<string, Promise<Bundle>>()

/** The bundle of a file; the tests that run in one process share it. */
export const bundleOf = (file: string): Promise<Bundle> => {
  const made = bundles.get(file) ?? bundled(file)
  bundles.set(file, made)
  return made
}

/** The classes of a worker, each bound under its own name in capitals, and a key as a secret. */
const configurationOf = (
  classes: ReadonlyArray<string>
): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker), (name = "disk", disk = (path = "data", writable = true)) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ]
);
const worker :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [
    ${classes.map((name) => `(className = "${name}", uniqueKey = "${name.toLowerCase()}", enableSql = true)`).join(", ")}
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "AUDIT_KEY", text = ${JSON.stringify(AUDIT_KEY)}),
    ${classes.map((name) => `(name = "${name.toUpperCase()}", durableObjectNamespace = "${name}")`).join(", ")}
  ]
);
`

/** How much of what it says is kept for a failure (characters). */
const SAID = 4_000

/** How long is waited for what it says of a call that failed; a worker that answers so by itself says nothing (milliseconds). */
const SILENT_MILLIS = 5_000

export interface Workerd {
  /** Where it listens, without a slash at the end. */
  readonly address: string
  /** Asks a method of an object by its class and name. */
  readonly ask: <A>(
    binding: string,
    name: string,
    method: string,
    ...args: ReadonlyArray<unknown>
  ) => Promise<A>
  /** The log of a ledger as it is exported. */
  readonly exported: (name: string) => Promise<string>
  /** Ends it at once, as a power cut would. */
  readonly kill: () => Promise<void>
}

/** Puts a worker's file and its configuration into a folder. */
export const prepareWorkerd = async (
  folder: string,
  worker = "worker.ts",
  classes: ReadonlyArray<string> = ["Run", "Attacked", "Busy"]
): Promise<void> => {
  mkdirSync(join(folder, "data"), { recursive: true })
  writeFileSync(join(folder, "worker.js"), (await bundleOf(worker)).code)
  writeFileSync(join(folder, "config.capnp"), configurationOf(classes))
}

/** Starts it in a folder that is prepared; what stands there stays. */
export const startWorkerd = async (folder: string): Promise<Workerd> => {
  if (workerdBinary === undefined) throw new Error(NO_WORKERD)
  const child = spawn(workerdBinary, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "pipe"]
  })
  let said = ""
  let words = 0
  child.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${String(chunk)}`.slice(-SAID)
    words += 1
  })
  /** Waits until it has said something more: why a call failed may be told after the answer. */
  const saidMore = async (before: number): Promise<void> => {
    if (words !== before) return
    await Promise.race([
      once(child.stderr as Readable, "data"),
      sleep(SILENT_MILLIS, undefined, { ref: false })
    ])
  }
  const control = createInterface({ input: child.stdio[3] as Readable })
  const [line] = (await Promise.race([
    once(control, "line"),
    once(child, "exit").then(() => {
      throw new Error(`workerd ended before it listened: ${said}`)
    })
  ])) as [string]
  const { port } = JSON.parse(line) as { readonly port: number }
  const address = `http://127.0.0.1:${port}`
  // A call may take as long as it needs: `fetch` gives up after five minutes.
  const post = (binding: string, name: string, method: string, args: ReadonlyArray<unknown>) =>
    new Promise<string>((resolve, reject) => {
      const before = words
      const call = request(address, { method: "POST", agent: false }, (response) => {
        text(response).then((body) => {
          if (response.statusCode === 200) resolve(body)
          else void saidMore(before).then(() => reject(new Error(`${method} of ${name}: ${body} ${said}`)))
        }, reject)
      })
      call.on("error", reject)
      call.end(JSON.stringify({ binding, name, method, args }))
    })
  return {
    address,
    ask: async (binding, name, method, ...args) => JSON.parse(await post(binding, name, method, args)),
    exported: (name) => post("RUN", name, "export", []),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL")
        await once(child, "exit")
      }
    }
  }
}
