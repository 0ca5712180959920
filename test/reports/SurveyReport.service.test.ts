import { assert, layer } from "@effect/vitest";
import { Effect, Schema } from "effect";
import fc from "fast-check";
import { TestClock } from "effect/testing";
import { ReportOf, SurveyRow } from "../../src/reports/Report.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { oneCampaign } from "../events/EventWorld.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import {
  campaign,
  type ContentType,
  devices,
  locations,
  notification,
  type PastCampaign,
  type Trigger,
} from "./ReportHistory.ts";
import { reporting } from "./Reporting.ts";
import { ReportOracle } from "./ReportOracle.ts";
import type { QueryParameters } from "./ReportOrder.ts";
import { expectedSurveys, respond } from "./SurveyHistory.ts";

const HOUR = 3_600_000;
const zone = "America/New_York";
const range = { start: "2026-10-22", end: "2026-11-21" };

const contentType = fc.constantFrom("message" as const, "survey" as const, "survey" as const);
const trigger = fc.constantFrom("on_enter" as const, "on_exit" as const, "fixed_time" as const);

/** A campaign with notifications of its own. */
type PastSurveyCampaign = Omit<PastCampaign, "notifications"> & {
  readonly notifications: ReadonlyArray<{ readonly type: ContentType; readonly trigger: Trigger }>;
};

/** The campaigns and their notifications; each notification is on one campaign. */
const withNotifications = (campaigns: ReadonlyArray<PastSurveyCampaign>) => {
  const all = campaigns.flatMap(({ notifications }, at) => notifications.map((each) => ({ ...each, at })));
  return {
    notifications: all.map(({ type }, index) => notification(`Notification ${index}`, { type })),
    campaigns: campaigns.map((each, at): PastCampaign => ({
      ...each,
      notifications: all.flatMap(({ at: on, trigger }, index) =>
        on === at ? [{ notification: index, trigger }] : [],
      ),
    })),
  };
};

const pastCampaign: fc.Arbitrary<Omit<PastSurveyCampaign, "name" | "deleted">> = fc.record({
  type: fc.constant("geo" as const),
  startsAt: fc.constantFrom(testStart - HOUR, testStart + HOUR),
  endsAt: fc.constantFrom(null, null, testStart - 1, testStart + 2 * HOUR),
  paused: fc.boolean(),
  locations: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 }),
  groups: fc.uniqueArray(fc.nat({ max: 1 }), { maxLength: 1 }),
  notifications: fc.array(fc.record({ type: contentType, trigger }), { maxLength: 3 }),
});

const past = fc.record({
  campaigns: fc.array(pastCampaign, { minLength: 4, maxLength: 6 }).map((list) =>
    list.map((each, at) => ({
      ...each,
      name: `Campaign ${at}`,
      deleted: false,
      startsAt: each.endsAt !== null && each.endsAt <= each.startsAt ? each.endsAt - HOUR : each.startsAt,
    })),
  ),
  responses: fc.array(
    fc.record({
      survey: fc.nat({ max: 7 }),
      device: fc.nat({ max: 4 }),
      // Quarters of an hour around both ends of the range.
      firstAt: fc
        .tuple(
          fc.constantFrom("2026-10-22T04:00:00Z", "2026-11-22T05:00:00Z"),
          fc.integer({ min: -8, max: 8 }),
        )
        .map(([border, quarters]) => Date.parse(border) + (quarters * HOUR) / 4),
    }),
    { minLength: 20, maxLength: 40 },
  ),
});

const decode = Schema.decodeUnknownSync(ReportOf(Schema.Array(SurveyRow)), {
  onExcessProperty: "error",
  errors: "all",
});

