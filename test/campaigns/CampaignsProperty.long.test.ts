import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { TestClock } from "effect/testing";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import {
  CampaignOracle,
  type Draft,
  type Known,
  offsets,
  statusOf,
  type Verdict,
  write,
} from "./CampaignOracle.ts";
import { campaignWorld } from "./CampaignWorld.ts";
import fc from "fast-check";

const time = fc.constantFrom(null, null, "00:00", "10:30", "17:30", "23:59");
const written = fc.record({ day: fc.integer({ min: -1, max: 4 }), time });
const draft: fc.Arbitrary<Draft> = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "A"),
  type: fc.constantFrom("geo", "geo", "push"),
  timezone: fc.constantFrom(...(Object.keys(offsets) as Array<keyof typeof offsets>)),
  start: written,
  end: fc.option(written, { freq: 2 }),
  cap: fc.constantFrom(
    ...Array.from({ length: 6 }, () => ({ count: false, period: false })),
    { count: true, period: true },
    { count: true, period: false },
    { count: false, period: true },
  ),
});
const which = fc.nat({ max: 9 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("create" as const), draft }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("replace" as const), which, draft }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("resubmit" as const, "move" as const), which, draft }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("pause", "publish"), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 700 }) }),
  },
);

/** The limit of the plan. */
const most = 2;

const shown = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

layer(TestWaypost.layer)("Campaigns", (it) => {
  it.effect(
    "campaigns match a simple model of the rules after any sequence of changes " +
      "(E1, E2, E3.3, E8.1, E9.1, E12.2)",
    () =>
      Effect.gen(function* () {
        const outcomes = new Map<string, number>();
        const runs = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), {
          numRuns: 6,
          seed: 20_261_121,
        });
        for (const [run, steps] of runs.entries()) {
          const world = yield* campaignWorld({ plan: { max_campaigns: most } });
          const environment = run % 2 === 0 ? "sandbox" : "production";
          const ask = world[environment];
          const location = yield* world.location(environment);
          const oracle = new CampaignOracle(environment === "sandbox", most);
          const drafts = new Map<string, Draft>();
          const body = ({ cap, end, name, start, timezone, type }: Draft) => ({
            name,
            type,
            timezone,
            starts_at: write(start),
            ...(end === null ? {} : { ends_at: write(end) }),
            ...(cap.count ? { frequency_cap_count: 2 } : {}),
            ...(cap.period ? { frequency_cap_period: "day" } : {}),
            ...(type === "geo" ? { location_ids: [location] } : {}),
          });
          const assertShown = (data: any, is: Known, now: number) =>
            assert.deepInclude(data, {
              name: is.name,
              type: is.type,
              timezone: is.timezone,
              starts_at: shown(is.startsAt),
              ends_at: is.endsAt === null ? null : shown(is.endsAt),
              paused: is.paused,
              status: statusOf(is, now),
            });
          const hold = (change: string, answer: Answer, verdict: Verdict, now: number, why: string) => {
            const kind = "is" in verdict ? "done" : "limit" in verdict ? "limit" : verdict.fields.join();
            for (const key of [kind, `${change} ${kind}`]) outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
            if ("is" in verdict) {
              assert.include([200, 201], answer.status, `${why}: ${JSON.stringify(answer.body)}`);
              assertShown(answer.body.data, verdict.is, now);
              oracle.all.set(answer.body.data.id, verdict.is);
            } else if ("limit" in verdict) {
              assert.deepStrictEqual([answer.status, answer.body.error?.code], [403, "limit_exceeded"], why);
            } else {
              assert.strictEqual(answer.status, 422, why);
              assert.deepStrictEqual(Object.keys(answer.body.error.fields).sort(), verdict.fields, why);
            }
          };

          for (const [at, one] of steps.entries()) {
            const now = yield* Clock.currentTimeMillis;
            const why = `run ${run}, step ${at} at ${shown(now)}: ${JSON.stringify(one)}`;
            // Resubmits an ended campaign if there is one: it may count again.
            const ended = [...oracle.all].filter(([, each]) => statusOf(each, now) === "ended");
            const pool = one.do === "resubmit" && ended.length > 0 ? ended : [...oracle.all];
            const ids = pool.map(([id]) => id);
            const id = "which" in one ? ids[one.which % Math.max(1, ids.length)] : undefined;
            const campaign = id === undefined ? undefined : oracle.all.get(id);
            if (one.do === "wait") yield* TestClock.adjust(`${one.minutes} minutes`);
            else if (one.do === "create") {
              const answer = yield* ask("/campaigns", { body: body(one.draft) });
              hold("create", answer, oracle.validate(one.draft, null, now), now, why);
              if (answer.status === 201) drafts.set(answer.body.data.id, one.draft);
            } else if (id === undefined || campaign === undefined) continue;
            else if (one.do === "delete") {
              assert.strictEqual((yield* ask(`/campaigns/${id}`, { method: "DELETE" })).status, 200, why);
              oracle.all.delete(id);
            } else if (!("draft" in one)) {
              const answer = yield* ask(`/campaigns/${id}/${one.do}`, { method: "POST" });
              hold(one.do, answer, oracle.turn(id, campaign, one.do === "pause", now), now, why);
            } else {
              // Resubmits the stored campaign except its end and its cap.
              const stored = drafts.get(id) ?? one.draft;
              const { cap, end } = one.draft;
              const next = one.do === "replace" ? one.draft : { ...stored, cap, end };
              const answer = yield* ask(`/campaigns/${id}`, { method: "PATCH", body: body(next) });
              hold("update", answer, oracle.validate(next, id, now), now, why);
              if (answer.status === 200) drafts.set(id, next);
            }
            if (at % 6 > 0) continue;
            const list = yield* ask("/campaigns?limit=100");
            const later = yield* Clock.currentTimeMillis;
            assert.sameMembers(
              list.body.data.map((each: { readonly id: string }) => each.id),
              [...oracle.all.keys()],
            );
            for (const each of list.body.data) assertShown(each, oracle.all.get(each.id) as Known, later);
          }
        }
        // Every kind of outcome must occur, some of them often.
        const kinds = [
          "name",
          "starts_at",
          "timezone",
          "ends_at",
          "frequency_cap_count",
          "frequency_cap_period",
        ];
        for (const kind of [...kinds, "create limit", "update done"]) {
          const times = [...outcomes].filter(([key]) => key === kind || key.split(",").includes(kind));
          assert.isAtLeast(
            times.reduce((sum, [, count]) => sum + count, 0),
            2,
            `${kind} in ${JSON.stringify([...outcomes])}`,
          );
        }
      }),
  );
});
