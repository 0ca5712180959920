import sharp from "sharp";

/** The same noise in every run. */
export const noise = (width: number, height: number) => {
  let state = 12;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
  return sharp(Uint8Array.from({ length: width * height * 3 }, next), {
    raw: { width, height, channels: 3 },
  });
};
