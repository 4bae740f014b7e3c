// How long a process that failed is left alone: a first pause, twice as long after every further failure in a row, up to
// a minute. Real time, since whatever hangs does not follow a test's clock.
const DEFAULT_PAUSE_MILLIS = 250
const MAX_PAUSE_MILLIS = 60_000

export class GrowingPause {
  private readonly first: number
  private inARow = 0
  private until = 0

  /** `first` is the pause after the first failure (milliseconds). */
  constructor(first: number = DEFAULT_PAUSE_MILLIS) {
    this.first = first
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.inARow
  }

  /** How long the pause still lasts (milliseconds); 0 or less when there is none. */
  get left(): number {
    return this.until - performance.now()
  }

  failed(): void {
    this.until = performance.now() + Math.min(MAX_PAUSE_MILLIS, this.first * 2 ** this.inARow)
    this.inARow += 1
  }

  succeeded(): void {
    this.inARow = 0
  }
}
