import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { type AddressInfo, connect } from "node:net";
import { DrainingServer } from "../../../src/http/connections/DrainingServer.ts";

describe("DrainingServer", () => {
  it.live("DrainingServer disconnects a client that stops reading its response", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => new DrainingServer({})),
        (made) => Effect.sync(() => made.close()),
      );
      assert.strictEqual(server.timeout, 120_000);
      server.timeout = 100;
      yield* Effect.callback<void>((resume) => {
        server.on("request", (_, response) => {
          response.on("close", () => resume(Effect.void));
          const more = (): void => {
            while (response.write(Buffer.alloc(65_536))) continue;
            response.once("drain", more);
          };
          more();
        });
        server.listen(0, "127.0.0.1", () => {
          const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
          client.on("error", () => {});
          client.pause();
          client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        });
      });
    }).pipe(Effect.scoped),
  );
});
