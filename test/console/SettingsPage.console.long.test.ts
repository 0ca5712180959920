import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { called, webhookWorld } from "../webhooks/WebhookWorld.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("settings in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("a token that is issued is shown once and works until it is revoked (console.settings)", () =>
    Effect.gen(function* () {
      const { platform, tenant } = yield* TestWaypost;
      const { workspace } = yield* tenant();
      const tab = yield* consoleTab;
      const token = yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=sandbox`);
        await tab.signIn(testOperatorKey);
        await tab.seePage("Settings");
        await tab.press("button", "Issue token");
        await tab.press("checkbox", "reports:read");
        await tab.click("dialog button[type=submit]");
        await tab.seeText("The abilities must name at least one ability.");
        const name = await tab.page.waitForSelector("dialog [aria-invalid=true]");
        assert.include(await name?.evaluate((field) => field.parentElement?.textContent), "Name");
        await tab.page.locator("dialog input[type=text]").fill("Kim <b>");
        await tab.press("checkbox", "campaigns:read");
        await tab.click("dialog button[type=submit]");
        await tab.see("button", "Copy");
        const field = await tab.see("textbox", "Token");
        return field.evaluate((input) => (input as { readonly value?: string }).value ?? "");
      });
      yield* checkPage(tab);
      assert.strictEqual((yield* platform("sandbox", token)("/campaigns")).status, 200);
      yield* Effect.promise(async () => {
        await tab.press("button", "Done");
        assert.notInclude(await tab.page.content(), token);
        await tab.press("button", "Revoke Kim <b>");
        await tab.click("dialog .button-danger");
        await tab.seeText("“Kim <b>” is revoked.");
      });
      assert.strictEqual((yield* platform("sandbox", token)("/campaigns")).status, 401);
    }),
  );

  inBrowser("the workspace is changed, with the API's sentences at its fields (console.settings)", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestWaypost;
      const { workspace } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=production`);
        await tab.signIn(testOperatorKey);
        await tab.fill("Times", "0");
        await tab.press("button", "Save");
        const field = await tab.page.waitForSelector("input[aria-invalid=true]");
        const label = await field?.evaluate((input) => input.parentElement?.textContent ?? "");
        assert.match(label ?? "", /^Times/);
        await tab.fill("Times", "3");
        await tab.choose("Per", "Week");
        await tab.fill("From", "22:00");
        await tab.fill("To", "22:00");
        await tab.choose("Action", "Drop messages");
        await tab.press("button", "Save");
        await tab.seeText("another time than their start");
        await tab.fill("To", "07:00");
        await tab.press("button", "Save");
        await tab.seeText("Saved.");
        // The checks of the installation take seconds.
        await tab.see("table", "Health");
        await tab.see("link", "API documentation");
      });
      const { body } = yield* operator(`/workspaces/${workspace.id}`);
      assert.deepStrictEqual(body.data.default_frequency_cap, { count: 3, period: "week" });
      assert.deepStrictEqual(body.data.quiet_hours, { from: "22:00", to: "07:00", action: "drop" });
      yield* checkPage(tab);
    }),
  );

  inBrowser("the operator changes the plan, and sees what is used of it (console.settings)", () =>
    Effect.gen(function* () {
      const { operator, sandbox, workspace } = yield* Effect.flatMap(TestWaypost, (waypost) =>
        Effect.map(waypost.tenant(), (tenant) => ({ ...waypost, ...tenant })),
      );
      yield* sandbox("/campaigns", {
        body: { name: "Autumn", type: "push", starts_at: "2099-12-01 09:00", timezone: "UTC" },
      });
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=sandbox`);
        await tab.signIn();
        await tab.press("button", "Change plan");
        await tab.fill("Campaigns", "many");
        await tab.press("button", "Save plan");
        const problem = await tab.page.waitForSelector("dialog .problem");
        assert.match((await problem?.evaluate((each) => each.textContent)) ?? "", /must be a whole number/);
        await tab.fill("Campaigns", "1");
        await tab.fill("Bytes of media", "");
        await tab.press("button", "Save plan");
        await tab.seeText("The plan is saved.");
        await tab.seeText("Reached");
        const name = "Campaigns that have not ended and are not paused";
        const shown = await tab.page.waitForSelector(`::-p-xpath(//tr[td[1][.="${name}"]])`);
        assert.strictEqual(await shown?.evaluate((each) => each.textContent), `${name}11Reached`);
      });
      const { plan } = (yield* operator(`/workspaces/${workspace.id}`)).body.data;
      assert.containSubset(plan, { max_campaigns: 1, max_media_bytes: null, max_notifications: 1000 });
      yield* checkPage(tab);
    }),
  );

  inBrowser("credentials of a push service are set and removed (console.settings)", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestWaypost;
      const { workspace } = yield* tenant();
      const list = operator(`/workspaces/${workspace.id}/production/transports`);
      const tab = yield* consoleTab;
      const configured = Effect.map(list, ({ body }) =>
        body.data.filter((each: any) => each.configured).map((each: any) => each.transport),
      );
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=production`);
        await tab.signIn();
        await tab.press("button", "Set credentials of Firebase Cloud Messaging");
        await tab.fill("Service account", "no JSON");
        await tab.press("button", "Save credentials");
        await tab.seeText("The service account must be the object that its JSON key file holds.");
        await tab.press("button", "Cancel");
        await tab.press("button", "Set credentials of Web Push");
        await tab.fill("Subject", "mailto:push@example.com");
        await tab.press("button", "Save credentials");
        await tab.seeText("Web Push is set up.");
      });
      assert.deepStrictEqual(yield* configured, ["webpush"]);
      yield* Effect.promise(async () => {
        await tab.press("button", "Remove the credentials of Web Push");
        await tab.click("dialog .button-danger");
        await tab.page.waitForFunction("document.querySelector('dialog') === null");
      });
      assert.deepStrictEqual(yield* configured, []);
      yield* checkPage(tab);
    }),
  );

  inBrowser("a webhook is made, disabled and deleted; its secret is shown once (console.settings)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { sandbox, workspace } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=sandbox`);
        await tab.signIn();
        await tab.press("button", "New webhook");
        await tab.fill("Address", "nowhere");
        await tab.press("button", "Save webhook");
        await tab.page.waitForSelector("dialog [aria-invalid=true]");
        await tab.fill("Address", "http://127.0.0.1:9/hook");
        await tab.press("checkbox", "All, also types to come");
        await tab.press("checkbox", "survey.answered");
        await tab.press("button", "Save webhook");
        const field = await tab.see("textbox", "Secret");
        const value = await field.evaluate((input) => (input as { readonly value?: string }).value ?? "");
        assert.match(value, /^whsec_/);
        await tab.press("button", "Done");
        await tab.press("link", "http://127.0.0.1:9/hook");
        await tab.press("button", "Disable");
        await tab.see("button", "Enable");
      });
      const [made] = (yield* sandbox("/webhooks")).body.data;
      assert.containSubset(made, { status: "disabled", events: ["survey.answered"], batch: false });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Delete");
        await tab.click("dialog .button-danger");
        await tab.seeText("The webhook is deleted.");
      });
      assert.deepStrictEqual((yield* sandbox("/webhooks")).body.data, []);
    }),
  );

  inBrowser("a token for webhooks sees the webhooks alone, and their attempts (console.settings)", () =>
    Effect.gen(function* () {
      const { platform, tenant, token } = yield* TestWaypost;
      const { tokens, workspace } = yield* tenant();
      const made = yield* platform("sandbox", tokens.sandbox)("/webhooks", {
        body: { url: "http://127.0.0.1:9/hook", events: ["*"], description: "Data warehouse" },
      });
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      const path = `/webhooks/${made.body.data.id}`;
      yield* platform("sandbox", tokens.sandbox)(`${path}/test`, { method: "POST" });
      const reader = yield* token(workspace, "sandbox", ["webhooks:read"]);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/settings");
        await tab.signIn(reader.token);
        await tab.see("table", "Webhooks");
        assert.isNull(await tab.page.$("::-p-aria([name='Issue token'][role='button'])"));
        await tab.press("link", "http://127.0.0.1:9/hook");
        await tab.seePage("Webhook");
        await tab.seeText("There was no answer from the receiver");
        assert.notInclude(await tab.page.content(), "Resend");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("an event of a failed attempt is sent again with Resend (console.settings)", () =>
    Effect.gen(function* () {
      const { attempts, geo, make, receiver, waypost, workspace } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      receiver.answer((_, number) => (number === 0 ? 500 : 200));
      yield* phone.sees("enter", location);
      yield* called;
      const writer = yield* waypost.token(workspace, "production", ["webhooks:read", "webhooks:write"]);
      const [failed] = yield* attempts(id);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings/webhooks/${id}`);
        await tab.signIn(writer.token);
        await tab.press("button", `Resend location.entered ${failed.event_id}`);
        await tab.seeText("The event is sent again.");
      });
      yield* called;
      assert.deepInclude((yield* attempts(id))[0], { event_id: failed.event_id, status_code: 200 });
      yield* checkPage(tab);
    }),
  );
});
