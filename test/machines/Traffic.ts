import { Clock, Effect, Fiber, Schedule } from "effect";
import { randomUUID } from "node:crypto";
import { circle } from "../matrices/Ground.ts";
import { operatorKey, ok } from "./Machines.ts";
import type { Balancer } from "./Balancer.ts";
import { places, type Scene } from "./Scene.ts";

/** A phone of the traffic, and what it did that was answered. */
export interface Phone {
  readonly installation: string;
  readonly token: string;
  entered: number;
  left: number;
}

/** Requests of all kinds, one after the other from each client, until they are told to stop. Everything is counted once it was answered. */
export const traffic = Effect.fnUntraced(function* (scene: Scene, balancer: Balancer) {
  const done = { imports: 0, campaigns: 0 };
  let goesOn = true;
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString());

  const register = Effect.fnUntraced(function* (name: string, isPushed: boolean) {
    const push = { transport: "fcm", token: name };
    const body = { platform: "android", ...(isPushed ? { push } : {}) };
    const answer = yield* balancer.ask(`/device/v1/devices/${name}`, scene.sdkKey, { method: "PUT", body });
    const phone: Phone = { installation: name, token: ok(answer).device_token, entered: 0, left: 0 };
    return phone;
  });

  /** Says itself that it enters a place and leaves it. */
  const visit = (phone: Phone) =>
    Effect.gen(function* () {
      const location_id = scene.locations[phone.entered % places.length];
      for (const type of ["enter", "exit"]) {
        const event = { id: randomUUID(), type, location_id, occurred_at: yield* now };
        const answer = yield* balancer.ask("/device/v1/events", phone.token, { body: { events: [event] } });
        const { accepted, duplicates } = ok(answer);
        if (accepted + duplicates !== 1) balancer.refusals.push(JSON.stringify(answer.body));
        if (type === "enter") phone.entered++;
        else phone.left++;
      }
    });

  /** Says where it is: each time at another place. */
  const move = (phone: Phone) =>
    Effect.gen(function* () {
      const position = {
        latitude: 52,
        longitude: places[phone.entered % places.length],
        recorded_at: yield* now,
      };
      const answer = yield* balancer.ask("/device/v1/positions", phone.token, {
        body: { positions: [position] },
      });
      if (ok(answer).rejected.length > 0) balancer.refusals.push(JSON.stringify(answer.body));
      if (phone.entered > 0) phone.left++;
      phone.entered++;
    });

  /** Three places without ids of their own: imported twice, they would be there twice. */
  const importFromFile = Effect.gen(function* () {
    const key = randomUUID();
    const features = [1, 2, 3].map((place) => circle({ name: `${key} ${place}`, group: "Imported" }));
    const body = { type: "FeatureCollection", features };
    const headers = { "idempotency-key": key };
    if (done.imports % 2 === 0)
      ok(yield* balancer.ask("/platform/v1/locations/import", scene.token, { body, headers }));
    else {
      const path = `${scene.workspacePath}/production/locations/import?part=${key}`;
      ok(yield* balancer.ask(path, operatorKey, { body }));
    }
    done.imports++;
  });

  const makeCampaign = Effect.gen(function* () {
    const key = randomUUID();
    const location_ids = [scene.locations[0]];
    // No message is on it, so it fires nothing.
    const body = { name: key, type: "geo", timezone: "UTC", starts_at: "2099-01-01", location_ids };
    const headers = { "idempotency-key": key };
    ok(yield* balancer.ask("/platform/v1/campaigns", scene.token, { body, headers }));
    done.campaigns++;
  });

  const phones = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (turn) =>
    register(`phone-${turn}`, turn % 2 === 0),
  );
  const steps = [
    ...phones.map((phone, turn) => (turn < 4 ? visit(phone) : move(phone))),
    importFromFile,
    makeCampaign,
  ];
  const clients = yield* Effect.forkChild(
    Effect.forEach(
      steps,
      (step) => Effect.repeat(step, { schedule: Schedule.spaced("100 millis"), while: () => goesOn }),
      { concurrency: "unbounded" },
    ),
  );
  return {
    done,
    phones,
    /** Lets every request that has begun come to its end. */
    stop: Effect.suspend(() => {
      goesOn = false;
      return Fiber.join(clients);
    }),
  };
});

/** What `traffic` gives. */
export type Traffic = Effect.Success<ReturnType<typeof traffic>>;
