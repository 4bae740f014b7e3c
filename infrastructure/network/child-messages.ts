// What a hub and the child process that serves one cassette say to each other, as JSON over the child's channel.
import type { IndexRequest } from "../../domain/network/index-requests.ts"
import type { CassetteFault } from "./cassette-file.ts"

export interface ChildRequest {
  readonly number: number
  readonly request: IndexRequest
}

export type ChildAnswer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly fault: CassetteFault }
