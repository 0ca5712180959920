import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer, Option, Redacted, Stream } from "effect";
import { MediaStore } from "../../../src/media/store/MediaStore.ts";
import { s3MediaStore } from "../../../src/media/store/S3MediaStore.ts";
import { bucketAddress, QuietMillis, type S3Setting } from "../../../src/media/store/S3Requests.ts";
import { localBucket } from "./LocalBucket.ts";
import { bytesOf, contentOf, fileWith, freshKey, mediaStoreCases } from "./MediaStoreCases.ts";
import { troubledBucket } from "./TroubledBucket.ts";

mediaStoreCases("A media store in a bucket", Layer.unwrap(Effect.map(localBucket, s3MediaStore)));

const picture = (length: number) => ({ content: bytesOf(length), mimeType: "image/png" });

/** A bucket whose address a test gives trouble, and a store in it. */
const inTrouble = Effect.gen(function* () {
  const setting = yield* localBucket;
  const bucket = yield* troubledBucket(setting.endpoint ?? "");
  return { ...bucket, setting: { ...setting, endpoint: bucket.endpoint } };
});

/** Runs with the store of this setting. */
const within = <A, E, R>(setting: S3Setting, use: Effect.Effect<A, E, R>) =>
  Effect.provide(use, s3MediaStore(setting));

const put = (key: string, length: number) => MediaStore.use((store) => store.put(key, picture(length)));

describe("S3MediaStore", () => {
  it.live("says what the bucket said, without the secret, when the keys are not good", () =>
    Effect.gen(function* () {
      const setting = yield* localBucket;
      const credentials = { ...setting.credentials, secretAccessKey: Redacted.make("not-the-secret") };
      const wrong = { ...setting, credentials };
      const error = yield* Effect.flip(within(wrong, put(freshKey(), 10)));
      assert.include(error.message, "status 403 (SignatureDoesNotMatch)");
      assert.notInclude(error.message + JSON.stringify(error), "not-the-secret");
      assert.strictEqual(error.refusal.error.code, "service_unavailable");
    }).pipe(Effect.scoped),
  );

  it.live("does not take a bucket that is not there for one without the object", () =>
    Effect.gen(function* () {
      const setting = yield* localBucket;
      const elsewhere = { ...setting, bucket: "not-there" };
      for (const use of [contentOf(freshKey()), put(freshKey(), 10)]) {
        const error = yield* Effect.flip(within(elsewhere, use));
        assert.include(error.message, "NoSuchBucket");
      }
    }).pipe(Effect.scoped),
  );

  it.live("is away when nobody answers", () =>
    Effect.gen(function* () {
      const setting = yield* localBucket;
      const nobody = { ...setting, endpoint: "http://127.0.0.1:1" };
      const error = yield* Effect.flip(within(nobody, contentOf(freshKey())));
      assert.include(error.message, "ECONNREFUSED");
    }).pipe(Effect.scoped),
  );

  it.live("waits for a silent bucket for a bounded time, and only once", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* inTrouble;
      state.trouble = () => {};
      const error = yield* Effect.flip(
        within(setting, contentOf(freshKey())).pipe(Effect.provideService(QuietMillis, 100)),
      );
      assert.include(error.message, "nothing came for 0.1 seconds");
      assert.lengthOf(seen, 1);
    }).pipe(Effect.scoped),
  );

  it.live("tries again when the bucket is busy or a connection breaks, with the whole file", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* inTrouble;
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

  it.live("gives up after three tries", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* inTrouble;
      state.trouble = (_, __, answer) => void answer.writeHead(503).end();
      const error = yield* Effect.flip(within(setting, put(freshKey(), 10)));
      assert.include(error.message, "status 503");
      assert.lengthOf(seen, 3);
    }).pipe(Effect.scoped),
  );

  it.live("goes on where it was when the connection breaks while it reads", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* inTrouble;
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

  it.live("never goes on with the bytes of another object", () =>
    Effect.gen(function* () {
      const { seen, setting, state } = yield* inTrouble;
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

  it.live("hangs up when the reader goes away", () =>
    Effect.gen(function* () {
      const { setting, state } = yield* inTrouble;
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

  it.live("sends the session token of keys that are lent", () =>
    Effect.gen(function* () {
      const { seen, setting } = yield* inTrouble;
      const credentials = { ...setting.credentials, sessionToken: Redacted.make("lent") };
      yield* within({ ...setting, credentials }, put(freshKey(), 10));
      assert.strictEqual(seen[0]?.headers["x-amz-security-token"], "lent");
      assert.include(seen[0]?.headers.authorization ?? "", "x-amz-security-token");
    }).pipe(Effect.scoped),
  );

  it("finds the bucket at the endpoint, or at the address that its name and region have with AWS", () => {
    const aws: S3Setting = {
      _tag: "s3",
      bucket: "media",
      prefix: "",
      region: "eu-central-1",
      endpoint: undefined,
      credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret"), sessionToken: undefined },
    };
    assert.strictEqual(bucketAddress(aws), "https://media.s3.eu-central-1.amazonaws.com");
    assert.strictEqual(
      bucketAddress({ ...aws, bucket: "media.example.com" }),
      "https://s3.eu-central-1.amazonaws.com/media.example.com",
    );
    assert.strictEqual(
      bucketAddress({ ...aws, region: "cn-north-1" }),
      "https://media.s3.cn-north-1.amazonaws.com.cn",
    );
    assert.strictEqual(
      bucketAddress({ ...aws, endpoint: "https://minio.example.com/s3" }),
      "https://minio.example.com/s3/media",
    );
  });
});
