import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { decide, dwelling } from "../events/DwellWorld.ts";
import { obstacles } from "../../src/devices/Obstacle.ts";
import { HeldDeliveries } from "../../src/sending/sends/holding/HeldDeliveries.ts";
import { at, drain, manualWorkers, start } from "./ManualWorkers.ts";
import { type Cases, expected, geoOutcomes, obstacleWorld, pushOutcomes } from "./ObstacleWorld.ts";

const environments = ["sandbox", "production"] as const;
const daily = { frequency_cap_count: 1, frequency_cap_period: "day" };
const both = { ...daily, cooldown_minutes: 60 };
const hourly = { cooldown_minutes: 60 };
const person = { cap_by: "user" };
const quiet = (action: "hold" | "drop") => ({ quiet_hours: { from: "11:00", to: "14:00", action } });
const reached = { reason: null, status: "delivered" };
const heldBack = (reason: string) => ({ reason, status: null });

const anyCampaign: Cases = {
  nothing: reached,
  "a used cap": { campaign: daily, by: "phone", ...heldBack("capped") },
  "a test send of a capped campaign": { campaign: daily, by: "test", ...reached },
  "quiet hours that hold": { campaign: quiet("hold"), reason: "quiet_hours", status: "held" },
  "quiet hours that drop": { campaign: quiet("drop"), ...heldBack("quiet_hours") },
  "a pause": { isPaused: true, ...heldBack("paused") },
};
const geoCampaign: Cases = {
  ...anyCampaign,
  "the cap of another device": { campaign: daily, by: "other", ...reached },
  "the cap of a person": { campaign: { ...daily, ...person }, by: "other", ...heldBack("capped") },
  "a cooldown": { campaign: hourly, by: "phone", ...heldBack("cooldown") },
  "the cooldown of another device": { campaign: hourly, by: "other", ...reached },
  "the cooldown of a person": { campaign: { ...hourly, ...person }, by: "other", ...heldBack("cooldown") },
  "a test send": { campaign: both, by: "test", ...reached },
  "a test send to a person": { campaign: { ...both, ...person }, by: "test", ...reached },
  "a failed message": { campaign: both, by: "failure", ...reached },
  "a later window": { notification: { starts_at: "2026-11-21 18:00" }, ...heldBack("no_notification") },
  "a window that is over": {
    notification: { ends_at: "2026-11-21 12:02" },
    ...heldBack("no_notification"),
  },
  "a later start": { campaign: { starts_at: "2026-11-21 18:00" }, ...heldBack("not_started") },
  "an end": { campaign: { ends_at: "2026-11-21 12:02" }, ...heldBack("ended") },
};
const pushCampaign: Cases = {
  ...anyCampaign,
  "a segment": heldBack("not_in_segment"),
  // A push campaign sends from the beginning of its day (contract E3).
  "a start later on its day": { campaign: { starts_at: "2026-11-21 18:00" }, ...reached },
};
/** The cases of a send at a local time that reaches the device once its time comes. */
const toCome = Object.fromEntries(
  Object.entries(pushCampaign).flatMap(([name, { reason }]) =>
    reason === null ? [[name, "scheduled"]] : [],
  ),
);

layer(manualWorkers)("Obstacles", (it) => {
  for (const environment of environments) {
    for (const [path, trigger, others] of [
      ["an enter", {}, {}],
      // The message of the visit in progress was sent.
      ["a visit", dwelling(5), { "a used cap": "already_sent", "a cooldown": "already_sent" }],
    ] as const) {
      it.effect(`in ${environment} ${path} fires exactly if the explanation says so (S6.1, S6.4)`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            yield* geoOutcomes(environment, trigger, geoCampaign),
            expected(geoCampaign, others),
          );
        }),
      );
    }
    for (const [path, trigger, others] of [
      ["a send", {}, {}],
      ["a send at a local time", { local: true }, toCome],
    ] as const) {
      it.effect(`in ${environment} ${path} reaches whom the explanation says (S6.1, S6.4)`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            yield* pushOutcomes(environment, trigger, pushCampaign),
            expected(pushCampaign, others),
          );
        }),
      );
    }
  }

  it.effect("a part that goes out after the campaign's day is explained as sent (S6.4, X25)", () =>
    Effect.gen(function* () {
      const { fates, reasonOf, side } = yield* obstacleWorld("production");
      const phone = yield* side.phone(undefined, { timezone: "America/New_York" });
      const campaign = yield* side.push({ timezone: "Asia/Tokyo" });
      yield* side.sent(campaign, "22:00", { trigger_config: { send_at: "22:00", local: true } });
      yield* at("2026-11-21T16:00:00Z");
      assert.strictEqual(yield* reasonOf(phone.id, campaign), "scheduled");
      for (const time of ["2026-11-22T02:59:00Z", "2026-11-22T03:00:00Z"]) {
        assert.lengthOf(yield* fates(phone.id, campaign), 0);
        yield* at(time);
        yield* start;
        yield* drain;
        yield* start;
      }
      assert.lengthOf(yield* fates(phone.id, campaign), 1);
      assert.strictEqual(yield* reasonOf(phone.id, campaign), "ended");
    }),
  );

  it.effect(
    "a workspace that is scheduled for deletion sends nothing, explained as paused (S6.4, P2.6)",
    () =>
      Effect.gen(function* () {
        const { fates, reasonOf, side, waypost, workspace } = yield* obstacleWorld("production");
        const phone = yield* side.phone();
        const location = yield* side.location();
        const held = yield* side.campaign({ location_ids: [location], ...quiet("hold") });
        yield* side.notification(held);
        const visit = yield* side.campaign({ location_ids: [location] });
        yield* side.notification(visit, dwelling(5));
        const push = yield* side.push();
        yield* side.sent(push, "12:05");
        yield* phone.sees("enter", location);
        yield* waypost.operator(`/workspaces/${workspace.id}`, {
          method: "PATCH",
          body: { deletion_scheduled: true },
        });
        for (const campaign of [held, visit, push])
          assert.strictEqual(yield* reasonOf(phone.id, campaign), "paused");
        yield* at("2026-11-21T12:05:00Z");
        yield* start;
        yield* drain;
        yield* decide;
        for (const campaign of [visit, push]) assert.lengthOf(yield* fates(phone.id, campaign), 0);
        yield* at("2026-11-21T14:00:00Z");
        yield* (yield* HeldDeliveries).releaseDue;
        assert.deepStrictEqual(yield* fates(phone.id, held), [
          { status: "failed", last_error: obstacles.closing },
        ]);
      }),
  );
});
