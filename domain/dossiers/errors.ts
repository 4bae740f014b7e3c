// The ways in which making and showing a dossier is refused, as tagged data that carries what is needed to act. A dossier that does
// not verify is a report and not an error; see finding.ts.
import * as Schema from "effect/Schema"

/** The file is no packed dossier: it could not have been packed by us. */
export class NotADossierArchive extends Schema.TaggedError<NotADossierArchive>()("NotADossierArchive", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a packed dossier: ${this.reason}`
  }
}

/** A bundle that was to ride along is not one of what was chosen, or is not what the events of its job make. */
export class BundleDisagrees extends Schema.TaggedError<BundleDisagrees>()("BundleDisagrees", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The bundle ${this.path} does not belong into this dossier: ${this.reason}`
  }
}

/** Why a file is no dossier, or a bundle does not belong into one. */
export type DossierRefusal = NotADossierArchive | BundleDisagrees
