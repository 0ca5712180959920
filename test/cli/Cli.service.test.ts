import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { abilities } from "../../src/access/Ability.ts";
import { publishServer } from "../../src/operator/ServerFile.ts";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";
import { commandLine, runCli } from "./CommandLine.ts";

layer(TestWaypost.layer)("the command line", (it) => {
  it.effect(
    "commands create workspaces, tokens and SDK keys, and revoke them (cli.commands, cli.output)",
    () =>
      Effect.gen(function* () {
        const { device, json, platform, run } = yield* commandLine;
        const made = yield* json("workspace create --name Acme --timezone Europe/Amsterdam");
        assert.strictEqual(made.timezone, "Europe/Amsterdam");
        const sandbox = yield* json("token issue --workspace Acme --environment sandbox");
        const me = yield* platform("sandbox", sandbox.token)("/me");
        assert.deepStrictEqual(me.body.data.workspace, { id: made.id, name: "Acme" });
        assert.deepStrictEqual(me.body.data.abilities, abilities);
        const limited = yield* json(
          `token issue -w ${made.id} -e production --name Reports ` +
            `--abilities "reports:read, campaigns:read" --expires-at 2099-01-01`,
        );
        assert.deepStrictEqual(limited.abilities, ["reports:read", "campaigns:read"]);
        assert.strictEqual(limited.expires_at, "2099-01-01T00:00:00+00:00");
        const { sdk_key: key } = yield* json('sdk-key issue -w acme -e sandbox --name "iOS app"');
        const register = device(key)("/devices/my-phone", { method: "PUT", body: { platform: "ios" } });
        assert.strictEqual((yield* register).status, 201);
        yield* json("token revoke -w Acme Reports");
        yield* json('sdk-key revoke -w Acme -e sandbox "iOS app"');
        const revoked = (list: any) =>
          list.map((each: { name: string; revoked_at: string | null }) => [
            each.name,
            each.revoked_at !== null,
          ]);
        assert.deepStrictEqual(revoked(yield* json("token list -w Acme")), [
          ["Reports", true],
          ["Issued on the command line", false],
        ]);
        assert.deepStrictEqual(revoked(yield* json("sdk-key list -w Acme -e sandbox")), [["iOS app", true]]);
        assert.strictEqual((yield* register).body.error.code, "token_revoked");
        for (const name of ["reports", limited.id]) {
          const again = yield* run(`token revoke -w Acme ${name}`);
          assert.deepStrictEqual(
            [again.code, again.stderr],
            [1, 'The token "Reports" was revoked on 2026-11-21 12:00 UTC.\n'],
          );
        }
      }),
  );

  it.effect("device approve takes an id or an installation id, even if that is a UUID (cli.commands)", () =>
    Effect.gen(function* () {
      const { device, json, run } = yield* commandLine;
      yield* json("workspace create --name Phones");
      const { sdk_key: key } = yield* json("sdk-key issue -w Phones -e sandbox");
      const installation = "5f0c1b1e-3a43-4b0e-9f8e-6a3b1d2c4e5f";
      for (const name of ["mine", installation])
        yield* device(key)(`/devices/${name}`, { method: "PUT", body: { platform: "ios" } });
      const list = (filter: string) =>
        Effect.map(json(`device list -w Phones -e sandbox ${filter}`), (all): ReadonlyArray<string> =>
          all.map((each: { installation_id: string }) => each.installation_id),
        );
      assert.deepStrictEqual(yield* list("--platform ios"), [installation, "mine"]);
      assert.isTrue((yield* json(`device approve -w Phones ${installation}`)).approved);
      assert.deepStrictEqual(yield* list("--approved true"), [installation]);
      const { id } = yield* json(`device approve -w Phones mine`);
      assert.isFalse((yield* json(`device approve -w Phones ${id} --withdraw`)).approved);
      assert.deepStrictEqual(yield* list("--approved false"), ["mine"]);
      const none = yield* run("device approve -w Phones yours");
      assert.deepStrictEqual([none.code, none.stderr], [1, 'There is no device called "yours".\n']);
    }),
  );

  it.effect(
    "workspace update changes only the given fields, and output is for people by default (cli.output)",
    () =>
      Effect.gen(function* () {
        const { json, run } = yield* commandLine;
        yield* json("workspace create --name Blue --plan max_campaigns=5");
        const { code, stdout } = yield* run(
          "workspace update Blue --enable-platform-api true --frequency-cap 3/day " +
            "--plan max_locations=none --plan media_kinds=image",
        );
        assert.strictEqual(code, 0);
        assert.match(stdout, /frequency cap +3 a day\n/);
        const shown = yield* json("workspace show Blue");
        assert.deepInclude(shown.plan, { max_campaigns: 5, max_locations: null, media_kinds: ["image"] });
        assert.isTrue(shown.platform_api_enabled);
        const listed = yield* run("workspace list");
        assert.match(listed.stdout, /^ID +NAME +TIME ZONE/);
        assert.match(listed.stdout, /Blue +UTC +enabled/);
        const token = yield* run("token issue -w Blue -e sandbox --name Sync");
        assert.match(token.stdout, /^Issued the Sandbox token "Sync"\.\nCopy it now: .*\n\nwps_\w+\n$/);
      }),
  );

  it.effect("a list reads pages up to --limit, and says if there are more items (cli.commands)", () =>
    Effect.gen(function* () {
      const { json, operator, run } = yield* commandLine;
      const { id } = yield* json("workspace create --name Many");
      yield* Effect.forEach(
        Array.from({ length: 130 }, (_, index) => ({ name: `key ${index}` })),
        (body) => operator(`/workspaces/${id}/sandbox/sdk-keys`, { body }),
        { concurrency: 8 },
      );
      assert.lengthOf(yield* json("sdk-key list -w Many -e sandbox --limit 1000"), 130);
      const some = yield* run("sdk-key list -w Many -e sandbox --limit 120");
      assert.lengthOf(some.stdout.trimEnd().split("\n"), 121);
      assert.strictEqual(
        some.stderr,
        "There are more: these are the newest 120. Use --limit to list more.\n",
      );
    }),
  );

  it.effect("a refused request exits with 1, and stderr names every problem (cli.codes)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const refusal = (line: string) =>
        Effect.map(run(line), ({ code, stderr, stdout }) => {
          assert.deepStrictEqual([line, code, stdout], [line, 1, ""]);
          return stderr;
        });
      assert.match(
        yield* refusal('workspace create --name " " --timezone Nowhere'),
        /^ {2}name: The name .*\n {2}timezone: The time zone /m,
      );
      assert.strictEqual(
        yield* refusal("token list --workspace Nobody"),
        'There is no workspace called "Nobody".\n',
      );
      assert.strictEqual(
        yield* refusal("workspace show 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
        "There is no workspace with this id.\n",
      );
      assert.strictEqual(
        yield* refusal("workspace list --key a-wrong-operator-key"),
        "This is not the operator key of this installation. " +
          "Give the right one with --key or WAYPOST_OPERATOR_KEY.\n",
      );
      for (const name of ["Double", "Double"]) yield* json(`workspace create --name ${name}`);
      assert.match(
        yield* refusal("workspace show Double"),
        /^2 workspaces are called "Double"\. Give the id of one:\n(?: {2}[0-9a-f-]{36}\n){2}$/,
      );
    }),
  );

  it.effect("bad usage exits with 2, and stderr points to the help of the command (cli.codes)", () =>
    Effect.gen(function* () {
      const { run } = yield* commandLine;
      for (const [line, complaint] of [
        ["workspace create", /--name[^]*See waypost workspace create --help/],
        [
          "workspace make",
          /^waypost workspace has no command "make". Its commands are create, list, show and update\.\n/,
        ],
        ["location make", /^waypost location has no command "make"\. Its commands are import and change\.\n/],
        ["workspace create --nome x", /has no flag --nome\. Did you mean --name\?/],
        ["workspce list", /^waypost has no command "workspce"\. Did you mean workspace\?\n/],
        ["token list -w Acme --limit ten", /^--limit must be a whole number; it is "ten"\.\n/],
        ["token list -w Acme --limit", /^--limit needs a value: a whole number\.\n/],
        [
          "workspace show Acme Inc",
          /takes one argument, <workspace>; remove "Inc", or put a value with spaces in quotes\.\n/,
        ],
        ["workspace update Acme", /^Nothing to change: give at least one flag/],
        [
          "transport test -w Acme -e sandbox",
          new RegExp(
            "^<transport> is missing: fcm, apns or webpush\\.\\n--device is missing: id of a .*\\n" +
              "See waypost transport test --help\\n$",
          ),
        ],
        [
          "sdk-key list",
          /^--workspace is missing: .*\n--environment is missing: .*sandbox or production\.\n/,
        ],
        [
          "token issue -w Acme -e staging",
          /^--environment must be sandbox or production; it is "staging"\.\n/,
        ],
        ["token list -w Acme --limit 0", /The limit must be 1 or more/],
        ["workspace update Acme --plan max_planets=9", /max_planets/],
        ["workspace update Acme --frequency-cap often", /3\/day/],
        ["openapi console", /console/],
        ["workspace", /SUBCOMMANDS/],
        ["", /serve/],
      ] as const) {
        const { code, stderr, stdout } = yield* run(line);
        assert.deepStrictEqual([line, code, stdout], [line, 2, ""]);
        assert.match(stderr, complaint);
      }
    }),
  );

  it.effect(
    "a command finds the local server and its key, and sends that key to no other server (cli.server)",
    () =>
      Effect.gen(function* () {
        const { origin } = yield* commandLine;
        const dataDir = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-cli-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true })),
        );
        const here = { WAYPOST_DATA_DIR: dataDir };
        const list = ["workspace", "list"];
        const none = yield* runCli(list, here);
        assert.strictEqual(none.code, 1);
        assert.match(none.stderr, /^No Waypost is running on the data directory .*waypost serve/);
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDir)), []);

        // A file that this account may not read. Root may read all files.
        yield* Effect.promise(() => writeFile(join(dataDir, "server.json"), "{}", { mode: 0 }));
        const closed = yield* runCli(list, here);
        assert.match(
          closed.stderr,
          process.getuid?.() === 0 ? /^No Waypost is running/ : /^This account may not read/,
        );

        yield* Effect.promise(() => writeFile(join(dataDir, "operator.key"), `${testOperatorKey}\n`));
        yield* publishServer(dataDir, origin);
        assert.strictEqual((yield* runCli(list, here)).code, 0);
        // A settings file overrides the environment, as it does for serve.
        const file = join(dataDir, "settings");
        yield* Effect.promise(() => writeFile(file, `WAYPOST_DATA_DIR=${dataDir}\n`));
        const named = yield* runCli([...list, "--config", file], { WAYPOST_DATA_DIR: "/nowhere" });
        assert.strictEqual(named.code, 0);
        const keyless = yield* runCli([...list, "--url", "http://localhost:1"], here);
        assert.deepStrictEqual(
          [keyless.code, keyless.stderr],
          [1, "Give the operator key of http://localhost:1 with --key or WAYPOST_OPERATOR_KEY.\n"],
        );
        const silent = yield* runCli(
          [...list, "--url", "http://localhost:1", "--key", testOperatorKey],
          here,
        );
        assert.deepStrictEqual(
          [silent.code, silent.stderr],
          [1, "Nothing answers at http://localhost:1: is Waypost running there?\n"],
        );
        for (const [url, why] of [
          [origin.replace("http:", "https:"), /^The server at https:.* does not speak TLS: try --url http:/],
          ["http://nowhere.invalid", /^There is no host nowhere\.invalid/],
        ] as const) {
          const lost = yield* runCli([...list, "--url", url, "--key", testOperatorKey], here);
          assert.strictEqual(lost.code, 1);
          assert.match(lost.stderr, why);
        }
        const copied = [...list, "--url", `${origin}/sandbox/platform/v1/`, "--key", testOperatorKey];
        assert.strictEqual((yield* runCli(copied, here)).code, 0);
        const bare = yield* runCli([...list, "--url", "push.example.com"], here);
        assert.deepStrictEqual(
          [bare.code, bare.stderr],
          [2, '"push.example.com" is not an http address: try --url https://push.example.com\n'],
        );
      }),
  );

  it.effect("documents, version and help need no server (cli.openapi)", () =>
    Effect.gen(function* () {
      const { stdout } = yield* runCli(["openapi", "operator"], {});
      assert.strictEqual(JSON.parse(stdout).info.title, "Waypost operator interface");
      const help = yield* runCli(["token", "issue", "--help"], {});
      assert.deepStrictEqual([help.code, help.stderr], [0, ""]);
      assert.match(help.stdout, /--expires-at/);
      assert.deepStrictEqual(yield* runCli(["help", "token", "issue"], {}), help);
      assert.match((yield* runCli(["--version"], {})).stdout, /v\d+\.\d+\.\d+\n$/);
      // `Completions.long.test.ts` has bash use it.
      const { stdout: completions } = yield* runCli(["--completions", "bash"], {});
      assert.match(completions, /^complete .*waypost$/m);
    }),
  );

  it.effect("help fits the terminal, and in a pipe its lines have any length", () =>
    Effect.gen(function* () {
      const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
      for (const command of [["workspace", "update"], ["location", "import"], ["doctor"], []]) {
        const piped = yield* runCli([...command, "--help"], {});
        for (const columns of [40, 60, 80]) {
          const { stdout } = yield* runCli([...command, "--help"], {}, columns);
          assert.deepStrictEqual(words(stdout), words(piped.stdout));
          // Examples are not wrapped, so that they can be copied.
          const [prose = ""] = stdout.split("EXAMPLES");
          const longest = Math.max(...prose.split("\n").map((line) => line.length));
          assert.isAtMost(longest, Math.max(columns, 60), command.join(" "));
        }
      }
    }),
  );
});
