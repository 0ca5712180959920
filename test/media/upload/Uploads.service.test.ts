import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import { fileHead, form, mediaWorld, upload } from "../MediaWorld.ts";

const file = { head: fileHead(), body: "image of a cup" };
const nameHead = 'Content-Disposition: form-data; name="name"';
const name = (body: string) => ({ head: nameHead, body });
const other = (body: string) => ({ head: 'Content-Disposition: form-data; name="other"', body });

layer(TestWaypost.shared)("POST /media", (it) => {
  it.effect("every problem with the file is reported at file (H1.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const whole = form([file]);
      const cases: ReadonlyArray<readonly [string, Parameters<typeof sandbox>[1]]> = [
        ["is required", form([])],
        ["is required", form([name("Cup")])],
        [
          "must be sent as a file",
          form([{ head: 'Content-Disposition: form-data; name="file"', body: "image" }]),
        ],
        ["is empty", form([{ ...file, body: "" }])],
        ["no kind that is accepted", form([{ ...file, body: "MZ" }])],
        ["Send one file", form([file, file])],
        ["did not arrive whole", form([file], "")],
        ["did not arrive whole", form([file], "--b")],
        ["did not arrive whole", { ...whole, body: "--b\r\nContent-Disp" }],
        [
          "did not arrive whole",
          { ...whole, headers: { "content-type": "multipart/form-data; boundary=other" } },
        ],
        ["boundary", { ...whole, headers: { "content-type": "multipart/form-data" } }],
        ["boundary", { ...whole, headers: { "content-type": "" } }],
        ["did not arrive whole", { ...whole, body: "" }],
        ["boundary", { ...whole, body: "garbage ".repeat(200_000) }],
      ];
      for (const [words, ask] of cases) {
        const { body, status } = yield* sandbox("/media", ask);
        const shown = `${words}: ${JSON.stringify(body)}`;
        assert.strictEqual(status, 422, shown);
        assert.strictEqual(body.error.code, "validation_failed", shown);
        assert.deepStrictEqual(Object.keys(body.error.fields), ["file"], shown);
        assert.include(body.error.fields.file[0], words);
      }
      assert.deepStrictEqual((yield* sandbox("/media")).body.data, []);
    }),
  );

  it.effect("an abnormal form is 422 at body and never 500 (B3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const cases = [
        ["over 100 parts", form([...Array.from({ length: 100 }, () => other("x")), file])],
        ["at most 1 MiB", form([other("x".repeat(1_100_000)), file])],
        ["headers cannot be read", form([{ head: `X: ${"x".repeat(100_000)}`, body: "" }, file])],
        ["headers cannot be read", form([{ head: "Content-Disposition: form-data", body: "no name" }, file])],
      ] as const;
      for (const [words, ask] of cases) {
        const { body, status } = yield* sandbox("/media", ask);
        assert.strictEqual(status, 422, words + JSON.stringify(body));
        assert.deepStrictEqual(Object.keys(body.error.fields), ["body"]);
        assert.include(body.error.fields.body[0], words);
      }
      const json = yield* sandbox("/media", { body: { file: "image" } });
      assert.deepStrictEqual([json.status, json.body.error.code], [415, "unsupported_media_type"]);
    }),
  );

  it.effect("a bad name and a bad file are reported together (B4, B5, H1.4)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const cases = [
        ["at most 255", name("é".repeat(256))],
        ["at most 255", name("n".repeat(20_000))],
        ["NUL", name("a\0b")],
        ["a text, not a file", { head: `${nameHead}; filename="name.txt"`, body: "Cup" }],
      ] as const;
      for (const [words, bad] of cases) {
        const { body, status } = yield* sandbox("/media", form([bad, { ...file, body: "MZ" }]));
        assert.strictEqual(status, 422, words);
        assert.deepStrictEqual(Object.keys(body.error.fields).toSorted(), ["file", "name"]);
        assert.include(body.error.fields.name[0], words);
        assert.deepStrictEqual(Object.keys((yield* sandbox("/media", form([file, bad]))).body.error.fields), [
          "name",
        ]);
      }
      const twice = yield* sandbox("/media", form([name("A"), file, name("B")]));
      assert.include(twice.body.error.fields.name[0], "once");
      const latin = new TextEncoder().encode("@");
      const bytes = new TextEncoder().encode(form([name("@"), file]).body as string);
      bytes[bytes.indexOf(latin[0] ?? 0)] = 0xe9;
      const notUtf8 = yield* sandbox("/media", { ...form([]), body: bytes });
      assert.include(notUtf8.body.error.fields.name[0], "UTF-8");
    }),
  );

  it.effect("a file without a name field gets the name of the uploaded file (media.create)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const named = (parts: Parameters<typeof form>[0]) =>
        Effect.map(sandbox("/media", form(parts)), ({ body }) => body.data.name);
      assert.strictEqual(yield* named([name(" Autumn offer "), file]), "Autumn offer");
      assert.strictEqual(yield* named([name("  "), file]), "cup.png");
      assert.strictEqual(yield* named([{ ...file, head: fileHead("../../etc/cup.png") }]), "cup.png");
      assert.strictEqual(yield* named([{ ...file, head: fileHead("") }]), "image.png");
      assert.strictEqual(yield* named([{ ...file, head: fileHead("naïve ☕.png") }]), "naïve ☕.png");
      assert.strictEqual(yield* named([name("é".repeat(255)), file]), "é".repeat(255));
      assert.strictEqual(yield* named([{ ...file, head: fileHead("☕".repeat(300)) }]), "☕".repeat(255));
    }),
  );

  it.effect("a file has at most 51,200 KB (H1.2, limits.media, media.size)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const content = new Uint8Array(52_428_801).fill(32);
      content.set(new TextEncoder().encode("image"));
      const largest = yield* sandbox("/media", upload({ content: content.subarray(0, 52_428_800) }));
      assert.strictEqual(largest.status, 201);
      assert.strictEqual(largest.body.data.size_bytes, 52_428_800);
      const larger = yield* sandbox("/media", upload({ content }));
      assert.strictEqual(larger.status, 422);
      assert.deepStrictEqual(larger.body.error.fields, { file: ["The file may have at most 51,200 KB."] });
    }),
  );

  it.effect(
    "a kind that the plan lacks is 422 at file, whatever the file's name (F5, H1.2, H4.1, media.plan)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* mediaWorld({ plan: { media_kinds: ["image", "audio"] } });
        const refused = yield* sandbox("/media", upload({ content: "video", filename: "cup.png" }));
        assert.strictEqual(refused.status, 422);
        assert.deepStrictEqual(refused.body.error.fields, {
          file: ["The plan does not include video files: the file must be image or audio."],
        });
        assert.strictEqual((yield* sandbox("/media", upload({ content: "audio" }))).body.data.type, "audio");
      }),
  );

  it.effect(
    "the token, its ability and the API access are checked before the body (B1, C1, media.list)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const reader = yield* waypost.tenant({ abilities: ["media:read"] });
        assert.strictEqual((yield* reader.sandbox("/media", form([]))).body.error.code, "missing_ability");
        assert.strictEqual((yield* reader.sandbox("/media")).status, 200);
        const writer = yield* waypost.tenant({ abilities: ["media:write"], enabled: false });
        assert.strictEqual((yield* writer.sandbox("/media")).body.error.code, "missing_ability");
        assert.strictEqual((yield* writer.sandbox("/media", upload())).status, 201);
        assert.strictEqual(
          (yield* writer.production("/media", form([]))).body.error.code,
          "platform_api_not_enabled",
        );
        assert.strictEqual((yield* waypost.platform("sandbox", "wps_no")("/media", form([]))).status, 401);
      }),
  );
});
