import { campaignStatus } from "../../src/campaigns/CampaignStatus.ts";
import type { RecordedIds } from "./RecordedHistory.ts";
import type { PastCampaign, PastEvent, ReportHistory } from "./ReportHistory.ts";

/** A request as a query string holds it, with both ends of the range. */
export type Asked = { readonly start: string; readonly end: string } & {
  readonly [
    name in
      | "campaign"
      | "location"
      | "location_group"
      | "activation"
      | "campaign_status"
      | "content_type"
      | "status"
  ]?: string;
};

/**
 * The report rules once more, as plainly as they can be said: every row is looked at, every day is what a calendar in the
 * zone shows. Nothing of this is shared with the statements but the status of a campaign.
 */
export class ReportOracle {
  readonly #history: ReportHistory;
  readonly #ids: RecordedIds;
  readonly #now: number;
  readonly #calendar: Intl.DateTimeFormat;

  constructor(history: ReportHistory, ids: RecordedIds, zone: string, now: number) {
    this.#history = history;
    this.#ids = ids;
    this.#now = now;
    const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    this.#calendar = new Intl.DateTimeFormat("en-CA", { timeZone: zone, ...parts });
  }

  #isIn(asked: Asked, ms: number): boolean {
    const date = this.#calendar.format(ms);
    return date >= asked.start && date <= asked.end;
  }

  #status(campaign: PastCampaign): string {
    return campaignStatus(campaign, this.#now);
  }

  #targets(campaign: PastCampaign): ReadonlySet<number> {
    const through = campaign.groups.flatMap((group) => this.#history.groups[group]?.members ?? []);
    return new Set(
      [...campaign.locations, ...through].filter(
        (place) => this.#history.locations[place]?.deleted === false,
      ),
    );
  }

  #isAskedCampaign(asked: Asked, place: number): boolean {
    const campaign = this.#history.campaigns[place];
    if (campaign === undefined || campaign.deleted) return false;
    if (asked.campaign !== undefined && this.#ids.campaigns[place] !== asked.campaign) return false;
    return asked.campaign_status === undefined || this.#status(campaign) === asked.campaign_status;
  }

  /** Meets the campaign-level filters. */
  #isMet(asked: Asked, place: number): boolean {
    const campaign = this.#history.campaigns[place];
    if (campaign === undefined || !this.#isAskedCampaign(asked, place)) return false;
    if (asked.location !== undefined) {
      const location = this.#ids.locations.indexOf(asked.location);
      if (!this.#targets(campaign).has(location)) return false;
    }
    if (asked.location_group !== undefined) {
      const group = this.#ids.groups.indexOf(asked.location_group);
      if (!campaign.groups.includes(group)) return false;
    }
    return true;
  }

  #isMatch(asked: Asked, place: number): boolean {
    if (!this.#isMet(asked, place)) return false;
    if (asked.content_type === undefined && asked.activation === undefined) return true;
    return (this.#history.campaigns[place]?.notifications ?? []).some(({ notification, trigger }) =>
      this.#isAsked(asked, notification, trigger),
    );
  }

  /** A notification that exists and, set off by the trigger, meets `content_type` and `activation`. */
  #isAsked(asked: Asked, notification: number, trigger: string): boolean {
    const found = this.#history.notifications[notification];
    if (found === undefined || found.deleted) return false;
    return (
      (asked.content_type === undefined || asked.content_type === found.type) &&
      (asked.activation === undefined || asked.activation === trigger)
    );
  }

  #outcomes(asked: Asked) {
    const isCampaignLevel =
      asked.campaign !== undefined ||
      asked.campaign_status !== undefined ||
      asked.location !== undefined ||
      asked.location_group !== undefined;
    return this.#history.deliveries.filter(
      (delivery) =>
        (delivery.status === "delivered" || delivery.status === "failed") &&
        this.#isIn(asked, delivery.settledAt) &&
        (!isCampaignLevel || this.#isMet(asked, delivery.campaign)) &&
        (asked.content_type === undefined || asked.content_type === delivery.type) &&
        (asked.activation === undefined || asked.activation === delivery.trigger),
    );
  }

  #deliveries(asked: Asked) {
    return this.#outcomes(asked).filter((outcome) => outcome.status === "delivered");
  }

  #isMetLocation(asked: Asked, place: number): boolean {
    const isFiltered =
      asked.location !== undefined ||
      asked.location_group !== undefined ||
      asked.campaign !== undefined ||
      asked.campaign_status !== undefined;
    if (!isFiltered) return true;
    if (this.#history.locations[place]?.deleted !== false) return false;
    if (asked.location !== undefined && this.#ids.locations[place] !== asked.location) return false;
    if (asked.location_group !== undefined) {
      const group = this.#history.groups[this.#ids.groups.indexOf(asked.location_group)];
      if (group?.members.includes(place) !== true) return false;
    }
    if (asked.campaign === undefined && asked.campaign_status === undefined) return true;
    return this.#history.campaigns.some(
      (campaign, each) => this.#isAskedCampaign(asked, each) && this.#targets(campaign).has(place),
    );
  }

  #events(asked: Asked) {
    return this.#history.events.filter(
      (event) =>
        this.#isIn(asked, event.occurredAt) &&
        this.#isMetLocation(asked, event.location) &&
        (asked.activation === undefined ||
          (asked.activation === "on_enter" && event.type === "enter") ||
          (asked.activation === "on_exit" && event.type === "exit")),
    );
  }

  get #registered(): number {
    return this.#history.devices.filter((device) => !device.unregistered).length;
  }

  #activity(asked: Asked) {
    const deliveries = this.#deliveries(asked);
    const events = this.#events(asked);
    return {
      delivered: deliveries.length,
      devices_reached: new Set(deliveries.map((delivery) => delivery.device)).size,
      geofence_entries: events.filter((event) => event.type === "enter").length,
      geofence_exits: events.filter((event) => event.type === "exit").length,
    };
  }

  summary(asked: Asked) {
    const matching = this.#history.campaigns.filter((_, place) => this.#isMatch(asked, place));
    const dates: Array<string> = [];
    for (let day = Date.parse(asked.start); day <= Date.parse(asked.end); day += 86_400_000) {
      dates.push(new Date(day).toISOString().slice(0, 10));
    }
    return {
      totals: {
        ...this.#activity(asked),
        campaigns: matching.length,
        active_campaigns: matching.filter((campaign) => this.#status(campaign) === "active").length,
        registered_devices: this.#registered,
      },
      daily: dates.map((date) => ({ date, ...this.#activity({ ...asked, start: date, end: date }) })),
    };
  }

  campaigns(asked: Asked) {
    const deliveries = this.#deliveries(asked);
    return this.#history.campaigns
      .map((campaign, place) => ({ campaign, place }))
      .filter(({ place }) => this.#isMatch(asked, place))
      .map(({ campaign, place }) => {
        const own = deliveries.filter((delivery) => delivery.campaign === place);
        return {
          id: this.#ids.campaigns[place] ?? "",
          name: campaign.name,
          status: this.#status(campaign),
          type: campaign.type,
          targets: this.#targets(campaign).size,
          delivered: own.length,
          engagement: percent(new Set(own.map((delivery) => delivery.device)).size, this.#registered),
        };
      })
      .filter((row) => asked.status === undefined || row.status === asked.status)
      .sort((a, b) => b.delivered - a.delivered || byName(a, b));
  }

  /** How long the visit took that an entry began, in milliseconds; null if it never ended. */
  #stay(entry: PastEvent): number | null {
    const exits = this.#history.events
      .filter(({ type }) => type === "exit")
      .filter(({ device, location }) => device === entry.device && location === entry.location)
      .map(({ occurredAt }) => occurredAt - entry.occurredAt)
      .filter((ms) => ms > 0);
    return exits.length === 0 ? null : Math.min(...exits);
  }

  locations(asked: Asked) {
    const events = this.#events(asked);
    return this.#history.locations
      .map(({ deleted, name }, place) => ({ deleted, name, place }))
      .filter(({ deleted, place }) => !deleted && this.#isMetLocation(asked, place))
      .map(({ name, place }) => {
        const own = events.filter((event) => event.location === place);
        const entries = own.filter((event) => event.type === "enter");
        const stays = entries.map((entry) => this.#stay(entry)).filter((stay) => stay !== null);
        const isActive = this.#history.campaigns.some(
          (campaign) =>
            !campaign.deleted && this.#status(campaign) === "active" && this.#targets(campaign).has(place),
        );
        const total = stays.reduce((sum, stay) => sum + stay, 0);
        return {
          id: this.#ids.locations[place] ?? "",
          name,
          status: isActive ? "active" : "idle",
          groups: this.#history.groups.flatMap(({ members }, group) =>
            members.includes(place) ? [`Group ${group}`] : [],
          ),
          entries: entries.length,
          exits: own.length - entries.length,
          engagement: percent(new Set(entries.map((entry) => entry.device)).size, this.#registered),
          dwell_minutes: stays.length === 0 ? null : oneDecimal(total, stays.length * 60_000),
        };
      })
      .filter((row) => asked.status === undefined || row.status === asked.status)
      .sort((a, b) => b.entries - a.entries || byName(a, b));
  }

  notifications(asked: Asked) {
    const { status: _, start: __, end: ___, ...filters } = asked;
    const outcomes = this.#outcomes(asked);
    return this.#history.notifications
      .map(({ deleted, name, type }, place) => {
        const isOn = this.#history.campaigns.flatMap((campaign, each) =>
          campaign.deleted ? [] : campaign.notifications.map((on) => ({ ...on, campaign, each })),
        );
        return { deleted, name, type, place, isOn: isOn.filter((on) => on.notification === place) };
      })
      .filter(({ deleted }) => !deleted)
      .filter(
        ({ isOn, place }) =>
          Object.keys(filters).length === 0 ||
          isOn.some((on) => this.#isMet(asked, on.each) && this.#isAsked(asked, place, on.trigger)),
      )
      .map(({ isOn, name, place, type }) => {
        const own = outcomes.filter((outcome) => outcome.notification === place);
        const reached = own.filter((outcome) => outcome.status === "delivered");
        const statuses = isOn.map((on) => this.#status(on.campaign));
        return {
          id: this.#ids.notifications[place] ?? "",
          name,
          status:
            ["active", "scheduled", "paused", "ended"].find((status) =>
              statuses.some((one) => one === status),
            ) ?? "unused",
          type,
          sent: own.length,
          delivered: reached.length,
          reach: percent(new Set(reached.map((delivery) => delivery.device)).size, this.#registered),
        };
      })
      .filter((row) => asked.status === undefined || row.status === asked.status)
      .sort((a, b) => b.delivered - a.delivered || byName(a, b));
  }
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const byName = (a: Named, b: Named): number =>
  Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || (a.id < b.id ? -1 : 1);

/** A quotient of whole numbers to one decimal, half away from zero, in whole numbers only. */
const oneDecimal = (part: number, whole: number): number =>
  Number((20n * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole))) / 10;

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : oneDecimal(100 * part, whole));
