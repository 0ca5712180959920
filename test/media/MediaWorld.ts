import { Effect } from "effect";
import type { Answer, Ask } from "../TestWaypost.ts";
import { notificationWorld } from "../notifications/NotificationWorld.ts";

/** A form with one file, which the fake media workers accept by the first word of its content. */
export const upload = (
  options: {
    readonly content?: string | Uint8Array<ArrayBuffer>;
    readonly filename?: string;
    readonly name?: string;
    readonly key?: string;
  } = {},
): Ask => {
  const body = new FormData();
  const file = new Blob([options.content ?? "image of a cup"], { type: "application/octet-stream" });
  body.set("file", file, options.filename ?? "cup.png");
  if (options.name !== undefined) body.set("name", options.name);
  return { body, ...(options.key === undefined ? {} : { headers: { "idempotency-key": options.key } }) };
};

/** A multipart body written by hand, as no client library sends it. */
export const form = (
  parts: ReadonlyArray<{ readonly head: string; readonly body: string }>,
  end = "--b--\r\n",
): Ask => ({
  method: "POST",
  headers: { "content-type": "multipart/form-data; boundary=b" },
  body: parts.map(({ body, head }) => `--b\r\n${head}\r\n\r\n${body}\r\n`).join("") + end,
});

/** The head of a file part. */
export const fileHead = (filename = "cup.png") =>
  `Content-Disposition: form-data; name="file"; filename="${filename}"`;

/** A tenant that can upload files and has campaigns and notifications. */
export const mediaWorld = (options?: Parameters<typeof notificationWorld>[0]) =>
  Effect.gen(function* () {
    const world = yield* notificationWorld(options);
    return {
      ...world,
      /** Uploads a file to Sandbox and returns its resource. */
      file: (given: Parameters<typeof upload>[0] = {}) =>
        Effect.map(world.sandbox("/media", upload(given)), ({ body, status }: Answer) => {
          if (status !== 201) throw new Error(JSON.stringify(body));
          return body.data;
        }),
    };
  });
