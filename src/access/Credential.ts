import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 32;
const checkLength = 6;

const base62 = (value: number): string => {
  let text = "";
  for (let rest = value; text.length < checkLength; rest = Math.floor(rest / 62))
    text = alphabet.charAt(rest % 62) + text;
  return text;
};

/**
 * Makes a credential: a prefix that names its kind (`wps_` Sandbox token, `wpp_` Production token, `wpk_` SDK key, `wpd_`
 * device token), 32 base62 characters (190 random bits) and a CRC-32 of both in six more, so that secret scanners can know
 * one and a mistyped one costs no look-up.
 */
export const makeCredential = (prefix: string): string => {
  let secret = "";
  for (let i = 0; i < secretLength; i++) secret += alphabet.charAt(randomInt(alphabet.length));
  return `${prefix}${secret}${base62(crc32(prefix + secret))}`;
};

/** Whether a text can be a credential of this kind at all. */
export const isCredential = (prefix: string, text: string): boolean =>
  text.length === prefix.length + secretLength + checkLength &&
  text.startsWith(prefix) &&
  base62(crc32(text.slice(0, -checkLength))) === text.slice(-checkLength);

/** What is kept of a credential: its SHA-256. */
export const digest = (credential: string): Uint8Array => createHash("sha256").update(credential).digest();

/** The credential of an `Authorization: Bearer …` header, or null where there is none. */
export const bearer = (authorization: string | undefined): string | null => {
  const match = /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? "");
  return match?.[1]?.trim() ?? null;
};
