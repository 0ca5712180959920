import { assert, it, vi } from "@effect/vitest";
import { BufferSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { readFileSync } from "node:fs";
import { inspectMedia } from "../../../src/media/formats/MediaInspection.ts";

const names = [
  "video.mp4",
  "fragmented.mp4",
  "late.mp4",
  "rotated.mov",
  "video.webm",
  "recording.webm",
  "sound.m4a",
  "sound.mp4",
] as const;

/** The displayed size and the length of a file, as a library for players reads them. */
const asPlayed = async (bytes: Buffer) => {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF, WEBM] });
  const picture = (await input.getTracks()).find((track) => track.isVideoTrack());
  const seconds = (await input.computeDuration()) - Math.max(0, await input.getFirstTimestamp());
  return {
    width: (await picture?.getDisplayWidth()) ?? null,
    height: (await picture?.getDisplayHeight()) ?? null,
    durationSeconds: Math.round(seconds * 1000) / 1000,
  };
};

it("size and length of tracks are those that a player's library reads (H1.1)", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  for (const name of names) {
    const bytes = readFileSync(new URL(`../fixtures/${name}`, import.meta.url));
    const { durationSeconds, height, width } = await inspectMedia(bytes);
    assert.deepStrictEqual({ width, height, durationSeconds }, await asPlayed(bytes), name);
  }
});
