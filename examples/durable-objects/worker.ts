// A worker in front of runs that have a ledger each: POST /runs/RUN/METHOD asks a run, POST /claim any run, GET /fleet verifies all, GET /checkpoint signs what
// was noted of all.
// Who may call is for the program to say: this one does not ask.
import type { Env } from "./bindings.ts"
import { claimAcross } from "./directory.ts"

export { Directory } from "./directory.ts"
export { Fleet } from "./fleet.ts"
export { Run } from "./run.ts"

/** What may be asked of a run from outside. */
const METHODS = ["post", "complete", "renew", "requeue", "status", "head", "export"] as const

type Method = (input: unknown) => Promise<{ readonly ok: boolean; readonly data?: unknown }>

const answer = async (request: Request, env: Env): Promise<unknown> => {
  const [, what, id = "", name] = new URL(request.url).pathname.split("/").map(decodeURIComponent)
  const input = request.method === "POST" ? ((await request.json()) as unknown) : undefined
  if (what === "claim") {
    const { after_run = "", worker_id } = input as { readonly worker_id: string; readonly after_run?: string }
    return (await claimAcross(env, worker_id, after_run)) ?? { ok: false, error: { code: "NO_PENDING_STEP" } }
  }
  if (what === "fleet") return env.FLEET.getByName("fleet").verifyAll()
  if (what === "checkpoint") return env.FLEET.getByName("fleet").checkpoint()
  const method = METHODS.find((each) => each === name)
  return what === "runs" && method !== undefined
    ? (env.RUN.getByName(id)[method] as Method)(input)
    : undefined
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const answered = await answer(request, env)
    if (answered === undefined) return new Response("not found", { status: 404 })
    const { data } = answered as { readonly data?: unknown }
    return data instanceof ReadableStream ? new Response(data) : Response.json(answered)
  },

  /** A trigger in time of the platform notes all heads. */
  async scheduled(_: unknown, env: Env): Promise<void> {
    await env.FLEET.getByName("fleet").noteAll()
  }
}
