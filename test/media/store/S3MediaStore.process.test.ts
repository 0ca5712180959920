import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer, Option, Redacted, Stream } from "effect";
import { MediaStore } from "../../../src/media/store/MediaStore.ts";
import { s3MediaStore } from "../../../src/media/store/S3MediaStore.ts";
import { bucketUrl, IdleTimeoutMillis, type S3Setting } from "../../../src/media/store/S3Requests.ts";
import { localBucket } from "./LocalBucket.ts";
import { bytesOf, contentOf, fileWith, freshKey, mediaStoreCases } from "./MediaStoreCases.ts";
import { troubledBucket } from "./TroubledBucket.ts";

mediaStoreCases("the media store in a bucket", Layer.unwrap(Effect.map(localBucket, s3MediaStore)));

const picture = (length: number) => ({ content: bytesOf(length), mimeType: "image/png" });

/** A bucket behind a proxy whose faults the test controls. */
const troubled = Effect.gen(function* () {
  const setting = yield* localBucket;
  const bucket = yield* troubledBucket(setting.endpoint ?? "");
  return { ...bucket, setting: { ...setting, endpoint: bucket.endpoint } };
});

/** Runs an effect with the store of this setting. */
const within = <A, E, R>(setting: S3Setting, use: Effect.Effect<A, E, R>) =>
  Effect.provide(use, s3MediaStore(setting));

const put = (key: string, length: number) => MediaStore.use((store) => store.put(key, picture(length)));

