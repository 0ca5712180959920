import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";

const campaign = (name: string) => ({ name, type: "push", timezone: "UTC", starts_at: "2026-12-01" });

/** A tenant, and a request with a body without content type. */
const poster = Effect.gen(function* () {
  const waypost = yield* TestWaypost;
  const { sandbox, tokens } = yield* waypost.tenant();
  const post = (body: Uint8Array<ArrayBuffer> | ReadableStream) =>
    Effect.promise(async () => {
      const headers = { authorization: `Bearer ${tokens.sandbox}` };
      const sent = { method: "POST", headers, body, duplex: "half" } as const;
      const response = await fetch(`${waypost.origin}/sandbox/platform/v1/campaigns`, sent);
      return { status: response.status, body: (await response.json()) as any };
    });
  return { post, sandbox };
});

layer(TestWaypost.layer)("Bodies", (it) => {
  const bad = (name: string, body: string | Uint8Array, message: RegExp) =>
    it.effect(`${name} is 422 at body with the reason (B3.5)`, () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const answer = yield* sandbox("/campaigns", { body });
        assert.strictEqual(answer.status, 422);
        assert.strictEqual(answer.body.error.code, "validation_failed");
        assert.deepStrictEqual(Object.keys(answer.body.error.fields), ["body"]);
        assert.match(answer.body.error.fields.body[0], message);
      }),
    );

  bad("a body that is not JSON", "{ name: 1 }", /valid JSON/);
  bad("an empty body", "", /empty/);
  bad("an array", "[]", /object/);
  bad("a null", "null", /object/);
  bad("a body that is not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), /UTF-8/);
  bad("a deep body that is not closed", '{"a":'.repeat(2000), /valid JSON/);
  bad(
    "a deep body with something else in its depth",
    `${'{"a":'.repeat(2000)}x${"}".repeat(2000)}`,
    /valid JSON/,
  );
  bad(
    "a deep body closed by the wrong brackets",
    `{"a":${"[".repeat(2000)}${"}".repeat(2000)}}`,
    /valid JSON/,
  );

  it.effect("unknown fields are ignored, and a body of more than 64 levels is 422 at body (B3.8, B4.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const nested = (field: string, levels: number) =>
        `{"name":"Deep ${field} ${levels}","type":"push","timezone":"UTC","starts_at":"2026-12-01",` +
        `"${field}":${"[".repeat(levels)}"]\\""${"]".repeat(levels)}}`;
      const ignored = yield* sandbox("/campaigns", { body: nested("whatever", 63) });
      assert.strictEqual(ignored.status, 201);
      const known = yield* sandbox("/campaigns", { body: nested("frequency_cap_count", 63) });
      assert.property(known.body.error.fields, "frequency_cap_count");
      for (const levels of [64, 65, 128, 5000, 260_000]) {
        const refused = yield* sandbox("/campaigns", { body: nested("whatever", levels) });
        assert.deepStrictEqual([refused.status, Object.keys(refused.body.error.fields)], [422, ["body"]]);
        assert.match(refused.body.error.fields.body[0], /64 levels/);
      }
    }),
  );

  it.effect("a body of more than 50,000 objects, arrays and fields is 422 at body (B3.8)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      for (const value of ["{}", "[]", '{"a":[1]}']) {
        const many = `{"whatever":[${`${value},`.repeat(50_000)}1]}`;
        const refused = yield* sandbox("/campaigns", { body: many });
        assert.deepStrictEqual([refused.status, Object.keys(refused.body.error.fields)], [422, ["body"]]);
        assert.match(refused.body.error.fields.body[0], /50,000 objects/);
      }
      const fields = Array.from({ length: 50_000 }, (_, n) => `"${n}":1`);
      const flood = yield* sandbox("/campaigns", { body: `{${fields.join()}}` });
      assert.deepStrictEqual([flood.status, Object.keys(flood.body.error.fields)], [422, ["body"]]);
    }),
  );

  it.effect(
    "a body over 1 MiB is 413, by its declared length or while it is read (B3.4, errors.payload_too_large)",
    () =>
      Effect.gen(function* () {
        const { post } = yield* poster;
        const huge = new TextEncoder().encode(JSON.stringify({ name: "x".repeat(1_048_576) }));
        const declared = yield* post(huge);
        // A chunked body has no length: the limit applies while it is read.
        const read = yield* post(new Blob([huge]).stream());
        for (const { body, status } of [declared, read]) {
          assert.deepStrictEqual([status, body.error.code], [413, "payload_too_large"]);
          assert.include(body.error.message, "1 MiB");
        }
        const small = new TextEncoder().encode(JSON.stringify(campaign("In chunks")));
        assert.strictEqual((yield* post(new Blob([small]).stream())).status, 201);
      }),
  );

  it.effect(
    "an unaccepted content type is 415; parameters are allowed, and none counts as accepted " +
      "(B3.6, errors.unsupported_media_type)",
    () =>
      Effect.gen(function* () {
        const { post, sandbox } = yield* poster;
        const body = campaign("Typed");
        const wrong = yield* sandbox("/campaigns", { body, headers: { "content-type": "text/csv" } });
        assert.strictEqual(wrong.status, 415);
        assert.strictEqual(wrong.body.error.code, "unsupported_media_type");
        const charset = yield* sandbox("/campaigns", {
          body,
          headers: { "content-type": "application/json; charset=utf-8" },
        });
        assert.strictEqual(charset.status, 201);
        const untyped = (name: string) => new TextEncoder().encode(JSON.stringify(campaign(name)));
        const empty = { body: untyped("Empty"), headers: { "content-type": "" } };
        assert.strictEqual((yield* sandbox("/campaigns", empty)).status, 201);
        assert.strictEqual((yield* post(untyped("Untyped"))).status, 201);
      }),
  );

  it.effect("unknown fields such as __proto__ are ignored, and read-only fields have no effect (B4.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const answer = yield* sandbox("/campaigns", {
        body: `{"name":"Plain","type":"push","timezone":"UTC","starts_at":"2026-12-01","id":"x",
            "status":"ended","archived":true,"__proto__":{"admin":true},"constructor":1,"whatever":[]}`,
      });
      assert.strictEqual(answer.status, 201);
      assert.isFalse(answer.body.data.archived);
      assert.strictEqual(answer.body.data.status, "scheduled");
    }),
  );

  it.effect("the problem of a field is a sentence that names it in words (B6)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const none = yield* sandbox("/locations/import", { body: { type: "FeatureCollection" } });
      assert.deepStrictEqual(none.body.error.fields, { features: ["The list of features is required."] });
    }),
  );
});
