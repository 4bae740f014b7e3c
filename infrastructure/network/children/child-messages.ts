// What a hub and the child process that serves one cassette say to each other: a line of JSON for each request and for each
// answer, over one channel that both inherit.
import type { IndexRequest } from "../../../domain/network/index-requests.ts"
import type { CassetteFault } from "../cassette-file.ts"

/** The channel's file descriptor in the child. */
export const CHANNEL = 3

export interface ChildRequest {
  readonly number: number
  readonly request: IndexRequest
}

export type ChildAnswer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly fault: CassetteFault }
