import { assert, describe, it } from "@effect/vitest";
import { targetOf } from "../../scripts/attack/Target.ts";

const key = "operator-key-of-a-trial-0123456789abcdef";

describe("Target of the trials in scripts/attack", () => {
  it("a server on this machine is taken, without the path of its address", () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"])
      assert.deepStrictEqual(targetOf([`http://${host}:8080/x`, key]), {
        origin: `http://${host}:8080`,
        operatorKey: key,
      });
  });

  it("any other address, or none, is refused", () => {
    for (const address of [
      "https://push.example.com",
      "http://127.0.0.1.example.com",
      "http://localhost@example.com",
      "http://10.0.0.1:8080",
      "http://0.0.0.0:8080",
      "ftp://127.0.0.1",
      "127.0.0.1:8080",
      "",
    ])
      assert.throws(() => targetOf([address, key]), "a server on this machine");
    assert.throws(() => targetOf(["http://127.0.0.1:8080", ""]), "operator key");
  });
});
