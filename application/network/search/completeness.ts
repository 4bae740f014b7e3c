// How complete an answer of the network is: who of those that were asked did not answer, and when that is an error.
import type { CassetteAnswer } from "../../../domain/network/cassette.ts"
import { NetworkIncomplete, NetworkUnavailable } from "../../../domain/network/errors.ts"

/** True when some asked cassette did not answer. */
export const isPartial = (answers: Readonly<Record<string, CassetteAnswer>>): boolean =>
  Object.values(answers).some(({ status }) => status !== "ok")

/** Refuses an answer in which no cassette took part, or not every one. */
export const complete = (
  answers: Readonly<Record<string, CassetteAnswer>>,
  strict: boolean
): NetworkIncomplete | NetworkUnavailable | undefined => {
  const all = Object.values(answers)
  if (!all.some(({ status }) => status === "ok" || status === "partial")) {
    return new NetworkUnavailable({ answers })
  }
  return strict && isPartial(answers) ? new NetworkIncomplete({ answers }) : undefined
}
