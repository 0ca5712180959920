import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer, Redacted } from "effect";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataDirectory } from "../../../src/database/DataDirectory.ts";
import { UploadFolder } from "../../../src/media/upload/UploadFolder.ts";

describe("UploadFolder", () => {
  it.effect("the upload folder is emptied at the start, and its files are removed with their scope", () =>
    Effect.gen(function* () {
      const path = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "waypost-uploads-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true })),
      );
      const uploads = join(path, "uploads");
      mkdirSync(uploads);
      writeFileSync(join(uploads, "left behind"), "half a picture");
      const keys = { operatorKey: Redacted.make("o"), secretKey: Redacted.make("s") };
      const directory = Layer.succeed(DataDirectory, { path, ...keys });
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(readdirSync(uploads), []);
        const folder = yield* UploadFolder;
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { path: file } = yield* folder.file;
            assert.strictEqual(statSync(file).mode & 0o777, 0o600);
            assert.strictEqual(statSync(uploads).mode & 0o777, 0o700);
          }),
        );
        assert.deepStrictEqual(readdirSync(uploads), []);
      }).pipe(Effect.provide(UploadFolder.layer.pipe(Layer.provide(directory))));
    }),
  );
});
