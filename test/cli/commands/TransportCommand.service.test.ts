import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localServices } from "../../sending/push/LocalProviders.ts";
import { fcmCredentials } from "../../sending/push/PushKeys.ts";
import { pushWorld } from "../../sending/push/PushWorld.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { commandLine } from "../CommandLine.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-transport-"));
const encoding = { privateKeyEncoding: { type: "pkcs8", format: "pem" } } as const;

const account = join(folder, "account.json");
writeFileSync(
  account,
  JSON.stringify({
    project_id: "acme-shop",
    client_email: "push@acme-shop.iam.gserviceaccount.com",
    private_key: generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      ...encoding,
    }).privateKey,
  }),
);
const signingKey = join(folder, "AuthKey.p8");
writeFileSync(
  signingKey,
  generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    ...encoding,
  }).privateKey,
);

layer(TestWaypost.shared)("waypost transport", (it) => {
  it.effect(
    "waypost transport sets, lists and deletes the credentials of push services (cli.transport)",
    () =>
      Effect.gen(function* () {
        const { json, run, workspace } = yield* commandLine;
        const at = `-w ${(yield* workspace()).id} -e sandbox`;
        const configured = Effect.map(json(`transport list ${at}`), (transports: ReadonlyArray<any>) =>
          transports.filter((each) => each.configured).map(({ transport }) => transport),
        );
        assert.deepStrictEqual(yield* configured, []);

        const fcm = yield* run(`transport set fcm ${at} --service-account ${account}`);
        assert.deepStrictEqual(
          [fcm.stdout, fcm.stderr],
          ["Set the FCM credentials of the Sandbox environment.\n", ""],
        );
        yield* json(
          `transport set apns ${at} --private-key ${signingKey} --key-id F6G7H8J9K0 ` +
            "--team-id A1B2C3D4E5 --topic com.example.shop",
        );
        const webPush = yield* json(`transport set webpush ${at} --subject mailto:push@example.com`);
        assert.sameMembers(yield* configured, ["apns", "fcm", "webpush"]);
        const { stdout } = yield* run(`transport list ${at}`, 60);
        assert.include(stdout, webPush.public_key);
        assert.notInclude(stdout, "PRIVATE KEY-----");

        const removed = yield* run(`transport delete webpush ${at}`);
        assert.match(removed.stdout, /^Deleted the webpush credentials\./);
        assert.sameMembers(yield* configured, ["apns", "fcm"]);

        const noJson = yield* run(`transport set fcm ${at} --service-account ${signingKey}`);
        assert.strictEqual(noJson.code, 1);
        assert.include(noJson.stderr, "is not JSON");
        assert.strictEqual((yield* run(`transport delete sms ${at}`)).code, 2);
      }),
  );

  it.effect("waypost transport test sends one push and fails if it is not accepted (cli.transport)", () =>
    Effect.gen(function* () {
      const { json, operator, run } = yield* commandLine;
      const service = yield* localServices.fcm;
      const { base, phone } = yield* pushWorld(service);
      const [, workspace = "", environment = ""] = /workspaces\/([^/]+)\/([^/]+)$/.exec(base) ?? [];
      const at = `fcm -w ${workspace} -e ${environment}`;
      const owner = yield* phone();
      const sent = yield* run(`transport test ${at} --device ${owner.id}`);
      assert.match(sent.stdout, /^fcm accepted the test push after \d+ ms\.\n$/);
      assert.isTrue((yield* json(`transport test ${at} --device ${owner.id}`)).accepted);
      assert.lengthOf(service.ledger, 2);
      const unknown = yield* run(`transport test ${at} --device ${randomUUID()}`);
      assert.strictEqual(unknown.code, 1);
      assert.include(unknown.stderr, "no registered device");
      const body = fcmCredentials({ base_url: "http://127.0.0.1:1", token_uri: "http://127.0.0.1:1/token" });
      yield* operator(`${base}/transports/fcm`, { method: "PUT", body });
      const failed = yield* run(`transport test ${at} --device ${owner.id}`);
      assert.strictEqual(failed.code, 1);
      assert.match(failed.stdout, /^fcm did not accept the test push after \d+ ms \(unavailable\): /);
    }),
  );
});
