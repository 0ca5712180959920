import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { after, dwelling, dwellWorld, withoutJobs } from "./DwellWorld.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

type World = Effect.Success<ReturnType<typeof dwellWorld>>;

/** How many messages a device gets that enters, then `change` happens, then the ten minutes pass. */
const given = (
  change: (world: World) => Effect.Effect<unknown, any, any>,
  before: (world: World) => Effect.Effect<unknown, any, any> = () => Effect.void,
  campaign: object = {},
) =>
  Effect.gen(function* () {
    const world = yield* dwellWorld(campaign);
    yield* before(world);
    yield* world.phone.sees("enter", world.location);
    yield* TestClock.adjust("5 minutes");
    yield* change(world);
    yield* after(5);
    return yield* world.messages;
  });

const act =
  (action: string, method = "POST") =>
  (world: World) =>
    world.production.platform(`/campaigns/${world.campaignId}${action}`, { method });

layer(withoutJobs)("What counts at the minute of a visit", (it) => {
  it.effect("a pause counts at the minute, not at the enter (X22.2)", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* given(() => Effect.void), 1);
      assert.strictEqual(yield* given(act("/pause")), 0);
      assert.strictEqual(yield* given(act("/publish"), act("/pause")), 1);
    }),
  );

  it.effect("the campaign's dates and the notification's window count at the minute (X22.2)", () =>
    Effect.gen(function* () {
      // Each world is later than the one before, so it has its dates from the clock.
      const soon = (minutes: number) =>
        Effect.map(
          Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis),
          (now) => new Date(now + minutes * 60_000).toISOString().slice(0, 16).replace("T", " "),
        );
      const ended = (world: World) => Effect.flatMap(soon(2), (ends_at) => world.change({ ends_at }));
      assert.strictEqual(yield* given(ended), 0);
      assert.strictEqual(yield* given((world) => world.change({ ends_at: null }), ended), 1);
      const late = yield* soon(8);
      assert.strictEqual(
        yield* given(
          () => Effect.void,
          () => Effect.void,
          { starts_at: late },
        ),
        1,
      );
      const later = yield* soon(12);
      assert.strictEqual(
        yield* given(
          () => Effect.void,
          () => Effect.void,
          { starts_at: later },
        ),
        0,
      );
      const closing = (world: World) =>
        Effect.flatMap(soon(2), (ends_at) => world.edit({ ends_at, starts_at: "2026-11-21" }));
      assert.strictEqual(yield* given(closing), 0);
      assert.strictEqual(yield* given((world) => world.edit({ ends_at: null }), closing), 1);
    }),
  );

  it.effect("a campaign that no longer targets the location, or is deleted, fires nothing (X22.2)", () =>
    Effect.gen(function* () {
      const elsewhere = (world: World) =>
        Effect.flatMap(world.production.location({ name: "Other" }), (id) =>
          world.change({ location_ids: [id] }),
        );
      assert.strictEqual(yield* given(elsewhere), 0);
      assert.strictEqual(yield* given(act("", "DELETE")), 0);
      const detached = (world: World) => act(`/notifications/${world.notificationId}`, "DELETE")(world);
      assert.strictEqual(yield* given(detached), 0);
      const gone = ({ location, production }: World) =>
        production.platform(`/locations/${location}`, { method: "DELETE" });
      assert.strictEqual(yield* given(gone), 0);
    }),
  );

  it.effect(
    "a device that is unregistered, replaced, unsubscribed or without an address gets nothing (X22.2, Q2.2)",
    () =>
      Effect.gen(function* () {
        const unregister = ({ phone }: World) => phone.ask("/devices/me", { method: "DELETE" });
        assert.strictEqual(yield* given(() => Effect.void), 1);
        const sql = yield* SqlClient.SqlClient;
        const counted = (world: World) =>
          Effect.map(
            sql<{ count: number }>`
              SELECT count(*)::int AS count FROM delivery
              WHERE campaign_key = (SELECT key FROM campaign WHERE id = ${world.campaignId})`,
            ([row]) => row?.count,
          );
        for (const change of [
          unregister,
          ({ phone }: World) => phone.ask("/devices/me", { method: "PATCH", body: { subscribed: false } }),
          ({ phone }: World) => sql`UPDATE device SET address_gone_at = registered_at WHERE id = ${phone.id}`,
          ({ phone }: World) => sql`UPDATE device SET registered_at = '2027-01-01Z' WHERE id = ${phone.id}`,
        ]) {
          const world = yield* dwellWorld();
          yield* world.phone.sees("enter", world.location);
          yield* change(world);
          yield* after(10);
          assert.strictEqual(yield* counted(world), 0);
        }
      }),
  );

  it.effect("in Sandbox the approval of the device counts at the minute (X22.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      const sql = yield* SqlClient.SqlClient;
      const location = yield* sandbox.location();
      const campaign = yield* sandbox.campaign({ location_ids: [location] });
      yield* sandbox.notification(campaign, dwelling(10));
      const phones = [yield* sandbox.phone(), yield* sandbox.phone()] as const;
      yield* sql`UPDATE device SET approved = false WHERE id = ${phones[0].id}`;
      for (const phone of phones) yield* phone.sees("enter", location);
      yield* sql`UPDATE device SET approved = NOT approved WHERE id IN (${phones[0].id}, ${phones[1].id})`;
      yield* after(10);
      assert.deepStrictEqual([(yield* phones[0].inbox()).length, (yield* phones[1].inbox()).length], [1, 0]);
    }),
  );

  it.effect("a visit gets the content and minutes of its enter; a change counts for later ones (X22.3)", () =>
    Effect.gen(function* () {
      const { edit, location, messages, phone, production } = yield* dwellWorld();
      yield* phone.sees("enter", location);
      yield* TestClock.adjust("1 minute");
      const changed = yield* edit({ headline: "Changed", ...dwelling(3) });
      assert.strictEqual(changed.status, 200);
      const added = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(added, dwelling(2));
      yield* after(5);
      yield* phone.sees("enter", location);
      yield* after(3);
      assert.strictEqual(yield* messages, 0);
      yield* after(1);
      assert.deepStrictEqual(
        (yield* phone.inbox()).map(({ headline }) => headline),
        ["Hello"],
      );
      yield* phone.sees("exit", location);
      yield* phone.sees("enter", location);
      yield* after(3);
      assert.deepStrictEqual((yield* phone.inbox()).map(({ headline }) => String(headline)).toSorted(), [
        "Changed",
        "Hello",
        "Hello",
      ]);
    }),
  );

  it.effect("a message of a visit is reported to webhooks (P1.6, N2.2)", () =>
    Effect.gen(function* () {
      const { location, phone, production } = yield* dwellWorld();
      const made = yield* production.platform("/webhooks", {
        body: { url: "http://127.0.0.1:9/hook", events: ["message.delivered"] },
      });
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      yield* phone.sees("enter", location);
      yield* after(10);
      const sql = yield* SqlClient.SqlClient;
      const events = yield* sql`
        SELECT type, size FROM webhook_event WHERE webhook_id = ${made.body.data.id}`;
      assert.deepStrictEqual(events, [{ type: "message.delivered", size: 1 }]);
    }),
  );

  it.effect("a visit's message that renders no headline fails, and says so (P1.6, O1.3, O1.8)", () =>
    Effect.gen(function* () {
      const template = (headline: string) => ({ ...dwelling(10), template: "liquid", headline });
      const good = yield* dwellWorld({}, template("At {{ location.name }}"));
      const empty = yield* dwellWorld({}, template("{{ device.attributes.nickname }}"));
      for (const { location, phone } of [good, empty]) yield* phone.sees("enter", location);
      yield* after(10);
      const [message] = yield* good.phone.inbox();
      assert.match(message?.headline ?? "", /^At \S/);
      assert.strictEqual(yield* empty.messages, 0);
      const sql = yield* SqlClient.SqlClient;
      const failed = yield* sql`SELECT status, last_error FROM delivery WHERE status = 'failed'`;
      assert.deepStrictEqual(failed, [
        { status: "failed", last_error: "The headline renders empty for this device." },
      ]);
    }),
  );

  it.effect("the frequency cap holds, and a capped visit does not fire later (P1.6, L4.1)", () =>
    Effect.gen(function* () {
      const { location, messages, phone } = yield* dwellWorld({
        frequency_cap_count: 1,
        frequency_cap_period: "day",
      });
      for (let visit = 0; visit < 2; visit++) {
        yield* phone.sees("enter", location);
        yield* after(11);
        yield* phone.sees("exit", location);
      }
      assert.strictEqual(yield* messages, 1);
      yield* TestClock.adjust("1 day");
      yield* after(1);
      assert.strictEqual(yield* messages, 1);
    }),
  );
});
