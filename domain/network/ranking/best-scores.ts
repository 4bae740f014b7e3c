// Keeps the top `limit` scores of a stream and every tie with the last, because ties are broken later with data that is not
// available here. It keeps numbers and nothing else.
import type { BestChunks } from "../index-requests.ts"

/** Moves the number at the top of a heap, least on top, down to its place. */
const sink = (heap: Float64Array, size: number): void => {
  const value = heap[0]!
  let at = 0
  for (let child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && heap[child + 1]! < heap[child]!) child += 1
    if (heap[child]! >= value) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = value
}

/** Moves the number at `start` up to its place. */
const rise = (heap: Float64Array, start: number): void => {
  const value = heap[start]!
  let at = start
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (heap[parent]! <= value) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = value
}

/** Keeps everything that scores as well as the `limit`-th best; scores are above 0, the limit 1 or more. */
export class BestScores {
  /** The `limit`-th best score so far: what is below is of no use; 0 while there are fewer. */
  least = 0
  private readonly limit: number
  private readonly chunks: Array<number> = []
  private readonly scores: Array<number> = []
  private readonly heap: Float64Array
  private isAll = true

  constructor(limit: number) {
    this.limit = limit
    this.heap = new Float64Array(limit)
  }

  add(chunk: number, score: number): void {
    if (score < this.least) {
      this.isAll = false
      return
    }
    const { heap, limit } = this
    const size = this.chunks.push(chunk)
    this.scores.push(score)
    if (size <= limit) {
      heap[size - 1] = score
      rise(heap, size - 1)
    } else if (score > heap[0]!) {
      heap[0] = score
      sink(heap, limit)
    }
    if (size >= limit) this.least = heap[0]!
  }

  all(): Omit<BestChunks, "described"> {
    const { least } = this
    const kept = [...this.scores.keys()].filter((index) => this.scores[index]! >= least)
    return {
      chunks: kept.map((index) => this.chunks[index]!),
      scores: kept.map((index) => this.scores[index]!),
      complete_from: this.isAll && kept.length === this.scores.length ? null : least
    }
  }
}
