import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { createHash } from "node:crypto";
import { TestWaypost, testStart } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import { actionsOf, sentBy, site } from "./PushOptionWorld.ts";
import { localFcm, localWebPush, type LocalService } from "./PushServers.ts";
import { pushed, pushWorld } from "./PushWorld.ts";

const hashOf = (key: string) => createHash("sha256").update(key).digest("base64url");

layer(TestWaypost.layer)("Push options", (it) => {
  it.effect("without options a push is what it was before there were any (T2.5)", () =>
    Effect.gen(function* () {
      const fcm = yield* sentBy(yield* localFcm, {});
      const { id } = fcm.message;
      assert.deepStrictEqual(Object.keys(fcm.entry.body.data), ["waypost"]);
      assert.deepStrictEqual(fcm.entry.body.android, {
        priority: "HIGH",
        ttl: "86400s",
        notification: { tag: id },
      });
      assert.deepStrictEqual(fcm.entry.body.apns, { headers: { "apns-collapse-id": id } });
      const apns = yield* sentBy(yield* localServices.apns, {});
      assert.deepStrictEqual(apns.entry.shown, {
        alert: { title: "Hello", body: "World" },
        sound: "default",
      });
      assert.deepInclude(apns.entry.headers, {
        "apns-collapse-id": apns.message.id,
        "apns-priority": "10",
        "apns-expiration": String(testStart / 1000 + 86_400),
      });
      const web = yield* sentBy(yield* localWebPush, {});
      assert.deepInclude(web.entry.headers, {
        ttl: "86400",
        urgency: "high",
        topic: web.message.id.replaceAll("-", ""),
        "content-type": "application/octet-stream",
      });
      assert.notProperty(web.entry.payload, "actions");
    }),
  );

  for (const [name, started] of Object.entries(localServices)) {
    it.effect(`a silent push by ${name} shows nothing, is delivered, and is in no inbox (T2.6, T3.2)`, () =>
      Effect.gen(function* () {
        const { delivery, entry, id, inbox, message, production } = yield* sentBy(yield* started, {
          cta_label: "Look",
          cta_url: yield* site,
          push: { silent: true, priority: "high", data: { a: "b" } },
        });
        assert.deepInclude(message, { silent: true, headline: "Hello", data: { a: "b" }, actions: null });
        assert.deepInclude(yield* delivery(message.id), { status: "delivered", cut: [] });
        assert.deepStrictEqual(yield* inbox(), []);
        const listed = yield* production.platform(`/devices/${id}/messages`);
        assert.deepStrictEqual(listed.body.data, []);
        assert.deepInclude(entry.payload, { id: message.id, headline: "Hello" });
        if (name === "fcm") {
          assert.notProperty(entry.body, "notification");
          assert.deepStrictEqual(entry.body.android, { priority: "HIGH", ttl: "86400s" });
        } else if (name === "apns") {
          assert.deepStrictEqual(entry.shown, { "content-available": 1 });
          assert.deepInclude(entry.headers, { "apns-push-type": "background", "apns-priority": "5" });
        } else {
          assert.deepInclude(entry.payload, { silent: true, data: { a: "b" } });
          assert.notProperty(entry.payload, "web_push");
          assert.strictEqual(entry.headers["urgency"], "high");
        }
      }),
    );

    it.effect(`actions and data go with the message by ${name}, and are in the inbox (T3.3)`, () =>
      Effect.gen(function* () {
        const data = { order: "4711" };
        const actions = actionsOf(yield* site);
        const { entry, inbox, message } = yield* sentBy(yield* started, {
          push: { actions, data, sound: "none" },
        });
        assert.deepStrictEqual(entry.payload.actions, actions);
        const carrier = { fcm: entry.body.data, apns: entry.body, webpush: entry.body.data }[name];
        assert.strictEqual(carrier?.order, "4711");
        assert.notProperty(name === "webpush" ? {} : entry.payload, "data");
        if (name === "apns")
          assert.deepStrictEqual(entry.shown, { alert: { title: "Hello", body: "World" } });
        assert.deepInclude(message, { actions, data });
        assert.notProperty(message, "silent");
        const [received] = yield* inbox();
        assert.deepInclude(received, { actions, data });
      }),
    );

    it.effect(`a lifetime by ${name} counts from the first attempt (T3.4)`, () =>
      Effect.gen(function* () {
        const service = yield* started;
        const { fired } = yield* pushWorld(service, { notification: { push: { ttl_seconds: 60 } } });
        service.answer((number) =>
          number === 0 ? { status: 503, retryAfter: "30" } : { status: 503, retryAfter: "40" },
        );
        yield* fired();
        for (const at of [0, 30_000, 70_000]) {
          yield* TestClock.setTime(testStart + at);
          yield* pushed;
        }
        const expiry = String(testStart / 1000 + 60);
        const lifetimes = service.ledger.map(({ body, headers }) =>
          name === "fcm"
            ? [body.android.ttl, body.apns.headers["apns-expiration"]]
            : [headers[name === "apns" ? "apns-expiration" : "ttl"]],
        );
        assert.deepStrictEqual(
          lifetimes,
          name === "fcm"
            ? [
                ["60s", expiry],
                ["30s", expiry],
                ["0s", expiry],
              ]
            : name === "apns"
              ? [[expiry], [expiry], [expiry]]
              : [["60"], ["30"], ["0"]],
        );
      }),
    );
  }

  it.effect("a lifetime of 0 is 0 for each service (T3.4)", () =>
    Effect.gen(function* () {
      const push = { ttl_seconds: 0 };
      const fcm = yield* sentBy(yield* localFcm, { push });
      assert.strictEqual(fcm.entry.body.android.ttl, "0s");
      assert.strictEqual(fcm.entry.body.apns.headers["apns-expiration"], "0");
      const apns = yield* sentBy(yield* localServices.apns, { push });
      assert.strictEqual(apns.entry.headers["apns-expiration"], "0");
      const web = yield* sentBy(yield* localWebPush, { push });
      assert.strictEqual(web.entry.headers["ttl"], "0");
    }),
  );

  it.effect("a collapse key that is not all visible ASCII is hashed for headers (T3.5)", () =>
    Effect.gen(function* () {
      for (const [key, header] of [
        ["order-4711", "order-4711"],
        ["bestelling é", hashOf("bestelling é")],
        ["two words", hashOf("two words")],
      ] as const) {
        const push = { collapse_key: key };
        const { body } = (yield* sentBy(yield* localFcm, { push })).entry;
        assert.deepInclude(body.android, { collapse_key: key, notification: { tag: key } });
        assert.strictEqual(body.apns.headers["apns-collapse-id"], header);
        const apns = yield* sentBy(yield* localServices.apns, { push });
        assert.strictEqual(apns.entry.headers["apns-collapse-id"], header);
        const web = yield* sentBy(yield* localWebPush, { push });
        assert.strictEqual(web.entry.headers["topic"], hashOf(key).slice(0, 32));
      }
    }),
  );

  it.effect("what does not fit is left out in order, and the delivery and previews say so (T3.6)", () =>
    Effect.gen(function* () {
      const data = Object.fromEntries(["a", "b", "c"].map((name) => [name, "d".repeat(320)]));
      const base = yield* site;
      const url = (length: number) => `${base}/${"u".repeat(length - base.length - 1)}`;
      const actions = actionsOf(base);
      const long = { body: "B".repeat(5_000), cta_label: "Look", push: { data, actions } };
      const cutsOf = (service: LocalService, cta_url: string) =>
        Effect.gen(function* () {
          const { campaignId, delivery, entry, message, notificationId, production } = yield* sentBy(
            service,
            {
              ...long,
              cta_url,
            },
          );
          const { cut } = yield* delivery(message.id);
          const preview = yield* production.platform("/notifications/preview", {
            body: { campaign_id: campaignId, notification_id: notificationId },
          });
          assert.deepStrictEqual(preview.body.data.pushes[service.transport].cut, cut);
          assert.isAtMost(entry.bytes, 4096);
          return { cut, payload: entry.payload };
        });
      const short = yield* cutsOf(yield* localWebPush, url(100));
      assert.deepStrictEqual(short.cut, ["body"]);
      assert.deepStrictEqual(short.payload.data, data);
      const middle = yield* cutsOf(yield* localWebPush, url(1_300));
      assert.deepStrictEqual(middle.cut, ["body", "data"]);
      assert.strictEqual(middle.payload.web_push, 8030);
      const longest = yield* cutsOf(yield* localWebPush, url(2_048));
      assert.deepStrictEqual(longest.cut, ["body", "data", "notification"]);
      assert.notProperty(longest.payload, "web_push");
      assert.isAbove(longest.payload.body.length, 500);
      const apns = yield* cutsOf(yield* localServices.apns, url(2_048));
      assert.deepStrictEqual(apns.cut, ["body"]);
    }),
  );

  it.effect(
    "the address of an action is rendered; one that cannot be opened is left out (T2.4, T3.3, T7)",
    () =>
      Effect.gen(function* () {
        const base = yield* site;
        const { entry, inbox, message } = yield* sentBy(yield* localFcm, {
          template: "liquid",
          push: {
            actions: [
              { id: "a", title: "{{ literal }}", url: `${base}/{{ device.platform }}` },
              { id: "b", title: "B", url: "{{ device.attributes.scheme }}:1" },
            ],
          },
        });
        const rendered = [
          { id: "a", title: "{{ literal }}", url: `${base}/android` },
          { id: "b", title: "B", url: null },
        ];
        assert.deepStrictEqual(entry.payload.actions, rendered);
        assert.deepStrictEqual(message.actions, rendered);
        assert.deepStrictEqual((yield* inbox())[0].actions, rendered);
      }),
  );

  it.effect("a device with a FID is reached by it, and one that gives up its token for it too (T1.2)", () =>
    Effect.gen(function* () {
      const service = yield* localFcm;
      const { delivery, device, fired } = yield* pushWorld(service);
      const changed = yield* fired("old-token");
      const push = { transport: "fcm", fid: "fBNn3pD5R3aGOUJzq0dq1w" };
      const patched = yield* changed.ask("/devices/me", { method: "PATCH", body: { push } });
      assert.strictEqual(patched.status, 200, JSON.stringify(patched.body));
      service.answer(() => "gone");
      yield* pushed;
      assert.strictEqual(service.ledger[0]?.body.fid, push.fid);
      assert.notProperty(service.ledger[0]?.body, "token");
      assert.deepInclude(yield* delivery(changed.message.id), { status: "failed", transport: "fcm" });
      assert.deepInclude(yield* device(changed.id), { address_gone: true });
    }),
  );
});
