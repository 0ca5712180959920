import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SendPlanRepository } from "../../src/campaigns/SendPlanRepository.ts";
import { NotificationsRepository } from "../../src/notifications/NotificationsRepository.ts";
import { TimeOfDay } from "../../src/time/LocalTime.ts";
import { type CampaignId, idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { attach, atTime, insertNotification } from "../notifications/StoredNotifications.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { TestRows } from "../TestRows.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { insertCampaign } from "../campaigns/StoredCampaigns.ts";

const minute = 60_000;

/** A push campaign with a notification at 15:00. */
const newPair = (tenant: Tenant) =>
  Effect.gen(function* () {
    const campaign = yield* insertCampaign(tenant, { type: "push", endsAt: now + 600 * minute });
    const notification = yield* insertNotification(tenant);
    yield* attach(tenant, campaign, notification, atTime("15:00"));
    return { campaign, notification };
  });

/** Schedules a send of a new notification on a new campaign. */
const newSend = (tenant: Tenant, dueAt: number) =>
  Effect.gen(function* () {
    const { campaign, notification } = yield* newPair(tenant);
    const id = idAt(now);
    yield* (yield* SendPlanRepository).schedule(
      tenant,
      id,
      campaign,
      notification,
      { dueAt, local: null },
      now,
    );
    return { campaign, notification, id };
  });

layer(TestRepositories.layer)("SendPlanRepository", (it) => {
  it.effect("a scheduled send waits until it is due, with the time of day of its notification", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, id, notification } = yield* newSend(sandbox, now + minute);
      const sendAt = TimeOfDay.make("15:00");
      const expected = [{ id, notificationId: notification, sendAt, late: null }];
      assert.deepStrictEqual(yield* repository.waiting(sandbox, campaign, now), expected);
      assert.isEmpty(yield* repository.waiting(sandbox, campaign, now + minute));
    }),
  );

  it.effect("scheduling again moves the scheduled send and keeps its id", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, id, notification } = yield* newSend(sandbox, now + minute);
      yield* repository.schedule(
        sandbox,
        idAt(now),
        campaign,
        notification,
        { dueAt: now + 5 * minute, local: null },
        now,
      );
      const waiting = yield* repository.waiting(sandbox, campaign, now + 4 * minute);
      assert.deepStrictEqual(
        waiting.map((send) => send.id),
        [id],
      );
    }),
  );

  it.effect("scheduling after a send was cancelled inserts a new one", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, notification } = yield* newSend(sandbox, now + minute);
      yield* repository.cancel(sandbox, campaign, notification, now);
      const id = idAt(now);
      yield* repository.schedule(
        sandbox,
        id,
        campaign,
        notification,
        { dueAt: now + minute, local: null },
        now,
      );
      const waiting = yield* repository.waiting(sandbox, campaign, now);
      assert.deepStrictEqual(
        waiting.map((send) => send.id),
        [id],
      );
    }),
  );

  it.effect("nothing is scheduled for a campaign or notification of another environment", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { production, sandbox } = yield* newTenants;
      const own = yield* newPair(sandbox);
      const foreign = yield* newPair(production);
      for (const [campaign, notification] of [
        [foreign.campaign, own.notification],
        [own.campaign, foreign.notification],
        [foreign.campaign, foreign.notification],
      ] as const) {
        yield* repository.schedule(
          sandbox,
          idAt(now),
          campaign,
          notification,
          { dueAt: now + minute, local: null },
          now,
        );
        assert.isEmpty(yield* repository.waiting(sandbox, campaign, now));
      }
    }),
  );

  it.effect("a send of a notification without a sending time, or off the campaign, does not wait", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, notification } = yield* newSend(sandbox, now + minute);
      yield* (yield* NotificationsRepository).detach(sandbox, campaign, notification);
      assert.isEmpty(yield* repository.waiting(sandbox, campaign, now));
      yield* attach(sandbox, campaign, notification);
      assert.isEmpty(yield* repository.waiting(sandbox, campaign, now));
    }),
  );

  it.effect("sends move to their new instants in order, unless they are of another environment", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { production, sandbox } = yield* newTenants;
      const sends = [yield* newSend(sandbox, now + minute), yield* newSend(sandbox, now + minute)];
      const ids = sends.map(({ id }) => id);
      const isWaiting = (at: number) =>
        Effect.forEach(sends, ({ campaign }) =>
          Effect.map(repository.waiting(sandbox, campaign, at), (waiting) => waiting.length === 1),
        );
      yield* repository.move(sandbox, ids, [now + 3 * minute, now + 6 * minute]);
      assert.deepStrictEqual(yield* isWaiting(now + 3 * minute - 1), [true, true]);
      assert.deepStrictEqual(yield* isWaiting(now + 3 * minute), [false, true]);
      yield* repository.move(production, ids, [now + 9 * minute, now + 9 * minute]);
      assert.deepStrictEqual(yield* isWaiting(now + 6 * minute), [false, false]);
    }),
  );

  it.effect("a cancelled send does not move", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, id } = yield* newSend(sandbox, now + minute);
      yield* repository.cancel(sandbox, campaign, null, now);
      yield* repository.move(sandbox, [id], [now + 3 * minute]);
      assert.isEmpty(yield* repository.waiting(sandbox, campaign, now));
    }),
  );

  it.effect("skipping ends sends that are due and keeps those that are not", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { sandbox } = yield* newTenants;
      const [due, ahead] = [yield* newSend(sandbox, now), yield* newSend(sandbox, now + 1)];
      const scheduled = (campaign: CampaignId) => repository.waiting(sandbox, campaign, 0);
      for (const { campaign } of [due, ahead]) {
        assert.lengthOf(yield* scheduled(campaign), 1);
        assert.isEmpty(yield* repository.skip(sandbox, campaign, now));
      }
      assert.isEmpty(yield* scheduled(due.campaign));
      assert.lengthOf(yield* scheduled(ahead.campaign), 1);
    }),
  );

  it.effect("skipping or cancelling a running send gives its source id once", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const rows = yield* TestRows;
      const { sandbox } = yield* newTenants;
      const [first, second] = [yield* newSend(sandbox, now), yield* newSend(sandbox, now)];
      const [skipped, cancelled] = [
        yield* rows.startSend(sandbox, first.id),
        yield* rows.startSend(sandbox, second.id),
      ];
      assert.deepStrictEqual(yield* repository.skip(sandbox, first.campaign, now), [skipped]);
      assert.isEmpty(yield* repository.skip(sandbox, first.campaign, now));
      const cancel = repository.cancel(sandbox, second.campaign, second.notification, now);
      assert.deepStrictEqual(yield* cancel, [cancelled]);
      assert.isEmpty(yield* cancel);
    }),
  );

  it.effect("cancelling ends the sends of one notification, or of all notifications of the campaign", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, id } = yield* newSend(sandbox, now + minute);
      const other = yield* insertNotification(sandbox);
      yield* attach(sandbox, campaign, other, atTime("16:00"));
      yield* repository.schedule(
        sandbox,
        idAt(now),
        campaign,
        other,
        { dueAt: now + minute, local: null },
        now,
      );
      const waiting = Effect.map(repository.waiting(sandbox, campaign, now), (sends) =>
        sends.map((send) => send.id),
      );
      assert.lengthOf(yield* waiting, 2);
      yield* repository.cancel(sandbox, campaign, other, now);
      assert.deepStrictEqual(yield* waiting, [id]);
      yield* repository.schedule(
        sandbox,
        idAt(now),
        campaign,
        other,
        { dueAt: now + minute, local: null },
        now,
      );
      yield* repository.cancel(sandbox, campaign, null, now);
      assert.isEmpty(yield* waiting);
    }),
  );

  it.effect("another environment ends no sends", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const rows = yield* TestRows;
      const { production, sandbox } = yield* newTenants;
      const waiting = yield* newSend(sandbox, now + minute);
      const started = yield* newSend(sandbox, now);
      const sourceId = yield* rows.startSend(sandbox, started.id);
      for (const { campaign } of [waiting, started]) {
        assert.isEmpty(yield* repository.skip(production, campaign, now + minute));
        assert.isEmpty(yield* repository.cancel(production, campaign, null, now));
      }
      assert.lengthOf(yield* repository.waiting(sandbox, waiting.campaign, now), 1);
      assert.deepStrictEqual(yield* repository.skip(sandbox, started.campaign, now), [sourceId]);
    }),
  );

  it.effect("the open batches of the given sends are deleted", () =>
    Effect.gen(function* () {
      const repository = yield* SendPlanRepository;
      const rows = yield* TestRows;
      const { production, sandbox } = yield* newTenants;
      const sends = [yield* newSend(sandbox, now), yield* newSend(sandbox, now)];
      const sourceIds = yield* Effect.forEach(sends, ({ id }) => rows.startSend(sandbox, id));
      const open = rows.openBatches(sourceIds);
      yield* repository.dropBatches(production, sourceIds);
      assert.deepStrictEqual(yield* open, sourceIds);
      yield* repository.dropBatches(sandbox, sourceIds.slice(0, 1));
      assert.deepStrictEqual(yield* open, sourceIds.slice(1));
    }),
  );
});
