import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { Settings } from "../../src/config/Settings.ts";
import { LinkCheck } from "../../src/notifications/LinkCheck.ts";
import { OutgoingRequests } from "../../src/outgoing/OutgoingRequests.ts";
import { HostResolver, PublicHosts } from "../../src/outgoing/PublicHosts.ts";
import { check, checker } from "../notifications/ButtonChecker.ts";
import { answers, localServer } from "../notifications/LocalServer.ts";

const loopback = { address: "127.0.0.1", family: 4 };

/** The real check of hosts, except for one name of a public server, which leads to loopback. */
const guardedBut = (publicName: string) =>
  LinkCheck.layerNoDeps.pipe(
    Layer.provide(OutgoingRequests.layerNoDeps),
    Layer.provide(
      Layer.effect(
        PublicHosts,
        Effect.map(PublicHosts, ({ addressesOf }) =>
          PublicHosts.of({
            addressesOf: (host) => (host === publicName ? Effect.succeed([loopback]) : addressesOf(host)),
          }),
        ),
      ).pipe(Layer.provide(PublicHosts.layer)),
    ),
    Layer.provide(Settings.layerTest({ allowPrivateAddresses: false })),
  );

describe("The host of a button's address", () => {
  it.effect(
    "a host must not lead to a private address in any form, unless the setting allows it (F1.1, F1.7)",
    () =>
      Effect.gen(function* () {
        const server = yield* localServer(answers({ "/": 200 }));
        const forms = [
          "127.0.0.1",
          "0x7f.1",
          "2130706433",
          "0177.0.0.1",
          "127.1",
          "[::ffff:127.0.0.1]",
          "[::1]",
          "169.254.169.254",
          "private.test",
          "mixed.test",
          "mapped.test",
        ].map((host) => `http://${host}:${server.port}/`);
        const names = {
          "private.test": ["10.1.2.3"],
          "mixed.test": ["93.184.216.34", "127.0.0.1"],
          "mapped.test": ["::ffff:127.0.0.1"],
          "loopback.test": ["127.0.0.1"],
        };
        for (const url of forms) {
          const problem = yield* check(url).pipe(Effect.provide(checker(names, false)));
          assert.match(problem ?? "accepted", /must lead to the public internet/, url);
        }
        assert.deepStrictEqual(server.asked, []);
        const lifted = check(`http://loopback.test:${server.port}/`).pipe(
          Effect.provide(checker(names, true)),
        );
        assert.isNull(yield* lifted);
      }),
  );

  it.effect("a redirect must not lead to a private address (F1.5)", () =>
    Effect.gen(function* () {
      const inside = yield* localServer(answers({ "/secret": 200 }));
      const outside = yield* localServer(
        answers({
          "/": [302, `http://127.0.0.1:${inside.port}/secret`],
          "/name": [302, "http://localhost/"],
          "/metadata": [302, "http://169.254.169.254/latest/meta-data"],
        }),
      );
      for (const path of ["/", "/name", "/metadata"]) {
        const problem = yield* check(`http://public.test:${outside.port}${path}`);
        assert.match(problem ?? "accepted", /must lead to the public internet/, path);
      }
      assert.lengthOf(outside.asked, 3);
      assert.deepStrictEqual(inside.asked, []);
    }).pipe(Effect.provide(guardedBut("public.test"))),
  );

  it.effect("the connection goes to the checked address, not to what the name resolves to next (F1.6)", () =>
    Effect.gen(function* () {
      const server = yield* localServer(answers({ "/": 405 }));
      // Only this resolver knows the name, and only once per request: HEAD and GET share the result.
      let asked = 0;
      const rebinding = LinkCheck.layer.pipe(
        Layer.provide(
          Layer.succeed(HostResolver, async () => [
            asked++ === 0 ? loopback : { ...loopback, address: "127.0.0.9" },
          ]),
        ),
        Layer.provide(Settings.layerTest({ allowPrivateAddresses: true })),
      );
      const problem = yield* check(`http://rebinding.test:${server.port}/`).pipe(Effect.provide(rebinding));
      assert.isNull(problem);
      assert.strictEqual(asked, 1);
      assert.deepStrictEqual(server.asked, ["HEAD /", "GET /"]);
    }),
  );

  it.effect("the request names the host as the server knows it, without credentials of the address", () =>
    Effect.gen(function* () {
      const heads: Array<readonly [host: string | undefined, authorization: string | undefined]> = [];
      const { port } = yield* localServer(({ headers }, response) => {
        heads.push([headers.host, headers.authorization]);
        response.end();
      });
      assert.isNull(yield* check(`http://user:secret@shop.test:${port}/`));
      assert.deepStrictEqual(heads, [[`shop.test:${port}`, undefined]]);
    }).pipe(Effect.provide(checker({ "shop.test": ["127.0.0.1"] }))),
  );
});
