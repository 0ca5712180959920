import { Effect } from "effect";
import { assert, describe, it } from "vitest";
import { processOf, sessionName } from "../../src/database/SessionName.ts";
import { environmentOf, type Member, memberOf } from "../../src/processes/ProcessMember.ts";

const member: Member = {
  name: "api-2",
  role: "api",
  connections: 8,
  database: { socketPath: "/var/run/pg/.s", username: "waypost", database: "waypost" },
  address: null,
};

describe("A process of several", () => {
  it("a process gets the settings of its supervisor, with its own role (running.processes)", () => {
    const record = { PORT: "8080", WAYPOST_ROLES: "api,worker", WAYPOST_HOST: undefined };
    const found = Effect.runSync(memberOf(environmentOf(member, record), true));
    assert.deepStrictEqual(found, { member, settings: { PORT: "8080", WAYPOST_ROLES: "api" } });
  });

  it("a process that a person starts has no part", () => {
    for (const hasChannel of [true, false])
      assert.deepStrictEqual(Effect.runSync(memberOf({ PORT: "0" }, hasChannel)), {
        member: null,
        settings: { PORT: "0" },
      });
  });

  it("a supervisor's variable is refused without one, and with another content (running.settings)", () => {
    const name = "WAYPOST_SUPERVISED_PROCESS";
    const real = environmentOf(member, {});
    for (const [record, hasChannel] of [
      [real, false],
      [{ [name]: "" }, true],
      [{ [name]: "1" }, true],
      [{ [name]: "{}" }, true],
      [{ [name]: '{"role":"all"' }, false],
    ] as const) {
      const { message } = Effect.runSync(Effect.flip(memberOf(record, hasChannel)));
      assert.strictEqual(message, `${name} is no setting: remove it from the environment of waypost serve.`);
    }
  });

  it("the name of a session has the connections of its process, if they are not the usual 21", () => {
    const process = { roles: new Set(["api"] as const), host: "h", pid: 7, connections: 9 };
    assert.strictEqual(sessionName(process), "waypost api h 7 9");
    assert.deepStrictEqual(processOf("waypost api h 7 9"), process);
    const alone = { ...process, connections: 21 };
    assert.strictEqual(sessionName(alone), "waypost api h 7");
    assert.deepStrictEqual(processOf("waypost api h 7"), alone);
  });
});
