import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { PushDispatcher } from "../../../src/sending/push/PushDispatcher.ts";
import { oneCampaign } from "../../events/EventWorld.ts";
import { ok } from "../../given/Given.ts";
import { testStart } from "../../TestWaypost.ts";
import type { LocalService } from "./PushServers.ts";

/** Waits until all due pushes have been sent and settled. */
export const pushed = Effect.flatMap(PushDispatcher, ({ caughtUp }) => caughtUp);

/** Starts sending due pushes without waiting. */
export const pushing = Effect.forkChild(pushed);

/** A campaign at a location in Production, with credentials of a provider, and phones that use it. */
export const pushWorld = (
  service: LocalService,
  options: { readonly campaign?: object; readonly notification?: object } = {},
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* oneCampaign(options.campaign, options.notification);
    const { location, production, workspace } = world;
    const base = `/workspaces/${workspace.id}/production`;
    const configure = (body: object = service.credentials) =>
      production.asOperator(`/transports/${service.transport}`, { method: "PUT", body });
    ok(yield* configure());
    const phone = (name: string = randomUUID(), body: object = {}) =>
      Effect.gen(function* () {
        const push = yield* Effect.promise(() => service.address(name));
        return { ...(yield* production.phone(randomUUID(), { push, ...body })), push, name };
      });
    const found = (list: string, id: string) =>
      Effect.map(
        production.asOperator(`/${list}?limit=100`),
        (answer) => (ok(answer) as Array<any>).find((each) => each.id === id) ?? null,
      );
    return {
      ...world,
      base,
      configure,
      phone,
      /** A phone that has just entered the location, and the message in the response. */
      fired: (name?: string) =>
        Effect.gen(function* () {
          const owner = yield* phone(name);
          const { deliveries } = yield* owner.sees("enter", location);
          return { ...owner, message: deliveries[0] };
        }),
      /** A delivery in the operator interface. */
      delivery: (id: string) => found("deliveries", id),
      device: (id: string) => found("devices", id),
    };
  });
