import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import { commandLine, runCli } from "../CommandLine.ts";

layer(TestWaypost.layer)("waypost campaign and waypost notification", (it) => {
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

      const paused = yield* run(`campaign pause ${at} "Black Friday"`);
      assert.strictEqual(paused.stdout, 'The campaign "Black Friday" is paused now: paused.\n');
      assert.strictEqual((yield* json(`campaign publish ${at} "Black Friday"`)).status, "scheduled");
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

  it.effect("a command needs a platform token, or uses one of its own and revokes it (cli.campaigns)", () =>
    Effect.gen(function* () {
      const { json, run, tenant } = yield* commandLine;
      const { origin } = yield* TestWaypost;
      const { tokens, workspace } = yield* tenant();
      yield* json(`campaign list -w ${workspace.id} -e sandbox`);
      const [own] = yield* json(`token list -w ${workspace.id}`);
      assert.deepInclude(own, {
        name: "Command line",
        abilities: ["campaigns:read"],
        environment: "sandbox",
      });
      assert.isNotNull(own.revoked_at);

      // With a platform token, no operator key is needed.
      const variables = { WAYPOST_URL: origin, WAYPOST_TOKEN: tokens.sandbox };
      const listed = yield* runCli(["campaign", "list", "--json"], variables);
      assert.deepStrictEqual([listed.code, listed.stdout], [0, "[]\n"]);
      const wrong = yield* run("campaign list --token wps_unknown");
      assert.strictEqual(wrong.code, 1);
      assert.include(wrong.stderr, "Give another one with --token or WAYPOST_TOKEN.");
      const without = yield* run("campaign list");
      assert.strictEqual(without.code, 2);
      assert.include(without.stderr, "Give --workspace and --environment, or a platform API token");
    }),
  );
});
