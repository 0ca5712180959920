import { createHash, randomInt } from "node:crypto";
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

/** The number that a base 62 text stands for; its characters are known to be of the alphabet. */
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
 * Puts a credential together: a prefix that names its kind (`wps_` Sandbox token, `wpp_` Production token, `wpk_` SDK key,
 * `wpd_` device token), for some kinds base62 text that tells where it is kept, the secret, and a CRC-32 of all that in six
 * more characters, so that secret scanners can know one and a mistyped one costs no look-up.
 */
export const sealCredential = (prefix: string, locator: string, secret: string): string =>
  prefix + locator + secret + check(prefix + locator + secret);

/** A new credential of a kind without locator. */
export const makeCredential = (prefix: string): string => sealCredential(prefix, "", makeSecret());

const shape = /^[0-9A-Za-z]+$/;

/** The locator (of this length) and secret of a text that can be a credential of this kind at all, else null. */
export const openCredential = (
  prefix: string,
  locatorLength: number,
  text: string,
): { readonly locator: string; readonly secret: string } | null => {
  const end = text.length - checkLength;
  const start = prefix.length + locatorLength;
  const possible =
    end === start + secretLength &&
    text.startsWith(prefix) &&
    shape.test(text.slice(prefix.length)) &&
    check(text.slice(0, end)) === text.slice(end);
  return possible ? { locator: text.slice(prefix.length, start), secret: text.slice(start, end) } : null;
};

/** Whether a text can be a credential of this kind, which has no locator, at all. */
export const isCredential = (prefix: string, text: string): boolean =>
  openCredential(prefix, 0, text) !== null;

/** What is kept of a credential: its SHA-256. */
export const digest = (credential: string): Uint8Array => createHash("sha256").update(credential).digest();

/** The credential of an `Authorization: Bearer …` header, or null where there is none. */
export const bearer = (authorization: string | undefined): string | null => {
  const match = /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? "");
  return match?.[1]?.trim() ?? null;
};
