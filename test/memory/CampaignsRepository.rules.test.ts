import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TimeOfDay } from "../../src/time/LocalTime.ts";
import { CampaignsRepository } from "../../src/campaigns/CampaignsRepository.ts";
import { CampaignTargetingRepository } from "../../src/campaigns/CampaignTargetingRepository.ts";
import { ContentsRepository } from "../../src/notifications/ContentsRepository.ts";
import { NotificationsRepository } from "../../src/notifications/NotificationsRepository.ts";
import { CampaignId, idAt } from "../../src/wire/Ids.ts";
import { attach, atTime, insertNotification, onEnter } from "../notifications/StoredNotifications.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { TestRows } from "../TestRows.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { campaignValues, insertCampaign } from "../campaigns/StoredCampaigns.ts";

const minute = 60_000;
const newestFirst = { before: null, limit: 10 };

layer(TestRepositories.layer)("CampaignsRepository", (it) => {
  it.effect("an inserted campaign is found with its dates, its cap and empty targeting", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { sandbox } = yield* newTenants;
      const quietHours = {
        from: TimeOfDay.make("22:00"),
        to: TimeOfDay.make("07:00"),
        action: "drop" as const,
      };
      const goal = { type: "visit" as const, within_hours: 72, location_ids: [idAt(now)] };
      const values = {
        frequencyCapCount: 2,
        frequencyCapPeriod: "week" as const,
        capBy: "user" as const,
        quietHours,
        cooldownMinutes: 90,
        maxPerMinute: 6_000,
        holdoutPercent: 12.25,
        goal,
        endsAt: now + 180 * minute,
      };
      const id = yield* insertCampaign(sandbox, { ...values, name: "Opening" });
      const found = yield* repository.find(sandbox, id, now);
      const { key, ...campaign } = found ?? assert.fail("The campaign is not found.");
      assert.isAbove(key, 0);
      assert.deepStrictEqual(campaign, {
        id,
        name: "Opening",
        type: "geo",
        status: "scheduled",
        starts_at: "2026-11-21T13:00:00+00:00",
        ends_at: "2026-11-21T15:00:00+00:00",
        timezone: campaignValues.timezone,
        recurrence: null,
        paused: false,
        published_at: "2026-11-21T12:00:00+00:00",
        archived: false,
        frequency_cap_count: 2,
        frequency_cap_period: "week",
        cap_by: "user",
        quiet_hours: quietHours,
        cooldown_minutes: 90,
        max_per_minute: 6_000,
        holdout_percent: 12.25,
        goal,
        targeting: { location_ids: [], location_group_ids: [], segmentation_ids: [], segment_match: null },
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:00:00+00:00",
        startsAtMs: campaignValues.startsAt,
        endsAtMs: now + 180 * minute,
        writtenEndMs: null,
      });
    }),
  );

  it.effect("a campaign is found in its own environment only", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { production, sandbox } = yield* newTenants;
      const stranger = (yield* newTenants).sandbox;
      const id = yield* insertCampaign(sandbox, { name: "Own" });
      for (const tenant of [production, stranger]) {
        assert.isNull(yield* repository.find(tenant, id, now));
        assert.isEmpty(yield* repository.page(tenant, newestFirst, {}, now));
        assert.isFalse(yield* repository.isNameTaken(tenant, "Own", null));
        assert.strictEqual(yield* repository.countLimited(tenant, null, now), 0);
        assert.isFalse(yield* repository.setPaused(tenant, id, true, now));
        yield* repository.update(tenant, id, { ...campaignValues, name: "Stolen" }, now);
        yield* repository.delete(tenant, id);
      }
      assert.strictEqual((yield* repository.find(sandbox, id, now))?.name, "Own");
      assert.isNull(yield* repository.find(sandbox, CampaignId(idAt(now)), now));
    }),
  );

  it.effect("the status of a found or listed campaign is computed for the given instant", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { sandbox } = yield* newTenants;
      const { startsAt } = campaignValues;
      const id = yield* insertCampaign(sandbox, { endsAt: startsAt + minute });
      const statuses = (at: number) =>
        Effect.gen(function* () {
          const [listed] = yield* repository.page(sandbox, newestFirst, {}, at);
          return [(yield* repository.find(sandbox, id, at))?.status, listed?.status];
        });
      assert.deepStrictEqual(yield* statuses(startsAt - 1), ["scheduled", "scheduled"]);
      assert.deepStrictEqual(yield* statuses(startsAt), ["active", "active"]);
      assert.deepStrictEqual(yield* statuses(startsAt + minute + 1), ["ended", "ended"]);
      yield* repository.setPaused(sandbox, id, true, now);
      assert.deepStrictEqual(yield* statuses(startsAt), ["paused", "paused"]);
    }),
  );

  it.effect("pages are newest first, continue behind the position and can start at an update", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { sandbox } = yield* newTenants;
      const oldest = yield* insertCampaign(sandbox, {}, now);
      const ids = [
        yield* insertCampaign(sandbox, {}, now + 2),
        yield* insertCampaign(sandbox, {}, now + 1),
        oldest,
      ];
      const page = (before: string | null, limit: number, since: number | null) =>
        Effect.map(repository.page(sandbox, { before, limit }, { updatedSince: since }, now), (rows) =>
          rows.map(({ id }) => id),
        );
      assert.deepStrictEqual(yield* page(null, 2, null), ids.slice(0, 2));
      assert.deepStrictEqual(yield* page(ids[1] ?? "", 2, null), ids.slice(2));
      assert.deepStrictEqual(yield* page(null, 9, now + 1), ids.slice(0, 2));
      yield* repository.update(sandbox, oldest, { ...campaignValues, name: "Changed" }, now + minute);
      assert.deepStrictEqual(yield* page(null, 9, now + minute), ids.slice(2));
    }),
  );

  it.effect("an update replaces every value and keeps the key, the pause and the creation", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertCampaign(sandbox, { frequencyCapCount: 1, frequencyCapPeriod: "day" });
      yield* repository.setPaused(sandbox, id, true, now);
      const before = yield* repository.find(sandbox, id, now);
      const values = { ...campaignValues, name: "Push", type: "push" as const, endsAt: now + 99 * minute };
      yield* repository.update(sandbox, id, values, now + minute);
      const after = yield* repository.find(sandbox, id, now);
      assert.deepStrictEqual(after && [after.name, after.type, after.endsAtMs], [
        "Push",
        "push",
        now + 99 * minute,
      ]);
      assert.deepStrictEqual([after?.frequency_cap_count, after?.frequency_cap_period], [null, null]);
      assert.deepStrictEqual([after?.key, after?.paused], [before?.key, true]);
      assert.strictEqual(after?.created_at, "2026-11-21T12:00:00+00:00");
      assert.strictEqual(after?.updated_at, "2026-11-21T12:01:00+00:00");
    }),
  );

  it.effect("a name is taken by another campaign, not by the excepted one", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertCampaign(sandbox, { name: "Opening" });
      assert.isTrue(yield* repository.isNameTaken(sandbox, "Opening", null));
      assert.isFalse(yield* repository.isNameTaken(sandbox, "Opening", id));
      assert.isFalse(yield* repository.isNameTaken(sandbox, "opening", null));
    }),
  );

  it.effect("the limit counts campaigns until their last moment, paused ones in Production only", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { production, sandbox } = yield* newTenants;
      const endsAt = campaignValues.startsAt + minute;
      const counts = [];
      for (const tenant of [sandbox, production]) {
        const kept = yield* insertCampaign(tenant);
        yield* insertCampaign(tenant, { endsAt });
        const paused = yield* insertCampaign(tenant);
        yield* repository.setPaused(tenant, paused, true, now);
        counts.push([
          yield* repository.countLimited(tenant, null, endsAt),
          yield* repository.countLimited(tenant, null, endsAt + 1),
          yield* repository.countLimited(tenant, kept, endsAt),
        ]);
      }
      assert.deepStrictEqual(counts, [
        [2, 1, 1],
        [3, 2, 2],
      ]);
    }),
  );

  it.effect("a pause that changes nothing keeps the date of the update", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertCampaign(sandbox);
      assert.isFalse(yield* repository.setPaused(sandbox, id, false, now + minute));
      assert.strictEqual((yield* repository.find(sandbox, id, now))?.updated_at, "2026-11-21T12:00:00+00:00");
      assert.isTrue(yield* repository.setPaused(sandbox, id, true, now + minute));
      assert.isFalse(yield* repository.setPaused(sandbox, id, true, now + 2 * minute));
      assert.strictEqual((yield* repository.find(sandbox, id, now))?.updated_at, "2026-11-21T12:01:00+00:00");
    }),
  );

  it.effect(
    "attached notifications come in the order of attaching, with their windows and sending times",
    () =>
      Effect.gen(function* () {
        const repository = yield* CampaignsRepository;
        const { sandbox } = yield* newTenants;
        const id = yield* insertCampaign(sandbox);
        const elsewhere = yield* insertCampaign(sandbox);
        const [first, second] = [
          yield* insertNotification(sandbox, "A"),
          yield* insertNotification(sandbox, "B"),
        ];
        yield* attach(sandbox, id, second, { ...onEnter, startsAt: now, endsAt: now + minute }, now);
        yield* attach(sandbox, id, first, atTime("09:30"), now + 1);
        yield* attach(sandbox, elsewhere, first, onEnter, now);
        assert.deepStrictEqual(yield* repository.attached(sandbox, id), [
          { name: "B", sendAt: null, late: null, windowStart: now, windowEnd: now + minute },
          { name: "A", sendAt: atTime("09:30").sendAt, late: null, windowStart: null, windowEnd: null },
        ]);
      }),
  );

  it.effect("only the notifications that are on no other campaign are deleted with a campaign", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const contents = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const [id, elsewhere] = [yield* insertCampaign(sandbox), yield* insertCampaign(sandbox)];
      const [own, shared] = [yield* insertNotification(sandbox), yield* insertNotification(sandbox)];
      const unused = yield* insertNotification(sandbox);
      const others = yield* insertNotification(sandbox);
      yield* attach(sandbox, id, own);
      for (const campaign of [id, elsewhere]) yield* attach(sandbox, campaign, shared);
      yield* attach(sandbox, elsewhere, others);
      yield* repository.deleteOwnNotifications(sandbox, id);
      assert.isNull(yield* contents.find(sandbox, own));
      assert.lengthOf(yield* repository.attached(sandbox, id), 1);
      for (const kept of [shared, unused, others]) assert.isNotNull(yield* contents.find(sandbox, kept));
    }),
  );

  it.effect("a deleted campaign is gone with its targeting and its attachments", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const { sandbox } = yield* newTenants;
      const [id, kept] = [yield* insertCampaign(sandbox, { name: "Gone" }), yield* insertCampaign(sandbox)];
      const notification = yield* insertNotification(sandbox);
      for (const campaign of [id, kept]) yield* attach(sandbox, campaign, notification);
      yield* repository.delete(sandbox, id);
      yield* repository.delete(sandbox, id);
      assert.isNull(yield* repository.find(sandbox, id, now));
      assert.isFalse(yield* repository.isNameTaken(sandbox, "Gone", null));
      assert.strictEqual(yield* (yield* NotificationsRepository).count(sandbox, id), 0);
      const content = yield* (yield* ContentsRepository).find(sandbox, notification);
      assert.deepStrictEqual(content?.campaign_ids, [kept]);
    }),
  );

  it.effect("a deleted location is gone from the targeting of a campaign", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsRepository;
      const rows = yield* TestRows;
      const { sandbox } = yield* newTenants;
      const id = yield* insertCampaign(sandbox);
      const [first, second] = [
        yield* rows.insertTarget("location", sandbox, "A"),
        yield* rows.insertTarget("location", sandbox, "B"),
      ];
      const targeting = { locationIds: [second, first], groupIds: [], segmentIds: [] };
      yield* (yield* CampaignTargetingRepository).replace(sandbox, id, targeting);
      const locationIds = Effect.map(
        repository.find(sandbox, id, now),
        (found) => found?.targeting.location_ids,
      );
      assert.deepStrictEqual(yield* locationIds, [second, first]);
      yield* rows.deleteTarget("location", second);
      assert.deepStrictEqual(yield* locationIds, [first]);
    }),
  );
});
