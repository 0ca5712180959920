import { Context, Effect, Layer } from "effect";
import { hasStarted } from "../../campaigns/CampaignDates.ts";
import type { Device } from "../../devices/Device.ts";
import { obstacles, type PastReason, reasons } from "../../devices/Obstacle.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { type ExplainedCampaign, ExplanationsSql } from "./ExplanationsSql.ts";
import { heldBack, limitsOf } from "./HeldBack.ts";
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
const anyOccasion = (at: number): Occasion => ({ from: -Infinity, until: at + 1, locationKey: null });

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
      const explanations = yield* ExplanationsSql;
      return {
        explain: Effect.fn("PastExplanations.explain")(function* (
          tenant: Tenant,
          device: Device & { readonly deviceKey: DeviceKey },
          campaign: ExplainedCampaign,
          at: number,
        ) {
          const { deviceKey } = device;
          const { workspace } = tenant;
          const { ends, sends, starts, timezone, type } = campaign;
          const zone = device.timezone ?? timezone;

          const made = (occasion: Occasion) =>
            Effect.map(
              repository.delivery(tenant, deviceKey, campaign, occasion, at),
              (delivery) => delivery && sentAt(delivery, at),
            );

          /** Why nothing was made on an occasion that the device was there for. */
          const whyNone = Effect.fnUntraced(function* ({ from, locationKey }: Occasion) {
            const limits = limitsOf(campaign, locationKey === null ? [] : [locationKey], workspace, from);
            const used = yield* explanations.used(tenant, deviceKey, limits, from);
            const [held] = heldBack(campaign, used, workspace, zone, from);
            if (held === undefined) return because("unknown");
            const [reason, until] = held;
            return because(reason, reason === "capped" ? null : until);
          });

          const ofVisit = Effect.gen(function* () {
            const visit = yield* repository.visit(tenant, deviceKey, campaign, at);
            if (visit === null) return (yield* made(anyOccasion(at))) ?? because("unknown");
            const { locationKey, nextAt, receivedAt } = visit;
            const occasion = { from: receivedAt, until: nextAt ?? Infinity, locationKey };
            const message = yield* made(occasion);
            if (message !== null) return message;
            return visit.type === "exit" ? because("outside") : yield* whyNone(occasion);
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
            const occasion = { from: last.at, until: next?.at ?? Infinity, locationKey: null };
            const message = yield* made(occasion);
            if (message !== null) return message;
            if (last.send.status === "skipped" && last.send.parts.length === 0) return because("paused");
            return last.reason === "passed" ? because("passed") : yield* whyNone(occasion);
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
    Layer.provide([ExplanationsSql.layer, PastExplanationsSql.layer]),
  );
}
