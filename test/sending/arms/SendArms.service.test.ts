import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { at, drain, manualWorkers, start } from "../ManualWorkers.ts";
import { sendWorld } from "../sends/SendWorld.ts";
import { armOf, experimentOf, personIn, variants } from "./ArmsWorld.ts";

const run = (time: string) => Effect.all([at(`2026-11-21T${time}:00Z`), start, drain], { discard: true });

layer(manualWorkers)("Experiments of sends", (it) => {
  for (const [name, segmented] of [
    ["everyone", false],
    ["a segment", true],
  ] as const)
    it.effect(`a send to ${name} gives each unit its arm, and the held out nothing (U3, U4, Z4)`, () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const rule = { match: "any", conditions: [{ attribute: "none", op: "exists", value: false }] };
        const segment = segmented
          ? [(yield* production.platform("/segments", { body: { name, rule } })).body.data.id]
          : [];
        yield* production.crowd(300);
        const campaign = yield* production.push({ holdout_percent: 20, segmentation_ids: segment });
        const notification = yield* production.sent(campaign, "12:30", { variants });
        yield* run("12:30");

        const { counts, deliveries, enrolments } = yield* experimentOf(campaign);
        const arm = (unit: string) => armOf(campaign, 20, notification, unit);
        assert.lengthOf(enrolments, 300);
        for (const each of enrolments) {
          assert.isTrue(each.isFirst);
          assert.strictEqual(each.arm, arm(each.unit));
        }
        const reached = enrolments.filter((each) => each.arm !== "holdout");
        assert.deepStrictEqual(
          deliveries.map(({ unit, variant }) => [unit, variant]),
          reached.map((each) => [each.unit, each.arm]),
        );
        const inArm = (wanted: string) => enrolments.filter((each) => each.arm === wanted).length;
        assert.deepStrictEqual(counts, {
          all: reached.length,
          holdout: inArm("holdout"),
          "/b": inArm("b"),
          "/control": inArm("control"),
        });
        for (const each of ["holdout", "b", "control"]) assert.isAbove(inArm(each), 20, each);
        const [send] = yield* production.sends();
        assert.deepStrictEqual([send.status, send.targeted], ["done", reached.length]);
        const listed = yield* waypost.operator(
          `/workspaces/${workspace.id}/production/deliveries?campaign=${campaign}&limit=100`,
        );
        assert.include(["b", "control"], listed.body.data[0].variant);
      }),
    );

  it.effect("a send enrols nobody again whom events of its campaign have enrolled (U4)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const location = yield* production.location();
      const campaign = yield* production.campaign({ location_ids: [location], holdout_percent: 50 });
      const note = yield* production.notification(campaign);
      const phones = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => production.phone());
      for (const phone of phones.slice(0, 4)) yield* phone.sees("enter", location);
      assert.lengthOf((yield* experimentOf(campaign)).enrolments, 4);
      // Without notifications the type may change (contract E3).
      yield* production.remove(`${campaign}/notifications/${note}`);
      const body = { name: `Push ${randomUUID()}`, type: "push", timezone: "UTC", starts_at: "2026-11-21" };
      const { status } = yield* production.platform(`/campaigns/${campaign}`, { method: "PATCH", body });
      assert.strictEqual(status, 200);
      yield* production.sent(campaign, "12:30");
      yield* run("12:30");

      const { counts, enrolments } = yield* experimentOf(campaign);
      const held = enrolments.filter(({ arm }) => arm === "holdout").length;
      assert.lengthOf(enrolments, 6);
      assert.deepStrictEqual([counts["all"] ?? 0, counts["holdout"] ?? 0], [6 - held, held]);
      assert.deepStrictEqual(
        (yield* production.sends()).map(({ status, targeted }) => [status, targeted]),
        [["done", 6 - held]],
      );
    }),
  );

  it.effect("a batch counts each delivery of a variant once, in the figures and the deltas (U6, U8)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { production } = yield* sendWorld();
      yield* production.crowd(40);
      const campaign = yield* production.push({ holdout_percent: 20 });
      yield* production.sent(campaign, "12:30", { variants });
      yield* run("12:30");
      const rows = (table: "delivery" | "variant_count" | "delivery_delta", count: string) =>
        sql<{ readonly variant: string; readonly count: number }>`
          SELECT ${sql.literal(table === "delivery_delta" ? "''" : "t.variant")} AS variant,
            ${sql.literal(count)}::int AS count
          FROM ${sql(table)} t JOIN campaign c ON c.key = t.campaign_key AND c.workspace_id = t.workspace_id
          WHERE c.id = ${campaign}::uuid AND t.campaign_key = c.key GROUP BY 1 ORDER BY 1`;
      const made = yield* rows("delivery", "count(*)");
      assert.deepStrictEqual(
        made.map(({ variant }) => variant),
        ["b", "control"],
      );
      assert.deepStrictEqual(yield* rows("variant_count", "sum(t.delivered)"), made);
      const [delta] = yield* rows("delivery_delta", "sum(cardinality(t.device_keys))");
      assert.strictEqual(
        delta?.count,
        made.reduce((sum, each) => sum + each.count, 0),
      );
    }),
  );

  it.effect("a person with five devices has one arm, and is enrolled once (U3, U4)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const campaign = yield* production.push({ holdout_percent: 50 });
      const notification = yield* production.sent(campaign, "12:30", { variants });
      const people = ["holdout", "b", "control"].map((arm) => personIn(arm, campaign, 50, notification));
      for (const user_id of people)
        for (let device = 0; device < 5; device++) yield* production.phone(randomUUID(), { user_id });
      yield* run("12:30");
      const { deliveries, enrolments } = yield* experimentOf(campaign);
      assert.sameDeepMembers(
        [...enrolments],
        people.map((person, index) => ({
          unit: `user:${person}`,
          arm: ["holdout", "b", "control"][index] ?? "",
          isFirst: true,
        })),
      );
      assert.lengthOf(deliveries, 10);
      for (const { unit, variant } of deliveries)
        assert.strictEqual(variant, armOf(campaign, 50, notification, unit));
    }),
  );

  it.effect(
    "a unit is enrolled in the campaign by its first message, in a notification by its first one (Z6)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* sendWorld();
        yield* production.crowd(40);
        const campaign = yield* production.push();
        yield* production.sent(campaign, "12:30");
        const second = yield* production.sent(campaign, "12:30", { variants });
        const third = yield* production.sent(campaign, "12:40", { variants });
        yield* run("12:30");
        yield* production.crowd(10);
        yield* run("12:40");
        const { counts, deliveries, enrolments } = yield* experimentOf(campaign);
        // Forty by the notification without variants, and ten by the third one, for which they came in time.
        assert.lengthOf(
          enrolments.filter(({ isFirst }) => isFirst),
          50,
        );
        assert.strictEqual(counts["all"], 50);
        assert.strictEqual((counts["/b"] ?? 0) + (counts["/control"] ?? 0), 90);
        assert.strictEqual(deliveries.filter(({ variant }) => variant === null).length, 40);
        assert.notStrictEqual(second, third);
      }),
  );

  it.effect("what quiet hours hold enrols, and what they drop enrols nobody (Z5)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.crowd(60);
      const quiet = (action: string) => ({ quiet_hours: { from: "12:00", to: "13:00", action } });
      const held = yield* production.push({ holdout_percent: 50, ...quiet("hold") });
      yield* production.sent(held, "12:30", { variants });
      const dropped = yield* production.push({ holdout_percent: 50, ...quiet("drop") });
      yield* production.sent(dropped, "12:30", { variants });
      yield* run("12:30");
      const ofHeld = yield* experimentOf(held);
      const reached = ofHeld.enrolments.filter(({ arm }) => arm !== "holdout");
      assert.lengthOf(ofHeld.enrolments, 60);
      assert.deepStrictEqual(
        ofHeld.deliveries.map(({ status, unit, variant }) => [unit, variant, status]),
        reached.map(({ arm, unit }) => [unit, arm, "held"]),
      );
      const ofDropped = yield* experimentOf(dropped);
      assert.deepStrictEqual(ofDropped, { enrolments: [], counts: {}, deliveries: [] });
      const sends = yield* production.sends();
      const figures = sends.map(({ dropped, held, targeted }: any) => [targeted, held, dropped]);
      const remaining = sends[1].dropped;
      assert.deepStrictEqual(figures, [
        [reached.length, reached.length, 0],
        [0, 0, remaining],
      ]);
      assert.isTrue(remaining > 10 && remaining < 50);
    }),
  );

  it.effect("a cap counts no held-out message, and a device at its cap is not enrolled (U4)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.crowd(30);
      const cap = { frequency_cap_count: 1, frequency_cap_period: "day" };
      const campaign = yield* production.push({ holdout_percent: 50, ...cap });
      yield* production.sent(campaign, "12:30");
      const later = yield* production.sent(campaign, "12:40", { variants });
      yield* run("12:30");
      yield* run("12:40");
      const { counts, deliveries, enrolments } = yield* experimentOf(campaign);
      assert.lengthOf(enrolments, 30);
      assert.strictEqual((counts["all"] ?? 0) + (counts["holdout"] ?? 0), 30);
      assert.isUndefined(counts["/b"]);
      assert.strictEqual(deliveries.length, counts["all"]);
      assert.isOk(later);
    }),
  );

  it.effect("sends that run together have each their own experiment, or none (U3)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.phone(randomUUID(), { user_id: "ann" });
      yield* production.crowd(2);
      const quiet = { quiet_hours: { from: "12:00", to: "13:00", action: "drop" } };
      const campaigns = yield* Effect.forEach([{ holdout_percent: 50 }, {}, quiet, {}], (fields) =>
        production.push(fields),
      );
      const notifications = yield* Effect.forEach(campaigns, (campaign, index) =>
        production.sent(campaign, "12:30", index === 3 ? {} : { variants }),
      );
      yield* run("12:30");
      for (const [index, campaign] of campaigns.entries()) {
        const { deliveries, enrolments } = yield* experimentOf(campaign);
        const arm = (unit: string) => armOf(campaign, index === 0 ? 50 : 0, notifications[index] ?? "", unit);
        assert.lengthOf(enrolments, index < 2 ? 3 : 0);
        for (const each of enrolments) assert.strictEqual(each.arm, arm(each.unit));
        assert.strictEqual(
          deliveries.length,
          [enrolments.filter((each) => each.arm !== "holdout").length, 3, 0, 3][index],
        );
        if (index < 2) for (const { unit, variant } of deliveries) assert.strictEqual(variant, arm(unit));
      }
    }),
  );

  it.effect("a campaign without an experiment enrols nobody, and its deliveries have no variant (U4)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.crowd(5);
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:30");
      yield* run("12:30");
      const { deliveries, enrolments } = yield* experimentOf(campaign);
      assert.isEmpty(enrolments);
      assert.deepStrictEqual(
        deliveries.map(({ variant }) => variant),
        [null, null, null, null, null],
      );
    }),
  );
});
