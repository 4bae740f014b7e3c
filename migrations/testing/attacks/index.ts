/** The whole suite. A new table, trigger or event type gets its attacks in one of these files. */
import type { Attack } from "../attack.ts"
import { claimAttacks } from "./claims.ts"
import { doorAttacks } from "./doors.ts"
import { beginningAttacks, dataAttacks, envelopeAttacks } from "./events.ts"
import { gateAttacks } from "./gate.ts"
import { stepAttacks } from "./steps.ts"
import { thoughtAttacks, thoughtGateAttacks } from "./thoughts.ts"
import { traceAttacks } from "./traces.ts"
import { lookalikeAttacks, openTableAttacks, tableAttacks } from "./tables.ts"
import { withWords } from "./words.ts"

const aimed: Readonly<Record<string, ReadonlyArray<Attack>>> = {
  "rows of every table": tableAttacks,
  "states and leases of steps": stepAttacks,
  "lookalikes in the temporary schema": lookalikeAttacks,
  "the views and the log": doorAttacks,
  "the beginning of the log": beginningAttacks,
  "the envelope of events": envelopeAttacks,
  "the data of events": dataAttacks,
  "traceparents of events": traceAttacks,
  "well-formed events that are not allowed": claimAttacks,
  "well-formed thoughts that are not allowed": thoughtAttacks,
  "behind the gate": gateAttacks,
  "thoughts behind the gate": thoughtGateAttacks,
  "rows of every table, with the gate open": openTableAttacks
}

/** Attacks by what they aim at. */
export const attackGroups: Readonly<Record<string, ReadonlyArray<Attack>>> = {
  ...aimed,
  "what a set-up wrote, with each word for conflicts": withWords(Object.values(aimed).flat())
}

/** All attacks, in one list. */
export const attacks: ReadonlyArray<Attack> = Object.values(attackGroups).flat()
