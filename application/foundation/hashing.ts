// The port for SHA-256, one-shot and streamed. It is synchronous because hashes are taken inside a transaction;
// an adapter must give the same 64 characters for the same text on every host.
import * as Context from "effect/Context"
import type { Sha256, Sha256OfBytes, Sha256Stream } from "../../domain/canonical/sha256.ts"

/** Port: SHA-256 of texts (as UTF-8), of bytes and of streams, in lower-case hex. */
export class Hashing extends Context.Service<
  Hashing,
  {
    readonly sha256: Sha256
    readonly sha256OfBytes: Sha256OfBytes
    /** A new hash over texts that come piece by piece. */
    readonly sha256Stream: () => Sha256Stream
  }
>()("cortex-cassette/application/Hashing") {}
