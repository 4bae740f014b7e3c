// What trips are: the workflow that processes run while they are killed. Known to the processes and to those who judge them.

export const TRIP_TAG = "Trip"

/** The activities of a trip, in their order. */
export const STEPS = ["flight", "hotel", "car", "guide", "photos"] as const

export interface TripPlan {
  /** How long leases last (seconds). */
  readonly leaseSeconds: number
  readonly trips: number
  /** How long the durable sleep and each step take (milliseconds). */
  readonly sleepMillis: number
  readonly stepMillis: number
  /** After how many writes to the ledger the process kills itself; 0: never. */
  readonly dieAfter: number
}

export const tripIds = (trips: number): ReadonlyArray<string> =>
  Array.from({ length: trips }, (_, index) => String(index))

/** True for a trip that fails at its end. */
export const isFailing = (id: string): boolean => Number(id) % 3 === 2
