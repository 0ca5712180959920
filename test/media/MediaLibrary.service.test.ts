import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { fileHead, form, mediaWorld, upload } from "./MediaWorld.ts";

layer(TestWaypost.layer)("Media files", (it) => {
  it.effect(
    "an upload is 201 with the file, which is then listed (H2.1, media.create, media.fields, media.get)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* mediaWorld();
        const made = yield* sandbox("/media", upload({ content: "video of a cup", filename: "cup.mp4" }));
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
        const { id, thumbnail_url, url, ...rest } = made.body.data;
        assert.match(id, /^[0-9a-f-]{36}$/);
        assert.match(url, /\/media\/[A-Za-z0-9_-]{32}$/);
        assert.strictEqual(thumbnail_url, `${url}/thumbnail`);
        assert.deepStrictEqual(rest, {
          name: "cup.mp4",
          type: "video",
          mime_type: "video/mp4",
          size_bytes: 14,
          width: 640,
          height: 360,
          duration_seconds: 12.48,
          source: "upload",
          created_at: "2026-11-21T12:00:00+00:00",
          updated_at: "2026-11-21T12:00:00+00:00",
        });
        const { data } = made.body;
        assert.deepStrictEqual((yield* sandbox(`/media/${id}`)).body.data, { ...data, notifications: [] });
        assert.deepStrictEqual((yield* sandbox("/media")).body, {
          data: [made.body.data],
          meta: { next_cursor: null },
        });
      }),
  );

  it.effect("an upload accepts a form written by hand and ignores unknown parts", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const other = { head: 'Content-Disposition: form-data; name="alt"', body: "A cup" };
      const file = { head: fileHead("C:\\\\Pictures\\\\cup.png"), body: "image" };
      const name = { head: 'Content-Disposition: form-data; name="name"', body: "  A café ☕ " };
      const made = yield* sandbox("/media", form([other, file, name, other]));
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      assert.strictEqual(made.body.data.name, "A café ☕");
    }),
  );
});
