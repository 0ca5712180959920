import { Redacted } from "effect";

/** Replaces the parts of a text that may be secrets. */
export type Mask = (text: string) => string;

const replacement = "<redacted>";

/**
 * Waypost's credentials (`wps_…`, `wpp_…`, `wpk_…`, `wpd_…`), whole or cut off and also with an escaped
 * underscore, and the credential of a bearer header.
 */
const credentials = /(?<![0-9a-z])(?:(wp[a-z](?:_|%5f))[0-9a-z]{8,}|(bearer(?:\s|%20|\+)+)[\w.~+/=-]{8,})/gi;

const minRun = 40;
/** It starts once for each run, so that the search is linear. */
const longRuns = /(?<![\w-])[\w-]{40,}/g;

/** Whether a run of base64url characters is probably random. UUIDs are shorter, hex has no capitals. */
const isRandom = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run) && /[\d_-]/.test(run);

/** The kind of a credential stays readable. */
const maskRun = (run: string): string =>
  isRandom(run) ? (/^wp[a-z]_/.exec(run)?.[0] ?? "") + replacement : run;

/**
 * Masks everything with the shape of a token: Waypost's credentials, bearer credentials, and long random
 * texts such as generated keys and parts of a JWT. It also masks the keys in `known`, whatever their shape.
 */
export const secretMask = (known: ReadonlyArray<Redacted.Redacted | undefined> = []): Mask => {
  const keys = known.flatMap((key) => (key === undefined ? [] : [Redacted.value(key)]));
  return (text) => {
    let masked = text;
    for (const key of keys) if (masked.includes(key)) masked = masked.replaceAll(key, replacement);
    if (masked.length >= minRun) masked = masked.replace(longRuns, maskRun);
    return masked.replace(credentials, `$1$2${replacement}`);
  };
};
