/**
 * Every change of a step's state and lease by hand: each state, to each status, with each treatment of the lease.
 * None carries a pending event, so all must be refused, even where the edge itself is a legal one.
 */
import type { Attack } from "../attack.ts"
import { literal } from "../ledger.ts"
import { head, leaseEnd, nextPosition, steps } from "../states.ts"

const leases = {
  "as it is": "",
  "taken by a thief": `, lease_owner = 'thief', lease_expires_at = ${literal(leaseEnd)}, fencing_token = fencing_token + 1`,
  "with the same token": `, lease_owner = 'thief', lease_expires_at = ${literal(leaseEnd)}`,
  cleared: ", lease_owner = NULL, lease_expires_at = NULL",
  "cleared with its token": ", lease_owner = NULL, lease_expires_at = NULL, fencing_token = 0"
}

const eventPositions = {
  "its own position": "",
  "the last position": `, event_position = ${head.size}`,
  "the next position": `, event_position = ${nextPosition}`
}

const transitions: ReadonlyArray<Attack> = Object.entries(steps).flatMap(([state, step]) =>
  ["PENDING", "LEASED", "COMMITTED", "DONE"].flatMap((status) =>
    Object.entries(leases).flatMap(([lease, setLease]) =>
      Object.entries(eventPositions).map(([position, setPosition]) => ({
        name: `${state} step to ${status}, lease ${lease}, ${position}`,
        state: "ledger" as const,
        sql: `UPDATE cassette_steps SET status = '${status}'${setLease}${setPosition} WHERE step_id = ${literal(step)}`
      }))
    )
  )
)

const leaseFields: ReadonlyArray<Attack> = Object.entries(steps).flatMap(([state, step]) =>
  [
    "lease_owner = 'thief'",
    "lease_owner = NULL",
    `lease_expires_at = ${literal(leaseEnd.replace("2026", "2099"))}`,
    "lease_expires_at = NULL",
    "fencing_token = fencing_token + 1",
    "fencing_token = 0",
    `event_position = ${nextPosition}`
  ].map((set) => ({
    name: `${state} step: ${set}`,
    state: "ledger" as const,
    sql: `UPDATE cassette_steps SET ${set} WHERE step_id = ${literal(step)}`
  }))
)

const claim = `status = 'LEASED', lease_owner = 'w2', lease_expires_at = ${literal(leaseEnd)}, fencing_token = fencing_token + 1`

/** All of them, and the legal edges with a frozen column or the rowid carried along. */
export const stepAttacks: ReadonlyArray<Attack> = [
  ...transitions,
  ...leaseFields,
  ...["rowid = 999", "payload_json = '{\"mine\":1}'", "ordinal = 2", `event_position = ${nextPosition}`].map(
    (set) => ({
      name: `a claim that also says ${set}`,
      state: "ledger" as const,
      sql: `UPDATE cassette_steps SET ${claim}, ${set} WHERE step_id = ${literal(steps.fresh)}`
    })
  )
]
