import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import type { MediaContent } from "../../src/media/formats/MediaFormat.ts";
import { MediaLibraryRepository } from "../../src/media/MediaLibraryRepository.ts";
import { ThumbnailsRepository } from "../../src/media/ThumbnailsRepository.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { searchPattern } from "../../src/wire/SearchText.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const dueAt = now + 900_000;
const firstPage = { before: null, limit: 10 };

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
const newFile = Effect.fnUntraced(function* (
  tenant: Tenant,
  content: MediaContent,
  bytes = 7,
  name = "File",
) {
  const repository = yield* MediaLibraryRepository;
  const key = newKey();
  yield* repository.expect(key, dueAt);
  const row = yield* repository.insert(tenant, idAt(now), { key, name, bytes, content }, now);
  assert.isNotNull(row);
  return row;
});

layer(TestRepositories.layer)("The repository of media files", (it) => {
  it.effect("an expected key becomes a file once, of one environment (H2)", () =>
    Effect.gen(function* () {
      const repository = yield* MediaLibraryRepository;
      const { production, sandbox } = yield* newTenants;
      const file = { key: newKey(), name: "Cup", bytes: 7, content: picture };
      const id = idAt(now);
      assert.isNull(yield* repository.insert(sandbox, id, file, now), "a key that nothing expects");
      yield* repository.expect(file.key, dueAt);
      const row = yield* repository.insert(sandbox, id, file, now);
      assert.deepStrictEqual(row, {
        id,
        key: file.key,
        name: "Cup",
        type: "image",
        mime_type: "image/png",
        size_bytes: 7,
        width: 40,
        height: 30,
        duration_seconds: null,
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:00:00+00:00",
      });
      assert.isNull(yield* repository.insert(sandbox, idAt(now), file, now));
      assert.deepStrictEqual(yield* repository.find(sandbox, id), row);
      assert.isNull(yield* repository.find(production, id));
      assert.deepStrictEqual(yield* repository.findByKey(file.key), {
        mimeType: "image/png",
        bytes: 7,
        name: "Cup",
      });
      assert.isNull(yield* repository.findByKey(newKey()));
    }),
  );

  it.effect("a page is newest first and may have one kind only (H2)", () =>
    Effect.gen(function* () {
      const repository = yield* MediaLibraryRepository;
      const { production, sandbox } = yield* newTenants;
      const [first, second, third] = [
        yield* newFile(sandbox, picture),
        yield* newFile(sandbox, sound),
        yield* newFile(sandbox, picture),
      ];
      yield* newFile(production, picture);
      const idsOf = (kind: "image" | "video" | null, position: { before: string | null; limit: number }) =>
        Effect.map(repository.page(sandbox, { kind, search: null }, position), (rows) =>
          rows.map(({ id }) => id),
        );
      assert.deepStrictEqual(yield* idsOf(null, firstPage), [third.id, second.id, first.id]);
      assert.deepStrictEqual(yield* idsOf(null, { before: third.id, limit: 1 }), [second.id]);
      assert.deepStrictEqual(yield* idsOf("image", firstPage), [third.id, first.id]);
      assert.deepStrictEqual(yield* idsOf("video", firstPage), []);
    }),
  );

  it.effect("the total is that of one environment, in bytes (H4)", () =>
    Effect.gen(function* () {
      const repository = yield* MediaLibraryRepository;
      const { production, sandbox } = yield* newTenants;
      assert.strictEqual(yield* repository.total(sandbox), 0);
      yield* newFile(sandbox, picture, 2_000_000_000);
      yield* newFile(sandbox, sound, 2_000_000_001);
      yield* newFile(production, sound, 5);
      assert.strictEqual(yield* repository.total(sandbox), 4_000_000_001);
    }),
  );

  it.effect("a key that became garbage becomes no file, and is removed once", () =>
    Effect.gen(function* () {
      const repository = yield* MediaLibraryRepository;
      const { sandbox } = yield* newTenants;
      const key = newKey();
      yield* repository.expect(key, dueAt);
      const claim = (at: number) =>
        Effect.map(repository.claimGarbage(at, at + 60_000, 100), (keys) => keys.includes(key));
      assert.isFalse(yield* claim(dueAt - 1));
      assert.isTrue(yield* claim(dueAt));
      assert.isFalse(yield* claim(dueAt), "another process has claimed it");
      const file = { key, name: "Cup", bytes: 7, content: picture };
      assert.isNull(yield* repository.insert(sandbox, idAt(now), file, dueAt));
      assert.isTrue(yield* claim(dueAt + 60_000), "the claim has expired");
      yield* repository.removed(key, dueAt + 120_000);
      assert.isFalse(yield* claim(dueAt + 900_000));
    }),
  );

  it.effect("the key of a deleted file is garbage at once, and once more later", () =>
    Effect.gen(function* () {
      const repository = yield* MediaLibraryRepository;
      const { production, sandbox } = yield* newTenants;
      const { id, key } = yield* newFile(sandbox, picture);
      yield* repository.delete(production, id);
      assert.isNotNull(yield* repository.findByKey(key));
      yield* repository.delete(sandbox, id);
      assert.isNull(yield* repository.findByKey(key));
      assert.include(yield* repository.claimGarbage(now, now + 1, 100), key);
      yield* repository.removed(key, now + 60_000);
      assert.notInclude(yield* repository.claimGarbage(now + 59_999, dueAt, 100), key);
      assert.include(yield* repository.claimGarbage(now + 60_000, dueAt, 100), key);
      yield* repository.removed(key, dueAt);
      assert.notInclude(yield* repository.claimGarbage(dueAt, dueAt + 1, 100), key);
    }),
  );
});

layer(TestRepositories.layer)("The repository of thumbnails", (it) => {
  it.effect("only the thumbnail of an image is pending, due at its upload (H2)", () =>
    Effect.gen(function* () {
      const thumbnails = yield* ThumbnailsRepository;
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
      const thumbnails = yield* ThumbnailsRepository;
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
      const thumbnails = yield* ThumbnailsRepository;
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
        thumbnails.lease(now - 1, dueAt, { after, except });

      const { workspaceId } = first;
      assert.deepStrictEqual(yield* lease(0), { workspaceId, key: longest, attempts: 1 });
      assert.strictEqual((yield* lease(workspaceId))?.key, other);
      assert.isNull(yield* lease(second.workspaceId));
      assert.isNull(yield* lease(0, workspaceId, second.workspaceId));
      assert.strictEqual((yield* lease(0, second.workspaceId))?.key, later);
      assert.isNull(yield* lease(0));
    }),
  );

  it.effect("files are selected by kind and a part of the name (R1.3, R1.4)", () =>
    Effect.gen(function* () {
      const repository = yield* MediaLibraryRepository;
      const { sandbox } = yield* newTenants;
      for (const [content, name] of [
        [picture, "Logo_1.png"],
        [picture, "logo-2.png"],
        [sound, "LOGO.mp3"],
      ] as const) {
        yield* newFile(sandbox, content, 7, name);
      }
      const names = (kind: "image" | null, text: string) =>
        Effect.map(repository.page(sandbox, { kind, search: searchPattern(text) }, firstPage), (rows) =>
          rows.map(({ name }) => name),
        );
      assert.deepStrictEqual(yield* names(null, "logo"), ["LOGO.mp3", "logo-2.png", "Logo_1.png"]);
      assert.deepStrictEqual(yield* names("image", "logo"), ["logo-2.png", "Logo_1.png"]);
      assert.deepStrictEqual(yield* names(null, "o_"), ["Logo_1.png"]);
    }),
  );
});
