import { assert, layer } from "@effect/vitest";
import { Clock, Effect, Exit } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { DAY_MS } from "../../../src/time/DayNumbers.ts";
import { transactionsEnd } from "../../database/OnCitus.ts";
import { Dice } from "../Dice.ts";
import { batch, drain, start } from "../ManualWorkers.ts";
import { type ModelCampaign, type ModelDevice, SendModel } from "./SendModel.ts";
import { sendWorld } from "./SendWorld.ts";
import {
  anyCut,
  begin,
  Connections,
  dateText,
  hasOpenSends,
  hhmm,
  MINUTE_MS,
  overCutConnections,
  quietHours,
  sentLines,
  zones,
} from "./SimulationWorld.ts";
import { begun, dayAt } from "./ZoneOracle.ts";
import { setPerson } from "../../SourceRows.ts";

layer(overCutConnections)("Simulated sends", (it) => {
  it.effect.each([
    [41, "production", 30],
    [44, "sandbox", 10],
  ] as const)(
    "changes and failing workers end as in the model, seed %s in %s " +
      "(E10, E11, F6, L2, L3, L4, L5.2, L6, P2, Q1)",
    ([seed, environment, days]) =>
      Effect.gen(function* () {
        const dice = new Dice(seed);
        const connections = yield* Connections;
        const sql = yield* SqlClient.SqlClient;
        const { [environment]: side, waypost, workspace } = yield* sendWorld();
        yield* TestClock.setTime(Math.max(begin, yield* Clock.currentTimeMillis));
        const model = new SendModel(10, environment === "sandbox");
        const bodies = new Map<ModelCampaign, Record<string, unknown>>();
        const counts = { cuts: 0, stops: 0, makeups: 0 };

        const segment = (name: string) =>
          Effect.map(
            waypost.operator(`/workspaces/${workspace.id}/${environment}/segments`, {
              body: {
                name,
                rule: { match: "all", conditions: [{ attribute: name, op: "eq", value: true }] },
              },
            }),
            ({ body }) => body.data.id as string,
          );
        const segments = { tall: yield* segment("tall"), loud: yield* segment("loud") };

        const phones = new Map<ModelDevice, Effect.Success<ReturnType<typeof side.phone>>>();
        const join = Effect.gen(function* () {
          const attributes = { tall: dice.chance(0.5), loud: dice.chance(0.5) };
          const own = dice.chance(0.7) ? dice.one(zones) : undefined;
          const user = dice.chance(0.6) ? `person ${dice.below(12)}` : null;
          const seenAt = yield* Clock.currentTimeMillis;
          const phone = yield* side.phone(`phone-${model.devices.length}`, {
            attributes,
            timezone: own?.zone ?? null,
          });
          yield* setPerson(phone.id, user);
          const device = {
            key: model.devices.length + 1,
            ...attributes,
            periods: own?.periods ?? null,
            user,
            seenAt,
            id: phone.id,
            registered: true,
            approved: true,
          };
          model.devices.push(device);
          phones.set(device, phone);
        });
        const leave = Effect.gen(function* () {
          const device = dice.one(model.devices.filter(({ registered }) => registered));
          if (device === undefined) return;
          const answer = yield* (
            phones.get(device)?.ask("/devices/me", { method: "DELETE" }) ?? Effect.die("")
          );
          assert.strictEqual(answer.status, 200);
          device.registered = false;
        });
        /** In Sandbox: revokes or gives the approval of a test device. */
        const approve = Effect.gen(function* () {
          const device = dice.one(model.devices.filter(({ registered }) => registered));
          if (environment === "production" || device === undefined) return;
          const approved = !device.approved;
          const path = `/workspaces/${workspace.id}/sandbox/devices/${phones.get(device)?.id ?? ""}`;
          const answer = yield* waypost.operator(path, { method: "PATCH", body: { approved } });
          assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
          device.approved = approved;
        });

        const launch = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis;
          const { periods, zone } = zones[dice.below(zones.length)] ?? { periods: [], zone: "UTC" };
          const day = dayAt(periods, now) + dice.below(3) * DAY_MS;
          const cap = dice.chance(0.6)
            ? {
                count: 1 + dice.below(2),
                period: dice.one(["day", "week", "month"] as const) ?? ("day" as const),
              }
            : null;
          const byUser = dice.chance(0.4);
          const quiet = quietHours(dice);
          const audience = dice.one(["everybody", "everybody", "tall", "any", "all"] as const) ?? "everybody";
          const body = {
            name: `Campaign ${model.campaigns.length} of ${now}`,
            type: "push",
            timezone: zone,
            starts_at: dateText(day),
            cap_by: byUser ? "user" : "device",
            quiet_hours: quiet,
            frequency_cap_count: cap?.count ?? null,
            frequency_cap_period: cap?.period ?? null,
            segmentation_ids: { everybody: [], tall: [segments.tall] }[audience as string] ?? [
              segments.tall,
              segments.loud,
            ],
            ...(audience === "all" ? { segment_match: "all" } : {}),
          };
          const answer = yield* side.platform("/campaigns", { body });
          assert.strictEqual(answer.status, 201, JSON.stringify(answer.body));
          const campaign: ModelCampaign = {
            id: answer.body.data.id,
            periods,
            cap,
            byUser,
            quiet,
            audience,
            day,
            paused: false,
            notifications: [],
            got: new Map(),
          };
          model.campaigns.push(campaign);
          bodies.set(campaign, body);
          for (let count = 1 + dice.below(4); count > 0; count--) {
            const time = dice.chance(0.2) ? "23:30" : hhmm(dice);
            if (model.instant(campaign, time) <= now) continue;
            const notification = yield* side.sent(campaign.id, time);
            campaign.notifications.push(notification);
            model.plan(campaign, notification, time, now);
          }
        });

        const stop = Effect.fnUntraced(function* (campaign: ModelCampaign, how: "skipped" | "cancelled") {
          const answer =
            how === "skipped" ? yield* side.ask(campaign.id, "pause") : yield* side.remove(campaign.id);
          assert.strictEqual(answer.status, 200);
        });

        /** Makes a random change to a random campaign. */
        const changeCampaign = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis;
          const campaign = dice.one(model.campaigns.slice(-8));
          if (campaign === undefined) return;
          const what = dice.below(10);
          if (what < 3) {
            const paused = !campaign.paused;
            const answer = yield* side.ask(campaign.id, paused ? "pause" : "publish");
            assert.strictEqual(answer.status, 200);
            model.pause(campaign, paused, now);
          } else if (what < 4) {
            yield* stop(campaign, "cancelled");
            model.remove(campaign);
          } else if (what < 7) {
            const notification = dice.one(campaign.notifications);
            const time = hhmm(dice);
            if (notification === undefined) return;
            const answer = yield* side.resent(campaign.id, notification, time);
            if (model.instant(campaign, time) > now) {
              assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
              model.plan(campaign, notification, time, now);
            } else if (answer.status === 200) assert.fail(`${time} lies in the past`);
          } else {
            if (begun(campaign.periods, campaign.day) <= now) return;
            const day = dayAt(campaign.periods, now) + (1 + dice.below(3)) * DAY_MS;
            const body = { ...bodies.get(campaign), starts_at: dateText(day) };
            const answer = yield* side.platform(`/campaigns/${campaign.id}`, { method: "PATCH", body });
            assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
            model.move(campaign, day);
          }
        });

        const isOpen = hasOpenSends(side.workspaceId);

        /**
         * Runs workers, some of which die or lose their database, until no work is left; in less than a
         * minute.
         */
        const runWorkers = Effect.gen(function* () {
          for (let round = 0; round < 5; round++) {
            const cut = round < 3 && dice.chance(0.5) ? connections.arm(anyCut(dice)) : null;
            const workers = Array.from({ length: 1 + dice.below(3) }, () => Effect.exit(drain));
            const exits = [
              yield* Effect.exit(Effect.asVoid(start)),
              ...(yield* Effect.all(workers, { concurrency: 3 })),
            ];
            if (cut?.isDone() === true) counts.cuts++;
            else if (round >= 3) assert.isTrue(exits.every((exit) => Exit.isSuccess(exit)));
            connections.disarm();
            yield* transactionsEnd;
            if (!(yield* isOpen)) return;
            // Leases of a dead worker expire after ten seconds.
            yield* TestClock.adjust("11 seconds");
          }
        });

        const work = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis;
          const due = model.due(now);
          const [only] = due;
          if (only === undefined) return;
          if (due.length > 1 || only.campaign.paused || now > only.dueAt || dice.chance(0.7)) {
            if (now > only.dueAt) counts.makeups++;
            yield* runWorkers;
            model.work(now, null);
            return;
          }
          // Stops the only send between its batches, or lets devices come and go meanwhile.
          counts.stops++;
          const batches = dice.below(4);
          yield* start;
          for (let done = 0; done < batches; done++) yield* batch;
          yield* TestClock.adjust("1 second");
          const how = dice.one(["skipped", "cancelled", null] as const) ?? null;
          if (how === null || !(yield* isOpen)) {
            model.work(now, null);
            yield* join;
            yield* leave;
          } else {
            model.work(now, { batches, status: how });
            yield* stop(only.campaign, how);
            if (how === "skipped") model.pause(only.campaign, true, now + 1000);
            else model.remove(only.campaign);
          }
          yield* drain;
        });

        const compare = Effect.gen(function* () {
          const lines = yield* sentLines(side.workspaceId);
          assert.deepStrictEqual(
            lines.toSorted(),
            model
              .lines()
              .map((line) => line.trim())
              .toSorted(),
          );
        });

        for (let count = 0; count < 35; count++) yield* join;
        for (let count = 0; count < 20; count++) yield* approve;
        for (let today = begin; today < begin + days * DAY_MS; today += DAY_MS) {
          const changes = Array.from({ length: 7 }, () => today + (1 + dice.below(1438)) * MINUTE_MS);
          // On some days no worker runs for hours.
          const [from, to] = dice.chance(0.3)
            ? [today + dice.below(1200) * MINUTE_MS, today + (1200 + dice.below(239)) * MINUTE_MS]
            : [0, 0];
          const moments = [...new Set([...changes, to].filter((at) => at > 0))].toSorted((a, b) => a - b);
          for (const moment of [...moments, today + DAY_MS - MINUTE_MS]) {
            while (true) {
              const due = model.nextDue();
              const next = Math.max(due, due >= from && due < to ? to : 0);
              if (next > moment) break;
              if ((yield* Clock.currentTimeMillis) < next) yield* TestClock.setTime(next);
              yield* work;
            }
            if ((yield* Clock.currentTimeMillis) >= moment) continue;
            yield* TestClock.setTime(moment);
            const act = dice.below(10);
            yield* act < 4 ? launch : act < 8 ? changeCampaign : act < 9 ? join : leave;
            yield* approve;
          }
          yield* compare;
        }
        const open = yield* sql`SELECT FROM send_batch WHERE workspace_id = ${side.workspaceId}`;
        assert.lengthOf(open, 0);
        const statuses = new Set(model.sends.map(({ status }) => status));
        for (const status of ["done", "skipped", "missed", "cancelled"] as const)
          assert.isTrue(statuses.has(status), status);
        const [quiet] = yield* sql<{ readonly held: number; readonly dropped: number }>`
          SELECT sum(held)::int AS held, sum(dropped)::int AS dropped FROM send
          WHERE workspace_id = ${side.workspaceId}`;
        assert.isAbove(Math.min(quiet?.held ?? 0, quiet?.dropped ?? 0), 0);
        assert.isAbove(counts.cuts, days / 3);
        assert.isAbove(counts.stops, days / 3);
        assert.isAbove(counts.makeups, days / 15);
      }),
  );
});
