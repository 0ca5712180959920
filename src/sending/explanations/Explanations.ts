import { Clock, Context, Effect, Layer } from "effect";
import { hasStarted } from "../../campaigns/CampaignDates.ts";
import { LongReads } from "../../database/LongReads.ts";
import type { Device } from "../../devices/Device.ts";
import { type Reason, reasons } from "../../devices/Obstacle.ts";
import { addDays } from "../../time/DayNumbers.ts";
import { dateAt, dayStart, periodStart, utcText } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import { Unprocessable } from "../../wire/ApiError.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import { effectiveQuietHours, quietAt } from "../../workspaces/QuietHours.ts";
import type { FrequencyCap, Tenant } from "../../workspaces/Workspace.ts";
import { type Past, PastExplanations } from "./PastExplanations.ts";
import type { Explanation } from "./ExplanationApi.ts";
import { type ExplainedCampaign, ExplanationsSql, type Limit, type UsedLimit } from "./ExplanationsSql.ts";
import { unitOf } from "../arms/Arm.ts";
import { holdsOut } from "../arms/Experiment.ts";
import { sendsForDevice } from "./SendForDevice.ts";
import { cooldownEnd, cooldownStart } from "../deliveries/Cooldown.ts";
import { capWindow } from "../deliveries/FrequencyCap.ts";
import { PushCredentials } from "../credentials/PushCredentials.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** The longest period is a month. */
const maxPeriodDays = 32;

/** When the period of a cap ends, in epoch milliseconds. */
const periodEnd = (zone: TimeZoneName, period: FrequencyCap["period"], now: number): number => {
  const since = periodStart(zone, period, now);
  const today = dateAt(zone, now);
  for (let days = 1; days <= maxPeriodDays; days++) {
    const start = dayStart(zone, addDays(today, days));
    if (periodStart(zone, period, start) > since) return start;
  }
  throw new Error(`A ${period} has no end`);
};

/** When the first of the cooldowns at the locations where a device is ends; null if one has none. */
const coolingUntil = (minutes: number | null, locations: ReadonlyArray<UsedLimit>): number | null => {
  const began = locations.flatMap(({ cooled_at }) => cooled_at ?? []);
  const isEverywhere = began.length > 0 && began.length === locations.length;
  return minutes === null || !isEverywhere ? null : cooldownEnd(Math.min(...began), minutes);
};

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
          const { default_frequency_cap: defaultCap, deletion_scheduled_at, quiet_hours } = tenant.workspace;
          const limits = found.flatMap((campaign): ReadonlyArray<Limit> => {
            const { cap, cooldown_minutes, locations, timezone } = campaign;
            const window = capWindow(cap, defaultCap, timezone, now);
            const cooldownSince = cooldownStart(cooldown_minutes, now);
            return [
              { campaign, locationKey: null, cap: window, cooldownSince: null },
              ...locations.map((locationKey) => ({ campaign, locationKey, cap: null, cooldownSince })),
            ];
          });
          const used = yield* repository.used(tenant, deviceKey, limits);
          const byCampaign = Map.groupBy(used, ({ ord }) => limits[ord - 1]?.campaign);
          return found.map((campaign, index) => {
            const { cap, ends: endsAt, experiment, has_notification, starts, timezone, type } = campaign;
            const isPush = type === "push";
            const [ofCap, ...ofLocations] = byCampaign.get(campaign) ?? [];
            const hours = effectiveQuietHours(campaign.quiet_hours, quiet_hours);
            const quiet = quietAt(hours, device.timezone ?? timezone, now);
            const coolsUntil = coolingUntil(campaign.cooldown_minutes, ofLocations);
            const send = isPush ? sendsForDevice(campaign.sends, device.timezone ?? timezone) : null;
            const applies: Readonly<Record<Reason, boolean>> = {
              paused: campaign.paused || deletion_scheduled_at !== null,
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
              capped: ofCap?.is_capped === true,
              quiet_hours: quiet !== null,
              cooldown: coolsUntil !== null,
              outside: type === "geo" && campaign.locations.length === 0,
              scheduled: send?.reason === "scheduled",
            };
            const reason = reasons.find((each) => applies[each]) ?? null;
            const period = (cap ?? defaultCap)?.period;
            const ends: Partial<Record<Reason, number | null>> = {
              capped: reason === "capped" && period !== undefined ? periodEnd(timezone, period, now) : null,
              quiet_hours: quiet?.until ?? null,
              cooldown: coolsUntil,
              scheduled: send?.at ?? null,
            };
            const until = (reason === null ? null : ends[reason]) ?? null;
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
