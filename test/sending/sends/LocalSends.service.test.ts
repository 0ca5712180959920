import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { HeldDeliveries } from "../../../src/sending/sends/holding/HeldDeliveries.ts";
import { localWorld, locally, run } from "./LocalWorld.ts";
import { at, drain, manualWorkers, start } from "../ManualWorkers.ts";

layer(manualWorkers)("Sends at local times", (it) => {
  it.effect("each device gets the message at the time of its own zone, else of the campaign's (P3.1)", () =>
    Effect.gen(function* () {
      const { messages, parts, production, send } = yield* localWorld();
      const webhook = yield* production.platform("/webhooks", {
        body: { url: "http://127.0.0.1:9/hook", events: ["send.finished"] },
      });
      assert.strictEqual((yield* send).due_at, "2026-11-23T00:00:00+00:00");
      assert.deepStrictEqual(yield* parts, [
        "23T00:00 scheduled 0",
        "23T03:30 scheduled 0",
        "23T08:00 scheduled 0",
        "23T09:00 scheduled 0",
        "23T14:00 scheduled 0",
      ]);
      yield* run("2026-11-22T23:59:59Z");
      assert.deepStrictEqual([(yield* send).status, yield* messages], ["scheduled", [0, 0, 0, 0, 0]]);
      yield* run("2026-11-23T00:00:00Z");
      assert.deepStrictEqual([(yield* send).status, yield* messages], ["running", [1, 0, 0, 0, 0]]);
      yield* run("2026-11-23T03:30:00Z");
      yield* run("2026-11-23T08:00:00Z");
      assert.deepStrictEqual(yield* messages, [1, 1, 1, 0, 0]);
      yield* run("2026-11-23T09:00:00Z");
      assert.deepStrictEqual([(yield* send).status, yield* messages], ["running", [1, 1, 1, 1, 0]]);
      yield* run("2026-11-23T13:59:59Z");
      assert.deepStrictEqual(yield* messages, [1, 1, 1, 1, 0]);
      yield* run("2026-11-23T14:00:00Z");
      assert.deepStrictEqual(yield* messages, [1, 1, 1, 1, 1]);
      const { delivered, due_at, failed, finished_at, status, targeted } = yield* send;
      assert.deepStrictEqual(
        [status, targeted, delivered, failed, due_at, finished_at],
        ["done", 5, 5, 0, "2026-11-23T00:00:00+00:00", "2026-11-23T14:00:00+00:00"],
      );
      assert.deepStrictEqual(yield* parts, [
        "23T00:00 done 1",
        "23T03:30 done 1",
        "23T08:00 done 1",
        "23T09:00 done 1",
        "23T14:00 done 1",
      ]);
      yield* run("2026-11-24T12:00:00Z");
      assert.deepStrictEqual(yield* messages, [1, 1, 1, 1, 1]);
      const sql = yield* SqlClient.SqlClient;
      const finished = yield* sql`
        SELECT type, send_ids FROM webhook_event WHERE webhook_id = ${webhook.body.data.id}`;
      assert.deepStrictEqual(finished, [{ type: "send.finished", send_ids: [(yield* send).id] }]);
    }),
  );

  it.effect("a device is targeted once, whatever its zone becomes (P3.3, X27.1)", () =>
    Effect.gen(function* () {
      const { messages, phones } = yield* localWorld();
      const move = (phone: (typeof phones)["york"], timezone: string) =>
        phone.ask("/devices/me", { method: "PATCH", body: { timezone } });
      yield* run("2026-11-23T03:30:00Z");
      assert.deepStrictEqual(yield* messages, [1, 1, 0, 0, 0]);
      // From Tokyo to New York: it has got it. From Amsterdam to Tokyo: its part has been.
      assert.strictEqual((yield* move(phones.tokyo, "America/New_York")).status, 200);
      yield* move(phones.amsterdam, "Asia/Tokyo");
      yield* run("2026-11-23T09:00:00Z");
      yield* run("2026-11-23T14:00:00Z");
      assert.deepStrictEqual(yield* messages, [1, 1, 0, 1, 1]);
    }),
  );

  it.effect("a held message goes out on its device's day, also once the campaign's has ended (X25.1)", () =>
    Effect.gen(function* () {
      const release = Effect.flatMap(HeldDeliveries, ({ releaseDue }) => releaseDue);
      for (const [to, until, delivered] of [
        ["10:00", "2026-11-23T15:00:00Z", 1],
        ["01:00", "2026-11-24T06:00:00Z", 0],
      ] as const) {
        const quiet_hours = { from: "08:00", to, action: "hold" };
        const { phones } = yield* localWorld({}, { timezone: "Pacific/Auckland", quiet_hours });
        yield* run("2026-11-23T14:00:00Z");
        assert.lengthOf(yield* phones.york.inbox(), 0);
        yield* at(until);
        yield* release;
        assert.lengthOf(yield* phones.york.inbox(), delivered, until);
      }
    }),
  );

  it.effect("of a person's devices only the one seen last gets it, also in a later part (Q1.3)", () =>
    Effect.gen(function* () {
      const { messages, phones, send } = yield* localWorld({}, { cap_by: "user" });
      const { amsterdam, kolkata, tokyo, york } = phones;
      const seen = (phone: typeof tokyo, user_id: string) =>
        phone.ask("/devices/me", { method: "PATCH", body: { user_id } });
      // Of Ada the device of the later part was seen last, of Grace that of the earlier one.
      yield* at("2026-11-22T10:00:00Z");
      for (const [phone, user] of [
        [tokyo, "ada"],
        [york, "grace"],
      ] as const)
        yield* seen(phone, user);
      yield* at("2026-11-22T11:00:00Z");
      for (const [phone, user] of [
        [amsterdam, "ada"],
        [kolkata, "grace"],
      ] as const)
        yield* seen(phone, user);
      for (const time of ["00:00", "03:30", "08:00", "09:00", "14:00"]) yield* run(`2026-11-23T${time}:00Z`);
      assert.deepStrictEqual(yield* messages, [0, 1, 1, 1, 0]);
      assert.deepInclude(yield* send, { status: "done", targeted: 3, delivered: 3 });
    }),
  );

  it.effect("deliveries of a part name its send, in JSON and in CSV (W2, M5)", () =>
    Effect.gen(function* () {
      const { production, send } = yield* localWorld();
      yield* run("2026-11-23T00:00:00Z");
      const { id } = yield* send;
      const listed = yield* production.platform("/deliveries");
      const file = yield* production.platform("/deliveries?format=csv");
      const [, record = ""] = String(file.body).split("\r\n");
      assert.deepStrictEqual([listed.body.data[0].send_id, record.split(",")[1]], [id, id]);
    }),
  );

  it.effect("where the time has passed it goes out at once with late send, else not (P3.4)", () =>
    Effect.gen(function* () {
      const day = { starts_at: "2026-11-21" };
      const skipped = yield* localWorld({}, day);
      assert.deepStrictEqual(yield* skipped.parts, [
        "21T00:00 skipped 0",
        "21T03:30 skipped 0",
        "21T08:00 skipped 0",
        "21T09:00 skipped 0",
        "21T14:00 scheduled 0",
      ]);
      yield* run("2026-11-21T12:00:01Z");
      assert.strictEqual((yield* skipped.send).status, "scheduled");
      yield* run("2026-11-21T14:00:00Z");
      assert.deepStrictEqual(yield* skipped.messages, [0, 0, 0, 0, 1]);
      assert.deepStrictEqual(yield* skipped.parts, [
        "21T00:00 skipped 0",
        "21T03:30 skipped 0",
        "21T08:00 skipped 0",
        "21T09:00 skipped 0",
        "21T14:00 done 1",
      ]);
      assert.strictEqual((yield* skipped.send).status, "done");

      const sent = yield* localWorld({ late: "send" }, day);
      yield* run("2026-11-21T12:00:00Z");
      assert.deepStrictEqual(yield* sent.messages, [1, 1, 1, 1, 0]);
      yield* run("2026-11-21T14:00:00Z");
      assert.deepStrictEqual(yield* sent.messages, [1, 1, 1, 1, 1]);
    }),
  );

  it.effect("a pause skips a send whose part comes meanwhile, and stops one that runs (P3.5, L3.1)", () =>
    Effect.gen(function* () {
      const early = yield* localWorld();
      yield* early.production.ask(early.campaignId, "pause");
      yield* run("2026-11-22T23:00:00Z");
      yield* early.production.ask(early.campaignId, "publish");
      assert.strictEqual((yield* early.send).status, "scheduled");
      yield* early.production.ask(early.campaignId, "pause");
      yield* run("2026-11-23T00:00:00Z");
      yield* early.production.ask(early.campaignId, "publish");
      yield* run("2026-11-23T14:00:00Z");
      assert.deepStrictEqual(
        [(yield* early.send).status, yield* early.messages],
        ["skipped", [0, 0, 0, 0, 0]],
      );

      const later = yield* localWorld();
      yield* run("2026-11-23T03:30:00Z");
      yield* later.production.ask(later.campaignId, "pause");
      yield* later.production.ask(later.campaignId, "publish");
      yield* run("2026-11-23T14:00:00Z");
      assert.deepStrictEqual([(yield* later.send).status, (yield* later.send).targeted], ["skipped", 2]);
    }),
  );

  it.effect("a deleted campaign cancels what is to come, also of a part that runs (P3.5)", () =>
    Effect.gen(function* () {
      const { campaignId, production, send } = yield* localWorld();
      yield* run("2026-11-23T00:00:00Z");
      yield* at("2026-11-23T03:30:00Z");
      yield* start;
      yield* production.remove(campaignId);
      yield* drain;
      yield* run("2026-11-23T14:00:00Z");
      const { parts, status, targeted } = yield* send;
      assert.deepStrictEqual(
        [status, targeted, parts.map((part: any) => part.status)],
        ["cancelled", 1, ["done", "cancelled"]],
      );
    }),
  );

  it.effect("a part is missed once the day is over in its zones; late ones run on return (X25.2)", () =>
    Effect.gen(function* () {
      const { messages, parts, send } = yield* localWorld();
      // In Tokyo the day is over at 15:00 UTC, in Kolkata at 18:30.
      yield* run("2026-11-23T16:00:00Z");
      assert.deepStrictEqual(yield* messages, [0, 1, 1, 1, 1]);
      assert.strictEqual((yield* parts)[0], "23T00:00 missed 0");
      assert.strictEqual((yield* send).status, "done");
      const late = yield* localWorld();
      yield* run("2026-11-24T05:00:00Z");
      assert.deepStrictEqual([(yield* late.send).status, yield* late.messages], ["missed", [0, 0, 0, 0, 0]]);
    }),
  );

  it.effect(
    "parts go out by the device's day, before the campaign starts and after it has ended (X25.1)",
    () =>
      Effect.gen(function* () {
        const campaign = { timezone: "Pacific/Pago_Pago" };
        const { campaignId, messages, production } = yield* localWorld({}, campaign);
        const status = Effect.map(
          production.platform(`/campaigns/${campaignId}`),
          ({ body }) => body.data.status,
        );
        // In Pago Pago it is 13:00 of the 22nd.
        yield* run("2026-11-23T00:00:00Z");
        assert.deepStrictEqual([yield* status, yield* messages], ["scheduled", [1, 0, 0, 0, 0]]);
        const ahead = yield* localWorld({}, { timezone: "Pacific/Kiritimati", starts_at: "2026-11-24" });
        const aheadStatus = Effect.map(
          ahead.production.platform(`/campaigns/${ahead.campaignId}`),
          ({ body }) => body.data.status,
        );
        yield* run("2026-11-24T14:00:00Z");
        // The device without a zone has that of the campaign, where the day is over.
        assert.deepStrictEqual([yield* aheadStatus, yield* ahead.messages], ["ended", [1, 1, 1, 0, 1]]);
      }),
  );

  it.effect(
    "a changed text counts for parts to come; another time ends the send and plans one more (P3.6)",
    () =>
      Effect.gen(function* () {
        const { edit, messages, phones, production } = yield* localWorld();
        yield* run("2026-11-23T00:00:00Z");
        assert.strictEqual((yield* edit({ headline: "Changed" })).status, 200);
        yield* run("2026-11-23T03:30:00Z");
        assert.deepStrictEqual(yield* messages, [1, 1, 0, 0, 0]);
        assert.strictEqual((yield* phones.kolkata.inbox())[0].headline, "Changed");
        assert.strictEqual((yield* production.sends()).length, 1);
        assert.strictEqual((yield* edit(locally("12:00"))).status, 200);
        yield* run("2026-11-23T12:00:00Z");
        yield* run("2026-11-23T17:00:00Z");
        // 12:00 had passed in Tokyo, but not in Kolkata, which gets it again.
        assert.deepStrictEqual(yield* messages, [1, 2, 1, 1, 1]);
        assert.deepStrictEqual(
          (yield* production.sends()).map(({ status }) => status),
          ["cancelled", "done"],
        );
      }),
  );

  it.effect("devices and zones count as they are at each part (X27.2)", () =>
    Effect.gen(function* () {
      const { device, phones, send } = yield* localWorld();
      yield* run("2026-11-23T03:30:00Z");
      yield* phones.york.ask("/devices/me", { method: "DELETE" });
      const cairo = yield* device("Africa/Cairo");
      const tokyo = yield* device("Asia/Tokyo");
      yield* run("2026-11-23T07:00:00Z");
      assert.deepStrictEqual([(yield* cairo.inbox()).length, (yield* tokyo.inbox()).length], [1, 0]);
      yield* run("2026-11-23T09:00:00Z");
      assert.strictEqual((yield* send).status, "done");
      assert.strictEqual((yield* send).targeted, 5);
    }),
  );

  it.effect("the plan counts the campaign until its last part (X25.3, E9.1)", () =>
    Effect.gen(function* () {
      const { messages, production, waypost, workspace } = yield* localWorld(
        {},
        { timezone: "Pacific/Kiritimati", starts_at: "2026-11-24" },
      );
      const plan = yield* waypost.operator(`/workspaces/${workspace.id}`, {
        method: "PATCH",
        body: { plan: { max_campaigns: 1 } },
      });
      assert.strictEqual(plan.status, 200, JSON.stringify(plan.body));
      const create = production.platform("/campaigns", {
        body: { name: "Second", type: "push", timezone: "UTC", starts_at: "2026-11-25" },
      });
      // The campaign's day is over at 10:00 UTC; New York has its part at 14:00.
      yield* run("2026-11-24T13:00:00Z");
      assert.strictEqual((yield* create).body.error?.code, "limit_exceeded");
      yield* run("2026-11-24T14:00:00Z");
      assert.deepStrictEqual(yield* messages, [1, 1, 1, 0, 1]);
      assert.strictEqual((yield* create).status, 201);
    }),
  );
});
