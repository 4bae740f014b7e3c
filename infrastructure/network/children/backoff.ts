// How long a process that failed is left alone: a first pause, twice as long after every further failure in a row, up to
// a minute. Real time, since a process that hangs does not follow a test's clock.
const DEFAULT_PAUSE_MILLIS = 250
const MAX_PAUSE_MILLIS = 60_000

export class Backoff {
  private readonly first: number
  private inARow = 0
  private until = 0
  private fault = ""

  /** `first` is the pause after the first failure (milliseconds). */
  constructor(first: number = DEFAULT_PAUSE_MILLIS) {
    this.first = first
  }

  /** Why it is left alone now; undefined when it is not. It names the failure, not the pause. */
  get reason(): string | undefined {
    if (this.until <= performance.now()) return undefined
    const times = this.inARow === 1 ? "once" : `${this.inARow} times in a row`
    return `${this.fault} (this happened ${times}; it is started again after a pause)`
  }

  failed(reason: string): void {
    this.fault = reason
    this.until = performance.now() + Math.min(MAX_PAUSE_MILLIS, this.first * 2 ** this.inARow)
    this.inARow += 1
  }

  succeeded(): void {
    this.inARow = 0
  }
}
