// Ids in the order in which SQLite holds them, kept so while they come and go. Finding a place takes as long as the number of
// ids has digits.
import { compareCodePoints } from "../canonical/py.ts"

export class SortedIds {
  private readonly ids: Array<string> = []

  /** Where an id stands, or would stand. */
  private placeOf(id: string): number {
    let low = 0
    let high = this.ids.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareCodePoints(this.ids[middle] ?? "", id) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  get size(): number {
    return this.ids.length
  }

  add(id: string): void {
    const last = this.ids.at(-1)
    // Ids come in order, and go from the first one on.
    if (last === undefined || compareCodePoints(last, id) < 0) {
      this.ids.push(id)
      return
    }
    const place = this.placeOf(id)
    if (this.ids[place] !== id) this.ids.splice(place, 0, id)
  }

  delete(id: string): void {
    if (this.ids[0] === id) {
      this.ids.shift()
      return
    }
    const place = this.placeOf(id)
    if (this.ids[place] === id) this.ids.splice(place, 1)
  }

  /** The ids from one on, which need not be there. */
  from(id: string): ReadonlyArray<string> {
    return this.ids.slice(this.placeOf(id))
  }

  /** The first id from one on. */
  firstFrom(id: string): string | undefined {
    if (id === "") return this.ids[0]
    return this.ids[this.placeOf(id)]
  }
}
