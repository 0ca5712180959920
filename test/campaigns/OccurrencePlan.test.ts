import { assert, describe, it } from "vitest";
import {
  changesOf,
  comingSends,
  nextPlanning,
  type OccurrenceSend,
  type SendTime,
  type WaitingOccurrence,
} from "../../src/campaigns/recurrence/OccurrencePlan.ts";
import type { RecurringDates } from "../../src/campaigns/recurrence/Occurrences.ts";
import { dateAt, dayEnd, instantAt, type LocalDate, type TimeOfDay } from "../../src/time/LocalTime.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";
import type { NotificationId } from "../../src/wire/Ids.ts";
import { someOf } from "../FixedSeed.ts";

const at = (text: string) => Date.parse(text);
const date = (text: string) => text as LocalDate;
const time = (sendAt: string, late: SendTime["late"] = null, notificationId = "note"): SendTime => ({
  notificationId: notificationId as NotificationId,
  sendAt: sendAt as TimeOfDay,
  late,
});

const amsterdam = "Europe/Amsterdam" as TimeZoneName;

/** A campaign in Amsterdam that recurs from 2026-11-23, a Monday, on. */
const dates = (rule: string, more: Partial<RecurringDates> = {}): RecurringDates => ({
  timezone: amsterdam,
  startsAt: at("2026-11-22T23:00Z"),
  endsAt: null,
  recurrence: { rule, except: [] },
  ...more,
});

const stored = (send: OccurrenceSend, index: number): WaitingOccurrence => ({
  id: `send ${index}`,
  notificationId: send.notificationId,
  occurrence: send.occurrence,
  dueAt: send.dueAt,
  localAt: send.local?.localAt ?? null,
  late: send.local?.late ?? null,
});

const datesOf = (sends: ReadonlyArray<{ readonly occurrence: LocalDate }>) =>
  sends.map(({ occurrence }) => occurrence.slice(5)).join(" ");

/** The sends after planning at an instant, with what the plan did. */
const planned = (
  campaign: RecurringDates,
  times: ReadonlyArray<SendTime>,
  now: string,
  waiting: ReadonlyArray<WaitingOccurrence> = [],
) => changesOf(campaign, times, waiting, at(now));

