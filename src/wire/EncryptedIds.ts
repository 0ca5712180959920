import { createCipheriv, hkdfSync } from "node:crypto";

/** The two numbers that an id holds: below 2^60, and below 2^62. */
interface IdHalves {
  readonly left: bigint;
  readonly right: bigint;
}

const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/i;

// A UUID has 60 bits before the variant, and 62 after it.
const maxLeft = (1n << 60n) - 1n;
const maxRight = (1n << 62n) - 1n;
const variant = 1n << 63n;

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
 * Encrypts numbers as UUIDs of version 8 (RFC 9562), for one purpose and by this secret key, so that no id
 * has to be stored or indexed. Counts that all workspaces share show nobody how much others do, and no id
 * follows from another. A Feistel network of four rounds over AES is a pseudorandom permutation (Luby and
 * Rackoff) of the UUID's 122 free bits, so that ids are unique. Any UUID of version 8 decrypts to numbers:
 * leave some bits zero, and take an id whose numbers have them otherwise for invented.
 */
const idCipher = (secretKey: string, purpose: string) => {
  const round = roundFunction(secretKey, purpose);
  return {
    encrypt: (halves: IdHalves): string => {
      let { left, right } = halves;
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
    /** The numbers in an id, in any letter case; null for a text that is no UUID of version 8. */
    decrypt: (id: string): IdHalves | null => {
      const match = pattern.exec(id);
      if (match === null) return null;
      const [, high = "", middle = "", low = "", clock = "", node = ""] = match;
      let left = BigInt(`0x${high}${middle}${low}`);
      let right = BigInt(`0x${clock}${node}`) & maxRight;
      right ^= round(4, left) & maxRight;
      left ^= round(3, right) & maxLeft;
      right ^= round(2, left) & maxRight;
      left ^= round(1, right) & maxLeft;
      return { left, right };
    },
  };
};

/** Bits of a positive `integer` of PostgreSQL. */
const partBits = 31n;
const maxPart = (1n << partBits) - 1n;

/** The numbers of an id whose `count` is below 2^60, and whose `part` is below 2^31. */
interface CountAndPart {
  readonly count: bigint;
  readonly part: number;
}

/** Ids of a count and a part. Of invented ids, 1 of 2^31 is taken for one. */
export const countedIds = (secretKey: string, purpose: string) => {
  const cipher = idCipher(secretKey, purpose);
  return {
    idOf: ({ count, part }: CountAndPart): string =>
      cipher.encrypt({ left: count, right: BigInt(part) << partBits }),
    /** The numbers in an id; null for an id that was not made with this key and purpose. */
    numbersOf: (id: string): CountAndPart | null => {
      const halves = cipher.decrypt(id);
      if (halves === null || (halves.right & maxPart) !== 0n) return null;
      return { count: halves.left, part: Number(halves.right >> partBits) };
    },
  };
};

/** The numbers of an id, each from 0 to 2^31 - 1. */
type ThreeNumbers = readonly [number, number, number];

/** Ids of three numbers. Of invented ids, 1 of 2^29 is taken for one. */
export const tripleIds = (secretKey: string, purpose: string) => {
  const cipher = idCipher(secretKey, purpose);
  return {
    idOf: ([first, second, third]: ThreeNumbers): string =>
      cipher.encrypt({ left: BigInt(first), right: (BigInt(second) << partBits) | BigInt(third) }),
    /** The numbers in an id; null for an id that was not made with this key and purpose. */
    numbersOf: (id: string): ThreeNumbers | null => {
      const halves = cipher.decrypt(id);
      if (halves === null || halves.left > maxPart) return null;
      const { left, right } = halves;
      return [Number(left), Number(right >> partBits), Number(right & maxPart)];
    },
  };
};
