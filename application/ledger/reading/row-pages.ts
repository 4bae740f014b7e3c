// A list of any length as a stream: page after page, each from behind the last row of the one before, so that memory holds
// one page. Rows that do not come in their order are damage: the same page could come again and again.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { OUT_OF_ORDER, type RowPlace, standsBehind } from "../../../domain/canonical/row-order.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"

/** How to read a list in pages. */
export interface PagedList<Row, E> {
  /** The rows behind one, or the first ones; none only at the end. */
  readonly page: (last: Row | undefined) => Effect.Effect<ReadonlyArray<Row>, E>
  /** What the rows are ordered by, ascending. */
  readonly placeOf: (row: Row) => RowPlace
  /** What a row is called where it is out of order. */
  readonly nameOf: (row: Row) => string
}

/** The rows of a list, a page at a time. */
export const rowPages = <Row, E>({
  nameOf,
  page,
  placeOf
}: PagedList<Row, E>): Stream.Stream<Row, E | StoreCorrupt> =>
  Stream.paginate(
    undefined as Row | undefined,
    Effect.fnUntraced(function* (last) {
      const rows = yield* page(last)
      const end = rows.at(-1)
      if (end === undefined) return [rows, Option.none<Row>()] as const
      if (!standsBehind(last && placeOf(last), placeOf(end))) {
        return yield* new StoreCorrupt({ code: "INTEGRITY", where: nameOf(end), finding: OUT_OF_ORDER })
      }
      return [rows, Option.some(end)] as const
    })
  )
