import { crc32, deflateSync } from "node:zlib";

/** A chunk of a PNG file: length, type, content and checksum. */
const chunk = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(content.length);
  named.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(named), named.length + 4);
  return bytes;
};

/** The picture of the message: a cup of coffee from above, as a PNG of `size` by `size` pixels. */
export const demoPicture = (size: number): Uint8Array<ArrayBuffer> => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits per colour; red, green and blue.
  header.set([8, 2], 8);
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
      chunk("IHDR", header),
      chunk("IDAT", deflateSync(rows)),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
};
