import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { clopperPearson } from "../../src/experiments/statistics/ClopperPearson.ts";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";

const variants = [{ key: "b", weight: 40, headline: "Other words" }];
const goal = { type: "opened", within_hours: 24 };
const phones = 40;

/** A send with a holdout and a variant to phones that open some of its messages. */
const sent = (campaign: object = { holdout_percent: 25, goal }, notification: object = { variants }) =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const { production } = world;
    const sql = yield* SqlClient.SqlClient;
    const devices = yield* Effect.forEach(Array.from({ length: phones }), () => production.phone());
    const campaignId = yield* production.push(campaign);
    const notificationId = yield* production.sent(campaignId, "2026-11-21 13:00", notification);
    yield* moveTo("2026-11-21T13:00:00Z");
    /** The messages of each phone: one, or none for a unit that is held out. */
    const inboxes = yield* Effect.forEach(devices, (device) =>
      Effect.map(device.inbox(), ([message]) => ({ device, message })),
    );
    const mark = (type: "opened" | "clicked", each: (typeof inboxes)[number]) =>
      each.device.ask(`/messages/${each.message.id}/${type}`, { method: "POST" });
    const path = `/campaigns/${campaignId}/experiment`;
    const ask = (rest = "", body?: unknown) =>
      Effect.map(
        production.platform(path + rest, body === undefined ? {} : { body }),
        (answer) => answer.body.data,
      );
    const report = (query = "") =>
      Effect.map(production.platform(`/reports/interactions?by=variant${query}`), ({ body }) => body.data);
    return { ...world, sql, campaignId, notificationId, inboxes, mark, ask, report };
  });

const counted = (arms: ReadonlyArray<any>) =>
  Object.fromEntries(
    arms.map(({ converted, delivered, enrolled, key }) => [key, [enrolled, delivered, converted]]),
  );

