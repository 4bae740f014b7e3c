// The example of jcsText in domain/canonical/jcs.ts.
import { jcsText } from "cortex-cassette/domain"

if (jcsText({ b: 1, a: [true] }) !== '{"a":[true],"b":1}') throw new Error("not canonical")
