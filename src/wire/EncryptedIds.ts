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

/** A pseudorandom function of round (1–4) and numbers, with 64 bits of result for each. */
type RoundFunction = (round: number, values: ReadonlyArray<bigint>) => (index: number) => bigint;

const blockBytes = 16;

const roundFunction = (secretKey: string, purpose: string): RoundFunction => {
  const key = new Uint8Array(hkdfSync("sha256", secretKey, "", purpose, 32));
  // ECB encrypts each block by itself, so one cipher serves all ids.
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  return (round, values) => {
    const blocks = Buffer.alloc(blockBytes * values.length);
    for (const [index, value] of values.entries()) {
      blocks.writeUInt8(round, blockBytes * index);
      blocks.writeBigUInt64BE(value, blockBytes * index + 8);
    }
    const encrypted = cipher.update(blocks);
    return (index) => encrypted.readBigUInt64BE(blockBytes * index);
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
    /** The ids of numbers, in order. Each call of AES costs as much as hundreds of blocks: ask for many. */
    encrypt: (halves: ReadonlyArray<IdHalves>): ReadonlyArray<string> => {
      const left0 = halves.map(({ left }) => left);
      const right0 = halves.map(({ right }) => right);
      const first = round(1, right0);
      const left1 = left0.map((left, index) => left ^ (first(index) & maxLeft));
      const second = round(2, left1);
      const right1 = right0.map((right, index) => right ^ (second(index) & maxRight));
      const third = round(3, right1);
      const left2 = left1.map((left, index) => left ^ (third(index) & maxLeft));
      const fourth = round(4, left2);
      return left2.map((left, index) => {
        const right = (right1[index] ?? 0n) ^ (fourth(index) & maxRight);
        const head = left.toString(16).padStart(15, "0");
        const tail = (right | variant).toString(16);
        return (
          `${head.slice(0, 8)}-${head.slice(8, 12)}-8${head.slice(12)}-` +
          `${tail.slice(0, 4)}-${tail.slice(4)}`
        );
      });
    },
    /** The numbers in an id, in any letter case; null for a text that is no UUID of version 8. */
    decrypt: (id: string): IdHalves | null => {
      const match = pattern.exec(id);
      if (match === null) return null;
      const [, high = "", middle = "", low = "", clock = "", node = ""] = match;
      let left = BigInt(`0x${high}${middle}${low}`);
      let right = BigInt(`0x${clock}${node}`) & maxRight;
      right ^= round(4, [left])(0) & maxRight;
      left ^= round(3, [right])(0) & maxLeft;
      right ^= round(2, [left])(0) & maxRight;
      left ^= round(1, [right])(0) & maxLeft;
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
    idsOf: (numbers: ReadonlyArray<CountAndPart>): ReadonlyArray<string> =>
      cipher.encrypt(numbers.map(({ count, part }) => ({ left: count, right: BigInt(part) << partBits }))),
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
    idsOf: (numbers: ReadonlyArray<ThreeNumbers>): ReadonlyArray<string> =>
      cipher.encrypt(
        numbers.map(([first, second, third]) => ({
          left: BigInt(first),
          right: (BigInt(second) << partBits) | BigInt(third),
        })),
      ),
    /** The numbers in an id; null for an id that was not made with this key and purpose. */
    numbersOf: (id: string): ThreeNumbers | null => {
      const halves = cipher.decrypt(id);
      if (halves === null || halves.left > maxPart) return null;
      const { left, right } = halves;
      return [Number(left), Number(right >> partBits), Number(right & maxPart)];
    },
  };
};
