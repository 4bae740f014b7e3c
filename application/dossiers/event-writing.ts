// Writes the files with lines of a dossier, page by page: the chosen events as the ledger has them, each judged as a verifier will judge
// it, with its proof and, for a thought, its record.
import * as Effect from "effect/Effect"
import { utf8ByteLength } from "../../domain/canonical/text.ts"
import {
  type DossierEvent,
  eventLine,
  hasBody,
  proofLine,
  thoughtLine,
  withheldEvent
} from "../../domain/dossiers/event-lines.ts"
import type { EventJudge } from "../../domain/dossiers/event-judge.ts"
import type { DossierFindings } from "../../domain/dossiers/finding.ts"
import {
  CHECKPOINT_NAME,
  DOSSIER_FILES,
  type DossierBodies,
  type DossierChoice,
  type DossierFile,
  type DossierFileName,
  EVENTS_NAME,
  PROOFS_NAME,
  THOUGHTS_NAME
} from "../../domain/dossiers/manifest.ts"
import type { Checkpoint } from "../../domain/evidence/checkpoint.ts"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import { type EventEnvelope, taskOfStream } from "../../domain/ledger/event-envelope.ts"
import type { FolderDraft, TargetFailure } from "../foundation/folder-target.ts"
import { Hashing } from "../foundation/hashing.ts"
import { Progress } from "../foundation/progress.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { CheckpointsShape } from "../ledger/proofs/checkpoints.ts"
import { chosenEvents } from "./chosen-events.ts"

/** The files with lines while they are written: what is appended is hashed and counted. */
export class DraftFiles {
  private readonly draft: FolderDraft
  private readonly tallies: ReadonlyMap<
    DossierFileName,
    { bytes: number; readonly hash: ReturnType<Hashing["Service"]["sha256Stream"]> }
  >

  constructor(draft: FolderDraft, sha256Stream: Hashing["Service"]["sha256Stream"]) {
    this.draft = draft
    this.tallies = new Map(DOSSIER_FILES.map((name) => [name, { bytes: 0, hash: sha256Stream() }]))
  }

  append(name: DossierFileName, text: string): Effect.Effect<void, TargetFailure> {
    const tally = this.tallies.get(name)
    if (tally !== undefined) {
      tally.bytes += utf8ByteLength(text)
      tally.hash.update(text)
    }
    return this.draft.append(name, text)
  }

  /** What the manifest says of the files; this ends them. */
  files(): ReadonlyArray<DossierFile> {
    return [...this.tallies].map(([path, { bytes, hash }]) => ({ path, bytes, sha256: hash.digest() }))
  }
}

const linesText = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** An event as the dossier shows it. */
const shownEvent = (
  sha256: Hashing["Service"]["sha256"],
  bodies: DossierBodies,
  event: EventEnvelope
): DossierEvent => (bodies === "hashed" && hasBody(event) ? (withheldEvent(sha256, event) ?? event) : event)

/** The first thing that the judge has found is what is wrong with the ledger. */
const requireSound = ({ listed: [first] }: DossierFindings): Effect.Effect<void, StoreCorrupt> =>
  first === undefined
    ? Effect.void
    : Effect.fail(
        new StoreCorrupt({
          code: first.code as StoreCorrupt["code"],
          where: first.where,
          finding: first.message
        })
      )

/** What is written, and from where. */
export interface Writing {
  readonly ledger: LedgerShape
  readonly checkpoints: CheckpointsShape
  readonly choice: DossierChoice
  readonly bodies: DossierBodies
  readonly note: string
  readonly checkpoint: Checkpoint
}

/** Writes the chosen events with their proofs and thoughts; gives how many there are. */
export const writeEvents = Effect.fnUntraced(function* (
  { bodies, checkpoint, checkpoints, choice, ledger, note }: Writing,
  files: DraftFiles,
  judge: EventJudge,
  list: DossierFindings
) {
  const { sha256 } = yield* Hashing
  const report = yield* Progress
  const nextPage = chosenEvents(ledger, choice)
  const counts = { events: 0, thoughts: 0 }
  // Each is there, also when it stays empty.
  for (const name of DOSSIER_FILES) yield* files.append(name, name === CHECKPOINT_NAME ? note : "")
  while (true) {
    const read = yield* nextPage
    const page = read.filter(({ position }) => position <= checkpoint.size)
    const shown = page.map((event) => shownEvent(sha256, bodies, event))
    for (const event of shown) judge.add(event)
    yield* requireSound(list)
    if (page.length > 0) {
      const proofs = yield* checkpoints.proveInclusions({
        events: page.map(({ hash, position }) => ({ position, hash })),
        checkpoint: note
      })
      const thoughts = shown.flatMap((event) => {
        const taskId = event.type === "ThoughtRecorded" ? taskOfStream(event.stream_id) : undefined
        return taskId === undefined ? [] : [thoughtLine(event, taskId) ?? ""]
      })
      yield* files.append(EVENTS_NAME, linesText(shown.map(eventLine)))
      yield* files.append(PROOFS_NAME, linesText(proofs.map(proofLine)))
      if (thoughts.length > 0) yield* files.append(THOUGHTS_NAME, linesText(thoughts))
      counts.events += page.length
      counts.thoughts += thoughts.length
      report(`event ${counts.events}`)
    }
    if (page.length < read.length || read.length === 0) return counts
    yield* Effect.yieldNow
  }
})
