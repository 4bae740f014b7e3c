// The released versions of a cassette's schema: what it is made of and compared with.
import { schema } from "../../migrations/snapshots/network/0001.ts"
import { schemaStep, type SchemaStep } from "../sqlite/checks/schema-steps.ts"

let steps: ReadonlyArray<SchemaStep> | undefined

/** Every released version, oldest first. */
export const cassetteSteps = (): ReadonlyArray<SchemaStep> =>
  (steps ??= [schemaStep(1, "0001-cassette", schema)])
