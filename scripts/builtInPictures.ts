/**
 * Draws the built-in pictures for video, audio and images without a thumbnail, and writes them as base64 to
 * src/media/BuiltInPictures.json: `node scripts/builtInPictures.ts`.
 */
import { writeFileSync } from "node:fs";
import sharp from "sharp";

const shapes = {
  image: '<path d="M110 270l60-80 45 55 30-35 55 60z"/><circle cx="250" cy="155" r="20"/>',
  video: '<path d="M160 130l110 70-110 70z"/>',
  audio:
    '<circle cx="155" cy="255" r="30"/><circle cx="255" cy="235" r="30"/>' +
    '<path d="M173 255V150l112-25v110h-18v-88l-76 17v91z"/>',
};

const draw = async (shape: string): Promise<string> => {
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">' +
    '<rect width="400" height="400" fill="#e8ebef"/>' +
    `<g fill="#8a94a3">${shape}</g></svg>`;
  const picture = await sharp(Buffer.from(drawing)).webp({ quality: 60, effort: 6 }).toBuffer();
  return picture.toString("base64");
};

const pictures: Record<string, string> = {};
for (const [kind, shape] of Object.entries(shapes)) pictures[kind] = await draw(shape);
const file = new URL("../src/media/BuiltInPictures.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(pictures, null, 2)}\n`);
