/**
 * The rate of `GET /me`, which is what surrounds each request of the platform API: token, rate limit,
 * headers, JSON, access log. The bar is 0.6 of the rate of a Fastify and `pg` handler that does the same
 * (PlatformBaseline.ts).
 */
import { Effect } from "effect";
import { workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { besideBaseline } from "./BesideBaseline.ts";
import { newWorkspace } from "./ServiceApi.ts";

const bench = Effect.gen(function* () {
  const waypost = yield* BenchWorld.waypost();
  const { id, platform, token } = yield* newWorkspace(waypost.origin, ["campaigns:read"]);
  const workspaceId = yield* workspaceKey(id);
  const baseline = yield* BenchWorld.baseline("PlatformBaseline.ts", workspaceId);
  yield* besideBaseline(waypost, baseline, `${platform}/me`, token, 20_000, "me", { rate: 0.6 });
});

runBench(bench);
