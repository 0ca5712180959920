import { Clock, Context, Effect, Layer } from "effect";
import { hasStarted } from "../../campaigns/CampaignDates.ts";
import { LongReads } from "../../database/LongReads.ts";
import type { Device } from "../../devices/Device.ts";
import { type Reason, reasons } from "../../devices/Obstacle.ts";
import { utcText } from "../../time/LocalTime.ts";
import { Unprocessable } from "../../wire/ApiError.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { type Past, PastExplanations } from "./PastExplanations.ts";
import type { Explanation } from "./ExplanationApi.ts";
import { type ExplainedCampaign, ExplanationsSql } from "./ExplanationsSql.ts";
import { heldBack, limitsOf } from "./HeldBack.ts";
import { unitOf } from "../arms/Arm.ts";
import { holdsOut } from "../arms/Experiment.ts";
import { sendsForDevice } from "./SendForDevice.ts";
import { PushCredentials } from "../credentials/PushCredentials.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

const keptDays = 30;

/** Refuses an instant of which nothing is known. */
const checkInstant = (at: number, campaign: string | null, now: number) => {
  const problem =
    campaign === null
      ? "The at is of one campaign: send campaign, too."
      : at > now
        ? "The at must be an instant in the past."
        : at < now - keptDays * 86_400_000
          ? `The at must be an instant of the last ${keptDays} days.`
          : null;
  return problem === null ? Effect.void : Effect.fail(Unprocessable.parameters({ at: [problem] }));
};

const shown = (
  { id, name, type }: ExplainedCampaign,
  { reaches, reason, until }: Past | (Omit<Past, "reason"> & { readonly reason: null }),
): Omit<Explanation, "campaign_id"> & { readonly id: string } => ({
  id,
  campaign_name: name,
  type,
  reaches,
  reason,
  until: until === null ? null : utcText(until),
});

/** Explains which campaigns would reach a device now (contract S6). */
export class Explanations extends Context.Service<Explanations>()("waypost/sending/Explanations", {
  make: Effect.gen(function* () {
    const repository = yield* ExplanationsSql;
    const credentials = yield* PushCredentials;
    const longReads = yield* LongReads;
    const past = yield* PastExplanations;
    return {
      /**
       * Active campaigns, newest first; or the one given, active or not, now or at an instant. `id` is that
       * of the campaign. @throws 422, 503
       */
      page: Effect.fn("Explanations.page")(
        function* (
          tenant: Tenant,
          device: Device & { readonly deviceKey: DeviceKey },
          campaign: string | null,
          at: number | null,
          position: PagePosition,
        ) {
          const now = yield* Clock.currentTimeMillis;
          const { deviceKey, transport } = device;
          const unit = unitOf(device.id, device.user_id);
          if (at !== null) yield* checkInstant(at, campaign, now);
          const found = yield* repository.campaigns(tenant, deviceKey, campaign, position, now, at ?? now);
          if (at !== null)
            return yield* Effect.forEach(found, (each) =>
              Effect.map(past.explain(tenant, device, each, at), (happened) => shown(each, happened)),
            );
          const [configured] = yield* credentials.configured([tenant]);
          const { members, obstacle } = yield* repository.device(tenant, deviceKey, found, now);
          const { workspace } = tenant;
          const limits = found.flatMap((each) => limitsOf(each, each.locations, workspace, now));
          const used = yield* repository.used(tenant, deviceKey, limits, Infinity);
          const byCampaign = Map.groupBy(used, ({ ord }) => limits[ord - 1]?.campaign);
          return found.map((campaign, index) => {
            const { ends: endsAt, experiment, has_notification, starts, timezone, type } = campaign;
            const isPush = type === "push";
            const zone = device.timezone ?? timezone;
            const held = heldBack(campaign, byCampaign.get(campaign) ?? [], workspace, zone, now);
            const send = isPush ? sendsForDevice(campaign.sends, zone) : null;
            const applies: Readonly<Record<Reason, boolean>> = {
              paused: campaign.paused || workspace.deletion_scheduled_at !== null,
              not_started: !hasStarted({ startsAt: starts, timezone, type }, now),
              // Parts of a send at a local time go out by the day of their devices (contract X25).
              ended: endsAt !== null && endsAt < now && !(isPush && has_notification),
              no_notification: !has_notification && send === null,
              not_approved: obstacle === "not_approved",
              unsubscribed: obstacle === "unsubscribed",
              not_in_segment: members[index] !== true,
              holdout: experiment !== null && holdsOut(experiment, unit),
              address_gone: obstacle === "address_gone",
              transport_not_configured: transport !== "inbox" && configured?.has(transport) !== true,
              passed: send?.reason === "passed",
              already_sent: isPush ? send?.reason === "already_sent" : campaign.has_dwelled,
              capped: held.has("capped"),
              quiet_hours: held.has("quiet_hours"),
              cooldown: held.has("cooldown"),
              outside: type === "geo" && campaign.locations.length === 0,
              scheduled: send?.reason === "scheduled",
            };
            const reason = reasons.find((each) => applies[each]) ?? null;
            const until = (reason === "scheduled" ? send?.at : reason && held.get(reason)) ?? null;
            return shown(campaign, { reaches: reason === null, reason, until });
          });
        },
        (page, { workspaceId }) => longReads.run(workspaceId, page),
      ),
    };
  }),
}) {
  static readonly layer = Layer.effect(Explanations, Explanations.make).pipe(
    Layer.provide([ExplanationsSql.layer, PastExplanations.layer]),
  );
}
