import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import { actionsOf, sentBy, site } from "./PushOptionWorld.ts";
import { localWebPush } from "./PushServers.ts";
import { pushed } from "./PushWorld.ts";

layer(TestWaypost.layer)("Declarative Web Push", (it) => {
  it.effect("a Web Push message with a web address is declarative besides (T4.1)", () =>
    Effect.gen(function* () {
      const service = yield* localWebPush;
      const web = yield* site;
      const { entry, location, message, phone } = yield* sentBy(service, {
        cta_label: "Look",
        cta_url: `${web}/offer`,
        translations: { nl: { headline: "Hallo" } },
        push: { actions: actionsOf(web), badge: 3, sound: "none" },
      });
      assert.strictEqual(entry.headers["content-type"], "application/notification+json");
      assert.deepInclude(entry.payload, { id: message.id, web_push: 8030, app_badge: 3 });
      assert.deepStrictEqual(entry.payload.notification, {
        title: "Hello",
        body: "World",
        navigate: `${web}/offer`,
        silent: true,
        actions: [{ action: "save", title: "Save it", navigate: `${web}/save` }],
      });
      const dutch = yield* phone(undefined, { locale: "nl-NL" });
      yield* dutch.sees("enter", location);
      yield* pushed;
      assert.deepInclude(service.ledger[1]?.payload.notification, { title: "Hallo", lang: "nl" });
    }),
  );

  it.effect("without a web address of its own a message opens that of the transport (T4.2)", () =>
    Effect.gen(function* () {
      const service = yield* localWebPush;
      const deepLink = { cta_label: "Look", cta_url: "shop://offers/1", push: { badge: 1 } };
      const { configure, entry, fired, waypost, base } = yield* sentBy(service, deepLink);
      assert.strictEqual(entry.headers["content-type"], "application/octet-stream");
      for (const name of ["web_push", "notification", "app_badge"]) assert.notProperty(entry.payload, name);
      const default_url = "https://example.com/start";
      const set = yield* configure({ ...service.credentials, default_url });
      assert.strictEqual(set.body.data.default_url, default_url);
      const listed = yield* waypost.operator(`${base}/transports`);
      assert.deepStrictEqual(
        listed.body.data.map((each: any) => each.default_url),
        [null, null, default_url],
      );
      yield* fired();
      yield* pushed;
      assert.strictEqual(service.ledger[1]?.payload.notification.navigate, default_url);
      for (const wrong of ["shop://start", "example.com", "https://", `https://e.com/${"x".repeat(2048)}`]) {
        const refused = yield* configure({ ...service.credentials, default_url: wrong });
        assert.deepStrictEqual(Object.keys(refused.body.error?.fields ?? {}), ["default_url"], wrong);
      }
      // Each PUT replaces it.
      assert.isNull((yield* configure()).body.data.default_url);
    }),
  );
});
