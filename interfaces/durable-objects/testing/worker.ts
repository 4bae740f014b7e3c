// The worker that tests run in workerd: objects of the package, and a bare one whose database is attacked. Each request names an
// object's method and its arguments.
import { DurableObject } from "cloudflare:workers"
import { durableObjectHost } from "../../../infrastructure/durable-objects/durable-object-host.ts"
import { seenIn } from "../../../infrastructure/durable-objects/testing/host-contract.ts"
import { LedgerObject, signingKeyFromPem } from "../index.ts"
import { attacked, type AttackJob } from "./attacked.ts"

// A timer would keep an object awake: the first that is asked for fails its test.
for (const name of ["setTimeout", "setInterval"] as const) {
  globalThis[name] = (() => {
    throw new Error(`${name} was asked for`)
  }) as never
}

export class Run extends LedgerObject<{ readonly AUDIT_KEY: string }> {
  /** An object whose name says so has a secret that is no key. */
  protected override readonly signingKey = () =>
    signingKeyFromPem(this.ctx.id.name === "keyless" ? "no key" : this.env.AUDIT_KEY)

  /** What the platform lets an owner do: everything is gone. */
  async wipe(): Promise<null> {
    await (this.ctx.storage as unknown as { readonly deleteAll: () => Promise<void> }).deleteAll()
    return null
  }

  /** Ends the object, as the platform does with one that rests: its next call finds another instance. */
  evict(): void {
    ;(this.ctx as unknown as { readonly abort: () => void }).abort()
  }

  /** Statements on the object's own database, as an owner of the object can run them. */
  sql(...statements: ReadonlyArray<string>): ReadonlyArray<Record<string, unknown>> {
    return statements.flatMap((statement) => this.ctx.storage.sql.exec(statement).toArray())
  }
}

/** A run that posts to itself, so that what the way to an object costs is left out. */
export class Busy extends Run {
  /** Posts so many messages, so many at a time; their numbers begin with `from`. */
  async posts(from: number, count: number, width: number, payload: object): Promise<null> {
    const poster = async (first: number) => {
      for (let n = first; n < count; n += width) {
        const idempotency_key = String(from + n)
        await this.post({ run_id: "busy", source: "USER", payload: { ...payload, n }, idempotency_key })
      }
    }
    await Promise.all(Array.from({ length: width }, (_, first) => poster(first)))
    return null
  }
}

export class Attacked extends DurableObject {
  attack(job: AttackJob) {
    return attacked(this.ctx.storage, job)
  }

  /** A case of the SQL port's contract, in this object's database. */
  contract(name: string) {
    return seenIn(durableObjectHost(this.ctx.storage), name)
  }

  plain(sql: string) {
    try {
      this.ctx.storage.sql.exec(sql)
      return { error: null }
    } catch (error) {
      return { error: (error as Error).message }
    }
  }
}

type Methods = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>>

interface Env {
  readonly RUN: { readonly getByName: (name: string) => Methods }
  readonly ATTACKED: { readonly getByName: (name: string) => Methods }
  readonly BUSY: { readonly getByName: (name: string) => Methods }
}

interface Call {
  readonly binding: keyof Env
  readonly name: string
  readonly method: string
  readonly args: ReadonlyArray<unknown>
}

/** Values that no JSON can carry, by name. */
const MADE: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  bigint: () => 10n,
  date: () => new Date(0),
  cyclic: () => {
    const cyclic: Record<string, unknown> = { run_id: "r", source: "USER" }
    cyclic["payload"] = cyclic
    return cyclic
  },
  map: () => new Map([["run_id", "r"]]),
  bytes: () => new Uint8Array(8),
  function: () => () => "r",
  long: () => "x".repeat(3_000_000)
}

const isMade = (value: unknown): value is { readonly made: string } =>
  typeof value === "object" && value !== null && "made" in value

/** The call's own arguments, with what no JSON can carry in the place of its name. */
const madeOf = (value: unknown): unknown => {
  if (isMade(value)) return MADE[value.made]?.()
  if (Array.isArray(value)) return value.map(madeOf)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, madeOf(member)]))
}

const isStream = (value: unknown): value is { readonly ok: true; readonly data: ReadableStream } =>
  typeof value === "object" && value !== null && "data" in value && value.data instanceof ReadableStream

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { args, binding, method, name } = (await request.json()) as Call
    const answer = await env[binding].getByName(name)[method]?.(...args.map(madeOf))
    return isStream(answer) ? new Response(answer.data) : Response.json(answer ?? null)
  }
}
