// Headless Chromium for tests, driven over its own protocol with Node's WebSocket: no package is needed, only the browser.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const NAMES = ["chromium", "chromium-browser", "google-chrome"]

/** The browser of this machine, or undefined. */
export const chromium = NAMES.map((name) => {
  try {
    return execFileSync("which", [name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}).find((path) => path !== undefined)

/** Longest that anything is waited for; less than a test may take, so that what was waited for is told (milliseconds). */
const PATIENCE = 100_000

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

type Listener = (params: Readonly<Record<string, unknown>>) => void

/** One tab. */
export class Tab {
  private readonly socket: WebSocket
  private readonly waiting = new Map<number, (message: Message) => void>()
  private readonly listeners = new Map<string, Array<Listener>>()
  private count = 0
  /** The addresses of all requests, and what the page threw or was refused. */
  readonly requests: Array<string> = []
  readonly faults: Array<string> = []

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener("message", ({ data }) => this.take(JSON.parse(String(data)) as Message))
    socket.addEventListener("close", () => {
      for (const answer of this.waiting.values()) answer({ error: { message: "the tab was closed" } })
    })
  }

  static async open(address: string): Promise<Tab> {
    const socket = new WebSocket(address)
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve)
      socket.addEventListener("error", reject)
    })
    const tab = new Tab(socket)
    for (const domain of ["Page", "Runtime", "Network", "Log", "Accessibility"])
      await tab.send(`${domain}.enable`)
    tab.on("Network.requestWillBeSent", ({ request }) => {
      tab.requests.push((request as { readonly url: string }).url)
    })
    tab.on("Runtime.exceptionThrown", (thrown) => tab.faults.push(JSON.stringify(thrown)))
    tab.on("Log.entryAdded", ({ entry }) => {
      const { level, text, url } = entry as {
        readonly level: string
        readonly text: string
        readonly url?: string
      }
      if (level === "error") tab.faults.push(`${text} ${url ?? ""}`)
    })
    return tab
  }

  private take(message: Message): void {
    if (message.id !== undefined) this.waiting.get(message.id)?.(message)
    for (const listener of this.listeners.get(message.method ?? "") ?? []) listener(message.params ?? {})
  }

  on(method: string, listener: Listener): void {
    this.listeners.set(method, [...(this.listeners.get(method) ?? []), listener])
  }

  send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.count
    this.socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), PATIENCE)
      this.waiting.set(id, ({ error, result }) => {
        clearTimeout(timer)
        this.waiting.delete(id)
        if (error === undefined) resolve(result ?? {})
        else reject(new Error(`${method}: ${error.message}`))
      })
    })
  }

  /** Does what loads a page, and waits until it is there: a page that is on its way out answers nothing. */
  private async loaded(command: () => Promise<unknown>): Promise<void> {
    const loaded = new Promise<void>((resolve) => this.on("Page.loadEventFired", () => resolve()))
    await command()
    await loaded
  }

  goTo(url: string): Promise<void> {
    return this.loaded(() => this.send("Page.navigate", { url }))
  }

  reload(): Promise<void> {
    return this.loaded(() => this.send("Page.reload"))
  }

  /** The value of an expression in the page. */
  async value<A>(expression: string): Promise<A> {
    const { exceptionDetails, result } = (await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true
    })) as { readonly exceptionDetails?: object; readonly result: { readonly value: A } }
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }

  /** Waits until an expression in the page is true; gives its value at that moment, which the next one may change. */
  async until<A>(expression: string): Promise<A> {
    const end = performance.now() + PATIENCE
    while (performance.now() < end) {
      const value = await this.value<A>(`(${expression}) || null`)
      if (value !== null) return value
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    const text = await this.value<string>("document.body.innerText")
    throw new Error(`it did not become true: ${expression}\n${text.slice(0, 2_000)}`)
  }

  /** All text of the view. */
  text(): Promise<string> {
    return this.value<string>("document.getElementById('view').innerText")
  }

  async press(key: string): Promise<void> {
    const text = key.length === 1 ? { text: key } : key === "Enter" ? { text: "\r" } : {}
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, ...text })
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key })
  }

  async screen(width: number, height: number, theme: "dark" | "light", scale = 1): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: scale,
      mobile: width < 600
    })
    await this.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: theme }]
    })
  }

  async picture(): Promise<Buffer> {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" })
    return Buffer.from(String(data), "base64")
  }

  async close(): Promise<void> {
    await this.send("Page.close").catch(() => undefined)
    this.socket.close()
  }
}

const addressOf = (browser: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    const timer = setTimeout(() => reject(new Error(`the browser did not start: ${said}`)), PATIENCE)
    browser.stderr?.on("data", (text: Buffer) => {
      said += text.toString()
      const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1]
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    })
    browser.on("exit", () => reject(new Error(`the browser ended: ${said}`)))
  })

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-background-networking",
  "--remote-debugging-port=0"
]

/** A browser without a window. */
export class Browser {
  private readonly child: ChildProcess
  private readonly folder: string
  private readonly port: string

  private constructor(child: ChildProcess, folder: string, port: string) {
    this.child = child
    this.folder = folder
    this.port = port
  }

  static async start(): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), "cassette-browser-"))
    const child = spawn(chromium ?? "chromium", FLAGS.concat(`--user-data-dir=${folder}`, "about:blank"), {
      stdio: ["ignore", "ignore", "pipe"]
    })
    const { port } = new URL(await addressOf(child))
    return new Browser(child, folder, port)
  }

  async tab(): Promise<Tab> {
    const response = await fetch(`http://127.0.0.1:${this.port}/json/new?about:blank`, { method: "PUT" })
    const { webSocketDebuggerUrl } = (await response.json()) as { readonly webSocketDebuggerUrl: string }
    return Tab.open(webSocketDebuggerUrl)
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve))
    this.child.kill()
    await ended
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 })
  }
}
