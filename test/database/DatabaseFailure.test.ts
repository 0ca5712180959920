import { assert, describe, it } from "@effect/vitest";
import { SqlError } from "effect/sql";
import { unavailabilityOf } from "../../src/database/DatabaseFailure.ts";

/** A failure as the driver reports it. */
const failure = (code: string, message: string) => {
  const cause = Object.assign(new Error(message), { code });
  const props = { cause, message: "PgConnection: Query failed", operation: "query" };
  const isOfConnection = code.startsWith("08");
  return new SqlError.SqlError({
    reason: isOfConnection ? new SqlError.ConnectionError(props) : new SqlError.UnknownError(props),
  });
};

describe("Failures of a Citus cluster", () => {
  it("a lost node is an unavailable database, whatever its SQLSTATE (B3.3, running.citus)", () => {
    const lost: ReadonlyArray<readonly [string, string]> = [
      ["08006", "connection to the remote node waypost@10.0.0.2:5432 failed with the following error: x"],
      ["08006", "could not establish any connections to the node 10.0.0.2:5432 after 30000 ms"],
      ["57P01", "terminating connection due to administrator command"],
      ["57P02", "terminating connection because of crash of another server process"],
      ["57P03", "the database system is starting up"],
      ["XX000", "server closed the connection unexpectedly\n\tThis probably means the server terminated"],
      ["XX000", "SSL SYSCALL error: EOF detected\ninvalid socket"],
      ["XX000", "could not receive data from server: Connection reset by peer"],
      ["58030", "failed to COPY to shard 0 on 10.0.0.2:5432"],
      ["XX000", "failure on connection marked as essential: 10.0.0.2:5432"],
      ["XX000", "could not commit transaction for shard 102008 on at least one active node"],
      ["XX000", "failed to prepare transaction 'citus_0_7_4_1' on host 10.0.0.2:5432"],
    ];
    for (const [code, message] of lost)
      assert.strictEqual(unavailabilityOf(failure(code, message)), "away", message);
  });

  it("another internal error is none (B3.2)", () => {
    assert.isNull(unavailabilityOf(failure("XX000", "cache lookup failed for type 4711")));
    assert.isNull(unavailabilityOf(failure("42P01", "server closed the connection unexpectedly")));
  });
});
