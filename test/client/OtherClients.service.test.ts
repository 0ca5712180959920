import { assert, describe, it as plain, layer } from "@effect/vitest";
import { Effect } from "effect";
import { HttpApi } from "effect/http-api";
import { randomUUID } from "node:crypto";
import { DeviceApi } from "../../src/DeviceApi.ts";
import { DeviceClient } from "../../src/client/DeviceClient.ts";
import { OperatorClient } from "../../src/client/OperatorClient.ts";
import { WaypostClient, WaypostError } from "../../src/client/WaypostClient.ts";
import { OperatorApi } from "../../src/OperatorApi.ts";
import { PlatformApi } from "../../src/PlatformApi.ts";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";
import { faultyProxy } from "./FaultyProxy.ts";

const names = async (list: AsyncIterable<{ readonly name: string }>): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = [];
  for await (const { name } of list) found.push(name);
  return found;
};

layer(TestWaypost.layer)("clients of the operator and the device interface", (it) => {
  it.effect("the operator and device clients set up a workspace and a device (client.others)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      yield* Effect.promise(async () => {
        const operator = new OperatorClient({ url: `${origin}/operator/v1/`, operatorKey: testOperatorKey });
        const { id } = await operator.workspaces.create({ name: "Typed" });
        assert.strictEqual((await operator.workspaces.update(id, { timezone: "UTC" })).timezone, "UTC");
        assert.include(await names(operator.workspaces.list()), "Typed");
        const issued = await operator.tokens.issue(id, {
          name: "Reports",
          environment: "sandbox",
          abilities: ["reports:read"],
        });
        assert.deepStrictEqual(await names(operator.tokens.list(id, { limit: 1 })), ["Reports"]);
        assert.strictEqual((await operator.tokens.revoke(id, issued.id)).deleted, true);
        const rows = new Blob(["installation_id,platform\r\nold-phone,ios\r\n"]);
        const imported = await operator.deviceImport.import(id, "sandbox", rows);
        assert.strictEqual(imported.summary.created, 1);

        const { sdk_key: sdkKey } = await operator.sdkKeys.issue(id, "sandbox", { name: "App" });
        const app = new DeviceClient({ url: origin, sdkKey });
        const registered = await app.devices.register("my-phone", { platform: "ios" });
        const deviceToken = registered.device_token ?? "";
        const device = new DeviceClient({ url: origin, deviceToken });
        await device.devices.change({ attributes: { plan: "gold" } });
        assert.deepStrictEqual(await device.geofences.nearest({ lat: 52.37, lng: 4.89 }), []);
        const again = await app.devices.register("my-phone", { platform: "android" }, { deviceToken });
        assert.strictEqual(again.id, registered.id);
        const rotated = await device.devices.rotate();
        assert.notStrictEqual(rotated.device_token, deviceToken);
        assert.strictEqual((await operator.people.eraseDevice(id, "sandbox", registered.id)).devices, 1);
      });
    }),
  );

  it.effect(
    "the client of the platform API takes the operator key with a workspace (W1, client.others)",
    () =>
      Effect.gen(function* () {
        const { origin: url, workspace } = yield* TestWaypost;
        const own = yield* workspace();
        yield* Effect.promise(async () => {
          for (const environment of ["sandbox", "production"] as const) {
            const settings = { url, token: testOperatorKey, workspace: own.id, environment };
            const me = await new WaypostClient(settings).me();
            assert.deepStrictEqual(
              [me.workspace.id, me.environment, me.token.name],
              [own.id, environment, "operator"],
            );
          }
        });
      }),
  );

  it.effect("a change without a key is not repeated after a lost response; events are (client.others)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const proxy = yield* faultyProxy(waypost.origin, ["lose", "pass", "lose", "pass", "lose"]);
      const settings = { url: proxy.url, retry: { firstPauseMs: 0 } };
      yield* Effect.promise(async () => {
        const operator = new OperatorClient({ ...settings, operatorKey: testOperatorKey });
        const error: unknown = await operator.workspaces
          .create({ name: "Lost" })
          .catch((each: unknown) => each);
        assert.instanceOf(error, WaypostError);
        assert.strictEqual(error.code, "network_error");
        assert.lengthOf(proxy.seen, 1);
        assert.strictEqual(
          (await names(operator.workspaces.list())).filter((name) => name === "Lost").length,
          1,
        );
        const device = new DeviceClient({ ...settings, deviceToken: "wpd_unknown" });
        const refused: unknown = await device.events.report({ events: [] }).catch((each: unknown) => each);
        assert.strictEqual((refused as WaypostError).code, "invalid_token");
        assert.lengthOf(proxy.seen, 4);
        const click: unknown = await device.messages.click(randomUUID()).catch((each: unknown) => each);
        assert.strictEqual((click as WaypostError).code, "invalid_token");
        assert.lengthOf(proxy.seen, 6);
      });
    }),
  );
});

describe("the methods of the clients", () => {
  const url = "http://localhost";
  const clients = [
    [PlatformApi, new WaypostClient({ url, token: "wps_token" })],
    [OperatorApi, new OperatorClient({ url, operatorKey: "key" })],
    [DeviceApi, new DeviceClient({ url, deviceToken: "wpd_token" })],
  ] as unknown as ReadonlyArray<readonly [api: HttpApi.Top, client: object]>;

  plain("every endpoint of an interface has a method in its client (client.others)", () => {
    const missing: Array<string> = [];
    for (const [api, client] of clients) {
      HttpApi.reflect(api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint, group }: any) => {
          const methods = Reflect.get(client, group.identifier) as unknown;
          const found =
            typeof methods === "function" ? methods : Reflect.get(Object(methods), endpoint.identifier);
          if (typeof found !== "function") missing.push(`${group.identifier}.${endpoint.identifier}`);
        },
      });
    }
    assert.deepStrictEqual(missing, []);
  });

  plain("a call without the credential that it needs is refused with a TypeError", async () => {
    const client = new DeviceClient({ url, deviceToken: "wpd_token" });
    const error: unknown = await client.devices
      .register("my-phone", { platform: "ios" })
      .catch((each: unknown) => each);
    assert.match(String(error), /TypeError: This call needs sdkKey/);
    assert.throws(() => new DeviceClient({ url }), /needs an SDK key or a device token/);
    assert.throws(() => new OperatorClient({ url, operatorKey: "" }), /needs the operator key/);
  });
});
