import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { answers, localServer } from "./LocalServer.ts";
import { message, notificationWorld } from "./NotificationWorld.ts";

layer(TestWaypost.layerWith({ allowPrivateAddresses: true }))("Addresses of templates", (it) => {
  it.effect("addresses are checked as they render with empty values, in all languages (O1.10, O2.5)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const server = yield* localServer(answers({ "/good/": 200 }));
      const base = `http://127.0.0.1:${server.port}`;
      const fieldsOf = (cta_url: string, translated?: string) =>
        Effect.map(
          world.sandbox(path, {
            body: message({
              template: "liquid",
              cta_label: "Go",
              cta_url,
              ...(translated === undefined ? {} : { translations: { nl: { cta_url: translated } } }),
            }),
          }),
          ({ body }) => Object.keys(body.error?.fields ?? {}),
        );
      const id = "{{ device.attributes.id }}";
      assert.deepStrictEqual(yield* fieldsOf(`${base}/good/${id}`), []);
      assert.deepStrictEqual(yield* fieldsOf(`${base}/gone/${id}`), ["cta_url"]);
      const asked = server.asked.length;
      assert.isAbove(asked, 0);
      for (const unchecked of [id, `https://${id}/x`, `${id}${base}/gone/ x`])
        assert.deepStrictEqual(yield* fieldsOf(unchecked), []);
      assert.strictEqual(server.asked.length, asked);
      assert.deepStrictEqual(yield* fieldsOf(`javascript:${id}`), ["cta_url"]);
      assert.deepStrictEqual(yield* fieldsOf(`${base}/gone/`, `${base}/gone/${id}`), [
        "cta_url",
        "translations.nl.cta_url",
      ]);
    }),
  );
});
