// The example's worker, with objects that a test can wipe, and a way to ask each of them.
import type { Env } from "../bindings.ts"
import { Run as HonestRun } from "../run.ts"
import worker from "../worker.ts"

export { Directory, Fleet } from "../worker.ts"

export class Run extends HonestRun {
  /** What the platform lets an owner do: everything is gone. */
  async wipe(): Promise<null> {
    await (this.ctx.storage as unknown as { readonly deleteAll: () => Promise<void> }).deleteAll()
    return null
  }
}

interface Call {
  readonly binding: Exclude<keyof Env, "AUDIT_KEY">
  readonly name: string
  readonly method: string
  readonly args: ReadonlyArray<unknown>
}

type Methods = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>>

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== "/") return worker.fetch(request, env)
    const { args, binding, method, name } = (await request.json()) as Call
    const stub = env[binding].getByName(name) as unknown as Methods
    return Response.json((await stub[method]?.(...args)) ?? null)
  }
}
