import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.shared)("Parameters", (it) => {
  it.effect("a limit must be digits only (D4.1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      for (const text of [
        "1e2",
        "%205",
        "5%20",
        "+5",
        "%2B5",
        "0x10",
        "5.0",
        "-1",
        "0",
        "101",
        "",
        "NaN",
        "1_0",
        "٣",
        "1e999",
      ]) {
        const answer = yield* sandbox(`/locations?limit=${text}`);
        assert.strictEqual(answer.status, 422, text);
        assert.strictEqual(answer.body.error.code, "invalid_parameter");
        assert.deepStrictEqual(answer.body.error.fields, {
          limit: ["The limit must be a whole number between 1 and 100."],
        });
      }
      for (const text of ["1", "100", "007"]) {
        assert.strictEqual((yield* sandbox(`/locations?limit=${text}`)).status, 200, text);
      }
    }),
  );

  it.effect("a repeated parameter is refused together with all other problems (B4.1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const list = yield* sandbox("/campaigns?limit=1&limit=2&updated_since=never&cursor=a&cursor=b&x=1&x=2");
      assert.strictEqual(list.status, 422);
      assert.strictEqual(list.body.error.code, "invalid_parameter");
      assert.deepStrictEqual(list.body.error.fields["limit"], ["The limit must be given once."]);
      assert.deepStrictEqual(list.body.error.fields["cursor"], ["The cursor must be given once."]);
      assert.deepStrictEqual(Object.keys(list.body.error.fields).toSorted(), [
        "cursor",
        "limit",
        "updated_since",
      ]);

      const query =
        "start=2026-11-30&end=2026-11-01&campaign=1&campaign=2&activation=never&status=idle&status=idle";
      const report = yield* sandbox(`/reports/locations?${query}`);
      assert.strictEqual(report.body.error.code, "validation_failed");
      assert.deepStrictEqual(report.body.error.fields["campaign"], ["The campaign must be given once."]);
      assert.deepStrictEqual(report.body.error.fields["status"], ["The status must be given once."]);
      assert.deepStrictEqual(Object.keys(report.body.error.fields).toSorted(), [
        "activation",
        "campaign",
        "end",
        "status",
      ]);
      assert.strictEqual((yield* sandbox("/reports/summary?status=a&status=b")).status, 200);
    }),
  );

  it.effect(
    "a path with a trailing slash, or with text after a semicolon, is unknown for every method (B2.6)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        for (const path of [
          "/campaigns/",
          "/campaigns;x",
          "/campaigns;x=1?limit=1",
          "/campaigns//",
          "/me/",
          "/",
          "",
          "/locations/import/",
        ]) {
          for (const method of ["GET", "POST", "DELETE"]) {
            const answer = yield* sandbox(path, { method });
            assert.strictEqual(answer.status, 404, `${method} ${path}`);
            assert.strictEqual(answer.body.error.code, "not_found");
          }
        }
        assert.strictEqual((yield* sandbox("/campaigns?")).status, 200);
      }),
  );

  it.effect("an installation id may contain a semicolon, and the text after it is part of the id", () =>
    Effect.gen(function* () {
      const { production, waypost } = yield* givenWorkspace();
      const register = (path: string) =>
        waypost.device(production.sdkKey)(`/devices/${path}`, { method: "PUT", body: { platform: "ios" } });
      assert.strictEqual((yield* register("phone")).body.data.installation_id, "phone");
      assert.strictEqual((yield* register("phone;two?x=1")).body.data.installation_id, "phone;two");
      assert.strictEqual((yield* register("phone%3Btwo")).status, 200);
    }),
  );

  it.effect("an attribute with a number that is too large is refused (B6)", () =>
    Effect.gen(function* () {
      const { production } = yield* givenWorkspace();
      const body = '{"platform":"ios","attributes":{"visits":1e999}}';
      const answer = yield* production.register("too-large", body);
      assert.strictEqual(answer.status, 422);
      assert.match(Object.values<any>(answer.body.error.fields)[0][0], /too large|as large/);
    }),
  );
});
