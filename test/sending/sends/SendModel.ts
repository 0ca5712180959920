import { begun, dayAt, periodBegun, quietEnd, shown, type OffsetPeriod } from "./ZoneOracle.ts";
import { DAY_MS } from "../../../src/time/DayNumbers.ts";

/** A model of contract E10, E11, F6 and L2 to L6 without a database: what a simulation must end with. */

export interface ModelDevice {
  readonly key: number;
  readonly tall: boolean;
  readonly loud: boolean;
  /** The periods of its own zone; null without one. */
  readonly periods: ReadonlyArray<OffsetPeriod> | null;
  readonly user: string | null;
  /** When it was seen last, and its id. */
  readonly seenAt: number;
  readonly id: string;
  registered: boolean;
  /** Always true in Production; in Sandbox set by the operator (contract L2). */
  approved: boolean;
}

interface ModelSend {
  readonly campaign: ModelCampaign;
  readonly notification: string;
  /** `HH:MM`. */
  time: string;
  dueAt: number;
  status: "scheduled" | "done" | "skipped" | "missed" | "cancelled";
  readonly reached: Array<number>;
}

export interface ModelCampaign {
  readonly id: string;
  readonly periods: ReadonlyArray<OffsetPeriod>;
  readonly cap: { readonly count: number; readonly period: "day" | "week" | "month" } | null;
  readonly byUser: boolean;
  readonly quiet: { readonly from: string; readonly to: string; readonly action: "hold" | "drop" } | null;
  readonly audience: "everybody" | "tall" | "any" | "all";
  /** Its local day. */
  day: number;
  paused: boolean;
  readonly notifications: Array<string>;
  /** When each device, or each person, got deliveries. */
  readonly got: Map<number | string, Array<number>>;
}

const belongs = (audience: ModelCampaign["audience"], { loud, tall }: ModelDevice): boolean =>
  ({ everybody: true, tall, any: tall || loud, all: tall && loud })[audience];

export class SendModel {
  readonly devices: Array<ModelDevice> = [];
  readonly campaigns: Array<ModelCampaign> = [];
  readonly sends: Array<ModelSend> = [];
  readonly batchSize: number;
  readonly inSandbox: boolean;

  constructor(batchSize: number, inSandbox: boolean) {
    this.batchSize = batchSize;
    this.inSandbox = inSandbox;
  }

  instant({ day, periods }: ModelCampaign, time: string): number {
    return shown(periods, Date.parse(`${new Date(day).toISOString().slice(0, 10)}T${time}:00Z`));
  }

  /** The due sends in the order in which they start: of one minute the older notification first. */
  due(now: number): ReadonlyArray<ModelSend> {
    const rank = ({ campaign, notification }: ModelSend) => campaign.notifications.indexOf(notification);
    return this.sends
      .filter(({ dueAt, status }) => status === "scheduled" && dueAt <= now)
      .toSorted((a, b) => a.dueAt - b.dueAt || rank(a) - rank(b));
  }

  nextDue(): number {
    return Math.min(...this.sends.flatMap(({ dueAt, status }) => (status === "scheduled" ? [dueAt] : [])));
  }

  /** Sets the time of a notification: moves its scheduled send, or adds one. */
  plan(campaign: ModelCampaign, notification: string, time: string, now: number): void {
    if (campaign.paused) this.#skip(campaign, now);
    const dueAt = this.instant(campaign, time);
    const waiting = this.#waiting(campaign).find((send) => send.notification === notification);
    if (waiting === undefined)
      this.sends.push({ campaign, notification, time, dueAt, status: "scheduled", reached: [] });
    else Object.assign(waiting, { time, dueAt });
  }

  move(campaign: ModelCampaign, day: number): void {
    campaign.day = day;
    for (const send of this.#waiting(campaign)) send.dueAt = this.instant(campaign, send.time);
  }

  /** Pauses or publishes. */
  pause(campaign: ModelCampaign, paused: boolean, now: number): void {
    this.#skip(campaign, now);
    campaign.paused = paused;
  }

  remove(campaign: ModelCampaign): void {
    for (const send of this.#waiting(campaign)) send.status = "cancelled";
    this.campaigns.splice(this.campaigns.indexOf(campaign), 1);
  }

  /** A worker runs due sends. With `stop`, a send ends in this status after so many batches. */
  work(
    now: number,
    stop: { readonly batches: number; readonly status: "skipped" | "cancelled" } | null,
  ): void {
    for (const send of this.due(now)) {
      const { campaign } = send;
      const dayEnds = begun(campaign.periods, campaign.day + DAY_MS) - 1000;
      send.status = campaign.paused
        ? "skipped"
        : now > dayEnds && now >= send.dueAt + 60_000
          ? "missed"
          : (stop?.status ?? "done");
      if (!campaign.paused && send.status !== "missed") this.#reach(send, now, stop?.batches ?? Infinity);
    }
  }

  /** One line for each send. */
  lines(): ReadonlyArray<string> {
    return this.sends.map(({ campaign, dueAt, notification, reached, status }) =>
      [campaign.id, notification, new Date(dueAt).toISOString(), status, reached.length, reached.join()].join(
        " ",
      ),
    );
  }

  #waiting(campaign: ModelCampaign): ReadonlyArray<ModelSend> {
    return this.sends.filter((send) => send.campaign === campaign && send.status === "scheduled");
  }

  #skip(campaign: ModelCampaign, now: number): void {
    for (const send of this.#waiting(campaign)) if (send.dueAt <= now) send.status = "skipped";
  }

  #reach({ campaign, reached }: ModelSend, now: number, batches: number): void {
    const { audience, byUser, cap, got, periods, quiet } = campaign;
    const reachable = this.devices.filter(
      (device) => device.registered && device.approved && belongs(audience, device),
    );
    const isBehind = (a: ModelDevice, b: ModelDevice) =>
      a.user !== null && a.user === b.user && (b.seenAt > a.seenAt || (b.seenAt === a.seenAt && b.id < a.id));
    const registered = reachable.filter(
      (device) => !byUser || !reachable.some((other) => isBehind(device, other)),
    );
    // A send to all devices is split by device keys. An audience, in Sandbox the approved devices, is found
    // by a batch of its own and split by count.
    const within =
      audience === "everybody" && !byUser && !this.inSandbox
        ? registered.filter(({ key }) => key <= batches * this.batchSize)
        : registered.slice(0, Math.max(0, batches - 1) * this.batchSize);
    const since = cap === null ? 0 : periodBegun(periods, cap.period, dayAt(periods, now));
    for (const device of within) {
      const { key } = device;
      const receiver = byUser ? (device.user ?? key) : key;
      const before = got.get(receiver) ?? [];
      if (cap !== null && before.filter((at) => at >= since).length >= cap.count) continue;
      const isQuiet = quiet !== null && quietEnd(device.periods ?? periods, quiet, now) !== null;
      if (isQuiet && quiet.action === "drop") continue;
      got.set(receiver, [...before, now]);
      reached.push(key);
    }
  }
}
