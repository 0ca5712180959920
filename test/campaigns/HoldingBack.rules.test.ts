import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestPlatform } from "../TestPlatform.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

type World = Effect.Success<ReturnType<typeof campaignWorld>>;

/** Sends a draft and gives the fields with problems. */
const refusal = (world: World, body: unknown) =>
  Effect.map(world.sandbox("/campaigns", { body }), (answer) => {
    assert.deepStrictEqual([answer.status, answer.body.error?.code], [422, "validation_failed"]);
    return answer.body.error.fields as Record<string, ReadonlyArray<string>>;
  });

layer(TestPlatform.layer)("What holds messages of a campaign back", (it) => {
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
});
