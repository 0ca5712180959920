import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TestWaypost, testOperatorKey } from "../../TestWaypost.ts";
import { sendWorld } from "../../sending/sends/SendWorld.ts";
import { commandLine, runCli } from "../CommandLine.ts";
import { projectRoot } from "../first-campaign/PageCommands.ts";

layer(TestWaypost.shared)("waypost campaign and waypost notification", (it) => {
  it.effect("commands create, show and change campaigns and their notifications (cli.campaigns)", () =>
    Effect.gen(function* () {
      const { json, run, workspace } = yield* commandLine;
      const { id } = yield* workspace();
      const at = `-w ${id} -e production`;
      const campaign = yield* json(
        `campaign create ${at} --name "Black Friday" --type push --starts-at 2026-12-01`,
      );
      assert.deepInclude(campaign, {
        name: "Black Friday",
        type: "push",
        status: "scheduled",
        timezone: "UTC",
      });
      const named = `${at} --campaign "black friday"`;
      const notification = yield* json(
        `notification create ${named} --name Morning --headline "Two for one" --body "Until Sunday." ` +
          "--send-at 09:30",
      );
      assert.deepStrictEqual(notification.trigger_config, { send_at: "2026-12-01 09:30" });

      assert.include((yield* run(`campaign list ${at}`, 60)).stdout, campaign.id);
      const listed = yield* run(`campaign list ${at}`);
      assert.match(listed.stdout, /^ID +NAME +TYPE +STATUS +STARTS +ENDS$/m);
      assert.match(
        (yield* run(`campaign show ${at} ${campaign.id}`)).stdout,
        /^segments +none: all devices$/m,
      );
      assert.match(
        (yield* run(`notification list ${named}`)).stdout,
        /Morning +message +Two for one +2026-12-01 09:30/,
      );
      assert.include((yield* run(`notification show ${named} Morning`)).stdout, "Until Sunday.");
      const shown = yield* run(`notification preview ${named} Morning --locale nl`);
      assert.match(shown.stdout, /^headline +Two for one$/m);
      assert.match(shown.stdout, /^fcm +\d+ bytes$/m);
      const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64";
      const refused = yield* run(`notification test ${named} Morning --device ${nobody}`);
      assert.include(refused.stderr, "There is no registered device with this id");
      const { sdk_key } = yield* json(`sdk-key issue ${at} --name App`);
      const body = { platform: "ios", push: { transport: "fcm", token: "t" } };
      const device = (yield* TestWaypost).device(sdk_key);
      const phone = (yield* device("/devices/phone", { method: "PUT", body })).body.data.id;
      yield* json(`device approve ${at} phone`);
      assert.strictEqual(
        (yield* run(`notification test ${named} Morning --device ${phone}`)).stdout,
        "Sent it to 0 test devices.\n" +
          `It failed for ${phone}: No credentials are set for fcm in this environment.\n`,
      );

      const paused = yield* run(`campaign pause ${at} "Black Friday"`);
      assert.strictEqual(paused.stdout, 'Paused the campaign "Black Friday". It is paused.\n');
      assert.strictEqual((yield* json(`campaign publish ${at} "Black Friday"`)).status, "scheduled");
      yield* json(`campaign archive ${at} "Black Friday"`);
      assert.lengthOf(yield* json(`campaign list ${at}`), 0);
      assert.lengthOf(yield* json(`campaign list ${at} --archived`), 1);
      const restored = yield* json(`campaign unarchive ${at} "black friday"`);
      assert.deepStrictEqual([restored.id, restored.status], [campaign.id, "paused"]);
      assert.strictEqual((yield* json(`notification delete ${named} Morning`)).deleted, true);
      assert.strictEqual((yield* json(`campaign delete ${at} "Black Friday"`)).deleted, true);
      assert.strictEqual(
        (yield* run(`campaign show ${at} "Black Friday"`)).stderr,
        'There is no campaign called "Black Friday".\n',
      );
      const problems = yield* run(`campaign create ${at} --name A --type geo --starts-at soon`);
      assert.strictEqual(problems.code, 1);
      assert.match(problems.stderr, /starts_at: The start/);
    }),
  );

  it.effect("campaign copy makes a paused copy in the other environment (cli.campaigns, CO4.1)", () =>
    Effect.gen(function* () {
      const { json, run, workspace } = yield* commandLine;
      const { id } = yield* workspace();
      const at = `-w ${id} -e sandbox`;
      yield* json(`campaign create ${at} --name Autumn --type push --starts-at 2026-12-01`);
      yield* json(
        `notification create ${at} --campaign Autumn --name A --headline B --body C --send-at 09:30`,
      );
      const dry = yield* run(`campaign copy ${at} Autumn --to production --dry-run`);
      assert.match(dry.stdout, /^Dry run: nothing was made\.\n\nid +none\nmade +1 notification\n/);
      assert.lengthOf(yield* json(`campaign list -w ${id} -e production`), 0);
      const { stdout } = yield* run(`campaign copy ${at} Autumn --to production`);
      assert.match(stdout, /^Made the campaign "Autumn" in Production\. It is paused\.\n/);
      assert.match(stdout, /^matched +nothing$/m);
      const again = yield* run(`campaign copy ${at} Autumn --to production`);
      assert.include(again.stderr, "name:");
      const named = yield* json(`campaign copy ${at} Autumn --to production --name "Late autumn"`);
      assert.deepStrictEqual([named.data.name, named.made.notifications], ["Late autumn", 1]);
    }),
  );

  it.effect(
    "a command uses a platform token, or the operator key without a token of its own (cli.campaigns)",
    () =>
      Effect.gen(function* () {
        const { json, run, tenant } = yield* commandLine;
        const { origin } = yield* TestWaypost;
        const { tokens, workspace } = yield* tenant();
        const issued = yield* json(`token list -w ${workspace.id}`);
        yield* json(`campaign list -w ${workspace.id} -e sandbox`);
        assert.deepStrictEqual(yield* json(`token list -w ${workspace.id}`), issued);

        // With a platform token, no operator key is needed.
        const variables = { WAYPOST_URL: origin, WAYPOST_TOKEN: tokens.sandbox };
        const listed = yield* runCli(["campaign", "list", "--json"], variables);
        assert.deepStrictEqual([listed.code, listed.stdout], [0, "[]\n"]);
        const wrong = yield* run("campaign list --token wps_unknown");
        assert.strictEqual(wrong.code, 1);
        assert.include(wrong.stderr, "Give another one with --token or WAYPOST_TOKEN.");
        const without = yield* run("campaign list");
        assert.strictEqual(without.code, 2);
        assert.include(
          without.stderr,
          "Give --token, or the operator key with --workspace and --environment",
        );
        const both = yield* run(`campaign list -w ${workspace.id} -e sandbox --token ${tokens.production}`);
        assert.deepStrictEqual(
          [both.code, both.stderr.includes("a token selects its environment")],
          [2, true],
        );
        // Flags that name an environment take precedence over a token of the settings.
        const named = ["campaign", "create", "--name", "Here", "--type", "push", "--starts-at", "2026-12-01"];
        const flags = ["-w", workspace.id, "-e", "production", "--key", testOperatorKey, "--json"];
        const made = yield* runCli([...named, ...flags], variables);
        assert.strictEqual(made.code, 0);
        assert.lengthOf(yield* json(`campaign list -w ${workspace.id} -e sandbox`), 0);
      }),
  );

  it.effect("every command on the data of an environment takes a token (cli.token, cli.webhook)", () =>
    Effect.gen(function* () {
      const { origin, tenant } = yield* commandLine;
      const { tokens } = yield* tenant();
      for (const token of [tokens.sandbox, tokens.production]) {
        const settings = { WAYPOST_URL: origin, WAYPOST_TOKEN: token };
        for (const line of [
          "webhook create --to http://127.0.0.1:9/hook",
          ...["campaign", "webhook", "segment", "device", "event", "send", "activity"].map(
            (of) => `${of} list`,
          ),
          "event names",
          "report summary",
        ]) {
          const { code, stderr } = yield* runCli(line.split(" "), settings);
          assert.deepStrictEqual([line, code, stderr], [line, 0, ""]);
        }
      }
      const sections = readFileSync(join(projectRoot, "docs/cli.md"), "utf8").split("\n### ");
      const byKeyAlone = sections.filter(
        (text) => text.includes("`--workspace`") && !text.includes("`--token`"),
      );
      const groups = new Set(byKeyAlone.map((text) => /^(device )?[\w-]+/.exec(text)?.[0]));
      // The operator interface alone has these.
      const operators = [
        "token",
        "sdk-key",
        "device try",
        "device import",
        "device erase",
        "person",
        "transport",
      ];
      assert.sameMembers([...groups], operators);
    }),
  );

  it.effect("a recurring campaign is created, and its next dates are listed (cli.occurrences)", () =>
    Effect.gen(function* () {
      const { json, run, workspace } = yield* commandLine;
      const { id } = yield* workspace();
      const at = `-w ${id} -e production`;
      const rule = "FREQ=WEEKLY;BYDAY=MO";
      const created = yield* json(
        `campaign create ${at} --name News --type push --starts-at 2030-06-01 --recurrence ${rule} ` +
          "--except 2030-06-10",
      );
      assert.deepStrictEqual(created.recurrence, { rule, except: ["2030-06-10"] });
      const shown = yield* run(`campaign show ${at} News`);
      assert.match(shown.stdout, /^recurrence +FREQ=WEEKLY;BYDAY=MO, not on 2030-06-10$/m);
      const dates = `campaign occurrences ${at} News --limit 2`;
      assert.match((yield* run(dates)).stdout, /^DATE +SENDS\n2030-06-03 +none: no notification$/m);
      yield* json(`notification create ${at} --campaign News --name N --headline A --body B --send-at 09:00`);
      assert.deepStrictEqual(
        (yield* json(dates)).map(({ occurrence, sends }: any) => [occurrence, sends[0].due_at]),
        [
          ["2030-06-03", "2030-06-03T09:00:00+00:00"],
          ["2030-06-17", "2030-06-17T09:00:00+00:00"],
        ],
      );
    }),
  );

  it.effect("waypost campaign recipients lists whom a campaign reached, also as CSV (cli.recipients)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const { production, workspace } = yield* sendWorld();
      const [location, phone] = [yield* production.location(), yield* production.phone()];
      const campaign = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(campaign);
      const at = `campaign recipients ${campaign} -w ${workspace.id} -e production`;
      assert.strictEqual((yield* run(at)).stdout, "The campaign has no such recipients.\n");
      yield* phone.sees("enter", location);
      assert.match((yield* run(at)).stdout, /^DEVICE +INSTALLATION +STATUS +AT +OPENED +CLICKED +REASON$/m);
      const [row, ...others] = yield* json(`${at} --outcome delivered`);
      assert.deepStrictEqual([row.device_id, row.status, others], [phone.id, "delivered", []]);
      assert.deepStrictEqual(yield* json(`${at} --outcome failed`), []);
      assert.deepStrictEqual(yield* json(`${at} --search nobody`), []);
      const csv = yield* run(`${at} --csv`);
      assert.match(csv.stdout, new RegExp(`^device_id,.*\\r\n${phone.id},`));
      assert.strictEqual((yield* run(`${at} --csv --json`)).code, 2);
    }),
  );

  it.effect("waypost campaign experiment shows the figures, and stops it (cli.experiment)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const { production, workspace } = yield* sendWorld();
      const location = yield* production.location();
      const goal = { type: "visit", within_hours: 24 };
      const campaign = yield* production.campaign({ location_ids: [location], holdout_percent: 10, goal });
      const at = `campaign experiment ${campaign} -w ${workspace.id} -e production`;
      const variants = [{ key: "b", weight: 50 }];
      const note = yield* production.notification(campaign, { variants });
      const shown = (yield* run(at)).stdout;
      assert.match(shown, /^status +running$/m);
      assert.match(shown, /^goal +visit within 24 hours$/m);
      assert.match(shown, /^NOTIFICATION +ARM +ENROLLED +DELIVERED +CONVERTED +RATE +95 % INTERVAL$/m);
      assert.match(shown, /^b against control: nothing to compare yet\.$/m);
      assert.lengthOf((yield* json(at)).arms, 3);
      assert.strictEqual((yield* run(`${at} --winner b`)).code, 2);
      assert.include((yield* run(`${at} --stop --winner x`)).stderr, 'no variant "x"');
      const other = yield* production.notification(campaign, { name: "Other", variants });
      assert.strictEqual((yield* run(`${at} --stop --winner b`)).code, 2);
      const stopped = yield* run(`${at} --stop --winner b --notification ${other}`);
      assert.include(stopped.stdout, `b of ${other}`);
      assert.notInclude(stopped.stdout, `b of ${note}`);
      const none = yield* production.campaign({ location_ids: [location] });
      assert.strictEqual(
        (yield* run(at.replace(campaign, none))).stdout,
        "The campaign has neither a holdout nor variants.\n",
      );
    }),
  );
});