layer(TestWaypost.layer)("An experiment of a send", (it) => {
  it.effect("figures are those of source rows, also after counts are added up (U6.1, U6.4, U8.1)", () =>
    Effect.gen(function* () {
      const world = yield* sent();
      yield* TestClock.adjust("10 minutes");
      const reached = world.inboxes.filter(({ message }) => message !== undefined);
      yield* Effect.forEach(
        reached.filter((_, index) => index % 3 !== 0),
        (each) => world.mark("opened", each),
        {
          concurrency: 8,
        },
      );
      yield* Effect.forEach(
        reached.filter((_, index) => index % 6 === 0),
        (each) => world.mark("clicked", each),
      );
      const { sql } = world;
      const rows = yield* Effect.orDie(sql<any>`
        SELECT COALESCE(variant, 'held') AS key, count(*)::int AS enrolled, count(*)::int AS delivered,
          count(opened_at)::int AS opened, count(clicked_at)::int AS clicked
        FROM delivery d JOIN campaign c ON c.key = d.campaign_key AND c.workspace_id = d.workspace_id
        WHERE c.id = ${world.campaignId} GROUP BY 1`);
      const by = Object.fromEntries(rows.map((row: any) => [row.key, row]));
      const experiment = yield* world.ask();
      assert.deepStrictEqual(counted(experiment.arms), {
        holdout: [phones - reached.length, 0, 0],
        b: [by.b.enrolled, by.b.delivered, by.b.opened],
        control: [by.control.enrolled, by.control.delivered, by.control.opened],
      });
      assert.strictEqual(by.b.opened + by.control.opened > 10, true);
      for (const { converted, enrolled, interval } of experiment.arms) {
        const [low, high] = clopperPearson(converted, enrolled);
        assert.closeTo(interval[0], low * 100, 5e-5);
        assert.closeTo(interval[1], high * 100, 5e-5);
      }
      const shown = (yield* world.report()).map(({ clicked, delivered, opened, variant }: any) => [
        variant,
        delivered,
        opened,
        clicked,
      ]);
      const expected = ["b", "control"]
        .map((key) => [key, by[key].delivered, by[key].opened, by[key].clicked])
        .toSorted((one, other) => other[1] - one[1]);
      assert.deepStrictEqual(shown, expected);

      // The job replaces new counts by sums; the second time it adds to sums.
      for (const index of [3, 9]) {
        yield* world.mark("opened", reached[index] as (typeof reached)[number]);
        const [before, report] = [yield* world.ask(), yield* world.report()];
        const left = Effect.orDie(world.sql`
          SELECT 1 FROM enrolment_count WHERE NOT is_sum
          UNION ALL SELECT 1 FROM variant_count WHERE NOT is_sum`);
        yield* Effect.repeat(Effect.andThen(TestClock.adjust("2 seconds"), left), {
          until: ({ length }) => length === 0,
        });
        assert.deepStrictEqual(yield* world.ask(), before);
        assert.deepStrictEqual(yield* world.report(), report);
      }
    }),
  );

  it.effect("without variants the arm beside the holdout is all, with its deliveries (U6.1, U8.1)", () =>
    Effect.gen(function* () {
      const world = yield* sent({ holdout_percent: 50, goal }, {});
      const reached = world.inboxes.filter(({ message }) => message !== undefined);
      assert.deepStrictEqual(counted((yield* world.ask()).arms), {
        holdout: [phones - reached.length, 0, 0],
        all: [reached.length, reached.length, 0],
      });
      assert.deepStrictEqual(
        (yield* world.report()).map(({ delivered, variant }: any) => [variant, delivered]),
        [[null, reached.length]],
      );
    }),
  );

  it.effect(
    "figures stay after a stop and the erasure of people; later messages are in no arm (U6.4, U7.3)",
    () =>
      Effect.gen(function* () {
        const world = yield* sent();
        const { inboxes, production } = world;
        const [first] = inboxes.filter(({ message }) => message !== undefined);
        assert.isDefined(first);
        yield* TestClock.adjust("1 minute");
        yield* world.mark("opened", first);
        const before = yield* world.ask();
        const winner = { notification_id: world.notificationId, key: "b" };
        yield* world.ask("/stop", { winner });
        yield* production.sent(world.campaignId, "2026-11-21 14:00");
        const again = yield* production.sent(world.campaignId, "2026-11-21 15:00", { variants });
        yield* moveTo("2026-11-21T14:00:00Z");
        yield* moveTo("2026-11-21T15:00:00Z");
        const erased = yield* world.waypost.operator(
          `/workspaces/${world.workspace.id}/production/devices/${first.device.id}`,
          { method: "DELETE" },
        );
        assert.isBelow(erased.status, 300);
        const after = yield* world.ask();
        const own = ({ notification_id }: any) => notification_id !== again;
        assert.deepStrictEqual(counted(after.arms.filter(own)), counted(before.arms));
        // Who was held out has got the later messages, too.
        const others = inboxes.filter((each) => each !== first);
        const all = yield* Effect.forEach(others, ({ device }) => device.inbox());
        assert.isTrue(all.every((messages) => messages.length >= 2));
      }),
  );

  it.effect("the visit that triggers a message converts nobody, the next one does (U5.3)", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkspace();
      yield* TestClock.setTime(testStart);
      const { production } = world;
      const location = yield* production.location();
      const visiting = { type: "visit", within_hours: 24 };
      const id = yield* production.campaign({ location_ids: [location], goal: visiting });
      yield* production.notification(id, { variants: [{ key: "b", weight: 99 }] });
      const all = Effect.map(production.platform(`/campaigns/${id}/experiment`), ({ body }) =>
        counted(body.data.arms),
      );
      const phone = yield* production.phone();
      // A device whose clock is ahead.
      const occurred_at = new Date(testStart + 60_000).toISOString();
      const [message] = (yield* phone.sees("enter", location, { occurred_at })).deliveries;
      const arm = message.variant as string;
      assert.deepStrictEqual((yield* all)[arm], [1, 1, 0]);
      yield* TestClock.setTime(testStart + 120_000);
      yield* phone.sees("enter", location);
      assert.deepStrictEqual((yield* all)[arm], [1, 2, 1]);
    }),
  );

  it.effect("test messages enrol and convert nobody (U5.3)", () =>
    Effect.gen(function* () {
      const world = yield* sent();
      const { campaignId, inboxes, notificationId, production } = world;
      const [reached] = inboxes.filter(({ message }) => message !== undefined);
      assert.isDefined(reached);
      const before = counted((yield* world.ask()).arms);
      const tested = yield* production.platform(
        `/campaigns/${campaignId}/notifications/${notificationId}/test`,
        { body: { device_ids: inboxes.map(({ device }) => device.id).slice(0, 10) } },
      );
      assert.strictEqual(tested.status, 202);
      yield* TestClock.adjust("1 minute");
      for (const { device } of inboxes.slice(0, 10)) {
        const [newest] = yield* device.inbox();
        yield* device.ask(`/messages/${newest.id}/opened`, { method: "POST" });
      }
      assert.deepStrictEqual(counted((yield* world.ask()).arms), before);
    }),
  );

  it.effect("another by is refused, and other reports know none (U8.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const { body, status } = yield* production.platform("/reports/interactions?by=device&end=x");
      assert.deepStrictEqual([status, body.error.code], [422, "validation_failed"]);
      assert.deepStrictEqual(Object.keys(body.error.fields).toSorted(), ["by", "end"]);
      const plain = yield* production.platform("/reports/notifications?by=device");
      assert.strictEqual(plain.status, 200);
      const csv = yield* production.platform("/reports/interactions?by=variant&format=csv");
      assert.strictEqual(
        csv.body,
        "id,name,status,type,variant,delivered,opened,clicked,open_rate,click_rate\r\n",
      );
    }),
  );
});
