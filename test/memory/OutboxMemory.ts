import { Effect, Layer } from "effect";
import { Outbox } from "../../src/outbox/Outbox.ts";

/** In memory there are no webhooks, and so nothing is recorded. */
export const outboxMemory = Layer.succeed(Outbox, Outbox.of({ record: () => Effect.void }));
