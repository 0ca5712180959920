import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import { called } from "../../webhooks/WebhookWorld.ts";
import { testReceiver } from "../../webhooks/TestReceiver.ts";
import { commandLine } from "../CommandLine.ts";

layer(TestWaypost.shared)("waypost webhook", (it) => {
  it.effect("waypost webhook manages webhooks by the operator key (cli.webhook, N5.4)", () =>
    Effect.gen(function* () {
      const { json, run, token, workspace } = yield* commandLine;
      const { url, ...receiver } = yield* testReceiver;
      const made = yield* workspace();
      const on = `-w ${made.id} -e production`;
      const created = yield* json(`webhook create ${on} --to ${url} --events campaign.created --batch`);
      assert.deepInclude(created, { url, events: ["campaign.created"], batch: true, status: "active" });
      const shown = yield* run(`webhook show ${url} ${on}`);
      assert.match(shown.stdout, /status +active/);
      assert.notInclude(shown.stdout, created.secret);
      const updated = yield* json(`webhook update ${url} ${on} --description "For the warehouse"`);
      assert.deepInclude(updated, { description: "For the warehouse", batch: true });
      assert.strictEqual((yield* json(`webhook disable ${created.id} ${on}`)).status, "disabled");
      assert.strictEqual((yield* json(`webhook enable ${created.id} ${on}`)).status, "active");
      const replaced = yield* run(`webhook secret ${created.id} ${on}`);
      assert.match(replaced.stdout, /The old one signs too for 24 hours[\s\S]*whsec_/);
      const tested = yield* run(`webhook test ${created.id} ${on}`);
      assert.match(tested.stdout, /status +204/);
      const platform = (yield* TestWaypost).platform("production", (yield* token(made, "production")).token);
      yield* platform("/campaigns", {
        body: { name: "C", type: "push", timezone: "UTC", starts_at: "2026-11-22" },
      });
      yield* called;
      const [event] = receiver.events().slice(1);
      const again = yield* run(`webhook resend ${created.id} ${event.id} ${on}`);
      assert.deepStrictEqual([again.code, again.stdout], [0, `The event ${event.id} is sent again.\n`]);
      yield* called;
      const attempts = yield* json(`webhook attempts ${created.id} ${on}`);
      assert.deepStrictEqual(
        attempts.map(({ event_type }: any) => event_type),
        ["batch", "batch", "webhook.test"],
      );
      assert.include((yield* run(`webhook attempts ${url} ${on}`)).stdout, "webhook.test");
      const bad = yield* run(`webhook create ${on} --to ${url} --events nothing`);
      assert.deepStrictEqual([bad.code, bad.stderr.includes("events.0")], [1, true]);
      assert.deepInclude(yield* json(`webhook delete ${url} ${on}`), { deleted: true });
      assert.deepStrictEqual(yield* json(`webhook list ${on}`), []);
    }),
  );
});
