// The example of LedgerObject in interfaces/durable-objects/ledger-object.ts.
import { LedgerObject, signingKeyFromPem } from "cortex-cassette/durable-objects"

interface Env {
  readonly RUN: { readonly getByName: (name: string) => Run }
  readonly AUDIT_KEY: string
}

export class Run extends LedgerObject<Env> {
  protected override readonly signingKey = () => signingKeyFromPem(this.env.AUDIT_KEY)
}

export const post = (env: Env, run_id: string) =>
  env.RUN.getByName(run_id).post({ run_id, source: "USER", payload: { intent: "greet" } })
