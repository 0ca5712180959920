import { crc32, deflateSync } from "node:zlib";

const part = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(content.length);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
};

/** A picture for the demo's message, as PNG: a cup of coffee from above, so many pixels wide and high. */
export const demoPicture = (size: number): Uint8Array<ArrayBuffer> => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  // Eight bits each of red, green and blue.
  head.set([8, 2], 8);
  const rows = Buffer.alloc(size * (size * 3 + 1));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const distance = Math.hypot(x - size / 2, y - size / 2) / size;
      const colour = distance < 0.28 ? [92, 58, 33] : distance < 0.34 ? [255, 255, 255] : [233, 196, 106];
      rows.set(colour, y * (size * 3 + 1) + 1 + x * 3);
    }
  }
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from("89504e470d0a1a0a", "hex"),
      part("IHDR", head),
      part("IDAT", deflateSync(rows)),
      part("IEND", Buffer.alloc(0)),
    ]),
  );
};
