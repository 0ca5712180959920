import { assert, it } from "@effect/vitest";
import { mediaFormats } from "../../../src/media/formats/MediaFormat.ts";

it("there are four image, three video and four audio formats, each with its own type (media.kinds)", () => {
  const formats = Object.values(mediaFormats);
  const count = (kind: string) => formats.filter((format) => format.kind === kind).length;
  assert.deepStrictEqual(["image", "video", "audio"].map(count), [4, 3, 4]);
  for (const format of formats) assert.isTrue(format.mimeType.startsWith(`${format.kind}/`), format.name);
  assert.strictEqual(new Set(formats.map((format) => format.mimeType)).size, formats.length);
});
