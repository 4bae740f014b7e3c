// What this package uses of the module that the platform brings. A program has the platform's own types.
declare module "cloudflare:workers" {
  export interface ObjectState {
    readonly id: { readonly name?: string | undefined; readonly toString: () => string }
    readonly storage: {
      readonly sql: {
        readonly exec: (
          query: string,
          ...bindings: ReadonlyArray<string | number | null | Uint8Array>
        ) => { readonly toArray: () => Array<Record<string, unknown>> }
      }
      readonly transactionSync: <A>(work: () => A) => A
    }
  }

  export class DurableObject<Env = unknown> {
    protected ctx: ObjectState
    protected env: Env
    constructor(ctx: ObjectState, env: Env)
  }
}
