import { Effect, Fiber, Schedule } from "effect";
import { randomUUID } from "node:crypto";
import { collection, pointFeature } from "../locations/Features.ts";
import { campaignBody, eventNow, fromNow } from "../given/GivenBodies.ts";
import { ok } from "../given/Given.ts";
import { operatorKey } from "./Machines.ts";
import type { Balancer } from "./Balancer.ts";
import { longitudes, type SharedWorkspace } from "./SharedWorkspace.ts";

/** A phone of the traffic, with the number of its answered entries and exits. */
export interface Phone {
  readonly installation: string;
  readonly token: string;
  entered: number;
  left: number;
}

/** Sends requests of all kinds from several clients until `stop` runs. Each is counted after its answer. */
export const traffic = Effect.fnUntraced(function* (workspace: SharedWorkspace, balancer: Balancer) {
  const done = { imports: 0, campaigns: 0 };
  let isRunning = true;

  const register = Effect.fnUntraced(function* (name: string, isPushed: boolean) {
    const push = { transport: "fcm", token: name };
    const body = { platform: "android", ...(isPushed ? { push } : {}) };
    const answer = yield* balancer.ask(`/device/v1/devices/${name}`, workspace.sdkKey, {
      method: "PUT",
      body,
    });
    const phone: Phone = { installation: name, token: ok(answer).device_token, entered: 0, left: 0 };
    return phone;
  });

  /** Reports that the phone enters a location and leaves it. */
  const visit = (phone: Phone) =>
    Effect.gen(function* () {
      const location_id = workspace.locations[phone.entered % longitudes.length];
      for (const type of ["enter", "exit"]) {
        const event = yield* eventNow(location_id, { type });
        const answer = yield* balancer.ask("/device/v1/events", phone.token, { body: { events: [event] } });
        const { accepted, duplicates } = ok(answer);
        if (accepted + duplicates !== 1) balancer.refusals.push(JSON.stringify(answer.body));
        if (type === "enter") phone.entered++;
        else phone.left++;
      }
    });

  /** Reports a position: each time in the next location. */
  const move = (phone: Phone) =>
    Effect.gen(function* () {
      const position = {
        latitude: 52,
        longitude: longitudes[phone.entered % longitudes.length],
        recorded_at: yield* fromNow(0),
      };
      const answer = yield* balancer.ask("/device/v1/positions", phone.token, {
        body: { positions: [position] },
      });
      if (ok(answer).rejected.length > 0) balancer.refusals.push(JSON.stringify(answer.body));
      if (phone.entered > 0) phone.left++;
      phone.entered++;
    });

  /** Imports three locations without external ids: a second import would duplicate them. */
  const importFromFile = Effect.gen(function* () {
    const key = randomUUID();
    const names = [1, 2, 3].map((index) => `${key} ${index}`);
    const body = collection(...names.map((name) => pointFeature({ name, group: "Imported" })));
    const headers = { "idempotency-key": key };
    if (done.imports % 2 === 0)
      ok(yield* balancer.ask("/platform/v1/locations/import", workspace.token, { body, headers }));
    else {
      const byOperator = { ...headers, "waypost-workspace": workspace.id };
      ok(yield* balancer.ask("/platform/v1/locations/import", operatorKey, { body, headers: byOperator }));
    }
    done.imports++;
  });

  const makeCampaign = Effect.gen(function* () {
    const key = randomUUID();
    const location_ids = [workspace.locations[0]];
    // It has no notification and so sends nothing.
    const body = campaignBody({ name: key, starts_at: "2099-01-01", location_ids });
    const headers = { "idempotency-key": key };
    ok(yield* balancer.ask("/platform/v1/campaigns", workspace.token, { body, headers }));
    done.campaigns++;
  });

  const phones = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (index) =>
    register(`phone-${index}`, index % 2 === 0),
  );
  const steps = [
    ...phones.map((phone, index) => (index < 4 ? visit(phone) : move(phone))),
    importFromFile,
    makeCampaign,
  ];
  const clients = yield* Effect.forkChild(
    Effect.forEach(
      steps,
      (step) => Effect.repeat(step, { schedule: Schedule.spaced("100 millis"), while: () => isRunning }),
      { concurrency: "unbounded" },
    ),
  );
  return {
    done,
    phones,
    /** Stops the clients after their current requests. */
    stop: Effect.suspend(() => {
      isRunning = false;
      return Fiber.join(clients);
    }),
  };
});

/** The clients that `traffic` starts. */
export type Traffic = Effect.Success<ReturnType<typeof traffic>>;
