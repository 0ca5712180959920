import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 32;
const checkLength = 6;

/** A whole number in base 62, with leading zeros up to the width. */
export const base62 = (value: number, width: number): string => {
  let text = "";
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62))
    text = alphabet.charAt(rest % 62) + text;
  return text;
};

/** The number of a text in base 62. */
export const fromBase62 = (text: string): number => {
  let value = 0;
  for (const character of text) value = value * 62 + alphabet.indexOf(character);
  return value;
};

/** 32 base62 characters: 190 random bits. */
export const makeSecret = (): string => {
  let secret = "";
  for (let i = 0; i < secretLength; i++) secret += alphabet.charAt(randomInt(alphabet.length));
  return secret;
};

const check = (text: string): string => base62(crc32(text), checkLength);

/**
 * Composes a credential: the prefix of its kind (`wps_` Sandbox token, `wpp_` Production token, `wpk_` SDK
 * key, `wpd_` device token), for device tokens a locator of their row in base 62, the secret, and a CRC-32 of
 * all that in six characters. Secret scanners can recognize it, and a mistyped one costs no lookup.
 */
export const sealCredential = (prefix: string, locator: string, secret: string): string =>
  prefix + locator + secret + check(prefix + locator + secret);

/** A new credential without locator. */
export const makeCredential = (prefix: string): string => sealCredential(prefix, "", makeSecret());

const shape = /^[0-9A-Za-z]+$/;

/**
 * The locator (of this length) and the secret of a credential; null for a text that is not one of this kind.
 */
export const openCredential = (
  prefix: string,
  locatorLength: number,
  text: string,
): { readonly locator: string; readonly secret: string } | null => {
  const end = text.length - checkLength;
  const start = prefix.length + locatorLength;
  const isValid =
    end === start + secretLength &&
    text.startsWith(prefix) &&
    shape.test(text.slice(prefix.length)) &&
    check(text.slice(0, end)) === text.slice(end);
  return isValid ? { locator: text.slice(prefix.length, start), secret: text.slice(start, end) } : null;
};

/** Whether a text has the form of a credential of this kind without locator. */
export const isCredential = (prefix: string, text: string): boolean =>
  openCredential(prefix, 0, text) !== null;

/** The SHA-256 of a credential, which is stored instead of it. */
export const digest = (credential: string): Uint8Array => hash("sha256", credential, "buffer");

/** The credential of an `Authorization: Bearer …` header; null for none. */
export const bearer = (authorization: string | undefined): string | null => {
  const match = /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? "");
  return match?.[1]?.trim() ?? null;
};
