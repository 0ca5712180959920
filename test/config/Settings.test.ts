import { assert, describe, it } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Settings } from "../../src/config/Settings.ts";
import { allSettings } from "../../src/config/SettingsTable.ts";

const problemsOf = (record: Record<string, string>) =>
  Effect.map(Effect.flip(Settings.fromRecord(record)), (error) => error.problems);

describe("Settings", () => {
  it.effect("settings have the documented defaults when nothing is set", () =>
    Effect.gen(function* () {
      const settings = yield* Settings.fromRecord({}, { isTerminal: false });
      assert.strictEqual(settings.port, 8080);
      assert.strictEqual(settings.host, "127.0.0.1");
      assert.strictEqual(settings.dataDir, resolve("waypost-data"));
      assert.isUndefined(settings.databaseUrl);
      assert.deepStrictEqual(settings.mediaStore, { _tag: "disk" });
      assert.isFalse(settings.allowPrivateAddresses);
      assert.isFalse(settings.trustedProxies.trusts("127.0.0.1"));
      assert.deepStrictEqual([...settings.roles], ["api", "worker"]);
      assert.strictEqual(settings.processes, "auto");
      assert.deepStrictEqual([settings.logFormat, settings.logLevel], ["json", "Info"]);
      assert.strictEqual((yield* Settings.fromRecord({}, { isTerminal: true })).logFormat, "pretty");
    }),
  );

  it.effect("no message repeats the user and password of an address (running.settings)", () =>
    Effect.gen(function* () {
      for (const name of ["OTEL_EXPORTER_OTLP_ENDPOINT", "WAYPOST_MEDIA_URL", "WAYPOST_MAP_STYLE_URL"]) {
        const [problem = "", ...more] = yield* problemsOf({
          [name]: "https://ann:p@ss:word@host.example/a@b",
        });
        assert.lengthOf(more, 0);
        assert.match(
          problem,
          new RegExp(`^${name} must be .*; it is "https://<redacted>@host.example/a@b".$`),
        );
      }
    }),
  );

  it.effect("a blank setting counts as not set", () =>
    Effect.gen(function* () {
      const settings = yield* Settings.fromRecord({ PORT: "", WAYPOST_OPERATOR_KEY: " ", WAYPOST_ROLES: "" });
      assert.strictEqual(settings.port, 8080);
      assert.isUndefined(settings.operatorKey);
      assert.strictEqual(settings.roles.size, 2);
    }),
  );

  it.effect("a start reports every unreadable setting, and what it must be (A1.2, running.settings)", () =>
    Effect.gen(function* () {
      const bad = {
        PORT: "65536",
        WAYPOST_HOST: "http://x",
        DATABASE_URL: "mysql://x",
        WAYPOST_OPERATOR_KEY: "two words",
        WAYPOST_SECRET_KEY: "kéy",
        WAYPOST_PRODUCTION_URL: "https://push.example.com/v1",
        WAYPOST_SANDBOX_URL: "ftp://push.example.com/platform/v1",
        WAYPOST_MEDIA_URL: "nowhere",
        WAYPOST_MAP_STYLE_URL: "streets",
        WAYPOST_MEDIA_STORE: "s3:bucket",
        WAYPOST_ALLOW_PRIVATE_ADDRESSES: "perhaps",
        WAYPOST_TRUSTED_PROXIES: "10.0.0.0/33",
        WAYPOST_CORS_ORIGINS: "https://app.example.com/",
        WAYPOST_ROLES: "api,cook",
        WAYPOST_PROCESSES: "65",
        WAYPOST_DELIVERY_RETENTION_DAYS: "59",
        WAYPOST_EVENT_RETENTION_DAYS: "a year",
        WAYPOST_CUSTOM_EVENT_RETENTION_DAYS: "30",
        WAYPOST_LOG_FORMAT: "xml",
        WAYPOST_LOG_LEVEL: "toString",
        OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318",
        OTEL_TRACES_SAMPLER_ARG: "2",
      };
      const problems = yield* problemsOf(bad);
      assert.deepStrictEqual(
        problems.map((problem) => problem.split(" must be ")[0]),
        Object.keys(bad),
      );
      assert.include(problems[5] ?? "", "/platform/v1");
      // The list is complete, except for the data directory, which accepts any path.
      assert.sameMembers(
        [...Object.keys(bad), "WAYPOST_DATA_DIR"],
        allSettings.map(({ name }) => name),
      );
    }),
  );

  it.effect(
    "a key that can be guessed stops the start, and the message says how to make one (running.keys)",
    () =>
      Effect.gen(function* () {
        const weak = [
          "short",
          "0123456789abcdefghijklmnopqrstu",
          "a".repeat(64),
          "abcdefg".repeat(8),
          "correct-horse".repeat(4),
          "ab".repeat(40),
          `${"0".repeat(60)}1234`,
          "keys with spaces 0123456789abcdefghi",
        ];
        for (const key of weak) {
          const problems = yield* problemsOf({ WAYPOST_OPERATOR_KEY: key, WAYPOST_SECRET_KEY: key });
          assert.deepStrictEqual(
            problems,
            ["WAYPOST_OPERATOR_KEY", "WAYPOST_SECRET_KEY"].map(
              (name) =>
                `${name} must be at least 32 random visible ASCII characters without spaces, ` +
                "such as openssl rand -hex 32 prints.",
            ),
          );
        }
        for (let index = 0; index < 1000; index++) {
          const bytes = createHash("sha256").update(String(index)).digest();
          for (const key of [bytes.toString("base64url"), bytes.toString("hex").slice(0, 32)])
            yield* Settings.fromRecord({ WAYPOST_OPERATOR_KEY: key });
        }
      }),
  );

  it.effect("an error never repeats a secret", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Settings.fromRecord({ DATABASE_URL: "mysql://me:hunter2@x", WAYPOST_SECRET_KEY: "hunter2" }),
      );
      assert.notInclude(`${error.message}${String(error)}${JSON.stringify(error)}`, "hunter2");
    }),
  );

  it.effect("public addresses lose their trailing slash and must differ (A1.2)", () =>
    Effect.gen(function* () {
      const address = "https://push.example.com/eu/platform/v1";
      const settings = yield* Settings.fromRecord({ WAYPOST_PRODUCTION_URL: `${address}/` });
      assert.strictEqual(settings.productionUrl, address);
      const problems = yield* problemsOf({
        WAYPOST_PRODUCTION_URL: address,
        WAYPOST_SANDBOX_URL: `${address}/`,
      });
      assert.lengthOf(problems, 1);
    }),
  );

  it.effect("exactly the listed proxies are trusted, in both spellings of an IPv4 address (I2.3)", () =>
    Effect.gen(function* () {
      const { trustedProxies } = yield* Settings.fromRecord({
        WAYPOST_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,2001:db8::/32",
      });
      for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7", "2001:db8::1"]) {
        assert.isTrue(trustedProxies.trusts(address), address);
      }
      for (const address of ["11.0.0.1", "192.0.2.8", "2001:db9::1", "nonsense", ""]) {
        assert.isFalse(trustedProxies.trusts(address), address);
      }
    }),
  );

  it.effect("an S3 media store reads the usual AWS variables and needs both keys", () =>
    Effect.gen(function* () {
      const store = { WAYPOST_MEDIA_STORE: "s3://my-bucket/some/prefix/" };
      const { mediaStore } = yield* Settings.fromRecord({
        ...store,
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "secret",
        AWS_REGION: "eu-west-1",
        AWS_ENDPOINT_URL: "http://127.0.0.1:9000",
      });
      assert.isTrue(mediaStore._tag === "s3" && mediaStore.credentials !== undefined);
      if (mediaStore._tag === "s3") {
        const { bucket, prefix, region, endpoint } = mediaStore;
        assert.deepStrictEqual(
          [bucket, prefix, region, endpoint],
          ["my-bucket", "some/prefix", "eu-west-1", "http://127.0.0.1:9000"],
        );
      }
      const problems = yield* problemsOf({ ...store, AWS_ACCESS_KEY_ID: "id" });
      assert.lengthOf(problems, 1);
      assert.include(problems[0] ?? "", "AWS_SECRET_ACCESS_KEY must be set");
    }),
  );

  it.effect("a start reports every unreadable AWS variable and repeats no key", () =>
    Effect.gen(function* () {
      const bad = {
        AWS_ACCESS_KEY_ID: "hunter 2",
        AWS_SECRET_ACCESS_KEY: "hunter 2",
        AWS_SESSION_TOKEN: "hunter 2",
        AWS_REGION: "eu/central",
        AWS_ENDPOINT_URL_S3: "minio:9000",
      };
      const problems = yield* problemsOf({ ...bad, WAYPOST_MEDIA_STORE: "s3://my-bucket" });
      assert.sameMembers(
        problems.map((problem) => problem.split(" must be ")[0]),
        Object.keys(bad),
      );
      assert.notInclude(problems.join(), "hunter");
      assert.lengthOf(yield* problemsOf({ WAYPOST_MEDIA_STORE: "s3://my-bucket/../other" }), 1);
      // They are not read when media are stored on disk.
      yield* Settings.fromRecord(bad);
    }),
  );

  it.effect("a media address must not be a path that another interface serves", () =>
    Effect.gen(function* () {
      for (const path of ["/platform/v1", "/sandbox/media", "/docs", "/metrics", "/device/v1/media", "/sdk"])
        assert.lengthOf(yield* problemsOf({ WAYPOST_MEDIA_URL: `https://push.example.com${path}` }), 1, path);
      for (const path of ["", "/media", "/documents", "/eu/media/"])
        yield* Settings.fromRecord({ WAYPOST_MEDIA_URL: `https://push.example.com${path}` });
    }),
  );

  it.effect(
    "a settings file is read, and every bad line and unknown setting in it is named (running.settings)",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-settings-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true })),
        );
        const file = join(folder, "waypost.env");
        yield* Effect.promise(() =>
          writeFile(
            file,
            `# comment\n\nexport PORT = 9000\nWAYPOST_OPERATOR_KEY="operator-key-0123456789abcdefghij"\n` +
              `WAYPOST_SECRET_KEY=secret-key-0123456789#abcdefghij\nAWS_REGION='x'\n`,
          ),
        );
        const settings = yield* Settings.fromRecord({ ...(yield* Settings.readFile(file)), PORT: "9001" });
        assert.strictEqual(settings.port, 9001);
        assert.strictEqual(
          settings.operatorKey && Redacted.value(settings.operatorKey),
          "operator-key-0123456789abcdefghij",
        );

        assert.strictEqual(
          settings.secretKey && Redacted.value(settings.secretKey),
          "secret-key-0123456789#abcdefghij",
        );

        yield* Effect.promise(() => writeFile(file, "PORT 9000\nWAYPOST_PROT=1\n"));
        const error = yield* Effect.flip(Settings.readFile(file));
        assert.lengthOf(error.problems, 2);
        assert.include(error.problems[0] ?? "", "Line 1");
        assert.include(error.problems[1] ?? "", "WAYPOST_PROT");
        assert.include(
          (yield* Effect.flip(Settings.readFile(join(folder, "none")))).message,
          "cannot be read",
        );
      }),
  );
});
