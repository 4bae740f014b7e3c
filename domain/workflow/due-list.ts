// Things that fall due, in the order of their times, and of their ids where times are equal. What falls due is known by its id:
// an id that is added again moves. Times are data: what a number means, the caller says.

interface Entry {
  readonly id: string
  readonly due: number
}

const isBefore = (a: Entry, b: Entry): boolean => (a.due === b.due ? a.id < b.id : a.due < b.due)

export class DueList {
  private readonly order: Array<Entry> = []
  private readonly byId = new Map<string, Entry>()

  get size(): number {
    return this.order.length
  }

  /** What falls due first. */
  get first(): Entry | undefined {
    return this.order[0]
  }

  add(id: string, due: number): void {
    this.delete(id)
    const entry = { id, due }
    this.byId.set(id, entry)
    const last = this.order.at(-1)
    // Most things come in the order in which they fall due.
    if (last === undefined || isBefore(last, entry)) this.order.push(entry)
    else this.order.splice(this.placeOf(entry), 0, entry)
  }

  delete(id: string): void {
    const entry = this.byId.get(id)
    if (entry === undefined) return
    this.byId.delete(id)
    if (this.order[0] === entry) this.order.shift()
    else this.order.splice(this.placeOf(entry), 1)
  }

  /** Where an entry stands, or would stand. */
  private placeOf(entry: Entry): number {
    let low = 0
    let high = this.order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.order[middle]
      if (other !== undefined && isBefore(other, entry)) low = middle + 1
      else high = middle
    }
    return low
  }
}
