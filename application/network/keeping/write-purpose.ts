// Which cassettes a task may write to: the one place that says so, for the service, the command line and every other caller.
import { rulesOf } from "../../../domain/network/mutability.ts"
import type { KeptCassette } from "./cassette-files.ts"

export type WritePurpose = "import" | "index" | "migrate" | "reindex" | "sweep"

/** What is done with an external cassette where it belongs. */
const ELSEWHERE: Readonly<Record<WritePurpose, string>> = {
  import: "it is never written to",
  index: "it is read, and indexed where it belongs",
  migrate: "it is never written to",
  reindex: "it is reindexed where it belongs",
  sweep: "it is swept where it belongs"
}

/** Why a task may not write to a cassette, as the end of a sentence; undefined when it may. */
export const writeRefusal = (
  purpose: WritePurpose,
  { mutability, refusal, type }: Pick<KeptCassette, "mutability" | "refusal" | "type">
): string | undefined => {
  if (type === "external") return `it is external: ${ELSEWHERE[purpose]}`
  if (purpose === "reindex" && rulesOf(mutability).seals) {
    return "it is sealed: cortex network index builds it again from its sources when they or the embedder have changed"
  }
  return refusal
}
