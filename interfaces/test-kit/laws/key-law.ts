// Idempotency keys: the same message under a key of its run is that message again, with its ids; another is refused.
import * as fc from "fast-check"
import { keyedPost, onePlan } from "../ledger-commands.ts"
import { broken, type Law, type One, oneByOne, MOST_TOGETHER } from "../law.ts"
import { jobsOfPost, type PostCommand } from "../ledger-model.ts"

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, member]) => [key, sorted(member)])
      )
    : value
}

/** What makes two posts the same message: the order of keys, a lease that is asked for and the trace do not count. */
const contentOfPost = (post: PostCommand): string =>
  JSON.stringify(sorted([post.source, post.payload, jobsOfPost(post) ?? null]))

const nameOf = ({ idempotency_key, run_id }: PostCommand): string => JSON.stringify([run_id, idempotency_key])

interface Ids {
  readonly message_id: string
  readonly job_ids: ReadonlyArray<string>
  readonly created: boolean
}

/** What was posted under each key. */
export class KeyBook {
  private readonly known = new Map<string, { readonly post: PostCommand; readonly ids: Ids }>()

  /** What was posted first under the key of a post. */
  firstOf(post: PostCommand): PostCommand | undefined {
    return this.known.get(nameOf(post))?.post
  }

  /** Judges what a post was answered, and takes it down. */
  see({ answer, command }: One): void {
    if (command.kind !== "post" || command.idempotency_key === null) return
    const name = nameOf(command)
    const first = this.known.get(name)
    const isSame = first !== undefined && contentOfPost(first.post) === contentOfPost(command)
    if (answer.tag === "ClockFarBehindHead") return
    if (answer.tag !== "done") {
      if (first === undefined || isSame || answer.tag !== "IdempotencyConflict") {
        broken(`a post under ${name} was refused: ${answer.tag}`)
      }
      if (answer["message_id"] !== first?.ids.message_id)
        broken(`a conflict under ${name} names another message`)
      return
    }
    const ids = answer["reply"] as Ids
    if (first === undefined) {
      if (!ids.created) broken(`the first post under ${name} was taken for one before`)
      this.known.set(name, { post: command, ids })
      return
    }
    if (!isSame) broken(`another message under ${name} was accepted`)
    if (
      ids.created ||
      ids.message_id !== first.ids.message_id ||
      ids.job_ids.join() !== first.ids.job_ids.join()
    ) {
      broken(`the same message under ${name} became ${ids.message_id} after ${first.ids.message_id}`)
    }
  }
}

export const keyLaw: Law = {
  name: "a message that is posted again under its key is the same message, and another under it is refused",
  plans: fc.oneof({ weight: 3, arbitrary: keyedPost }, { weight: 1, arbitrary: onePlan }),
  together: MOST_TOGETHER,
  jumps: true,
  reopens: false,
  watch: () => {
    const book = new KeyBook()
    return { see: (given) => oneByOne(given).forEach((one) => book.see(one)) }
  }
}
