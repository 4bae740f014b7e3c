// Workers that claim steps of many runs through the directory, and finish them, until none waits.

interface Claimed {
  readonly ok: boolean
  readonly data?: { readonly step_id: string; readonly lease: { readonly run_id: string } }
  readonly error?: { readonly code: string }
}

/** Asks the example's worker at an address. */
export const sender =
  (address: string) =>
  async <A>(path: string, body?: unknown): Promise<A> =>
    (await (
      await fetch(
        `${address}${path}`,
        body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      )
    ).json()) as A

/** Posts a message with steps to a run of this name. */
export const postSteps = (
  address: string,
  run_id: string,
  steps: number
): Promise<{ readonly ok: boolean }> =>
  sender(address)(`/runs/${run_id}/post`, {
    run_id,
    source: "USER",
    payload: { steps: Array.from({ length: steps }, (_, step) => ({ step })) },
    idempotency_key: "k"
  })

const work = async (address: string, worker_id: string, claimed: Array<string>): Promise<void> => {
  const send = sender(address)
  let after_run = ""
  while (true) {
    const step = await send<Claimed>("/claim", { worker_id, after_run })
    if (step.data === undefined) {
      if (step.error?.code === "NO_PENDING_STEP") return
      throw new Error(JSON.stringify(step))
    }
    const { lease, step_id } = step.data
    after_run = lease.run_id
    claimed.push(`${after_run} ${step_id}`)
    const done = await send<Claimed>(`/runs/${after_run}/complete`, {
      ...lease,
      receipt_payload: { done: true },
      outcome: "SUCCESS"
    })
    if (!done.ok) throw new Error(JSON.stringify(done))
  }
}

/** Claims and finishes every step by so many workers at a time; gives each claim, by run and step. */
export const claimAll = async (address: string, workers: number): Promise<ReadonlyArray<string>> => {
  const claimed: Array<string> = []
  await Promise.all(Array.from({ length: workers }, (_, n) => work(address, `w${n}`, claimed)))
  return claimed
}
