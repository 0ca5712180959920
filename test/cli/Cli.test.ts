import { readdir } from "node:fs/promises";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { CliProcess } from "./CliProcess.ts";

describe("the command line, against a running Waypost", () => {
  let cli: CliProcess;
  let origin: string;

  beforeAll(async () => {
    cli = await CliProcess.make();
    origin = (await cli.serve()).origin;
  });
  afterAll(() => cli.dispose());

  const json = async (...parameters: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await cli.run([...parameters, "--json"]);
    assert.strictEqual(code, 0, stderr);
    return JSON.parse(stdout);
  };

  it("makes a workspace, its tokens and SDK key, which work", async () => {
    const made = await json("workspace", "create", "--name", "Acme", "--timezone", "Europe/Amsterdam");
    assert.strictEqual(made.timezone, "Europe/Amsterdam");
    const sandbox = await json("token", "issue", "--workspace", "Acme", "--environment", "sandbox");
    const me = await fetch(`${origin}/sandbox/platform/v1/me`, {
      headers: { authorization: `Bearer ${sandbox.token}` },
    });
    assert.deepInclude(await me.json(), {
      data: {
        workspace: { id: made.id, name: "Acme" },
        environment: "sandbox",
        abilities: sandbox.abilities,
        platform_api_enabled: true,
      },
    });
    const issue = ["token", "issue", "-w", made.id, "-e", "production", "--expires-at", "2099-01-01"];
    const limited = await json(...issue, "--name", "Reports", "--abilities", "reports:read, campaigns:read");
    assert.deepStrictEqual(limited.abilities, ["reports:read", "campaigns:read"]);
    assert.strictEqual(limited.expires_at, "2099-01-01T00:00:00+00:00");
    const { sdk_key: key } = await json(
      "sdk-key",
      "issue",
      "-w",
      "acme",
      "-e",
      "sandbox",
      "--name",
      "iOS app",
    );
    const registered = await fetch(`${origin}/device/v1/devices/my-phone`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ platform: "ios" }),
    });
    assert.strictEqual(registered.status, 201);
    assert.isTrue((await json("device", "approve", "-w", "Acme", "my-phone")).approved);
    const devices = await json("device", "list", "-w", "Acme", "-e", "sandbox", "--approved", "true");
    assert.deepStrictEqual(
      devices.map((device: { installation_id: string }) => device.installation_id),
      ["my-phone"],
    );
    await json("token", "revoke", "-w", "Acme", "Reports");
    const tokens = await json("token", "list", "-w", "Acme");
    assert.deepStrictEqual(
      tokens.map((token: { name: string; revoked_at: string | null }) => token.revoked_at === null),
      [false, true],
    );
  });

  it("changes what is given and keeps the rest, and prints for people by default", async () => {
    await json("workspace", "create", "--name", "Blue", "--plan", "max_campaigns=5");
    const update = [
      "workspace",
      "update",
      "Blue",
      "--enable-platform-api",
      "true",
      "--frequency-cap",
      "3/day",
    ];
    const { code, stdout } = await cli.run([
      ...update,
      "--plan",
      "max_locations=none",
      "--plan",
      "media_kinds=image",
    ]);
    assert.strictEqual(code, 0);
    assert.match(stdout, /frequency cap +3 a day/);
    const shown = await json("workspace", "show", "Blue");
    assert.deepInclude(shown.plan, { max_campaigns: 5, max_locations: null, media_kinds: ["image"] });
    assert.isTrue(shown.platform_api_enabled);
    const listed = await cli.run(["workspace", "list"]);
    assert.match(listed.stdout, /^ID +NAME +TIME ZONE/);
    assert.match(listed.stdout, /Blue +UTC +enabled/);
  });

  it("a refused request is exit code 1, and all that is wrong is said on stderr", async () => {
    const bad = await cli.run(["workspace", "create", "--name", " ", "--timezone", "Nowhere"]);
    assert.deepStrictEqual([bad.code, bad.stdout], [1, ""]);
    assert.match(bad.stderr, /^ {2}name: The name .*\n {2}timezone: The time zone /m);
    const unknown = await cli.run(["token", "list", "--workspace", "Nobody"]);
    assert.deepStrictEqual([unknown.code, unknown.stderr], [1, 'There is no workspace called "Nobody".\n']);
    const gone = await cli.run(["workspace", "show", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"]);
    assert.deepStrictEqual([gone.code, gone.stderr], [1, "There is no workspace with this id.\n"]);
    const key = await cli.run(["workspace", "list", "--key", "a-wrong-operator-key"]);
    assert.deepStrictEqual(
      [key.code, key.stderr],
      [1, "This is not the operator key of this installation.\n"],
    );
    for (const name of ["Twin", "Twin"]) await json("workspace", "create", "--name", name);
    const twins = await cli.run(["workspace", "show", "Twin"]);
    assert.match(
      twins.stderr,
      /^2 workspaces are called "Twin"\. Give the id of one:\n(?: {2}[0-9a-f-]{36}\n){2}$/,
    );
  });

  it("bad usage is exit code 2, said on stderr with where to look", async () => {
    for (const [parameters, complaint] of [
      [["workspace", "create"], /--name/],
      [["workspace", "make"], /Unknown subcommand "make"/],
      [["workspace", "create", "--nome", "x"], /--nome/],
      [["token", "issue", "-w", "Acme", "-e", "staging"], /"sandbox" \| "production"/],
      [["workspace", "update", "Acme", "--plan", "max_planets=9"], /max_planets/],
      [["workspace", "update", "Acme", "--frequency-cap", "often"], /3\/day/],
      [["workspace"], /SUBCOMMANDS/],
    ] as const) {
      const { code, stderr, stdout } = await cli.run(parameters);
      assert.deepStrictEqual([parameters, code, stdout], [parameters, 2, ""]);
      assert.match(stderr, complaint);
    }
  });

  it("talks to another server by address and key, and gives no other the key of its own", async () => {
    const elsewhere = await CliProcess.make();
    try {
      const key = await cli.operatorKey();
      const told = { WAYPOST_URL: `${origin}/`, WAYPOST_OPERATOR_KEY: key };
      assert.strictEqual((await elsewhere.run(["workspace", "list"], told)).code, 0);
      const keyless = await cli.run(["workspace", "list", "--url", "http://localhost:1"]);
      assert.deepStrictEqual(
        [keyless.code, keyless.stderr],
        [1, "Give the operator key of http://localhost:1 with --key or WAYPOST_OPERATOR_KEY.\n"],
      );
      const silent = await cli.run(["workspace", "list", "--url", "http://localhost:1", "--key", key]);
      assert.deepStrictEqual(
        [silent.code, silent.stderr],
        [1, "Nothing answers at http://localhost:1: is Waypost running there?\n"],
      );
      const none = await elsewhere.run(["workspace", "list"]);
      assert.strictEqual(none.code, 1);
      assert.match(none.stderr, /^No Waypost is running on the data directory .*waypost serve/);
      assert.deepStrictEqual(await readdir(elsewhere.dataDir), []);
    } finally {
      await elsewhere.dispose();
    }
  });

  it("prints documents, version and help without any server", async () => {
    const document = await cli.run(["openapi", "operator"]);
    assert.strictEqual(JSON.parse(document.stdout).info.title, "Waypost operator interface");
    assert.strictEqual((await cli.run(["openapi", "console"])).code, 2);
    const help = await cli.run(["token", "issue", "--help"]);
    assert.deepStrictEqual([help.code, help.stderr], [0, ""]);
    assert.match(help.stdout, /--expires-at/);
    assert.match((await cli.run(["--version"])).stdout, /^waypost v\d+\.\d+\.\d+\n$/);
  });
});
