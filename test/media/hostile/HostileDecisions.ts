import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";
import type { HostileFile } from "./HostileBytes.ts";
import { scopedFolder } from "../../Listening.ts";
import { gifs } from "./HostileGifs.ts";
import { jpegs } from "./HostileJpegs.ts";
import { pngs } from "./HostilePngs.ts";
import { hostileSounds } from "./HostileSounds.ts";
import { hostileTracks } from "./HostileTracks.ts";
import { webps } from "./HostileWebps.ts";

const sentences = [
  ["truncated", /is cut short: its end is missing/],
  ["broken", /is broken and cannot be shown/],
  ["too complex", /takes too much time or memory to read/],
  ["too large", /Send one of at most (100 megapixels|65,535 on a side)/],
  ["empty", /has no (pictures|sound)/],
  ["not accepted", /of no kind that is accepted|which is not accepted/],
  // By the watchdog: no file of the suite needs it.
  ["killed", /takes too much time or memory to inspect/],
] as const;

const outcomeOf = (sentence: string): string =>
  sentences.find(([, pattern]) => pattern.test(sentence))?.[0] ?? sentence;

/** A hostile file's name, and what a media worker decides about it. */
const decide = Effect.fnUntraced(function* (folder: string, owner: number, { build, name }: HostileFile) {
  const { inspect } = yield* MediaWorkers;
  const path = join(folder, String(owner));
  yield* Effect.promise(async () => writeFile(path, await build()));
  const outcome = yield* Effect.match(inspect(owner, path), {
    onFailure: (error) => (error._tag === "MediaRefused" ? outcomeOf(error.message) : error.message),
    onSuccess: ({ mimeType }) => `accepted as ${mimeType}`,
  });
  return [name, outcome] as const;
});

/** The pids of the last scan that are no child of this process: there are many, and none becomes one. */
let strangers: ReadonlySet<string> = new Set();

/** The peaks of memory of the media workers that run now, in bytes; none on systems without `/proc`. */
const peaks = Effect.promise(async () => {
  const found: Array<number> = [];
  const others = new Set<string>();
  for (const pid of (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    const status = strangers.has(pid) ? null : await read("status");
    if (!status?.includes(`\nPPid:\t${process.pid}\n`)) {
      others.add(pid);
      continue;
    }
    if (!(await read("cmdline")).includes("media-worker")) continue;
    found.push(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024);
  }
  strangers = others;
  return found;
});

/** The hostile files by family. */
export const hostileRecordings = [hostileTracks, hostileSounds];
export const hostilePictures = [pngs, jpegs, gifs, webps];

/** Decisions of media workers about hostile files, by name. They take less than 300 MB. */
export const decideHostileFiles = Effect.fnUntraced(function* (
  families: ReadonlyArray<ReadonlyArray<HostileFile>>,
) {
  const folder = yield* scopedFolder("hostile");
  const memory: Array<number> = [];
  const outcomes = yield* Effect.forEach(
    families,
    (files, family) =>
      Effect.forEach(files, (file) =>
        Effect.tap(decide(folder, family + 1, file), () =>
          Effect.map(peaks, (now) => void memory.push(...now)),
        ),
      ),
    { concurrency: 2 },
  );
  assert.isBelow(Math.max(0, ...memory), 300_000_000);
  return outcomes.flat();
});
