import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestWaypost } from "../../TestWaypost.ts";
import { asRecorded, called, webhookWorld } from "../../webhooks/WebhookWorld.ts";
import { importWorld } from "./ImportWorld.ts";

const row = { installation_id: "one", platform: "ios" };

layer(TestWaypost.layer)("Import of devices", (it) => {
  it.effect("lines of JSON create devices with their addresses, and update known ones (Q4.1, Q4.2)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { devices, lines, outcome, production, workspace } = yield* importWorld;
      const known = yield* production.device("known", {
        user_id: "anna",
        attributes: { plan: "gold", kept: 1 },
        locale: "nl-NL",
        subscribed: false,
        push: { transport: "apns", token: "old" },
      });
      yield* known.ask("/messages");
      const first = {
        ...row,
        transport: "fcm",
        address: { token: "t-1" },
        attributes: { visits: 3, gone: null },
        timezone: "Europe/Paris",
        user_id: "bob",
      };
      const answer = yield* lines([first, "", { installation_id: "known", attributes: '{"plan":"silver"}' }]);
      assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
      const { results, summary } = answer.body.data;
      assert.deepStrictEqual(summary, { created: 1, updated: 1, skipped: 0, failed: 0 });
      assert.deepStrictEqual(outcome(results), [
        [0, "created", null],
        [1, "updated", null],
      ]);
      const [before, made] = yield* devices;
      assert.deepInclude(made, {
        id: results[0].id,
        installation_id: "one",
        transport: "fcm",
        approved: false,
        attributes: { visits: 3 },
        timezone: "Europe/Paris",
        user_id: "bob",
        subscribed: true,
      });
      assert.deepInclude(before, {
        id: known.id,
        transport: "apns",
        attributes: { plan: "silver" },
        locale: "nl-NL",
        user_id: "anna",
        subscribed: false,
      });
      const stored = yield* sql<{ address: unknown }>`
        SELECT address FROM device d JOIN workspace w ON w.id = d.workspace_id
        WHERE w.public_id = ${workspace.id} ORDER BY key`;
      assert.deepStrictEqual(
        stored.map(({ address }) => address),
        [{ token: "old" }, { token: "t-1" }],
      );
      // The token of a known device stays; the app of a new one registers and gets its own.
      assert.strictEqual((yield* known.ask("/messages")).status, 200);
      const registered = yield* production.register("one");
      assert.deepStrictEqual([registered.status, registered.body.data.id], [200, results[0].id]);
      assert.property(registered.body.data, "device_token");
      const cleared = yield* lines([
        { installation_id: "known", user_id: null, transport: "inbox", locale: null },
      ]);
      assert.strictEqual(cleared.body.data.summary.updated, 1);
      assert.deepInclude((yield* devices)[0], { user_id: null, transport: "inbox", locale: null });
    }),
  );

  it.effect("CSV has a header row, JSON in cells, and empty cells are not given (Q4.1)", () =>
    Effect.gen(function* () {
      const { csv, devices, outcome } = yield* importWorld;
      const made = yield* csv(
        "\uFEFFplatform,Installation_ID,transport,address,attributes,note,user_id\r\n" +
          'ios,one,apns,"{""token"":""t"",""topic"":""x.y""}","{""a"":[""b, c""]}",ignored,anna\r\n' +
          "\r\n" +
          "android,two,,,,,\n" +
          "web,three,,\n",
      );
      assert.deepStrictEqual(outcome(made.body.data.results), [
        [0, "created", null],
        [1, "created", null],
        [2, "failed", ["The row must have 7 fields, like the first row; it has 4."]],
      ]);
      const [one, two] = yield* devices;
      assert.deepInclude(one, { transport: "apns", attributes: { a: ["b, c"] }, user_id: "anna" });
      assert.deepInclude(two, { transport: "inbox", attributes: {}, user_id: null });
      const kept = yield* csv("installation_id,user_id,locale\none,,nl\n");
      assert.strictEqual(kept.body.data.summary.updated, 1);
      assert.deepInclude((yield* devices)[0], { user_id: "anna", locale: "nl" });
    }),
  );

  it.effect("a bad row fails alone, with all its reasons (Q4.3)", () =>
    Effect.gen(function* () {
      const { devices, lines } = yield* importWorld;
      const bad: ReadonlyArray<readonly [unknown, RegExp]> = [
        ["{nonsense", /must be a JSON object/],
        ["[1]", /must be a JSON object/],
        [{ platform: "ios" }, /installation id is required/],
        [{ installation_id: " ", platform: "ios" }, /installation id/],
        [{ installation_id: "x".repeat(256), platform: "ios" }, /installation id/],
        [{ installation_id: "a" }, /platform is required for a new device/],
        [{ ...row, platform: "symbian" }, /platform/],
        [{ ...row, transport: "pigeon" }, /transport/],
        [{ ...row, transport: "fcm" }, /token/],
        [{ ...row, address: { token: "t" } }, /transport is required/],
        [{ ...row, transport: "fcm", address: "t" }, /must be a JSON object/],
        [{ ...row, transport: "webpush", address: { endpoint: "https://x.example" } }, /address\.keys|keys/],
        [{ ...row, attributes: "{" }, /attributes must be/],
        [{ ...row, attributes: { a: {} } }, /attribute/],
        [{ ...row, timezone: "Mars/Base" }, /time zone/],
        [{ ...row, user_id: "" }, /user id/],
        [{ ...row, user_id: 7 }, /user id/],
        [{ ...row, locale: "x".repeat(65) }, /locale/],
        [`{"installation_id":"${"x".repeat(70_000)}"}`, /longer than/],
      ];
      const { body } = yield* lines([{ ...row, installation_id: "good" }, ...bad.map(([each]) => each)]);
      const { results, summary } = body.data;
      assert.deepStrictEqual(summary, { created: 1, updated: 0, skipped: 0, failed: bad.length });
      for (const [at, [sent, reason]] of bad.entries()) {
        const result = results[at + 1];
        assert.strictEqual(result.status, "failed", JSON.stringify(sent));
        assert.isTrue(
          result.reasons.some((each: string) => reason.test(each)),
          `${JSON.stringify(sent).slice(0, 80)}: ${result.reasons.join(" ")}`,
        );
      }
      const both = yield* lines([{ ...row, timezone: "Mars/Base", user_id: "" }]);
      assert.lengthOf(both.body.data.results[0].reasons, 2);
      assert.lengthOf(yield* devices, 1);
    }),
  );

  it.effect("of two rows of one installation the later updates (Q4.2)", () =>
    Effect.gen(function* () {
      const { devices, lines, outcome } = yield* importWorld;
      const { body } = yield* lines([
        { ...row, user_id: "anna", locale: "nl" },
        { installation_id: "one", user_id: "bob" },
        { installation_id: "one", timezone: "nowhere" },
      ]);
      assert.deepStrictEqual(
        outcome(body.data.results).map(([, status]) => status),
        ["created", "updated", "failed"],
      );
      const all = yield* devices;
      assert.lengthOf(all, 1);
      assert.deepInclude(all[0], { platform: "ios", user_id: "bob", locale: "nl" });
    }),
  );

  it.effect("a body that is no list of rows is 422, and a broken rest fails from there on (Q4.5)", () =>
    Effect.gen(function* () {
      const { csv, devices, outcome, send } = yield* importWorld;
      const refusals: ReadonlyArray<readonly [string, string]> = [
        ["", "text/csv"],
        ["", "application/x-ndjson"],
        ["name,platform\na,ios\n", "text/csv"],
      ];
      for (const [text, type] of refusals) {
        const refused = yield* send(text, type);
        assert.deepStrictEqual(
          [refused.status, Object.keys(refused.body.error.fields)],
          [422, ["body"]],
          text,
        );
      }
      assert.strictEqual((yield* send("x", "application/pdf")).status, 415);
      const broken = yield* csv('installation_id,platform\none,ios\ntwo,"ios\nthree,ios\n');
      assert.deepStrictEqual(
        outcome(broken.body.data.results).map(([index, status]) => [index, status]),
        [
          [0, "created"],
          [1, "failed"],
        ],
      );
      assert.match(broken.body.data.results[1].reasons[0], /Nothing behind it was read/);
      const text = Buffer.concat([Buffer.from(`${JSON.stringify(row)}\n`), Buffer.from([0xff, 0xfe])]);
      const cut = yield* send(text, "application/x-ndjson");
      assert.strictEqual(cut.status, 422);
      assert.lengthOf(yield* devices, 1);
      // Without a content type the first character decides.
      const plain = yield* send(JSON.stringify({ ...row, installation_id: "plain" }), "");
      assert.strictEqual(plain.body.data.summary.created, 1);
    }),
  );

  it.effect("an import is one entry of the activity, and new devices are events (Q4.6)", () =>
    Effect.gen(function* () {
      const { make, production, receiver, waypost, workspace } = yield* webhookWorld;
      yield* make({ events: ["device.registered"] });
      yield* production.register("known");
      const path = `/workspaces/${workspace.id}/production`;
      const text = ["known", "one", "two"].map((each) => JSON.stringify({ ...row, installation_id: each }));
      yield* waypost.operator(`${path}/devices/import`, {
        method: "POST",
        body: text.join("\n"),
        headers: { "content-type": "application/x-ndjson" },
      });
      const { body } = yield* waypost.operator(`${path}/activity?resource=device`);
      assert.lengthOf(body.data, 1);
      assert.deepInclude(body.data[0], {
        action: "import",
        resource: { type: "device", id: null, name: null },
      });
      assert.deepStrictEqual(body.data[0].changes.created, { old: null, new: 2 });
      yield* called;
      assert.sameMembers(
        asRecorded(receiver.events()).map(({ data }) => data.installation_id),
        ["known", "one", "two"],
      );
    }),
  );

  it.effect("a device that comes back with an import is an event, as with a registration (N2.1, Q4.6)", () =>
    Effect.gen(function* () {
      const { make, production, receiver, waypost, workspace } = yield* webhookWorld;
      const phone = yield* production.phone("one");
      yield* phone.ask("/devices/me", { method: "DELETE" });
      yield* make({ events: ["device.registered"] });
      const again = { body: JSON.stringify(row), headers: { "content-type": "application/x-ndjson" } };
      const path = `/workspaces/${workspace.id}/production/devices/import`;
      for (let round = 0; round < 2; round++) yield* waypost.operator(path, { method: "POST", ...again });
      yield* called;
      assert.deepStrictEqual(
        receiver.events().map(({ data, type }) => [type, data.id]),
        [["device.registered", phone.id]],
      );
    }),
  );

  it.effect("an unregistered device is registered again, and its wish stays (Q4.2)", () =>
    Effect.gen(function* () {
      const { devices, lines, production } = yield* importWorld;
      const phone = yield* production.device("one", { subscribed: false });
      yield* phone.ask("/devices/me", { method: "DELETE" });
      assert.isEmpty(yield* devices);
      yield* lines([row]);
      assert.deepInclude((yield* devices)[0], { id: phone.id, subscribed: false });
      assert.strictEqual((yield* phone.ask("/messages")).status, 401);
    }),
  );
});
