// One walk over the lines of a dossier: each event is judged, its proof held against the checkpoint, its thought against the line of
// thoughts. Three files are read side by side, so that memory does not grow with them.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { bytesOfHex } from "../../domain/canonical/bytes.ts"
import {
  type DossierEvent,
  parseEventLine,
  parseProofLine,
  thoughtLine
} from "../../domain/dossiers/event-lines.ts"
import type { EventJudge } from "../../domain/dossiers/event-judge.ts"
import type { DossierFindings } from "../../domain/dossiers/finding.ts"
import {
  type DossierFileName,
  type DossierManifest,
  EVENTS_NAME,
  PROOFS_NAME,
  THOUGHTS_NAME
} from "../../domain/dossiers/manifest.ts"
import type { CheckpointBody } from "../../domain/evidence/checkpoint.ts"
import { InclusionChecks } from "../../domain/evidence/inclusion-walk.ts"
import { leafHash } from "../../domain/evidence/merkle-tree.ts"
import { taskOfStream } from "../../domain/ledger/event-envelope.ts"
import { Progress } from "../foundation/progress.ts"
import { Signing } from "../foundation/signing.ts"
import type { ForeignLines, OpenedDossier } from "./dossier-files.ts"
import { endOfLines, fileOf, NumberedLines, tellFault } from "./file-check.ts"

/** Events that are judged before others get their turn. */
const TURN = 500

/** What the lines of a dossier are held against. */
export interface Walk {
  readonly list: DossierFindings
  readonly manifest: DossierManifest
  readonly judge: EventJudge
  readonly checkpoint: CheckpointBody
}

/** How many lines of each kind were read. */
export interface WalkCounts {
  readonly events: number
  readonly proofs: number
  readonly thoughts: number
}

type Lines = Readonly<Record<typeof EVENTS_NAME | typeof PROOFS_NAME | typeof THOUGHTS_NAME, NumberedLines>>

/** Judges the line of a proof against the event that it stands beside. */
const proofJudge = ({ checkpoint, list }: Walk, { sha256 }: Signing["Service"]) => {
  const checks = new InclusionChecks(sha256, checkpoint.size, checkpoint.root)
  return (event: DossierEvent, lines: NumberedLines): void => {
    const where = `event ${event.position}`
    const line = lines.next()
    if (line === undefined) return list.add("PROOF_REFUSED", where, "there is no proof of it")
    const proof = parseProofLine(line)
    if (proof === undefined) return lines.tell("it is not the canonical text of an inclusion proof")
    if (proof.hash !== event.hash || proof.index !== event.position - 1) {
      return list.add("PROOF_REFUSED", where, "the proof beside it is of another event")
    }
    const leaf = leafHash(sha256, bytesOfHex(proof.hash) ?? new Uint8Array(0))
    const fault =
      proof.size === checkpoint.size ? checks.fault(proof.index, leaf, proof.path) : "size_differs"
    if (fault !== undefined)
      list.add("PROOF_REFUSED", where, `the proof does not lead to the checkpoint (${fault})`)
  }
}

/** Holds the next line of thoughts against the event that records one. */
const checkThought = ({ list }: Walk, event: DossierEvent, lines: NumberedLines): void => {
  const taskId = taskOfStream(event.stream_id)
  if (event.type !== "ThoughtRecorded" || taskId === undefined) return
  const line = lines.next()
  if (line !== undefined && line === thoughtLine(event, taskId)) return
  const said = line === undefined ? "has no line for it" : `says otherwise in line ${lines.taken}`
  list.add("THOUGHT_DIFFERS", `event ${event.position}`, `${THOUGHTS_NAME} ${said}`)
}

/** Opens a file's lines; a file that cannot be read has none. */
const openLines = Effect.fnUntraced(function* (
  { list, manifest }: Walk,
  opened: OpenedDossier,
  name: DossierFileName
): Effect.fn.Return<ForeignLines | undefined, never, Scope.Scope> {
  const lines = yield* Effect.result(opened.lines(name, fileOf(manifest, name).bytes))
  if (Result.isSuccess(lines)) return lines.success
  tellFault(list, name, lines.failure)
  return undefined
})

/** Judges the next events; gives those that could be read, and whether there may be more. */
const turn = (
  { judge }: Walk,
  lines: Lines,
  judgeProof: (event: DossierEvent, lines: NumberedLines) => void,
  checkThoughts: (event: DossierEvent, lines: NumberedLines) => void
): { readonly events: ReadonlyArray<DossierEvent>; readonly isAtEnd: boolean } => {
  const events: Array<DossierEvent> = []
  for (let taken = 0; taken < TURN; taken++) {
    const line = lines[EVENTS_NAME].next()
    if (line === undefined) return { events, isAtEnd: true }
    const event = parseEventLine(line)
    if (event === undefined) {
      lines[EVENTS_NAME].tell("it is not the canonical line of an event")
      // Its proof stands beside it all the same.
      lines[PROOFS_NAME].next()
      continue
    }
    judge.add(event)
    judgeProof(event, lines[PROOFS_NAME])
    checkThoughts(event, lines[THOUGHTS_NAME])
    events.push(event)
  }
  return { events, isAtEnd: false }
}

/** Walks all lines; `witness` is given the events, turn by turn. Gives nothing when a file cannot be read at all. */
export const walkEvents = Effect.fnUntraced(function* <E, R>(
  walk: Walk,
  opened: OpenedDossier,
  witness: (events: ReadonlyArray<DossierEvent>) => Effect.Effect<void, E, R>
): Effect.fn.Return<WalkCounts | undefined, E, R | Signing | Scope.Scope> {
  const { list, manifest } = walk
  const signing = yield* Signing
  const report = yield* Progress
  const files = {
    [EVENTS_NAME]: yield* openLines(walk, opened, EVENTS_NAME),
    [PROOFS_NAME]: yield* openLines(walk, opened, PROOFS_NAME),
    [THOUGHTS_NAME]: yield* openLines(walk, opened, THOUGHTS_NAME)
  }
  const { [EVENTS_NAME]: events, [PROOFS_NAME]: proofs, [THOUGHTS_NAME]: thoughts } = files
  if (events === undefined || proofs === undefined || thoughts === undefined) {
    return undefined
  }
  const lines: Lines = {
    [EVENTS_NAME]: new NumberedLines(list, EVENTS_NAME, events),
    [PROOFS_NAME]: new NumberedLines(list, PROOFS_NAME, proofs),
    [THOUGHTS_NAME]: new NumberedLines(list, THOUGHTS_NAME, thoughts)
  }
  const judgeProof = proofJudge(walk, signing)
  const checkThoughts = (event: DossierEvent, of: NumberedLines) => checkThought(walk, event, of)
  let isAtEnd = false
  while (!isAtEnd) {
    const taken = turn(walk, lines, judgeProof, checkThoughts)
    isAtEnd = taken.isAtEnd
    yield* witness(taken.events)
    report(`event ${lines[EVENTS_NAME].taken}`)
    yield* Effect.yieldNow
  }
  yield* endOfLines(list, manifest, EVENTS_NAME, events, lines[EVENTS_NAME])
  yield* endOfLines(list, manifest, PROOFS_NAME, proofs, lines[PROOFS_NAME])
  yield* endOfLines(list, manifest, THOUGHTS_NAME, thoughts, lines[THOUGHTS_NAME])
  return {
    events: lines[EVENTS_NAME].taken,
    proofs: lines[PROOFS_NAME].taken,
    thoughts: lines[THOUGHTS_NAME].taken
  }
})
