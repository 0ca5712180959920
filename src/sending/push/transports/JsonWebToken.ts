import { type KeyObject, sign } from "node:crypto";

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** A signed JSON Web Token (RFC 7515, 7518): `ES256` with a P-256 key, `RS256` with an RSA key. */
export const jsonWebToken = (
  header: { readonly alg: "ES256" | "RS256"; readonly kid?: string; readonly typ?: "JWT" },
  claims: object,
  key: KeyObject,
): string => {
  const content = `${encode(header)}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
  return `${content}.${signature.toString("base64url")}`;
};
