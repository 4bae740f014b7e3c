// What a program must know of the machine before and after everything else: whether this Node will do, and what the
// machine had no more of. It loads nothing but Node's file system.
export { isNodeSupported, OLDEST_NODE } from "../../infrastructure/sqlite/connection/node-version.ts"
export { adviceOn, type Resource, wantBehind, wantToldIn } from "../../infrastructure/files/want.ts"
