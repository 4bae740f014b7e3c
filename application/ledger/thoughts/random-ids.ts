// The port for ids that cannot be foreseen. It is the one source of chance in the application, so that a host or a
// test can put fixed ids in its place.
import * as Context from "effect/Context"

/** Port: random UUIDs (version 4). */
export class RandomIds extends Context.Service<
  RandomIds,
  {
    /** A new UUID of version 4, in lower case. */
    readonly uuid: () => string
  }
>()("cortex-cassette/application/RandomIds") {}
