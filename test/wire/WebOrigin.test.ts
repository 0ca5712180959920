import { assert, describe, it } from "@effect/vitest";
import { webOrigin } from "../../src/wire/WebOrigin.ts";

describe("Origins of pages", () => {
  it("an origin is https, or http on localhost and private addresses, as in the header (BW1)", () => {
    const accepted = {
      "https://shop.example": "https://shop.example",
      "HTTPS://Shop.Example:443": "https://shop.example",
      "https://shop.example:8443": "https://shop.example:8443",
      "https://shop.example:80": "https://shop.example:80",
      "http://localhost:5173": "http://localhost:5173",
      "http://localhost:443": "http://localhost:443",
      "http://app.localhost": "http://app.localhost",
      "http://127.0.0.1:80": "http://127.0.0.1",
      "http://192.168.1.7:3000": "http://192.168.1.7:3000",
      "http://172.31.0.1": "http://172.31.0.1",
      "http://[::1]:3000": "http://[::1]:3000",
      "http://[fd00::7]": "http://[fd00::7]",
    };
    for (const [text, origin] of Object.entries(accepted)) assert.strictEqual(webOrigin(text), origin);
  });

  it("an address with a path, a name or no https is no origin (BW1)", () => {
    for (const text of [
      "",
      "*",
      "null",
      "shop.example",
      "https://",
      "https://shop.example/",
      "https://shop.example/path",
      "https://shop.example?query",
      "https://shop.example#part",
      "https://user@shop.example",
      "https://*.shop.example",
      "http://shop.example",
      "http://172.32.0.1",
      "http://8.8.8.8",
      "ftp://localhost",
      "https://shop.example\n",
    ])
      assert.isNull(webOrigin(text), text);
  });
});
