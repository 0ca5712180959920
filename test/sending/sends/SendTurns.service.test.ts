import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SendStartsSql } from "../../../src/sending/sends/SendStartsSql.ts";
import { withoutJobs } from "../../events/DwellWorld.ts";
import { givenWorkspace } from "../../given/GivenWorkspace.ts";

/** A workspace with campaigns whose sends are due at these minutes. Gives the ids of the campaigns. */
const sendsAt = (minutes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { production } = yield* givenWorkspace();
    return yield* Effect.forEach(minutes, (minute) =>
      Effect.gen(function* () {
        const campaign = yield* production.campaign({ type: "push", name: minute });
        const trigger_config = { send_at: minute };
        yield* production.notification(campaign, { trigger_type: "fixed_time", trigger_config });
        return campaign;
      }),
    );
  });

layer(withoutJobs)("Turns of workspaces at sends", (it) => {
  it.effect("the first send of each workspace starts before the second ones (running.turns)", () =>
    Effect.gen(function* () {
      const busy = yield* sendsAt(["12:10", "12:11", "12:12"]);
      const quiet = yield* sendsAt(["12:13"]);
      const now = Date.parse("2026-11-21T13:00:00Z");
      const due = yield* (yield* SendStartsSql).dueCampaigns(now, 10, []);
      assert.deepStrictEqual(
        due.map(({ campaignId }) => campaignId),
        [busy[0], quiet[0], busy[1], busy[2]],
      );
    }).pipe(Effect.provide(SendStartsSql.layer)),
  );
});
