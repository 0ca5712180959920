import { assert, describe, it } from "vitest";
import { testsNear } from "../../scripts/ci/nearTests.ts";

describe("The tests near changed files", () => {
  it("are those of the slice, of a changed test, and of interfaces, pages and the schema", () => {
    const near = (...changed: ReadonlyArray<string>) => testsNear(changed).join(" ");
    assert.strictEqual(near("src/sending/push/PushLeases.ts"), "test/sending/");
    assert.strictEqual(near("src/campaigns/CampaignsApi.ts"), "test/campaigns/ test/matrices/");
    assert.strictEqual(near("src/Waypost.ts"), "test/http/ test/matrices/ test/serve/");
    assert.strictEqual(near("test/guards/NearTests.test.ts"), "test/guards/NearTests.test.ts");
    assert.strictEqual(near("test/guards/NearTests.test.ts", "README.md"), "test/guards/");
    assert.strictEqual(near("test/sending/push/PushWorld.ts"), "test/sending/push/");
    assert.strictEqual(near("test/gone/Gone.test.ts", "test/TestWaypost.ts"), "");
    assert.strictEqual(near("console/pages/Anything.tsx"), "test/console/ test/guards/");
    assert.strictEqual(near("schema/0001_workspaces.sql"), "test/database/ test/guards/ test/upgrades/");
  });
});