describe("the plan of a recurring campaign", () => {
  it("has the dates until 35 days from today in the campaign's zone, each at its time (V2.2, Z23)", () => {
    // 23:30 UTC is already the 24th in Amsterdam.
    const { added } = planned(dates("FREQ=WEEKLY;BYDAY=TU,SA"), [time("09:00")], "2026-11-23T23:30Z");
    assert.strictEqual(datesOf(added), "11-24 11-28 12-01 12-05 12-08 12-12 12-15 12-19 12-22 12-26 12-29");
    assert.deepStrictEqual(
      added.map(({ dueAt }) => new Date(dueAt).toISOString().slice(11, 16)),
      added.map(() => "08:00"),
    );
    const last = planned(dates("FREQ=DAILY"), [time("09:00")], "2026-11-23T23:30Z").added.at(-1);
    assert.strictEqual(last?.occurrence, "2026-12-29");
  });

  it("has no date before the first, no excepted one, and today only if its time is to come (Z20)", () => {
    const campaign = dates("FREQ=DAILY;COUNT=4", {
      recurrence: { rule: "FREQ=DAILY;COUNT=4", except: [date("2026-11-24"), date("2026-12-31")] },
    });
    const dated = (now: string) => datesOf(planned(campaign, [time("09:00")], now).added);
    assert.strictEqual(dated("2026-11-20T12:00Z"), "11-23 11-25 11-26");
    assert.strictEqual(dated("2026-11-23T07:59:59Z"), "11-23 11-25 11-26");
    assert.strictEqual(dated("2026-11-23T08:00Z"), "11-25 11-26");
    assert.strictEqual(
      datesOf(planned(dates("FREQ=WEEKLY;BYDAY=WE"), [time("09:00")], "2026-11-20T12:00Z").added).slice(0, 5),
      "11-25",
    );
  });

  it("keeps what stays, moves what has another time, and drops what the rule lacks (V2.3, Z23)", () => {
    const now = "2026-11-23T08:30Z";
    const before = planned(dates("FREQ=DAILY;COUNT=5"), [time("09:00")], "2026-11-20T12:00Z").added.map(
      stored,
    );
    assert.deepStrictEqual(planned(dates("FREQ=DAILY;COUNT=5"), [time("09:00")], now, before), {
      removed: [],
      moved: [],
      added: [],
    });
    const later = planned(dates("FREQ=DAILY;COUNT=5"), [time("10:00")], now, before);
    assert.deepStrictEqual(
      [later.removed, later.moved.map(({ id }) => id), later.added],
      [[], before.map(({ id }) => id), []],
    );
    // 09:15 has passed today: what has not begun there does not begin any more.
    const passed = planned(dates("FREQ=DAILY;COUNT=5"), [time("09:15")], now, before);
    assert.deepStrictEqual([passed.removed, datesOf(passed.moved)], [["send 0"], "11-24 11-25 11-26 11-27"]);
    const other = planned(dates("FREQ=WEEKLY;BYDAY=WE,SA;COUNT=2"), [time("09:00")], now, before);
    assert.deepStrictEqual(
      [other.removed, other.moved, datesOf(other.added)],
      [["send 0", "send 1", "send 3", "send 4"], [], "11-28"],
    );
    assert.deepStrictEqual(planned(dates("FREQ=DAILY"), [], now, before).removed.length, 5);
  });

  it("has the sends of each notification, local ones while the day lasts somewhere (P3)", () => {
    const times = [time("09:00"), time("20:00", "skip", "local")];
    const campaign = dates("FREQ=DAILY;COUNT=2");
    const { added } = planned(campaign, times, "2026-11-23T22:00Z");
    assert.deepStrictEqual(
      added.map(({ local, notificationId, occurrence }) => [
        occurrence,
        notificationId,
        local?.localAt ?? null,
      ]),
      [
        ["2026-11-23", "local", "2026-11-23 20:00"],
        ["2026-11-24", "note", null],
        ["2026-11-24", "local", "2026-11-24 20:00"],
      ],
    );
    const before = added.map(stored);
    // The due time of a local send is that of its next part.
    const running = before.map((send) => ({ ...send, dueAt: send.localAt === null ? send.dueAt : 0 }));
    const same = planned(campaign, times, "2026-11-23T22:30Z", running);
    assert.deepStrictEqual([same.removed, same.moved, same.added], [[], [], []]);
    const chosen = planned(
      campaign,
      [times[0] as SendTime, time("20:00", "send", "local")],
      "2026-11-23T22:30Z",
      before,
    );
    assert.strictEqual(datesOf(chosen.moved), "11-23 11-24");
  });

  it("has more dates as days pass, over an outage too, and ends with the last date (V2.2)", () => {
    const campaign = dates("FREQ=DAILY");
    const now = at("2026-11-23T12:00Z");
    const next = nextPlanning(campaign, now);
    assert.strictEqual(next, at("2026-11-23T23:00Z"));
    const coming = (until: string) => comingSends(campaign, [time("09:00")], next ?? 0, at(until));
    assert.strictEqual(datesOf(coming("2026-11-23T23:00Z")), "12-29");
    assert.strictEqual(datesOf(coming("2026-11-26T12:00Z")), "12-29 12-30 12-31");
    assert.lengthOf(coming("2027-11-23T12:00Z"), 365);
    const ending = (day: string) =>
      nextPlanning(dates("FREQ=DAILY", { endsAt: dayEnd(amsterdam, date(day)) }), now);
    assert.isNull(ending("2026-12-28"));
    assert.strictEqual(ending("2026-12-29"), next);
    assert.isNull(nextPlanning(dates("FREQ=DAILY", { recurrence: null }), now));
  });

  it("plans every date of a year once, at its minute, in every time zone (V2.1, E1)", () => {
    const sendTimes = ["00:00", "02:30", "09:00", "23:59"].map((sendAt) => time(sendAt, null, sendAt));
    const zones = Intl.supportedValuesOf("timeZone").map((name) => name as TimeZoneName);
    for (const zone of someOf(zones, 0)) {
      const start = at("2025-12-31T12:00Z");
      const startsAt = instantAt(zone, date("2026-01-02"), "00:00" as TimeOfDay);
      const campaign = dates("FREQ=DAILY", { timezone: zone, startsAt });
      const sends = [...changesOf(campaign, sendTimes, [], start).added];
      let next = nextPlanning(campaign, start);
      for (let now = start; now <= at("2026-12-01T12:00Z"); now += 3_600_000)
        if (next !== null && now >= next) {
          sends.push(...comingSends(campaign, sendTimes, next, now));
          next = nextPlanning(campaign, now);
        }
      const ofYear = sends.filter(({ occurrence }) => occurrence < "2027-01-01");
      const keys = new Set(ofYear.map(({ notificationId, occurrence }) => `${occurrence} ${notificationId}`));
      assert.deepStrictEqual([ofYear.length, keys.size], [364 * 4, 364 * 4], zone);
      for (const { dueAt, notificationId, occurrence } of ofYear) {
        const expected = instantAt(zone, occurrence, notificationId as string as TimeOfDay);
        assert.strictEqual(dueAt, expected, `${zone} ${occurrence}`);
        // Only a gap around midnight moves a time to another day.
        if (notificationId !== "23:59" && notificationId !== "00:00")
          assert.strictEqual(dateAt(zone, dueAt), occurrence, zone);
      }
    }
  });
});
