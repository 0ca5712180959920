import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost, testOperatorKey } from "../../TestWaypost.ts";
import { commandLine, runCli } from "../CommandLine.ts";

layer(TestWaypost.shared)("waypost event", (it) => {
  it.effect("waypost event reports, lists and counts custom events (cli.event)", () =>
    Effect.gen(function* () {
      const line = yield* commandLine;
      yield* line.json("workspace create --name Basket");
      const { sdk_key: key } = yield* line.json("sdk-key issue -w Basket -e sandbox");
      const { body } = yield* line.device(key)("/devices/one", {
        method: "PUT",
        body: { platform: "ios" },
      });
      const environment = { WAYPOST_URL: line.origin, WAYPOST_OPERATOR_KEY: testOperatorKey };
      const send = (...parameters: ReadonlyArray<string>) =>
        runCli(["event", "send", "-w", "Basket", "-e", "sandbox", ...parameters], environment);
      const id = "7d1c54de-3c1b-4a57-9a0e-b21f6a3f2c11";
      const order = ["order.placed", "--device", body.data.id, "--id", id, "--properties", '{"total": 59.9}'];
      assert.strictEqual((yield* send(...order)).stdout, `Recorded the event ${id}.\n`);
      assert.strictEqual((yield* send(...order)).stdout, `The event ${id} was recorded before.\n`);
      const nobody = yield* send("order.placed", "--user", "nobody");
      assert.strictEqual(nobody.code, 1);
      assert.include(nobody.stderr, "No registered device");
      assert.strictEqual((yield* send("order.placed")).code, 2);
      const [listed] = yield* line.json("event list -w Basket -e sandbox --name order.placed");
      assert.deepInclude(listed, { id, device_id: body.data.id, properties: { total: 59.9 } });
      const table = yield* line.run("event list -w Basket -e sandbox");
      assert.match(table.stdout, /^NAME +OF +OCCURRED +PROPERTIES\norder\.placed /);
      const counted = yield* line.json("event names -w Basket -e sandbox --days 2");
      assert.deepStrictEqual(
        counted.data.map((each: any) => [each.name, each.count, each.days.length]),
        [["order.placed", 1, 2]],
      );
      const names = yield* line.run("event names -w Basket -e sandbox");
      assert.match(
        names.stdout,
        /^NAME +EVENTS +A DAY, UNTIL TODAY +LAST RECEIVED\norder\.placed +1 +0 0 0 0 0 0 1 /,
      );
      const none = yield* line.run("event names -w Basket -e production");
      assert.strictEqual(none.stdout, "There are no events.\n");
    }),
  );
});