describe("S3MediaStore", () => {
  it.live("an error with wrong credentials has the bucket's status and code, and no secret", () =>
    Effect.gen(function* () {
      const setting = yield* localBucket;
      const credentials = { ...setting.credentials, secretAccessKey: Redacted.make("not-the-secret") };
      const wrong = { ...setting, credentials };
      const error = yield* Effect.flip(within(wrong, put(freshKey(), 10)));
      assert.include(error.message, "status 403 (SignatureDoesNotMatch)");
      assert.notInclude(error.message + JSON.stringify(error), "not-the-secret");
      assert.strictEqual(error.apiError.error.code, "service_unavailable");
    }).pipe(Effect.scoped),
  );

  it.live("a missing bucket is an error, unlike a missing object", () =>
    Effect.gen(function* () {
      const setting = yield* localBucket;
      const elsewhere = { ...setting, bucket: "not-there" };
      for (const use of [contentOf(freshKey()), put(freshKey(), 10)]) {
        const error = yield* Effect.flip(within(elsewhere, use));
        assert.include(error.message, "NoSuchBucket");
      }
    }).pipe(Effect.scoped),
  );

  it.live("the S3 store is unavailable when nothing listens at its endpoint", () =>
    Effect.gen(function* () {
      const setting = yield* localBucket;
      const closed = { ...setting, endpoint: "http://127.0.0.1:1" };
      const error = yield* Effect.flip(within(closed, contentOf(freshKey())));
      assert.include(error.message, "ECONNREFUSED");
    }).pipe(Effect.scoped),
  );

  it.live("a silent bucket times out once and is not retried", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* troubled;
      state.trouble = () => {};
      const error = yield* Effect.flip(
        within(setting, contentOf(freshKey())).pipe(Effect.provideService(IdleTimeoutMillis, 100)),
      );
      assert.include(error.message, "nothing came for 0.1 seconds");
      assert.lengthOf(seen, 1);
    }).pipe(Effect.scoped),
  );

  it.live("an upload that the bucket stops reading times out once and is not retried", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* troubled;
      state.trouble = (_, incoming) => void incoming.pause();
      const upload = Effect.flatMap(fileWith(bytesOf(20_000_000)), (file) =>
        MediaStore.use((store) => store.put(freshKey(), file)),
      );
      const error = yield* Effect.flip(
        within(setting, upload).pipe(Effect.provideService(IdleTimeoutMillis, 100)),
      );
      assert.include(error.message, "nothing came for 0.1 seconds");
      assert.lengthOf(seen, 1);
    }).pipe(Effect.scoped),
  );

  it.live("requests one after another share a connection", () =>
    Effect.gen(function* () {
      const { connections, seen, setting } = yield* troubled;
      const key = freshKey();
      const remove = MediaStore.use((store) => store.remove(key));
      yield* within(setting, Effect.all([put(key, 1000), contentOf(key), put(key, 10), remove]));
      assert.lengthOf(seen, 4);
      assert.strictEqual(connections.size, 1);
    }).pipe(Effect.scoped),
  );

  it.live("an upload is retried with the whole file after a 503 and after a lost connection", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* troubled;
      const key = freshKey();
      const content = bytesOf(300_000);
      state.trouble = (pass, incoming, answer) => {
        if (seen.length === 1) answer.writeHead(503).end("<Error><Code>SlowDown</Code></Error>");
        else if (seen.length === 2) incoming.destroy();
        else pass();
      };
      yield* within(
        setting,
        Effect.flatMap(fileWith(content), (file) => MediaStore.use((store) => store.put(key, file))),
      );
      assert.lengthOf(seen, 3);
      const found = yield* within(setting, contentOf(key));
      assert.isTrue(found?.content.equals(content));
    }).pipe(Effect.scoped),
  );

  it.live("a request fails after three attempts", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* troubled;
      state.trouble = (_, __, answer) => void answer.writeHead(503).end();
      const error = yield* Effect.flip(within(setting, put(freshKey(), 10)));
      assert.include(error.message, "status 503");
      assert.lengthOf(seen, 3);
    }).pipe(Effect.scoped),
  );

  it.live("a read resumes where it stopped when the connection breaks", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* troubled;
      const key = freshKey();
      const content = bytesOf(1_000_000);
      yield* within(
        setting,
        MediaStore.use((store) => store.put(key, { content, mimeType: "image/png" })),
      );
      state.trouble = (pass) => pass(seen.length < 5 ? 150_000 : Infinity);
      const found = yield* within(setting, contentOf(key, { start: 10, end: 900_000 }));
      assert.isTrue(found?.content.equals(content.subarray(10, 900_001)));
      assert.isAtLeast(seen.length, 5);
    }).pipe(Effect.scoped),
  );

  it.live("a read never resumes with the bytes of a replaced object", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* troubled;
      const key = freshKey();
      yield* within(
        setting,
        Effect.gen(function* () {
          const { put, read } = yield* MediaStore;
          yield* put(key, picture(1_000_000));
          state.trouble = (pass) => pass(seen.length === 2 ? 150_000 : Infinity);
          const found = Option.getOrThrow(yield* read(key));
          yield* put(key, { content: bytesOf(1_000_000, "other"), mimeType: "image/png" });
          const error = yield* Effect.flip(Stream.runDrain(found.body));
          assert.match(error.message, /status 412|was replaced/);
        }).pipe(Effect.scoped),
      );
    }).pipe(Effect.scoped),
  );

  it.live("the connection closes when the reader stops", () =>
    Effect.gen(function* () {
      const { setting, state } = yield* troubled;
      const key = freshKey();
      yield* within(
        setting,
        Effect.gen(function* () {
          const { put, read } = yield* MediaStore;
          yield* put(key, picture(4_000_000));
          const closed = new Promise<void>((resolve) => {
            state.trouble = (pass, _, answer) => {
              answer.on("close", resolve);
              pass();
            };
          });
          yield* Effect.scoped(
            Effect.flatMap(read(key), (found) => Stream.runHead(Option.getOrThrow(found).body)),
          );
          yield* Effect.promise(() => closed);
        }),
      );
    }).pipe(Effect.scoped),
  );

  it.live("temporary credentials send their session token", () =>
    Effect.gen(function* () {
      const { seen, setting } = yield* troubled;
      const credentials = { ...setting.credentials, sessionToken: Redacted.make("lent") };
      yield* within({ ...setting, credentials }, put(freshKey(), 10));
      assert.strictEqual(seen[0]?.headers["x-amz-security-token"], "lent");
      assert.include(seen[0]?.headers.authorization ?? "", "x-amz-security-token");
    }).pipe(Effect.scoped),
  );

  it("the URL of a bucket is below the endpoint, or that of its name and region at AWS", () => {
    const aws: S3Setting = {
      _tag: "s3",
      bucket: "media",
      prefix: "",
      region: "eu-central-1",
      endpoint: undefined,
      credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret"), sessionToken: undefined },
    };
    assert.strictEqual(bucketUrl(aws), "https://media.s3.eu-central-1.amazonaws.com");
    assert.strictEqual(
      bucketUrl({ ...aws, bucket: "media.example.com" }),
      "https://s3.eu-central-1.amazonaws.com/media.example.com",
    );
    assert.strictEqual(
      bucketUrl({ ...aws, region: "cn-north-1" }),
      "https://media.s3.cn-north-1.amazonaws.com.cn",
    );
    assert.strictEqual(
      bucketUrl({ ...aws, endpoint: "https://minio.example.com/s3" }),
      "https://minio.example.com/s3/media",
    );
  });
});
