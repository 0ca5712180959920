import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

type World = Effect.Success<ReturnType<typeof campaignWorld>>;

/** Sends a draft and gives the fields with problems. */
const refusal = (world: World, body: unknown) =>
  Effect.map(world.sandbox("/campaigns", { body }), (answer) => {
    assert.deepStrictEqual([answer.status, answer.body.error?.code], [422, "validation_failed"]);
    return answer.body.error.fields as Record<string, ReadonlyArray<string>>;
  });

layer(TestWaypost.layer)("What holds messages of a campaign back", (it) => {
  it.effect("only a push campaign takes a pace, of 1 to 10,000,000 a minute (T5.1, Y12)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const paced = (max_per_minute: unknown) => push({ name: randomUUID(), max_per_minute });
      for (const pace of [1, 10_000_000, null]) {
        const made = yield* world.sandbox("/campaigns", { body: paced(pace) });
        assert.deepStrictEqual([made.status, made.body.data.max_per_minute], [201, pace]);
        const kept = yield* world.sandbox(`/campaigns/${made.body.data.id}`, {
          method: "PATCH",
          body: paced(undefined),
        });
        assert.isNull(kept.body.data.max_per_minute);
      }
      for (const pace of [0, 10_000_001, 1.5, "60", true])
        assert.deepStrictEqual(yield* refusal(world, paced(pace)), {
          max_per_minute: ["The max per minute must be a whole number between 1 and 10,000,000."],
        });
      const location = yield* world.location();
      assert.deepStrictEqual(yield* refusal(world, geo([location], { max_per_minute: 60 })), {
        max_per_minute: [
          "A geo campaign cannot take a pace: leave the max per minute out, or make it a push campaign.",
        ],
      });
    }),
  );

  it.effect("only a geo campaign takes a cooldown, of 1 to 43,200 minutes (X28, P4.1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const location = yield* world.location();
      const cooling = (cooldown_minutes: unknown) =>
        geo([location], { name: randomUUID(), cooldown_minutes });
      for (const minutes of [1, 43_200, null]) {
        const made = yield* world.sandbox("/campaigns", { body: cooling(minutes) });
        assert.deepStrictEqual([made.status, made.body.data.cooldown_minutes], [201, minutes]);
        const kept = yield* world.sandbox(`/campaigns/${made.body.data.id}`, {
          method: "PATCH",
          body: cooling(undefined),
        });
        assert.isNull(kept.body.data.cooldown_minutes);
      }
      for (const minutes of [0, 43_201, 1.5, "60", true])
        assert.deepStrictEqual(yield* refusal(world, cooling(minutes)), {
          cooldown_minutes: ["The cooldown minutes must be a whole number between 1 and 43,200."],
        });
      assert.deepStrictEqual(yield* refusal(world, push({ cooldown_minutes: 60 })), {
        cooldown_minutes: [
          "A push campaign cannot take a cooldown: leave the cooldown minutes out, " +
            "or make it a geo campaign.",
        ],
      });
      const free = yield* world.sandbox("/campaigns", { body: push({ cooldown_minutes: null }) });
      assert.deepStrictEqual([free.status, free.body.data.cooldown_minutes], [201, null]);
    }),
  );

  it.effect("quiet hours are two times of day and an action, null, or switched off (P2.1, X24)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const night = { from: "22:00", to: "07:00", action: "hold" };
      const quiet = (quiet_hours: unknown) => push({ name: randomUUID(), quiet_hours });
      for (const [sent, shown] of [
        [night, night],
        [{ ...night, enabled: true }, night],
        [{ ...night, enabled: false }, { enabled: false }],
        [{ enabled: false }, { enabled: false }],
        [null, null],
        [undefined, null],
      ]) {
        const made = yield* world.sandbox("/campaigns", { body: quiet(sent) });
        assert.deepStrictEqual([made.status, made.body.data?.quiet_hours], [201, shown]);
        const read = yield* world.sandbox(`/campaigns/${made.body.data.id}`);
        assert.strictEqual(JSON.stringify(read.body.data.quiet_hours), JSON.stringify(shown));
        const cleared = yield* world.sandbox(`/campaigns/${made.body.data.id}`, {
          method: "PATCH",
          body: quiet(undefined),
        });
        assert.isNull(cleared.body.data.quiet_hours);
      }
      const time = (field: string) => `The ${field} must be a time from 00:00 to 23:59, written HH:MM.`;
      for (const [sent, fields] of [
        [
          { ...night, to: "22:00" },
          { "quiet_hours.to": ["The end of the quiet hours must be another time than their start."] },
        ],
        [{ ...night, from: "24:00" }, { "quiet_hours.from": [time("from")] }],
        [{ ...night, to: 7 }, { "quiet_hours.to": [time("to")] }],
        [{ ...night, action: "wait" }, { "quiet_hours.action": ["The action must be hold or drop."] }],
        [
          { from: "22:00" },
          { "quiet_hours.to": ["The to is required."], "quiet_hours.action": ["The action is required."] },
        ],
      ] as const)
        assert.deepStrictEqual(yield* refusal(world, quiet(sent)), fields);
      for (const sent of ["22:00-07:00", 7, [], true, {}])
        assert.isTrue(
          Object.keys(yield* refusal(world, quiet(sent))).every((key) => key.startsWith("quiet_hours")),
        );
    }),
  );
});
