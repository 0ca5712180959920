import { createCipheriv, hkdfSync } from "node:crypto";

/** The two numbers in an id: a count below 2^60, and a part below 2^31. */
export interface IdNumbers {
  readonly count: bigint;
  readonly part: number;
}

/** Ids that hold two numbers, encrypted. */
export interface EncryptedIds {
  readonly idOf: (numbers: IdNumbers) => string;
  /** The numbers in an id, in any letter case; null for one that was not made with this key and purpose. */
  readonly numbersOf: (id: string) => IdNumbers | null;
}

const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/i;
const maxPart = 2_147_483_647;

// A UUID has 60 bits before the variant, and 62 after it.
const maxLeft = (1n << 60n) - 1n;
const maxRight = (1n << 62n) - 1n;
const variant = 1n << 63n;
/** The bits after the part are zero. Only 1 of 2^31 invented ids has that when it is decrypted. */
const checkBits = 31n;
const maxCheck = (1n << checkBits) - 1n;

/** A pseudorandom function of round (1–4) and number, with 64 bits of result. */
type RoundFunction = (round: number, value: bigint) => bigint;

const roundFunction = (secretKey: string, purpose: string): RoundFunction => {
  const key = new Uint8Array(hkdfSync("sha256", secretKey, "", purpose, 32));
  // ECB encrypts each block by itself, so one cipher serves all ids.
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  const block = Buffer.alloc(16);
  return (round, value) => {
    block.writeUInt8(round, 0);
    block.writeBigUInt64BE(value, 8);
    return cipher.update(block).readBigUInt64BE(0);
  };
};

/**
 * The ids of one kind of row in an installation with this secret key: UUIDs of version 8 (RFC 9562) that hold
 * two encrypted numbers, so that no id has to be stored or indexed. Counts that all workspaces share show
 * nobody how much others do, and no id follows from another. A Feistel network of four rounds over AES is a
 * pseudorandom permutation (Luby and Rackoff) of the UUID's 122 free bits, so that ids are unique.
 */
export const encryptedIds = (secretKey: string, purpose: string): EncryptedIds => {
  const round = roundFunction(secretKey, purpose);
  return {
    idOf: ({ count, part }) => {
      let left = count;
      let right = BigInt(part) << checkBits;
      left ^= round(1, right) & maxLeft;
      right ^= round(2, left) & maxRight;
      left ^= round(3, right) & maxLeft;
      right ^= round(4, left) & maxRight;
      const head = left.toString(16).padStart(15, "0");
      const tail = (right | variant).toString(16);
      return (
        `${head.slice(0, 8)}-${head.slice(8, 12)}-8${head.slice(12)}-` +
        `${tail.slice(0, 4)}-${tail.slice(4)}`
      );
    },
    numbersOf: (id) => {
      const match = pattern.exec(id);
      if (match === null) return null;
      const [, high = "", middle = "", low = "", clock = "", node = ""] = match;
      let left = BigInt(`0x${high}${middle}${low}`);
      let right = BigInt(`0x${clock}${node}`) & maxRight;
      right ^= round(4, left) & maxRight;
      left ^= round(3, right) & maxLeft;
      right ^= round(2, left) & maxRight;
      left ^= round(1, right) & maxLeft;
      const part = Number(right >> checkBits);
      return (right & maxCheck) !== 0n || part > maxPart ? null : { count: left, part };
    },
  };
};
