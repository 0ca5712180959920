import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import type { LocalPlan } from "../../src/campaigns/LocalSend.ts";
import { SendPlanSql } from "../../src/campaigns/SendPlanSql.ts";
import type { WallTime } from "../../src/time/LocalTime.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { attach, atTime, insertNotification } from "../notifications/StoredNotifications.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { insertCampaign } from "./StoredCampaigns.ts";

const minute = 60_000;

layer(TestStatements.layer)("Plans of sends at local times", (it) => {
  it.effect("a send at a local time is planned again only with another time or choice (P3.6)", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanSql;
      const { sandbox } = yield* newTenants;
      const campaign = yield* insertCampaign(sandbox, { type: "push", endsAt: now + 600 * minute });
      const notification = yield* insertNotification(sandbox);
      yield* attach(sandbox, campaign, notification, atTime("15:00"));
      const id = idAt(now);
      const first = { dueAt: now + minute, local: null };
      yield* repository.schedule(sandbox, id, campaign, notification, first, now);
      const plan = (late: "send" | "skip") => ({
        localAt: "2026-11-21 15:00" as WallTime,
        late,
        plannedAt: now,
        nextAt: now,
      });
      const schedule = (local: LocalPlan | null) =>
        repository.schedule(sandbox, idAt(now), campaign, notification, { dueAt: now, local }, now);
      const waiting = Effect.map(repository.waiting(sandbox, campaign, now), (sends) =>
        sends.map((send) => [send.id, send.late]),
      );
      yield* schedule(plan("skip"));
      assert.deepStrictEqual(yield* waiting, [[id, "skip"]]);
      yield* schedule(plan("skip"));
      assert.deepStrictEqual(yield* waiting, [[id, "skip"]]);
      yield* schedule(plan("send"));
      assert.deepStrictEqual(yield* waiting, [[id, "send"]]);
      // It is due by its parts: a pause ends it only once one has run.
      yield* repository.skip(sandbox, campaign, now + minute);
      assert.deepStrictEqual(yield* waiting, [[id, "send"]]);
      yield* schedule(null);
      yield* repository.skip(sandbox, campaign, now + minute);
      assert.isEmpty(yield* waiting);
    }),
  );
});
