/** Stores that count what they are asked, or whose disk is full, for `wrap` of the ledgers of tests. */
import type { LedgerStore, LedgerTransaction } from "../../application/ledger/commands/ledger-store.ts"
import { diskFull } from "./ledgers.ts"

type Store = LedgerStore["Service"]

/** Counts the transactions of the store. */
export const countedTransactions = () => {
  const seen = { transactions: 0 }
  const wrap = (store: Store): Partial<Store> => ({
    transact: (work) => {
      seen.transactions += 1
      return store.transact(work)
    }
  })
  return { seen, wrap }
}

/** Runs every unit of work on a transaction with some members replaced. */
export const withTransaction =
  (replace: (transaction: LedgerTransaction) => Partial<LedgerTransaction>) =>
  (store: Store): Partial<Store> => ({
    transact: (work) => store.transact((transaction) => work({ ...transaction, ...replace(transaction) }))
  })

/** Counts how often the store is asked for a step that waits. */
export const countedClaims = () => {
  const claims = { count: 0 }
  const wrap = withTransaction(({ nextPendingStep }) => ({
    nextPendingStep: (place) => {
      claims.count += 1
      return nextPendingStep(place)
    }
  }))
  return { claims, wrap }
}

/** A store that finds its disk full when a unit of work is done, as long as `disk.full` says so. */
export const fillingStore = () => {
  const disk = { full: false }
  const wrap = (store: Store): Partial<Store> => ({
    transact: (work) =>
      store.transact((transaction) => {
        const result = work(transaction)
        if (disk.full) throw diskFull()
        return result
      })
  })
  return { disk, wrap }
}
