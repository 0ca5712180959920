import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { type Answer, asker, testOperatorKey, TestWaypost } from "../TestWaypost.ts";

const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const codeOf = ({ body, status }: Answer) => [status, body.error?.code];

layer(TestWaypost.shared)("The data of an environment at the operator interface", (it) => {
  it.effect("what the platform API has is not here: 404, and 405 where a method is left (W2, Y18.2)", () =>
    Effect.gen(function* () {
      const { origin, workspace } = yield* TestWaypost;
      const { id } = yield* workspace();
      const ask = asker(`${origin}/operator/v1/workspaces/${id}/sandbox`, testOperatorKey);
      const paths = [
        "segments",
        "notifications",
        "sends",
        "deliveries",
        "webhooks",
        "activity",
        "usage",
        "devices",
      ];
      for (const path of [
        ...paths.flatMap((noun) => (noun === "devices" ? [noun] : [noun, `${noun}/${nobody}`])),
        "locations/import",
        "reports/summary",
        `campaigns/${nobody}/notifications/${nobody}/attach`,
        `devices/${nobody}/explain`,
      ]) {
        for (const method of ["GET", "POST", "PATCH"]) {
          const answer = yield* ask(`/${path}`, method === "GET" ? {} : { method, body: {} });
          assert.deepStrictEqual([method, path, ...codeOf(answer)], [method, path, 404, "not_found"]);
        }
      }
      for (const method of ["GET", "PATCH"]) {
        const kept = yield* ask(`/devices/${nobody}`, method === "GET" ? {} : { method, body: {} });
        assert.deepStrictEqual(codeOf(kept), [405, "method_not_allowed"]);
        assert.strictEqual(kept.headers.get("allow"), "DELETE");
      }
    }),
  );
});
