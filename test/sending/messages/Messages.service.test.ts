import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { TestWaypost, testStart } from "../../TestWaypost.ts";
import { oneCampaign } from "../../events/EventWorld.ts";

layer(TestWaypost.layer)("Inboxes", (it) => {
  it.effect(
    "an inbox lists its messages newest first, each once over all pages (D1.2, device.messages)",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(testStart);
        const { location, phone, production } = yield* oneCampaign();
        const other = yield* production.phone();
        const sent: Array<string> = [];
        for (let minute = 0; minute < 5; minute++) {
          yield* TestClock.setTime(testStart + minute * 60_000);
          // Of two in the same instant the later one comes first.
          for (let twice = 0; twice < 2; twice++) {
            sent.unshift((yield* phone.sees("enter", location)).deliveries[0].id);
            yield* other.sees("enter", location);
          }
        }
        const first = yield* phone.ask("/messages?limit=3");
        const paged: Array<string> = first.body.data.map(({ id }: { id: string }) => id);
        // Messages that arrive while paging are on no later page.
        yield* phone.sees("enter", location);
        let cursor: string | null = first.body.meta.next_cursor;
        while (cursor !== null) {
          const page: any = (yield* phone.ask(`/messages?limit=3&cursor=${cursor}`)).body;
          paged.push(...page.data.map(({ id }: { id: string }) => id));
          cursor = page.meta.next_cursor;
        }
        assert.deepStrictEqual(paged, sent);
        const foreign = yield* other.ask(`/messages?cursor=${first.body.meta.next_cursor}`);
        assert.deepStrictEqual([foreign.status, foreign.body.error.code], [422, "invalid_cursor"]);
        const bad = yield* phone.ask("/messages?limit=101");
        assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "invalid_parameter"]);
      }),
  );

  it.effect(
    "an inbox opens no message of another device, of a failed push, or with an unknown id (device.messages)",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(testStart);
        const { location, phone, production } = yield* oneCampaign();
        const [message] = (yield* phone.sees("enter", location)).deliveries;
        const other = yield* production.phone(randomUUID(), { push: { transport: "fcm", token: "t" } });
        const [failed] = (yield* other.sees("enter", location)).deliveries;
        // Includes an id with the other device's source and its own device.
        const forged = `${message.id.slice(0, 28)}${failed.id.slice(28)}`;
        for (const id of [message.id, failed.id, forged, randomUUID(), "nonsense", "%00"]) {
          const answer = yield* other.ask(`/messages/${id}/opened`, { method: "POST" });
          assert.deepStrictEqual([answer.status, answer.body.error?.code], [404, "not_found"], id);
        }
        assert.isNull((yield* phone.inbox())[0].opened_at);
      }),
  );
});
