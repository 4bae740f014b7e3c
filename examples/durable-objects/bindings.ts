// The objects that this worker is bound to, as it calls them.
import type { Directory } from "./directory.ts"
import type { Fleet } from "./fleet.ts"
import type { Run } from "./run.ts"

interface Namespace<Stub> {
  readonly getByName: (name: string) => Stub
}

export interface Env {
  /** A run's own ledger, by the run's id. */
  readonly RUN: Namespace<Run>
  /** Hints about runs: one object. */
  readonly DIRECTORY: Namespace<Directory>
  /** Heads of runs that were noted: one object. */
  readonly FLEET: Namespace<Fleet>
  /** A secret: the key that signs the fleet's checkpoints, as `cortex key generate` writes it. */
  readonly AUDIT_KEY: string
}
