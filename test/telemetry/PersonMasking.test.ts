import { assert, it } from "@effect/vitest";
import { withoutPerson } from "../../src/telemetry/PersonMasking.ts";

it("paths of people and registrations name nobody in logs and traces (Q3.2)", () => {
  const masked = [
    [
      "/operator/v1/workspaces/1/sandbox/people/anna%20b",
      "/operator/v1/workspaces/1/sandbox/people/<masked>",
    ],
    ["/device/v1/devices/anna-phone", "/device/v1/devices/<masked>"],
    ["/device/v1/devices/mega", "/device/v1/devices/<masked>"],
    ["https://a.example:8080/device/v1/devices/anna", "https://a.example:8080/device/v1/devices/<masked>"],
  ];
  for (const [path, expected] of masked) assert.strictEqual(withoutPerson(path ?? ""), expected);
  for (const path of [
    "/device/v1/devices/me",
    "/device/v1/devices/me/rotate",
    "/platform/v1/devices/1",
    "*",
    "",
  ]) {
    assert.strictEqual(withoutPerson(path), path);
  }
});
