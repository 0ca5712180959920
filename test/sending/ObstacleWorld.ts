import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { decide } from "../events/DwellWorld.ts";
import { rule } from "../given/GivenBodies.ts";
import { at, drain, start } from "./ManualWorkers.ts";
import { sendWorld } from "./sends/SendWorld.ts";

/**
 * A possible obstacle: the fields of the campaign and of its notification, who got a message before
 * (`test` is a test send, `failure` a push without credentials), the reason of the explanation, and the
 * status of the message; null for none.
 */
export interface Case {
  readonly campaign?: object;
  readonly notification?: object;
  readonly by?: "phone" | "other" | "test" | "failure";
  readonly isPaused?: boolean;
  readonly reason: string | null;
  readonly status: string | null;
}
export type Cases = Readonly<Record<string, Case>>;

/** One environment of a new workspace at the start of test time, with what the tests of obstacles read. */
export const obstacleWorld = (environment: Environment) =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const sql = yield* SqlClient.SqlClient;
    const side = world[environment];
    /** The deliveries of a campaign to a device since a time, without those of test sends. */
    const fates = (device: string, campaign: string, since = "2026-11-21T12:00:00Z") =>
      Effect.orDie(sql<{ readonly status: string; readonly last_error: string | null }>`
        SELECT d.status, d.last_error FROM delivery d
        JOIN campaign c ON c.workspace_id = d.workspace_id AND c.environment = d.environment
          AND c.key = d.campaign_key
        JOIN device v ON v.workspace_id = d.workspace_id AND v.environment = d.environment
          AND v.key = d.device_key
        WHERE d.workspace_id = ${side.workspaceId} AND d.environment = ${environment} AND NOT d.test
          AND v.id = ${device} AND c.id = ${campaign} AND d.created_at >= ${since}::text::timestamptz`);
    return {
      ...world,
      side,
      /** The reason for which a campaign would not reach a device, by the operator's explanation. */
      reasonOf: (device: string, campaign: string) =>
        Effect.map(side.asOperator(`/devices/${device}/explain?campaign=${campaign}`), ({ body, status }) =>
          status === 200 ? (body.data[0]?.reason ?? null) : status,
        ),
      fates,
      /** The status of a case's messages since its obstacle, beside the reason that was explained. */
      outcome: (name: string, reason: unknown, device: string, campaign: string) =>
        Effect.map(fates(device, campaign, changed), (found) => [
          name,
          reason,
          found.map(({ status }) => status).join() || null,
        ]),
    };
  });

const changed = "2026-11-21T12:06:00Z";
const addressed = (push: unknown) => ({ method: "PATCH", body: { push } });

/** Runs the cases of a geo campaign side by side, and gives the reason and status of each. */
export const geoOutcomes = (environment: Environment, trigger: object, cases: Cases) =>
  Effect.gen(function* () {
    const { outcome, reasonOf, side } = yield* obstacleWorld(environment);
    const worlds = yield* Effect.forEach(Object.entries(cases), ([name, given]) =>
      Effect.gen(function* () {
        const location = yield* side.location();
        const phone = yield* side.phone(randomUUID(), { user_id: name });
        const other = yield* side.phone(randomUUID(), { user_id: name });
        yield* phone.sees("enter", location);
        const campaign = yield* side.campaign({ location_ids: [location], ...given.campaign });
        const notification = yield* side.notification(campaign, { ...trigger, ...given.notification });
        if (given.isPaused === true) yield* side.ask(campaign, "pause");
        const path = `/campaigns/${campaign}/notifications/${notification}/test`;
        return { by: undefined, ...given, name, location, phone, other, campaign, path };
      }),
    );
    const visit = (location: string, phone: (typeof worlds)[number]["phone"]) =>
      Effect.andThen(phone.sees("exit", location), phone.sees("enter", location));
    for (const { by, location, path, phone, other } of worlds) {
      if (by === "failure") yield* phone.ask("/devices/me", addressed({ transport: "fcm", token: "t" }));
      if (by === "test") {
        const body = { device_ids: [phone.id], location_id: location };
        yield* side.platform(path, { body });
      } else if (by !== undefined) yield* visit(location, by === "other" ? other : phone);
    }
    yield* at("2026-11-21T12:05:00Z");
    yield* decide;
    yield* at(changed);
    for (const { by, phone } of worlds)
      if (by === "failure") yield* phone.ask("/devices/me", addressed({ transport: "inbox" }));
    const reasons = yield* Effect.forEach(worlds, ({ campaign, phone }) => reasonOf(phone.id, campaign));
    yield* Effect.forEach(worlds, ({ location, phone }) => visit(location, phone));
    yield* at("2026-11-21T12:11:00Z");
    yield* decide;
    return yield* Effect.forEach(worlds, ({ campaign, name, phone }, index) =>
      outcome(name, reasons[index], phone.id, campaign),
    );
  });

/** The same of a push campaign, which sends a first message at 12:05 and then one at 12:11. */
export const pushOutcomes = (environment: Environment, trigger: object, cases: Cases) =>
  Effect.gen(function* () {
    const { outcome, reasonOf, side } = yield* obstacleWorld(environment);
    const phone = yield* side.phone(randomUUID(), { attributes: { plan: "gold" } });
    const silver = rule({ attribute: "plan", op: "eq", value: "silver" });
    const segments = { gold: yield* side.segment(), silver: yield* side.segment({ rule: silver }) };
    const sendAt = (send_at: string) => ({ trigger_config: { send_at, ...trigger } });
    const worlds = yield* Effect.forEach(Object.entries(cases), ([name, given]) =>
      Effect.gen(function* () {
        const segment = name === "a segment" ? segments.silver : segments.gold;
        const campaign = yield* side.push({ segmentation_ids: [segment], ...given.campaign });
        if (given.by === "phone") yield* side.sent(campaign, "12:05", sendAt("12:05"));
        const notification = yield* side.sent(campaign, "12:11", sendAt("12:11"));
        if (given.isPaused === true) yield* side.ask(campaign, "pause");
        const path = `/campaigns/${campaign}/notifications/${notification}/test`;
        if (given.by === "test") yield* side.platform(path, { body: { device_ids: [phone.id] } });
        return { name, campaign };
      }),
    );
    const run = (time: string) => Effect.all([at(time), start, drain, start], { discard: true });
    yield* run("2026-11-21T12:05:00Z");
    yield* at(changed);
    const reasons = yield* Effect.forEach(worlds, ({ campaign }) => reasonOf(phone.id, campaign));
    yield* run("2026-11-21T12:11:00Z");
    return yield* Effect.forEach(worlds, ({ campaign, name }, index) =>
      outcome(name, reasons[index], phone.id, campaign),
    );
  });

/** The reasons and statuses of cases, with other reasons for some. */
export const expected = (cases: Cases, others: Readonly<Record<string, string>> = {}) =>
  Object.entries(cases).map(([name, { reason, status }]) => [name, others[name] ?? reason, status]);
