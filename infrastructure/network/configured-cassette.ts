// One cassette of a configuration as everything that opens its file takes it.
import type { AskedBirth } from "../../domain/network/birth.ts"
import type { CassetteConfiguration } from "../../domain/network/configuration.ts"
import type { CassetteBirth } from "./cassette-schema.ts"
import type { CassetteAddress } from "./index/local-cassette.ts"

/** A cassette of the configuration with everything that its file needs. */
export interface ConfiguredCassette extends CassetteAddress {
  readonly configuration: CassetteConfiguration
  readonly birth: CassetteBirth
  readonly asked: AskedBirth
  /** Why it may not be used, if so. */
  readonly refusal: string | undefined
}
