import { Context, Effect, Layer } from "effect";
import { hasStarted } from "../../campaigns/CampaignDates.ts";
import type { Device } from "../../devices/Device.ts";
import { obstacles, type PastReason, reasons } from "../../devices/Obstacle.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import { effectiveQuietHours, quietAt } from "../../workspaces/QuietHours.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { cooldownEnd, cooldownStart } from "../deliveries/Cooldown.ts";
import { capWindow } from "../deliveries/FrequencyCap.ts";
import type { ExplainedCampaign } from "./ExplanationsSql.ts";
import { type Occasion, PastExplanationsSql, type PastDelivery } from "./PastExplanationsSql.ts";
import { sendForDevice } from "./SendForDevice.ts";

/** The past state. `until` belongs to some reasons (epoch milliseconds). */
export interface Past {
  readonly reaches: boolean;
  readonly reason: PastReason;
  readonly until: number | null;
}

const because = (reason: PastReason, until: number | null = null): Past => ({
  reaches: false,
  reason,
  until,
});

/** Anything that was made for the device until an instant. */
const anyOccasion = (at: number): Occasion => ({ at, from: -Infinity, until: at + 1, locationKey: null });

/** The state at an instant of a message that was made at some time. */
const sentAt = ({ createdAt, error, heldUntil, status }: PastDelivery, at: number): Past => {
  if (createdAt > at) return because("scheduled", createdAt);
  if (heldUntil !== null && at < heldUntil) return because("quiet_hours", heldUntil);
  if (status !== "failed") return { reaches: true, reason: "already_sent", until: createdAt };
  return because(reasons.find((reason) => obstacles[reason] === error) ?? "failed");
};

/** Tells what happened between a campaign and a device at an instant, from what is kept (contract CO6). */
export class PastExplanations extends Context.Service<PastExplanations>()(
  "waypost/sending/PastExplanations",
  {
    make: Effect.gen(function* () {
      const repository = yield* PastExplanationsSql;
      return {
        explain: Effect.fn("PastExplanations.explain")(function* (
          tenant: Tenant,
          device: Device & { readonly deviceKey: DeviceKey },
          campaign: ExplainedCampaign,
          at: number,
        ) {
          const { deviceKey } = device;
          const { cooldown_minutes, ends, sends, starts, timezone, type } = campaign;
          const { default_frequency_cap: defaultCap, quiet_hours } = tenant.workspace;
          const zone = device.timezone ?? timezone;

          const made = (occasion: Occasion) =>
            Effect.map(
              repository.delivery(tenant, deviceKey, campaign, occasion, at),
              (delivery) => delivery && sentAt(delivery, at),
            );

          /** Why nothing was made on an occasion that the device was there for. */
          const heldBack = Effect.fnUntraced(function* (occasion: Occasion) {
            const window = capWindow(campaign.cap, defaultCap, timezone, occasion.at);
            const since = cooldownStart(cooldown_minutes, occasion.at) ?? Infinity;
            const capSince = window?.since ?? Infinity;
            const facts = repository.before(tenant, deviceKey, campaign, occasion, capSince, since);
            const { cooledAt, used } = yield* facts;
            if (window !== null && used >= window.count) return because("capped");
            const quiet = quietAt(effectiveQuietHours(campaign.quiet_hours, quiet_hours), zone, occasion.at);
            if (quiet !== null) return because("quiet_hours", quiet.until);
            return cooledAt === null || cooldown_minutes === null
              ? because("unknown")
              : because("cooldown", cooldownEnd(cooledAt, cooldown_minutes));
          });

          const ofVisit = Effect.gen(function* () {
            const visit = yield* repository.visit(tenant, deviceKey, campaign, at);
            if (visit === null) return (yield* made(anyOccasion(at))) ?? because("unknown");
            const { locationKey, nextAt, occurredAt, receivedAt } = visit;
            const occasion = { at: occurredAt, from: receivedAt, until: nextAt ?? Infinity, locationKey };
            const message = yield* made(occasion);
            if (message !== null) return message;
            return visit.type === "exit" ? because("outside") : yield* heldBack(occasion);
          });

          /** By the last send that was due, else by the next one. */
          const ofSends = Effect.gen(function* () {
            const all = sends
              .map((send) => ({ send, ...sendForDevice(send, zone) }))
              .toSorted((a, b) => a.at - b.at);
            const last = all.findLast((each) => each.at <= at);
            const next = all.find((each) => each.at > at);
            if (last === undefined) {
              const message = yield* made(anyOccasion(at));
              return message ?? (next === undefined ? because("unknown") : because("scheduled", next.at));
            }
            const occasion = { at: last.at, from: last.at, until: next?.at ?? Infinity, locationKey: null };
            const message = yield* made(occasion);
            if (message !== null) return message;
            if (last.send.status === "skipped" && last.send.parts.length === 0) return because("paused");
            return last.reason === "passed" ? because("passed") : yield* heldBack(occasion);
          });

          const past = yield* type === "push" ? ofSends : ofVisit;
          if (past.reason !== "unknown" && past.reason !== "outside") return past;
          const { experiment } = campaign;
          if (experiment !== null && (yield* repository.isHeldOut(tenant, deviceKey, campaign, at)))
            return because("holdout");
          if (!hasStarted({ startsAt: starts, timezone, type }, at)) return because("not_started");
          return ends !== null && ends < at ? because("ended") : past;
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(PastExplanations, PastExplanations.make).pipe(
    Layer.provide(PastExplanationsSql.layer),
  );
}
