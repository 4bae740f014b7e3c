// What differs between two manifests, field by field, step by step and artifact by artifact. Both have been verified, so
// that equal hashes mean equal texts; the texts themselves are not looked at.
import { isJsonObject, type JsonValue } from "../canonical/json.ts"
import { compareCodePoints, pyText } from "../canonical/py.ts"
import type { Difference } from "./errors.ts"
import { type Manifest, sortedUnique } from "./manifest.ts"

/** Longest value that a difference shows (UTF-16 units). */
const MAX_SHOWN_UNITS = 256

const shown = (value: JsonValue | undefined): string | null => {
  if (value === undefined) return null
  const text = pyText(value)
  return text.length > MAX_SHOWN_UNITS ? `${text.slice(0, MAX_SHOWN_UNITS)}…` : text
}

const isSame = (left: JsonValue | undefined, right: JsonValue | undefined): boolean =>
  left === undefined || right === undefined ? left === right : pyText(left) === pyText(right)

/** The members that differ, one difference each, in code-point order of their names. */
const memberDifferences = (
  where: string,
  left: Readonly<Record<string, JsonValue>>,
  right: Readonly<Record<string, JsonValue>>
): ReadonlyArray<Difference> =>
  sortedUnique([...Object.keys(left), ...Object.keys(right)])
    .filter((name) => !isSame(left[name], right[name]))
    .map((name) => ({ where: `${where}${name}`, left: shown(left[name]), right: shown(right[name]) }))

/** Differences of two lists whose items have ids; an item on one side alone is one difference. */
const itemDifferences = <Item extends object>(
  name: string,
  idOf: (item: Item) => string,
  left: ReadonlyArray<Item>,
  right: ReadonlyArray<Item>
): ReadonlyArray<Difference> => {
  const [lefts, rights] = [left, right].map((items) => new Map(items.map((item) => [idOf(item), item])))
  return [...new Set([...left, ...right].map(idOf))].sort(compareCodePoints).flatMap((id) => {
    const items = [lefts?.get(id), rights?.get(id)] as ReadonlyArray<JsonValue | undefined>
    const [first, second] = items
    const where = `${name} ${id}`
    return isJsonObject(first) && isJsonObject(second)
      ? memberDifferences(`${where} `, first, second)
      : [{ where, left: shown(first), right: shown(second) }]
  })
}

/** What is not the same in two verified manifests; empty when they are the same bytes. */
export const manifestDifferences = (left: Manifest, right: Manifest): ReadonlyArray<Difference> => {
  const fieldsOf = ({ artifacts: _artifacts, hashes, steps: _steps, ...fields }: Manifest) =>
    ({ ...fields, ...hashes }) as unknown as Readonly<Record<string, JsonValue>>
  return [
    ...memberDifferences("", fieldsOf(left), fieldsOf(right)),
    ...itemDifferences("step", ({ step_id }) => step_id, left.steps, right.steps),
    ...itemDifferences("artifact", ({ artifact_id }) => artifact_id, left.artifacts, right.artifacts)
  ]
}
