// What this package uses of the module that the platform brings. A program has the platform's own types.
declare module "cloudflare:workers" {
  import type { ObjectStorage } from "../../infrastructure/durable-objects/durable-object-host.ts"

  export interface ObjectState {
    readonly id: { readonly name?: string | undefined; readonly toString: () => string }
    readonly storage: ObjectStorage
  }

  export class DurableObject<Env = unknown> {
    protected ctx: ObjectState
    protected env: Env
    constructor(ctx: ObjectState, env: Env)
  }
}