layer(TestWaypost.layer)("The survey report", (it) => {
  it.effect(
    "survey reports follow the rules (K2, K3.4, K9, reports.all, reports.campaign, reports.campaign_status)",
    () =>
      Effect.gen(function* () {
        let withResponses = 0;
        for (const { campaigns, responses } of fc.sample(past, { numRuns: 8, seed: 20_261_121 })) {
          const history = {
            devices: devices(5),
            locations: locations(3),
            groups: [{ members: [0, 1] }, { members: [2] }],
            ...withNotifications(campaigns),
            deliveries: [],
            events: [],
          };
          const { ids, sandbox, workspaceId } = yield* reporting(history, zone);
          const recorded = yield* respond(workspaceId, responses);
          const oracle = new ReportOracle(history, ids, zone, testStart);
          const filters: ReadonlyArray<Omit<QueryParameters, "start" | "end">> = [
            {},
            { campaign: ids.campaigns[0] ?? "" },
            { campaign: idAt(testStart) },
            { location: ids.locations[0] ?? "" },
            { location_group: ids.groups[1] ?? "" },
            { activation: "on_exit" },
            { activation: "fixed_time", content_type: "survey" },
            { campaign_status: "paused" },
            { content_type: "message" },
            { status: "active" },
            { status: "ended", activation: "on_enter" },
            { status: "paused", campaign_status: "active" },
          ];
          for (const filter of filters) {
            const query = { ...range, ...filter } as QueryParameters;
            const { status: _, ...campaignQuery } = query;
            const search = new URLSearchParams(query).toString();
            const { body } = yield* sandbox(`/reports/surveys?${search}`);
            const data = expectedSurveys(zone, query, oracle.campaigns(campaignQuery), recorded);
            assert.deepStrictEqual(body, { data, meta: { ...range, timezone: zone } }, search);
            withResponses += decode(body).data.filter((row) => row.responses > 0).length;
          }
        }
        // Zeros alone would prove nothing.
        assert.isAtLeast(withResponses, 100);
      }),
  );

  it.effect(
    "a device's response counts once for each campaign (K9, rows.shape, rows.survey, rows.surveys)",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(testStart);
        const { campaignId, location, notificationId, phone, production, sandbox } = yield* oneCampaign(
          { name: "Autumn" },
          { name: "Visit", type: "survey", questions: [{ question_text: "How was it?", type: "RATING" }] },
        );
        yield* production.notification(campaignId, { name: "No survey" });
        const rows = (search = "") =>
          Effect.map(production.platform(`/reports/surveys${search}`), ({ body }) => body.data);
        const sees = (device: typeof phone) =>
          Effect.map(device.sees("enter", location), ({ deliveries }) =>
            deliveries.find(({ type }) => type === "survey"),
          );
        const answer = (device: typeof phone, message: any, value: number) =>
          device.ask(`/messages/${message.id}/answers`, {
            body: { answers: [{ question_id: message.questions[0].id, value }] },
          });
        const message = yield* sees(phone);
        const [row] = yield* rows();
        assert.deepStrictEqual(row, {
          id: row.id,
          campaign_id: campaignId,
          campaign_name: "Autumn",
          survey_id: notificationId,
          survey_name: "Visit",
          trigger_type: "on_enter",
          questions: 1,
          responses: 0,
          status: "active",
        });
        assert.notInclude([campaignId, notificationId], row.id);
        yield* answer(phone, message, 1);
        const other = yield* production.phone();
        yield* answer(other, yield* sees(other), 9);
        yield* TestClock.setTime(testStart + 24 * HOUR);
        yield* answer(phone, message, 2);
        yield* answer(phone, yield* sees(phone), 3);
        yield* answer(other, yield* sees(other), 4);
        const counts = (search: string) =>
          Effect.map(rows(search), (data) => data.map(({ responses }: any) => responses));
        assert.deepStrictEqual(yield* counts(""), [2]);
        assert.deepStrictEqual(yield* counts("?start=2026-11-21&end=2026-11-21"), [1]);
        assert.deepStrictEqual(yield* counts("?start=2026-11-22&end=2026-11-22"), [1]);
        // The other environment shows nothing of it.
        assert.deepStrictEqual((yield* sandbox.platform("/reports/surveys")).body.data, []);
        assert.deepStrictEqual(
          (yield* sandbox.platform(`/reports/surveys?campaign=${campaignId}`)).body.data,
          [],
        );
      }),
  );

  it.effect(
    "a survey that was removed from its campaign, or whose campaign was deleted, has no row (K8.2)",
    () =>
      Effect.gen(function* () {
        const { sandbox, surveys, workspaceId } = yield* reporting({
          devices: devices(1),
          notifications: ["1", "2", "3"].map((name) => notification(name, { type: "survey" })),
          campaigns: [
            campaign("Gone", { deleted: true, notifications: [{ notification: 0, trigger: "on_enter" }] }),
            campaign("Here", {
              notifications: [
                { notification: 1, trigger: "on_enter" },
                { notification: 2, trigger: "on_enter" },
              ],
            }),
          ],
        });
        const recorded = yield* respond(workspaceId, [
          { survey: 0, device: 0, firstAt: testStart },
          { survey: 1, device: 0, firstAt: testStart },
        ]);
        const [first, second] = recorded.surveys;
        const removed = yield* sandbox(`/campaigns/${first?.campaign_id}/notifications/${first?.survey_id}`, {
          method: "DELETE",
        });
        assert.strictEqual(removed.status, 200, JSON.stringify(removed.body));
        assert.deepStrictEqual(
          (yield* surveys()).data.map((row: any) => [row.id, row.responses]),
          [[second?.id, 1]],
        );
      }),
  );

  it.effect(
    "wrong survey parameters are refused (reports.bad_date, reports.bad_id, reports.bad_word, rows.s_survey)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        for (const [search, field] of [
          ["status=unused", "status"],
          ["status=idle", "status"],
          ["campaign=x", "campaign"],
          ["start=2026-02-30", "start"],
        ] as const) {
          const { body, status } = yield* sandbox(`/reports/surveys?${search}`);
          assert.deepStrictEqual([status, body.error?.code], [422, "validation_failed"]);
          assert.deepStrictEqual(Object.keys(body.error.fields), [field]);
        }
        const none = yield* (yield* TestWaypost).tenant({ abilities: ["campaigns:read"] });
        assert.strictEqual((yield* none.sandbox("/reports/surveys")).status, 403);
        // It works in Production before the full API is enabled (B1).
        const early = yield* (yield* TestWaypost).tenant({ enabled: false });
        assert.deepStrictEqual((yield* early.production("/reports/surveys")).body.data, []);
      }),
  );
});
