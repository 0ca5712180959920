import { campaignStatus } from "../../src/campaigns/CampaignStatus.ts";
import { byName, oneDecimal, percent, type QueryParameters } from "./ReportOrder.ts";
import type { RecordedIds } from "./RecordedHistory.ts";
import type { PastCampaign, PastDelivery, PastEvent, ReportHistory } from "./ReportHistory.ts";

const isOrAny = (wanted: string | undefined, is: string | undefined): boolean =>
  wanted === undefined || is === wanted;

/** Whether a query has a filter on campaigns or on their targets. */
const isOfTargets = ({ campaign, campaign_status, location, location_group }: QueryParameters): boolean =>
  [campaign, campaign_status, location, location_group].some((filter) => filter !== undefined);

/**
 * A second implementation of the report rules (contract K1–K8, M2), as plain as possible: it reads every row,
 * and days are those of a calendar in the zone. It shares only the status of a campaign with the program.
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

  #isIn(query: QueryParameters, ms: number): boolean {
    const date = this.#calendar.format(ms);
    return date >= query.start && date <= query.end;
  }

  #status(campaign: PastCampaign): string {
    return campaignStatus(campaign, this.#now);
  }

  #targets(campaign: PastCampaign): ReadonlySet<number> {
    const through = campaign.groups.flatMap((group) => this.#history.groups[group]?.members ?? []);
    return new Set(
      [...campaign.locations, ...through].filter(
        (index) => this.#history.locations[index]?.deleted === false,
      ),
    );
  }

  #isSelectedCampaign(query: QueryParameters, index: number): boolean {
    const campaign = this.#history.campaigns[index];
    if (campaign === undefined || campaign.deleted) return false;
    return (
      isOrAny(query.campaign, this.#ids.campaigns[index]) &&
      isOrAny(query.campaign_status, this.#status(campaign))
    );
  }

  /** Whether a campaign meets the filters on campaigns. */
  #meetsFilters(query: QueryParameters, index: number): boolean {
    const campaign = this.#history.campaigns[index];
    if (campaign === undefined || !this.#isSelectedCampaign(query, index)) return false;
    if (query.location !== undefined) {
      const location = this.#ids.locations.indexOf(query.location);
      if (!this.#targets(campaign).has(location)) return false;
    }
    if (query.location_group !== undefined) {
      const group = this.#ids.groups.indexOf(query.location_group);
      if (!campaign.groups.includes(group)) return false;
    }
    return true;
  }

  #isMatch(query: QueryParameters, index: number): boolean {
    if (!this.#meetsFilters(query, index)) return false;
    if (query.content_type === undefined && query.activation === undefined) return true;
    return (this.#history.campaigns[index]?.notifications ?? []).some(({ notification, trigger }) =>
      this.#hasKind(query, notification, trigger),
    );
  }

  /** Whether a notification exists and, with the trigger, meets `content_type` and `activation`. */
  #hasKind(query: QueryParameters, notification: number, trigger: string): boolean {
    const found = this.#history.notifications[notification];
    if (found === undefined || found.deleted) return false;
    return isOrAny(query.content_type, found.type) && isOrAny(query.activation, trigger);
  }

  /** Whether a delivery meets the filters, whenever it was settled. */
  #isOutcomeSelected(query: QueryParameters, delivery: PastDelivery): boolean {
    return (
      (!isOfTargets(query) || this.#meetsFilters(query, delivery.campaign)) &&
      isOrAny(query.content_type, delivery.type) &&
      isOrAny(query.activation, delivery.trigger)
    );
  }

  #outcomes(query: QueryParameters) {
    return this.#history.deliveries.filter(
      (delivery) =>
        (delivery.status === "delivered" || delivery.status === "failed") &&
        this.#isIn(query, delivery.settledAt) &&
        this.#isOutcomeSelected(query, delivery),
    );
  }

  #deliveries(query: QueryParameters) {
    return this.#outcomes(query).filter((outcome) => outcome.status === "delivered");
  }

  #isSelectedLocation(query: QueryParameters, index: number): boolean {
    if (!isOfTargets(query)) return true;
    if (this.#history.locations[index]?.deleted !== false) return false;
    if (!isOrAny(query.location, this.#ids.locations[index])) return false;
    if (query.location_group !== undefined) {
      const group = this.#history.groups[this.#ids.groups.indexOf(query.location_group)];
      if (group?.members.includes(index) !== true) return false;
    }
    if (query.campaign === undefined && query.campaign_status === undefined) return true;
    return this.#history.campaigns.some(
      (campaign, each) => this.#isSelectedCampaign(query, each) && this.#targets(campaign).has(index),
    );
  }

  #events(query: QueryParameters) {
    return this.#history.events.filter(
      (event) =>
        this.#isIn(query, event.occurredAt) &&
        this.#isSelectedLocation(query, event.location) &&
        (query.activation === undefined ||
          ((query.activation === "on_enter" || query.activation === "on_dwell") && event.type === "enter") ||
          (query.activation === "on_exit" && event.type === "exit")),
    );
  }

  get #registered(): number {
    return this.#history.devices.filter((device) => !device.unregistered).length;
  }

  #activity(query: QueryParameters) {
    const deliveries = this.#deliveries(query);
    const events = this.#events(query);
    return {
      delivered: deliveries.length,
      devices_reached: new Set(deliveries.map((delivery) => delivery.device)).size,
      geofence_entries: events.filter((event) => event.type === "enter").length,
      geofence_exits: events.filter((event) => event.type === "exit").length,
    };
  }

  summary(query: QueryParameters) {
    const matching = this.#history.campaigns.filter((_, index) => this.#isMatch(query, index));
    const dates: Array<string> = [];
    for (let day = Date.parse(query.start); day <= Date.parse(query.end); day += 86_400_000) {
      dates.push(new Date(day).toISOString().slice(0, 10));
    }
    return {
      totals: {
        ...this.#activity(query),
        campaigns: matching.length,
        active_campaigns: matching.filter((campaign) => this.#status(campaign) === "active").length,
        registered_devices: this.#registered,
      },
      daily: dates.map((date) => ({ date, ...this.#activity({ ...query, start: date, end: date }) })),
    };
  }

  campaigns(query: QueryParameters) {
    const deliveries = this.#deliveries(query);
    return this.#history.campaigns
      .map((campaign, index) => ({ campaign, index }))
      .filter(({ index }) => this.#isMatch(query, index))
      .map(({ campaign, index }) => {
        const own = deliveries.filter((delivery) => delivery.campaign === index);
        return {
          id: this.#ids.campaigns[index] ?? "",
          name: campaign.name,
          status: this.#status(campaign),
          type: campaign.type,
          targets: this.#targets(campaign).size,
          delivered: own.length,
          engagement: percent(new Set(own.map((delivery) => delivery.device)).size, this.#registered),
        };
      })
      .filter(({ status }) => isOrAny(query.status, status))
      .sort((a, b) => b.delivered - a.delivered || byName(a, b));
  }

  /** The length of the visit that an entry began, in milliseconds; null without an exit. */
  #visit(entry: PastEvent): number | null {
    const exits = this.#history.events
      .filter(({ type }) => type === "exit")
      .filter(({ device, location }) => device === entry.device && location === entry.location)
      .map(({ occurredAt }) => occurredAt - entry.occurredAt)
      .filter((ms) => ms > 0);
    return exits.length === 0 ? null : Math.min(...exits);
  }

  locations(query: QueryParameters) {
    const events = this.#events(query);
    return this.#history.locations
      .map(({ deleted, name }, index) => ({ deleted, name, index }))
      .filter(({ deleted, index }) => !deleted && this.#isSelectedLocation(query, index))
      .map(({ name, index }) => {
        const own = events.filter((event) => event.location === index);
        const entries = own.filter((event) => event.type === "enter");
        const visits = entries.map((entry) => this.#visit(entry)).filter((visit) => visit !== null);
        const isActive = this.#history.campaigns.some(
          (campaign) =>
            !campaign.deleted && this.#status(campaign) === "active" && this.#targets(campaign).has(index),
        );
        const total = visits.reduce((sum, visit) => sum + visit, 0);
        return {
          id: this.#ids.locations[index] ?? "",
          name,
          status: isActive ? "active" : "idle",
          groups: this.#history.groups.flatMap(({ members }, group) =>
            members.includes(index) ? [`Group ${group}`] : [],
          ),
          entries: entries.length,
          exits: own.length - entries.length,
          engagement: percent(new Set(entries.map((entry) => entry.device)).size, this.#registered),
          dwell_minutes: visits.length === 0 ? null : oneDecimal(total, visits.length * 60_000),
        };
      })
      .filter(({ status }) => isOrAny(query.status, status))
      .sort((a, b) => b.entries - a.entries || byName(a, b));
  }

  /** The notifications that have a row, with the status of their row. */
  #notificationRows(query: QueryParameters) {
    const { status: _, start: __, end: ___, ...filters } = query;
    return this.#history.notifications
      .map(({ deleted, name, type }, index) => {
        const all = this.#history.campaigns.flatMap((campaign, each) =>
          campaign.deleted ? [] : campaign.notifications.map((on) => ({ ...on, campaign, each })),
        );
        const pairings = all.filter((on) => on.notification === index);
        return { deleted, name, type, index, pairings };
      })
      .filter(({ deleted }) => !deleted)
      .filter(
        ({ index, pairings }) =>
          Object.keys(filters).length === 0 ||
          pairings.some(
            (on) => this.#meetsFilters(query, on.each) && this.#hasKind(query, index, on.trigger),
          ),
      )
      .map(({ index, name, pairings, type }) => {
        const statuses = pairings.map((on) => this.#status(on.campaign));
        const status =
          ["active", "scheduled", "paused", "ended"].find((each) => statuses.some((one) => one === each)) ??
          "unused";
        return { index, id: this.#ids.notifications[index] ?? "", name, status, type };
      })
      .filter(({ status }) => isOrAny(query.status, status));
  }

  notifications(query: QueryParameters) {
    const outcomes = this.#outcomes(query);
    return this.#notificationRows(query)
      .map(({ index, ...row }) => {
        const own = outcomes.filter((outcome) => outcome.notification === index);
        const reached = own.filter((outcome) => outcome.status === "delivered");
        return {
          ...row,
          sent: own.length,
          delivered: reached.length,
          reach: percent(new Set(reached.map((delivery) => delivery.device)).size, this.#registered),
        };
      })
      .sort((a, b) => b.delivered - a.delivered || byName(a, b));
  }

  /** Contract M2: opens and clicks are dated by when they happened. */
  interactions(query: QueryParameters) {
    const deliveries = this.#deliveries(query);
    const all = this.#history.deliveries.filter((delivery) => this.#isOutcomeSelected(query, delivery));
    return this.#notificationRows(query)
      .map(({ index, ...row }) => {
        const own = all.filter((delivery) => delivery.notification === index);
        const count = (at: (delivery: PastDelivery) => number | null) =>
          own.map(at).filter((ms) => ms !== null && this.#isIn(query, ms)).length;
        const delivered = deliveries.filter((delivery) => delivery.notification === index).length;
        const opened = count(({ openedAt }) => openedAt);
        const clicked = count(({ clickedAt }) => clickedAt);
        const rates = { open_rate: percent(opened, delivered), click_rate: percent(clicked, delivered) };
        return { ...row, delivered, opened, clicked, ...rates };
      })
      .sort((a, b) => b.delivered - a.delivered || byName(a, b));
  }
}
