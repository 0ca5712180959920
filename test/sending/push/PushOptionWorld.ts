import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { localServer } from "../../notifications/LocalServer.ts";
import type { LocalService } from "./PushServers.ts";
import { pushed, pushWorld } from "./PushWorld.ts";

/** The pushes of a message with these fields, and the message as the answer of its event has it. */
export const sentBy = (service: LocalService, notification: object) =>
  Effect.gen(function* () {
    const world = yield* pushWorld(service, { notification });
    const { id, inbox, message } = yield* world.fired();
    yield* pushed;
    assert.deepStrictEqual(service.complaints, []);
    return { ...world, id, inbox, message, entry: service.ledger[0] as LocalService["ledger"][number] };
  });

/** A web server whose addresses buttons can have. */
export const site = Effect.map(
  localServer((_, response) => response.writeHead(200).end()),
  ({ port }) => `http://127.0.0.1:${port}`,
);
/** Two actions, of which the second opens nothing. */
export const actionsOf = (base: string) => [
  { id: "save", title: "Save it", url: `${base}/save` },
  { id: "later", title: "Later", url: null },
];
