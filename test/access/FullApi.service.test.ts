import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { readFileSync } from "node:fs";
import { TestWaypost } from "../TestWaypost.ts";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const { paths } = JSON.parse(
  readFileSync(new URL("../../openapi/platform.json", import.meta.url), "utf8"),
) as Document;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, "x") })),
);

layer(TestWaypost.layer)("The full API", (it) => {
  it.effect(
    "the full API in Production works exactly while it is enabled, and the reports always work " +
      "(B1.3, auth.7, errors.platform_api_not_enabled, me.enabled)",
    () =>
      Effect.gen(function* () {
        const { operator, tenant } = yield* TestWaypost;
        const { production, workspace } = yield* tenant({ enabled: false });
        const enable = (platform_api_enabled: boolean) =>
          operator(`/workspaces/${workspace.id}`, { method: "PATCH", body: { platform_api_enabled } });
        const works = Effect.gen(function* () {
          const me = yield* production("/me");
          const list = yield* production("/campaigns");
          assert.strictEqual((yield* production("/reports/summary")).status, 200);
          assert.strictEqual(list.status, me.body.data.platform_api_enabled === true ? 200 : 403);
          return me.body.data.platform_api_enabled;
        });
        assert.isFalse(yield* works);
        yield* enable(true);
        assert.isTrue(yield* works);
        yield* enable(false);
        assert.isFalse(yield* works);
      }),
  );

  it.effect(
    "in Sandbox every ability works whether or not the full API is enabled (auth.6, me.enabled)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant({ enabled: false });
        for (const { method, path } of operations) {
          const { body } = yield* sandbox(path, { method });
          assert.notInclude(["platform_api_not_enabled", "missing_ability"], body.error?.code);
        }
        assert.isTrue((yield* sandbox("/me")).body.data.platform_api_enabled);
      }),
  );
});
