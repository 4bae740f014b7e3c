// How a text that names something is read.
import { assert, describe, it } from "vitest"
import { readingsOf } from "./id-readings.ts"
import { shortJob, shortStep } from "./short-ids.ts"

describe("an id", () => {
  it("is of the kind that its form says", () => {
    const kindsOf = (text: string) => readingsOf(text).kinds
    assert.deepStrictEqual(kindsOf("msg_00"), ["message"])
    assert.deepStrictEqual(kindsOf("job_"), ["job"])
    assert.deepStrictEqual(kindsOf("step_0000000000002_00000000000000aa.0001.00003"), ["step"])
    assert.deepStrictEqual(kindsOf("rcpt_1"), ["receipt"])
    assert.deepStrictEqual(kindsOf("night shift"), ["run", "thought"])
    assert.deepStrictEqual(kindsOf("steps"), ["run", "thought"])
  })

  it("is a position where it is a whole number from 1 on, and may be a name all the same", () => {
    assert.deepInclude(readingsOf("17"), { position: 17, kinds: ["run", "thought"] })
    for (const text of ["0", "017", "1e3", "-1", " 1", "9007199254740993", "1."]) {
      assert.isUndefined(readingsOf(text).position, text)
    }
  })

  it("is of the kind that its first word says", () => {
    assert.deepInclude(readingsOf("event:17"), { position: 17, kinds: [], numbered: undefined })
    assert.deepInclude(readingsOf("run:17"), { position: undefined, kinds: ["run"], id: "17" })
    assert.deepInclude(readingsOf("run:run:x\ny"), { kinds: ["run"], id: "run:x\ny" })
    assert.deepInclude(readingsOf("thought:msg_1"), { kinds: ["thought"], id: "msg_1" })
    assert.deepInclude(readingsOf("event:x"), { position: undefined, kinds: [] })
  })

  it("may be the numbers of a job or a step", () => {
    assert.deepStrictEqual(readingsOf("2.1").numbered, { kind: "job", position: 2, job: 1, step: 0 })
    assert.deepStrictEqual(readingsOf("2.1.3").numbered, { kind: "step", position: 2, job: 1, step: 3 })
    for (const text of ["2.0", "2.1.3.4", "2.01", "2.1.", "2.10000"]) {
      assert.isUndefined(readingsOf(text).numbered, text)
    }
  })
})

describe("numbers in place of an id", () => {
  it("are read back as what they stand for, and an id of another form stays as it is", () => {
    assert.strictEqual(shortStep("step_0000000000002_00000000000000aa.0001.00003"), "2.1.3")
    assert.strictEqual(shortJob("job_0000000000012_00000000000000aa.0010"), "12.10")
    assert.strictEqual(shortStep("step_x"), "step_x")
    assert.strictEqual(shortJob("constructor"), "constructor")
  })
})
