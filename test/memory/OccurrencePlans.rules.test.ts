import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import type { OccurrenceSend } from "../../src/campaigns/recurrence/OccurrencePlan.ts";
import { newOccurrence, SendPlanRepository } from "../../src/campaigns/SendPlanRepository.ts";
import type { LocalDate } from "../../src/time/LocalTime.ts";
import type { CampaignId, NotificationId } from "../../src/wire/Ids.ts";
import { insertCampaign } from "../campaigns/StoredCampaigns.ts";
import { attach, atTime, insertNotification } from "../notifications/StoredNotifications.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { TestRepositories } from "./TestRepositories.ts";

const minute = 60_000;
const dates = ["2026-11-22", "2026-11-23", "2026-11-24"].map((date) => date as LocalDate);

layer(TestRepositories.layer)("Sends of dates in SendPlanRepository", (it) => {
  /** A recurring campaign with a notification at 15:00, and a send of each date. */
  const newPlan = Effect.gen(function* () {
    const repository = yield* SendPlanRepository;
    const { production, sandbox } = yield* newTenants;
    const recurrence = { rule: "FREQ=DAILY", except: [] };
    const campaign = yield* insertCampaign(sandbox, { type: "push", recurrence });
    const notification = yield* insertNotification(sandbox);
    yield* attach(sandbox, campaign, notification, atTime("15:00"));
    const sendOf = (occurrence: LocalDate, dueAt = now): OccurrenceSend => ({
      notificationId: notification,
      occurrence,
      dueAt,
      local: null,
    });
    const add = (to: CampaignId, of: ReadonlyArray<LocalDate>) =>
      repository.addOccurrences(of.map((date) => newOccurrence(sandbox, to, sendOf(date), now)));
    yield* add(campaign, dates);
    const waiting = Effect.map(repository.waitingOccurrences(sandbox, campaign), (sends) =>
      sends.toSorted((a, b) => (a.occurrence < b.occurrence ? -1 : 1)),
    );
    const shown = Effect.map(waiting, (sends) => sends.map(({ occurrence }) => occurrence));
    return { repository, production, sandbox, campaign, notification, add, sendOf, shown, waiting };
  });

  const plain = (notification: NotificationId) => (send: { readonly notificationId: string }) =>
    send.notificationId === notification;

  it.effect(
    "a date and notification has one send, also if it is added twice, until it is cancelled (V2.1)",
    () =>
      Effect.gen(function* () {
        const { add, campaign, notification, repository, sandbox, shown, waiting } = yield* newPlan;
        const before = yield* waiting;
        yield* add(campaign, dates);
        assert.deepStrictEqual(yield* waiting, before);
        yield* repository.cancel(sandbox, campaign, notification, now);
        assert.isEmpty(yield* shown);
        yield* add(campaign, dates);
        assert.deepStrictEqual(yield* shown, dates);
      }),
  );

  it.effect("sends of dates are removed and moved by their ids, in their own environment (Z23)", () =>
    Effect.gen(function* () {
      const { production, repository, sandbox, sendOf, shown, waiting } = yield* newPlan;
      const [first, second] = yield* waiting;
      const ids = [first?.id ?? "", second?.id ?? ""] as const;
      const moved = [{ ...sendOf(dates[1] as LocalDate, now + minute), id: ids[1] }];
      yield* repository.moveOccurrences(production, [ids[0]], moved);
      assert.deepStrictEqual(yield* shown, dates);
      yield* repository.moveOccurrences(sandbox, [ids[0]], moved);
      assert.deepStrictEqual(
        (yield* waiting).map(({ dueAt, id, occurrence }) => [id === ids[1], occurrence, dueAt]),
        [
          [true, dates[1], now + minute],
          [false, dates[2], now],
        ],
      );
    }),
  );

  it.effect("the send of one date becomes that of a campaign of one day, and back (Z21, Z23)", () =>
    Effect.gen(function* () {
      const { campaign, notification, repository, sandbox, shown, waiting } = yield* newPlan;
      const kept = (yield* waiting)[1];
      yield* repository.dropOccurrences(sandbox, campaign, dates[1] as LocalDate);
      assert.isEmpty(yield* shown);
      const left = yield* repository.waiting(sandbox, campaign, now - 1);
      assert.deepStrictEqual(
        left.filter(plain(notification)).map(({ id }) => id),
        [kept?.id],
      );
      yield* repository.makeOccurrences(sandbox, campaign, dates[1] as LocalDate);
      assert.deepStrictEqual(yield* waiting, [kept]);
    }),
  );

  it.effect("a send of one day goes if its date has one already (V2.1)", () =>
    Effect.gen(function* () {
      const { add, campaign, repository, sandbox, shown } = yield* newPlan;
      yield* repository.dropOccurrences(sandbox, campaign, dates[0] as LocalDate);
      yield* add(campaign, dates.slice(0, 1));
      assert.lengthOf(yield* repository.waiting(sandbox, campaign, now - 1), 2);
      yield* repository.makeOccurrences(sandbox, campaign, dates[0] as LocalDate);
      assert.deepStrictEqual(yield* shown, dates.slice(0, 1));
      assert.lengthOf(yield* repository.waiting(sandbox, campaign, now - 1), 1);
    }),
  );

  it.effect("the sending times of campaigns come in the order of attachment, without those of others", () =>
    Effect.gen(function* () {
      const { campaign, notification, production, repository, sandbox } = yield* newPlan;
      const [time] = yield* repository.times([{ ...sandbox, campaignId: campaign }]);
      assert.deepStrictEqual(time, {
        campaignId: campaign,
        notificationId: notification,
        sendAt: atTime("15:00").sendAt ?? assert.fail("There is no time."),
        late: null,
      });
      assert.isEmpty(yield* repository.times([{ ...production, campaignId: campaign }]));
    }),
  );
});
