import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import type { MediaContent } from "../../src/media/formats/MediaFormat.ts";
import { MediaLibrarySql } from "../../src/media/MediaLibrarySql.ts";
import { ThumbnailsSql } from "../../src/media/ThumbnailsSql.ts";
import { idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const dueAt = now + 900_000;

const picture: MediaContent = {
  kind: "image",
  mimeType: "image/png",
  extension: "png",
  width: 40,
  height: 30,
  durationSeconds: null,
};
const sound: MediaContent = {
  kind: "audio",
  mimeType: "audio/mpeg",
  extension: "mp3",
  width: null,
  height: null,
  durationSeconds: 1.25,
};

const newKey = () => randomBytes(24).toString("base64url");

/** Expects and inserts a file; gives its row. */
const newFile = Effect.fnUntraced(function* (tenant: Tenant, content: MediaContent) {
  const repository = yield* MediaLibrarySql;
  const key = newKey();
  yield* repository.expect(key, dueAt);
  const row = yield* repository.insert(tenant, idAt(now), { key, name: "File", bytes: 7, content }, now);
  return row ?? assert.fail("The key has become garbage.");
});

layer(TestStatements.layer)("ThumbnailsSql", (it) => {
  it.effect("only the thumbnail of an image is pending, due at its upload (H2)", () =>
    Effect.gen(function* () {
      const thumbnails = yield* ThumbnailsSql;
      const { sandbox } = yield* newTenants;
      const image = yield* newFile(sandbox, picture);
      const audio = yield* newFile(sandbox, sound);
      assert.deepStrictEqual(yield* thumbnails.find(image.key), {
        workspaceId: sandbox.workspaceId,
        kind: "image",
        thumbnail: "pending",
        due: now,
      });
      assert.deepStrictEqual(yield* thumbnails.find(audio.key), {
        workspaceId: sandbox.workspaceId,
        kind: "audio",
        thumbnail: "none",
        due: null,
      });
      assert.isNull(yield* thumbnails.find(newKey()));
      yield* thumbnails.settle(audio.key, "ready");
      assert.strictEqual((yield* thumbnails.find(audio.key))?.thumbnail, "none");
      yield* thumbnails.settle(image.key, "ready");
      assert.deepStrictEqual(yield* thumbnails.find(image.key), {
        workspaceId: sandbox.workspaceId,
        kind: "image",
        thumbnail: "ready",
        due: null,
      });
    }),
  );

  it.effect("a lease is exclusive until it expires, and counts an attempt", () =>
    Effect.gen(function* () {
      const thumbnails = yield* ThumbnailsSql;
      const { sandbox } = yield* newTenants;
      const { key } = yield* newFile(sandbox, picture);
      const { workspaceId } = sandbox;
      const leaseOne = (dueBy: number) => thumbnails.leaseOne(key, dueBy, dueBy + 1000);
      assert.isNull(yield* leaseOne(now - 1));
      assert.deepStrictEqual(yield* leaseOne(now), { workspaceId, key, attempts: 1 });
      assert.isNull(yield* leaseOne(now + 999));
      assert.deepStrictEqual(yield* leaseOne(now + 1000), { workspaceId, key, attempts: 2 });
      yield* thumbnails.release(key, now + 5000, 1);
      assert.isNull(yield* leaseOne(now + 4999));
      assert.deepStrictEqual(yield* leaseOne(now + 5000), { workspaceId, key, attempts: 2 });
      yield* thumbnails.settle(key, "failed");
      yield* thumbnails.release(key, now, 0);
      assert.isNull(yield* leaseOne(dueAt));
    }),
  );

  it.effect("workspaces take turns, each with the thumbnail that is due longest (H1.7)", () =>
    Effect.gen(function* () {
      const thumbnails = yield* ThumbnailsSql;
      const [first, second] = [(yield* newTenants).sandbox, (yield* newTenants).sandbox];
      // Earlier than any thumbnail of another test.
      const dueLongAgo = Effect.fnUntraced(function* (tenant: Tenant, seconds: number) {
        const { key } = yield* newFile(tenant, picture);
        yield* thumbnails.release(key, now - 86_400_000 + seconds, 0);
        return key;
      });
      const later = yield* dueLongAgo(first, 2);
      const longest = yield* dueLongAgo(first, 1);
      const other = yield* dueLongAgo(second, 3);
      const lease = (after: number, ...except: ReadonlyArray<number>) =>
        thumbnails.lease(now - 1, dueAt, after, except);

      const { workspaceId } = first;
      assert.deepStrictEqual(yield* lease(0), { workspaceId, key: longest, attempts: 1 });
      assert.strictEqual((yield* lease(workspaceId))?.key, other);
      assert.isNull(yield* lease(second.workspaceId));
      assert.isNull(yield* lease(0, workspaceId, second.workspaceId));
      assert.strictEqual((yield* lease(0, second.workspaceId))?.key, later);
      assert.isNull(yield* lease(0));
    }),
  );
});
