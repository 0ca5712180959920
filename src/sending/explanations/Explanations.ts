import { Clock, Context, Effect, Layer } from "effect";
import type { Device } from "../../devices/Device.ts";
import { addDays, dateAt, dayStart, periodStart, utcText } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import { effectiveQuietHours, type Quiet, quietAt } from "../../workspaces/QuietHours.ts";
import type { FrequencyCap, Tenant } from "../../workspaces/Workspace.ts";
import type { Explanation, Reason } from "./ExplanationApi.ts";
import { type ExplainedCampaign, ExplanationsSql } from "./ExplanationsSql.ts";
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

/** What is known about a device and a campaign. */
interface Facts {
  readonly isApproved: boolean;
  readonly isSubscribed: boolean;
  readonly isMember: boolean;
  readonly isGone: boolean;
  readonly isConfigured: boolean;
  readonly isCapped: boolean;
  readonly quiet: Quiet | null;
}

/** The zone of a device as it is stored: the name of one, or null. */
const deviceZone = ({ timezone }: Device) => timezone;

/** The first reason why a campaign does not reach a device; null if it does. */
const reasonOf = (campaign: ExplainedCampaign, facts: Facts, now: number): Reason | null => {
  if (campaign.paused) return "paused";
  if (campaign.starts > now) return "not_started";
  if (campaign.ends !== null && campaign.ends < now) return "ended";
  if (!campaign.has_notification) return "no_notification";
  if (!facts.isApproved) return "not_approved";
  if (!facts.isSubscribed) return "unsubscribed";
  if (!facts.isMember) return "not_in_segment";
  if (facts.isGone) return "address_gone";
  if (!facts.isConfigured) return "transport_not_configured";
  if (facts.isCapped) return "capped";
  if (facts.quiet !== null) return "quiet_hours";
  if (campaign.cooling_until !== null) return "cooldown";
  return campaign.type === "geo" && !campaign.is_inside ? "outside" : null;
};

/** When the reason ends, if it is one that time ends. */
const untilOf = (
  reason: Reason | null,
  { cooling_until, timezone }: ExplainedCampaign,
  cap: FrequencyCap | null,
  quiet: Quiet | null,
  now: number,
): string | null => {
  if (reason === "capped" && cap !== null) return utcText(periodEnd(timezone, cap.period, now));
  if (reason === "quiet_hours" && quiet !== null) return utcText(quiet.until);
  return reason === "cooldown" && cooling_until !== null ? utcText(cooling_until) : null;
};

/** Explains which campaigns would reach a device now (contract S6). */
export class Explanations extends Context.Service<Explanations>()("waypost/sending/Explanations", {
  make: Effect.gen(function* () {
    const repository = yield* ExplanationsSql;
    const credentials = yield* PushCredentials;
    return {
      /** Active campaigns, newest first; or the one given, active or not. `id` is that of the campaign. */
      page: Effect.fn("Explanations.page")(function* (
        tenant: Tenant,
        device: Device & { readonly deviceKey: DeviceKey },
        campaign: string | null,
        position: PagePosition,
      ) {
        const now = yield* Clock.currentTimeMillis;
        const { deviceKey, transport } = device;
        const found = yield* repository.campaigns(tenant, deviceKey, campaign, position, now);
        const [configured] = yield* credentials.configured([tenant]);
        const members = yield* repository.memberships(tenant, deviceKey, found);
        const defaultCap = tenant.workspace.default_frequency_cap;
        const capped = yield* repository.capped(
          tenant,
          deviceKey,
          found.flatMap(({ cap, cap_by, key, timezone }) => {
            const window = capWindow(cap, defaultCap, timezone, now);
            return window === null ? [] : [{ key, capBy: cap_by, window }];
          }),
        );
        const isApproved = device.approved || tenant.environment === "production";
        const isConfigured = transport === "inbox" || configured?.has(transport) === true;
        return found.map((each, index): Omit<Explanation, "campaign_id"> & { readonly id: string } => {
          const isMember = members[index] === true;
          const isCapped = capped.has(each.key);
          const isSubscribed = device.subscribed;
          const hours = effectiveQuietHours(each.quiet_hours, tenant.workspace.quiet_hours);
          const quiet = quietAt(hours, deviceZone(device) ?? each.timezone, now);
          const facts = {
            isApproved,
            isSubscribed,
            isMember,
            isGone: device.address_gone,
            isConfigured,
            isCapped,
            quiet,
          };
          const reason = reasonOf(each, facts, now);
          const cap = each.cap ?? defaultCap;
          return {
            id: each.id,
            campaign_name: each.name,
            type: each.type,
            reaches: reason === null,
            reason,
            until: untilOf(reason, each, cap, quiet, now),
          };
        });
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Explanations, Explanations.make).pipe(
    Layer.provide(ExplanationsSql.layer),
  );
}
