// A key that tests sign with. It is no secret: its bytes are all 7.

/** The private key as PKCS#8 PEM (RFC 8410). */
export const AUDIT_KEY = [
  "-----BEGIN PRIVATE KEY-----",
  "MC4CAQAwBQYDK2VwBCIEIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH",
  "-----END PRIVATE KEY-----",
  ""
].join("\n")
