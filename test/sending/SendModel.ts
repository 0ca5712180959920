import { begun, dayAt, periodBegun, shown, type Stretch } from "./ZoneOracle.ts";
import { DAY_MS } from "../../src/time/TimeZone.ts";

/**
 * A plain reading of contract E10, E11, F6 and L2 to L6, without a database: what a simulation must come to.
 */

export interface ModelDevice {
  readonly key: number;
  readonly tall: boolean;
  readonly loud: boolean;
  registered: boolean;
  /** Always in Production; in Sandbox what the operator says last (contract L2). */
  approved: boolean;
}

interface ModelSend {
  readonly campaign: ModelCampaign;
  readonly notification: string;
  /** `HH:MM` as it was written. */
  time: string;
  dueAt: number;
  status: "scheduled" | "done" | "skipped" | "missed" | "cancelled";
  readonly reached: Array<number>;
}

export interface ModelCampaign {
  readonly id: string;
  readonly stretches: ReadonlyArray<Stretch>;
  readonly cap: { readonly count: number; readonly period: "day" | "week" | "month" } | null;
  readonly audience: "everybody" | "tall" | "any" | "all";
  /** Its local day. */
  day: number;
  paused: boolean;
  readonly notifications: Array<string>;
  /** When each device got something. */
  readonly got: Map<number, Array<number>>;
}

const belongs = (audience: ModelCampaign["audience"], { loud, tall }: ModelDevice): boolean =>
  ({ everybody: true, tall, any: tall || loud, all: tall && loud })[audience];

export class SendModel {
  readonly devices: Array<ModelDevice> = [];
  readonly campaigns: Array<ModelCampaign> = [];
  readonly sends: Array<ModelSend> = [];
  readonly batchSize: number;

  constructor(batchSize: number) {
    this.batchSize = batchSize;
  }

  instant({ day, stretches }: ModelCampaign, time: string): number {
    return shown(stretches, Date.parse(`${new Date(day).toISOString().slice(0, 10)}T${time}:00Z`));
  }

  /** The sends whose minute has come, as they are to be started: of a minute the older notification first. */
  due(now: number): ReadonlyArray<ModelSend> {
    const rank = ({ campaign, notification }: ModelSend) => campaign.notifications.indexOf(notification);
    return this.sends
      .filter(({ dueAt, status }) => status === "scheduled" && dueAt <= now)
      .toSorted((a, b) => a.dueAt - b.dueAt || rank(a) - rank(b));
  }

  nextDue(): number {
    return Math.min(...this.sends.flatMap(({ dueAt, status }) => (status === "scheduled" ? [dueAt] : [])));
  }

  /** A notification gets a time: its waiting send moves, or there is a new one. */
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

  /** A pause or a publish. */
  pause(campaign: ModelCampaign, paused: boolean, now: number): void {
    this.#skip(campaign, now);
    campaign.paused = paused;
  }

  remove(campaign: ModelCampaign): void {
    for (const send of this.#waiting(campaign)) send.status = "cancelled";
    this.campaigns.splice(this.campaigns.indexOf(campaign), 1);
  }

  /** A worker does what is due; a send that is stopped after so many batches comes to this end. */
  work(
    now: number,
    stop: { readonly batches: number; readonly status: "skipped" | "cancelled" } | null,
  ): void {
    for (const send of this.due(now)) {
      const { campaign } = send;
      const dayEnds = begun(campaign.stretches, campaign.day + DAY_MS) - 1000;
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
    const { audience, cap, got, stretches } = campaign;
    const registered = this.devices.filter(
      (device) => device.registered && device.approved && belongs(audience, device),
    );
    // Everybody is cut by numbers; others are found first, by a batch of its own, and cut by their count.
    const within =
      audience === "everybody"
        ? registered.filter(({ key }) => key <= batches * this.batchSize)
        : registered.slice(0, Math.max(0, batches - 1) * this.batchSize);
    const since = cap === null ? 0 : periodBegun(stretches, cap.period, dayAt(stretches, now));
    for (const { key } of within) {
      const before = got.get(key) ?? [];
      if (cap !== null && before.filter((at) => at >= since).length >= cap.count) continue;
      got.set(key, [...before, now]);
      reached.push(key);
    }
  }
}
