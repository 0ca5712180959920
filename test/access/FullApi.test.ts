import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { readFileSync } from "node:fs";
import { abilities, type Ability } from "../../src/access/Ability.ts";
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

/** What contract C1 asks for, by the address. */
const needs = (method: string, path: string): Ability | null => {
  if (path === "/me") return null;
  if (path.startsWith("/reports/")) return "reports:read";
  const of = /\/(notifications|campaigns|media|location)/.exec(
    path.replace(/^\/campaigns\/x(?=\/n)/, ""),
  )?.[1];
  return `${of === "location" ? "locations" : of}:${method === "GET" ? "read" : "write"}` as Ability;
};

const worksAlways = (path: string) => path === "/me" || path.startsWith("/reports/");

layer(TestWaypost.layer)("The full API", (it) => {
  const enabling = (enabled: boolean, abilities?: ["reports:read"]) =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const tenant = yield* waypost.tenant({ enabled, ...(abilities && { abilities }) });
      const enable = (platform_api_enabled: boolean) =>
        waypost.operator(`/workspaces/${tenant.workspace.id}`, {
          method: "PATCH",
          body: { platform_api_enabled },
        });
      return { ...tenant, enable };
    });

  it.effect(
    "in Production only /me and the reports work while it is off, whatever the token may do (auth 7)",
    () =>
      Effect.gen(function* () {
        // With all abilities, and with one: what is off is told before what the token lacks (B1, 7 and 8).
        for (const { production } of [yield* enabling(false), yield* enabling(false, ["reports:read"])]) {
          for (const { method, path } of operations) {
            const { body, status } = yield* production(path, { method });
            if (worksAlways(path)) assert.strictEqual(status, 200, path);
            else
              assert.deepStrictEqual(
                [status, body.error.code],
                [403, "platform_api_not_enabled"],
                `${method} ${path}`,
              );
          }
        }
      }),
  );

  it.effect("in Production the same token works once it is on, and stops when it is off again (auth 7)", () =>
    Effect.gen(function* () {
      const { enable, production } = yield* enabling(false);
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

  it.effect("in Sandbox every ability works at once, on or off (auth 6)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* enabling(false);
      for (const { method, path } of operations) {
        const { body } = yield* sandbox(path, { method });
        assert.notInclude(["platform_api_not_enabled", "missing_ability"], body.error?.code);
      }
      assert.isTrue((yield* sandbox("/me")).body.data.platform_api_enabled);
    }),
  );

  it.effect("each endpoint needs the one ability that is its own, and works with that alone (C1, C2)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspace = yield* waypost.workspace();
      const holder = (having: ReadonlyArray<Ability>) =>
        Effect.map(waypost.token(workspace, "sandbox", having), ({ token }) =>
          waypost.platform("sandbox", token),
        );
      const withAlone = new Map<Ability | null, Effect.Success<ReturnType<typeof holder>>>();
      const without = new Map(withAlone);
      for (const ability of abilities) {
        withAlone.set(ability, yield* holder([ability]));
        without.set(ability, yield* holder(abilities.filter((each) => each !== ability)));
      }
      for (const { method, path } of operations) {
        const needed = needs(method, path);
        for (const ability of abilities) {
          const { body, status } = yield* (withAlone.get(ability) ?? assert.fail())(path, { method });
          const isRefused = status === 403 && body.error.code === "missing_ability";
          assert.strictEqual(
            isRefused,
            needed !== null && ability !== needed,
            `${ability}: ${method} ${path}`,
          );
        }
        if (needed === null) continue;
        const { body, status } = yield* (without.get(needed) ?? assert.fail())(path, { method });
        assert.deepStrictEqual([status, body.error?.code], [403, "missing_ability"], `${method} ${path}`);
        assert.include(body.error.message, needed);
      }
    }),
  );
});
