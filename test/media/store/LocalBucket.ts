import S3rver from "@20minutes/s3rver";
import { Effect, Redacted } from "effect";
import { scopedFolder } from "../../Listening.ts";
import type { S3Setting } from "../../../src/media/store/S3Requests.ts";

/** The credentials of the server's one client. */
const accessKeyId = "S3RVER";
const secretAccessKey = "S3RVER";

/** An S3-compatible server with one bucket. It checks signatures and runs until the scope closes. */
export const localBucket = Effect.gen(function* () {
  const directory = yield* scopedFolder("bucket");
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: "media-of-tests", configs: [] }],
  });
  const { port } = yield* Effect.acquireRelease(
    Effect.promise(() => server.run()),
    () => Effect.promise(() => server.close()),
  );
  const setting: S3Setting = {
    _tag: "s3",
    bucket: "media-of-tests",
    prefix: "some/prefix",
    region: "eu-central-1",
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey), sessionToken: undefined },
  };
  return setting;
});
