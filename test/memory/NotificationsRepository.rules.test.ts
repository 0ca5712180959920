import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { ContentsRepository } from "../../src/notifications/ContentsRepository.ts";
import { NotificationsRepository } from "../../src/notifications/NotificationsRepository.ts";
import { idAt, NotificationId } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { campaignValues, insertCampaign } from "../campaigns/StoredCampaigns.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import {
  attach,
  atTime,
  insertNotification,
  messageContent,
  onEnter,
} from "../notifications/StoredNotifications.ts";

const minute = 60_000;

/** A campaign with one notification. */
const newPair = (tenant: Tenant, trigger = onEnter) =>
  Effect.gen(function* () {
    const campaign = yield* insertCampaign(tenant);
    const notification = yield* insertNotification(tenant);
    yield* attach(tenant, campaign, notification, trigger);
    return { campaign, notification };
  });

layer(TestRepositories.layer)("NotificationsRepository", (it) => {
  it.effect(
    "an attached notification is found with its content, its trigger and the dates of its campaign",
    () =>
      Effect.gen(function* () {
        const repository = yield* NotificationsRepository;
        const { sandbox } = yield* newTenants;
        const trigger = { ...onEnter, startsAt: now, endsAt: now + minute };
        const { campaign, notification } = yield* newPair(sandbox, trigger);
        assert.deepStrictEqual(yield* repository.find(sandbox, campaign, notification), {
          ...messageContent,
          id: notification,
          campaign_id: campaign,
          name: "Coffee",
          media: null,
          questions: null,
          trigger_type: "on_enter",
          send_at: null,
          send_late: null,
          dwell_minutes: null,
          max_silence_minutes: null,
          event: null,
          starts_at: "2026-11-21T12:00:00+00:00",
          ends_at: "2026-11-21T12:01:00+00:00",
          timezone: campaignValues.timezone,
          campaign_starts_ms: campaignValues.startsAt,
          campaign_recurs: false,
          created_at: "2026-11-21T12:00:00+00:00",
          updated_at: "2026-11-21T12:00:00+00:00",
        });
        assert.isNull(yield* repository.find(sandbox, campaign, NotificationId(idAt(now))));
        assert.isNull(yield* repository.find(sandbox, yield* insertCampaign(sandbox), notification));
      }),
  );

  it.effect("the notifications of a campaign come in the order of attaching", () =>
    Effect.gen(function* () {
      const repository = yield* NotificationsRepository;
      const { sandbox } = yield* newTenants;
      const campaign = yield* insertCampaign(sandbox);
      const [first, second] = [yield* insertNotification(sandbox), yield* insertNotification(sandbox)];
      yield* attach(sandbox, campaign, second, onEnter, now);
      yield* attach(sandbox, campaign, first, onEnter, now + 1);
      yield* newPair(sandbox);
      const list = yield* repository.list(sandbox, campaign);
      assert.deepStrictEqual(
        list.map(({ id }) => id),
        [second, first],
      );
      assert.deepStrictEqual(list[0], (yield* repository.find(sandbox, campaign, second)) ?? undefined);
      assert.strictEqual(yield* repository.count(sandbox, campaign), 2);
    }),
  );

  it.effect("a notification of a campaign is found in its own environment only", () =>
    Effect.gen(function* () {
      const repository = yield* NotificationsRepository;
      const { production, sandbox } = yield* newTenants;
      const stranger = (yield* newTenants).sandbox;
      const { campaign, notification } = yield* newPair(sandbox);
      for (const tenant of [production, stranger]) {
        assert.isNull(yield* repository.find(tenant, campaign, notification));
        assert.isEmpty(yield* repository.list(tenant, campaign));
        assert.strictEqual(yield* repository.count(tenant, campaign), 0);
        yield* repository.setTrigger(tenant, campaign, notification, atTime("10:00"), now);
        yield* repository.detach(tenant, campaign, notification);
      }
      const found = yield* repository.find(sandbox, campaign, notification);
      assert.strictEqual(found?.trigger_type, "on_enter");
    }),
  );

  it.effect("the update is that of the content or of the trigger, whichever is later", () =>
    Effect.gen(function* () {
      const repository = yield* NotificationsRepository;
      const contents = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, notification } = yield* newPair(sandbox);
      const updatedAt = Effect.map(
        repository.find(sandbox, campaign, notification),
        (found) => found?.updated_at,
      );
      yield* repository.setTrigger(
        sandbox,
        campaign,
        notification,
        { ...onEnter, type: "on_exit" },
        now + minute,
      );
      assert.strictEqual(yield* updatedAt, "2026-11-21T12:01:00+00:00");
      yield* contents.revise(sandbox, notification, "B", messageContent, now + 2 * minute);
      assert.strictEqual(yield* updatedAt, "2026-11-21T12:02:00+00:00");
    }),
  );

  it.effect("a trigger is replaced as a whole, and an equal one keeps the date of the update", () =>
    Effect.gen(function* () {
      const repository = yield* NotificationsRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, notification } = yield* newPair(sandbox, { ...onEnter, startsAt: now });
      const set = (trigger: typeof onEnter, at: number) =>
        Effect.gen(function* () {
          yield* repository.setTrigger(sandbox, campaign, notification, trigger, at);
          const found = yield* repository.find(sandbox, campaign, notification);
          return (
            found && [found.trigger_type, found.send_at, found.starts_at, found.updated_at.slice(14, 16)]
          );
        });
      assert.deepStrictEqual(yield* set({ ...onEnter, startsAt: now }, now + minute), [
        "on_enter",
        null,
        "2026-11-21T12:00:00+00:00",
        "00",
      ]);
      const timed = ["fixed_time", "10:00", null, "02"];
      assert.deepStrictEqual(yield* set(atTime("10:00"), now + 2 * minute), timed);
      assert.deepStrictEqual(yield* set(atTime("10:00"), now + 3 * minute), timed);
      assert.deepStrictEqual(yield* set(onEnter, now + 4 * minute), ["on_enter", null, null, "04"]);
    }),
  );

  it.effect("detaching takes a notification off one campaign and keeps its content", () =>
    Effect.gen(function* () {
      const repository = yield* NotificationsRepository;
      const { sandbox } = yield* newTenants;
      const { campaign, notification } = yield* newPair(sandbox);
      const other = yield* insertCampaign(sandbox);
      yield* attach(sandbox, other, notification);
      yield* repository.detach(sandbox, campaign, notification);
      assert.isNull(yield* repository.find(sandbox, campaign, notification));
      const content = yield* (yield* ContentsRepository).find(sandbox, notification);
      assert.deepStrictEqual(content?.campaign_ids, [other]);
      yield* attach(sandbox, campaign, notification);
      assert.strictEqual(yield* repository.count(sandbox, campaign), 1);
    }),
  );
});
