import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { sent } from "../notifications/NotificationWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

type World = Effect.Success<ReturnType<typeof campaignWorld>>;

/** The body of a campaign that recurs from Friday, 2026-11-27, on. */
const recurring = (rule: string, more: object = {}, except?: unknown) =>
  push({ recurrence: { rule, ...(except === undefined ? {} : { except }) }, ...more });

const created = (world: World, body: object) =>
  Effect.map(world.sandbox("/campaigns", { body }), (answer) => {
    assert.strictEqual(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data;
  });

const refused = (world: World, body: object) =>
  Effect.map(world.sandbox("/campaigns", { body }), (answer) => {
    assert.strictEqual(answer.status, 422, JSON.stringify(answer.body));
    return answer.body.error.fields as Record<string, ReadonlyArray<string>>;
  });

const patched = (world: World, id: string, body: object) =>
  Effect.map(world.sandbox(`/campaigns/${id}`, { method: "PATCH", body }), (answer) => {
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data;
  });

const at = (time: string) => TestClock.setTime(Date.parse(time));

layer(TestWaypost.layer)("Recurrence of campaigns", (it) => {
  it.effect("a push campaign shows its rule and exceptions; null and left out are none (V1.1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const rule = "FREQ=WEEKLY;BYDAY=MO,FR";
      const campaign = yield* created(world, recurring(` ${rule} `, {}, ["2026-12-28", "2027-01-02"]));
      const recurrence = { rule, except: ["2026-12-28", "2027-01-02"] };
      assert.deepStrictEqual([campaign.recurrence, campaign.ends_at], [recurrence, null]);
      const again = yield* world.sandbox(`/campaigns/${campaign.id}`);
      assert.deepStrictEqual(again.body.data, campaign);
      const listed = yield* world.sandbox("/campaigns");
      assert.deepStrictEqual(listed.body.data, [campaign]);
      for (const except of [null, []]) {
        const { id } = campaign;
        const changed = yield* patched(world, id, recurring(rule, {}, except));
        assert.deepStrictEqual(changed.recurrence, { rule, except: [] });
      }
      for (const body of [push({ recurrence: null }), push()]) {
        const changed = yield* patched(world, campaign.id, body);
        assert.deepStrictEqual([changed.recurrence, changed.ends_at], [null, "2026-11-27T22:59:59+00:00"]);
      }
      const plain = yield* created(world, push({ name: "One day", recurrence: null }));
      assert.isNull(plain.recurrence);
    }),
  );

  it.effect("a wrong rule is 422 at recurrence.rule with the part that is wrong (V1.2, Z18)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      for (const [rule, part] of [
        ["FREQ=HOURLY", "FREQ"],
        ["freq=daily", "freq=daily"],
        ["RRULE:FREQ=DAILY", "RRULE"],
        ["FREQ=DAILY;INTERVAL=367", "INTERVAL"],
        ["FREQ=DAILY;BYHOUR=9", "BYHOUR"],
        ["FREQ=WEEKLY;BYDAY=1MO", "BYDAY"],
        ["FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY"],
        ["FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS"],
        ["FREQ=DAILY;COUNT=1001", "COUNT"],
        ["FREQ=DAILY;UNTIL=20261126", "UNTIL"],
        ["FREQ=DAILY;UNTIL=20261127T000000Z", "UNTIL"],
        ["FREQ=DAILY;FREQ=DAILY", "FREQ"],
        // No day within 100 years of the first: there is no 30th of February.
        ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "100 years"],
        ["FREQ=WEEKLY;BYDAY=MO;UNTIL=20261128", "100 years"],
      ] as const) {
        const fields = yield* refused(world, recurring(rule));
        assert.deepStrictEqual(Object.keys(fields), ["recurrence.rule"], rule);
        assert.include(fields["recurrence.rule"]?.join(" "), part, rule);
      }
      for (const [recurrence, field] of [
        ["FREQ=DAILY", "recurrence"],
        [7, "recurrence"],
        [{}, "recurrence.rule"],
        [{ rule: null }, "recurrence.rule"],
        [{ rule: 7 }, "recurrence.rule"],
        [{ rule: "" }, "recurrence.rule"],
        [{ rule: `FREQ=DAILY;${"X".repeat(10_000)}` }, "recurrence.rule"],
        [{ rule: "FREQ=DAILY", except: "2026-11-28" }, "recurrence.except"],
        [{ rule: "FREQ=DAILY", except: ["2026-11-28", "2026-02-30"] }, "recurrence.except.1"],
        [{ rule: "FREQ=DAILY", except: Array(367).fill("2026-11-28") }, "recurrence.except"],
      ] as const)
        assert.deepStrictEqual(Object.keys(yield* refused(world, push({ recurrence }))), [field]);
      yield* created(world, recurring("FREQ=DAILY", {}, Array(366).fill("2026-11-28")));
    }),
  );

  it.effect("a rule is met within 100 years of its first day; days after that do not exist (TR5)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const all = Array.from({ length: 366 }, (_, index) => `${index + 1},-${index + 1}`).join(",");
      let number = 0;
      const ended = (rule: string, more: object, except?: ReadonlyArray<string>) =>
        Effect.map(created(world, recurring(rule, { name: `${number++}`, ...more }, except)), ({ ends_at }) =>
          ends_at?.slice(0, 10),
        );
      const rare = `FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYSETPOS=${all};COUNT=1000`;
      const from = { starts_at: "2028-01-01", timezone: "UTC" };
      assert.strictEqual(yield* ended(rare, from), "2112-02-29");
      const except = ["2112-02-29", "2140-02-29"];
      assert.strictEqual(yield* ended(rare, from, except), "2072-02-29");
      assert.strictEqual(yield* ended(rare, { ...from, ends_at: "9999-12-31" }), "9999-12-31");

      // The first day that is met is 100 years after January 2, and 100 years and a day after January 1.
      const friday = "FREQ=YEARLY;INTERVAL=100;BYMONTH=1;BYMONTHDAY=2;BYDAY=FR";
      const starts = (day: string) => ({ ...from, starts_at: `2028-01-${day}` });
      assert.strictEqual(yield* ended(`${friday};COUNT=9`, starts("02")), "2128-01-02");
      const fields = yield* refused(world, recurring(friday, starts("01")));
      assert.deepStrictEqual(fields, {
        "recurrence.rule": [
          "The recurrence rule meets no day within 100 years of the first one, 2028-01-01: " +
            "change it so that it meets one by 2128-01-01.",
        ],
      });
    }),
  );

  it.effect("a geo campaign does not recur (Z21.1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const location = yield* world.location();
      for (const recurrence of [{ rule: "FREQ=DAILY" }, 7]) {
        const fields = yield* refused(world, geo([location], { recurrence }));
        assert.deepStrictEqual(Object.keys(fields), ["recurrence"]);
      }
      const { recurrence } = yield* created(world, geo([location], { recurrence: null }));
      assert.isNull(recurrence);
    }),
  );

  it.effect("the last day is the written one, else that of the last occurrence, else none (V1.3, Z19)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      let number = 0;
      const end = (rule: string, more: object = {}, except?: ReadonlyArray<string>) =>
        Effect.map(
          created(world, recurring(rule, { name: `${number++}`, ...more }, except)),
          ({ ends_at }) => (ends_at === null ? null : ends_at.slice(0, 19)),
        );
      assert.isNull(yield* end("FREQ=DAILY"));
      assert.strictEqual(yield* end("FREQ=DAILY;COUNT=3"), "2026-11-29T22:59:59");
      assert.strictEqual(yield* end("FREQ=WEEKLY;BYDAY=MO;COUNT=3"), "2026-12-14T22:59:59");
      assert.strictEqual(yield* end("FREQ=WEEKLY;UNTIL=20261210"), "2026-12-04T22:59:59");
      assert.strictEqual(yield* end("FREQ=DAILY;COUNT=3", {}, ["2026-11-29"]), "2026-11-28T22:59:59");
      assert.strictEqual(yield* end("FREQ=YEARLY;COUNT=1000"), "2126-11-27T22:59:59");
      assert.strictEqual(yield* end("FREQ=DAILY", { ends_at: "2026-12-24" }), "2026-12-24T22:59:59");
      assert.strictEqual(yield* end("FREQ=DAILY", { ends_at: "2026-12-24 08:00" }), "2026-12-24T22:59:59");
      assert.strictEqual(yield* end("FREQ=DAILY;COUNT=2", { ends_at: "2026-12-24" }), "2026-12-24T22:59:59");
      assert.strictEqual(yield* end("FREQ=DAILY", { ends_at: "2026-11-27" }), "2026-11-27T22:59:59");
      for (const ends_at of ["2026-11-26", "tomorrow"])
        assert.deepStrictEqual(Object.keys(yield* refused(world, recurring("FREQ=DAILY", { ends_at }))), [
          "ends_at",
        ]);
      // The end of a campaign of one day is ignored, as ever.
      yield* created(world, push({ name: "One day", ends_at: "tomorrow" }));
    }),
  );

  it.effect("the status is ended after the day of the last occurrence (V2.6)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const { id } = yield* created(
        world,
        recurring("FREQ=WEEKLY;BYDAY=FR", { ends_at: "2026-12-24", starts_at: "2026-11-27 08:00" }),
      );
      const status = Effect.map(world.sandbox(`/campaigns/${id}`), ({ body }) => body.data.status);
      assert.strictEqual(yield* status, "scheduled");
      yield* at("2026-11-27T07:00:00Z");
      assert.strictEqual(yield* status, "active");
      yield* at("2026-12-18T22:59:59Z");
      assert.strictEqual(yield* status, "active");
      yield* at("2026-12-18T23:00:00Z");
      assert.strictEqual(yield* status, "ended");
      const ended = yield* world.sandbox("/campaigns?status=ended");
      assert.lengthOf(ended.body.data, 1);
      // A later last day brings it back; the start stays that of the first day.
      const body = recurring("FREQ=WEEKLY;BYDAY=FR", { starts_at: "2026-11-27 08:00" });
      assert.strictEqual((yield* patched(world, id, body)).status, "active");
    }),
  );

  it.effect("without its recurrence a campaign is that of its one day (Z21.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const { id } = yield* created(world, recurring("FREQ=DAILY"));
      yield* world.attach(id, { sendAt: "09:00" });
      yield* at("2026-11-30T12:00:00Z");
      const changed = yield* patched(world, id, push());
      assert.deepStrictEqual([changed.status, changed.ends_at], ["ended", "2026-11-27T22:59:59+00:00"]);
    }),
  );

  it.effect("a notification is sent at HH:MM of each day, also at one that has passed today (Z20)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const { id } = yield* created(world, recurring("FREQ=DAILY", { starts_at: "2026-11-21" }));
      const path = `/campaigns/${id}/notifications`;
      const add = (trigger_config: object) =>
        world.sandbox(path, { body: sent("09:30", { trigger_config }) });
      const config = (answer: Effect.Success<ReturnType<typeof add>>) => [
        answer.status,
        answer.status === 201 ? answer.body.data.trigger_config : Object.keys(answer.body.error.fields),
      ];
      assert.deepStrictEqual(config(yield* add({ send_at: "09:30" })), [201, { send_at: "09:30" }]);
      assert.deepStrictEqual(config(yield* add({ send_at: "09:30", local: true, late: "send" })), [
        201,
        { send_at: "09:30", local: true, late: "send" },
      ]);
      for (const send_at of ["2026-11-21 18:00", "2026-11-22 18:00", "18:00:00"])
        assert.deepStrictEqual(config(yield* add({ send_at })), [422, ["trigger_config.send_at"]]);
      assert.deepStrictEqual(config(yield* add({})), [422, ["trigger_config.send_at"]]);
      const listed = yield* world.sandbox(path);
      const [first] = listed.body.data;
      const again = yield* world.sandbox(`${path}/${first.id}`, { method: "PATCH", body: first });
      assert.deepStrictEqual([again.status, again.body.data?.trigger_config], [200, { send_at: "09:30" }]);
    }),
  );

  it.effect("a recurring campaign counts once towards max_campaigns (V2.7)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 2 } });
      yield* created(world, recurring("FREQ=DAILY"));
      yield* created(world, recurring("FREQ=DAILY", { name: "Second" }));
      const third = yield* world.sandbox("/campaigns", { body: recurring("FREQ=DAILY", { name: "Third" }) });
      assert.deepStrictEqual([third.status, third.body.error.code], [403, "limit_exceeded"]);
    }),
  );
});
