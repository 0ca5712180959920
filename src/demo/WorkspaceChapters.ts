import { Effect } from "effect";
import { abilities } from "../access/Ability.ts";
import type { DemoContext } from "./DemoContext.ts";
import { at } from "./ExpectedFigures.ts";

/** The operator creates a workspace, a token for each environment, and an SDK key. */
export const workspaceChapter = Effect.fnUntraced(function* (context: DemoContext) {
  const { narrator, operator, send } = context;
  yield* narrator.chapter(
    "A workspace and its keys",
    "The operator of this Waypost creates a workspace for Acme. It gets a token for each of its two " +
      "environments, and an SDK key for its app. Each secret is shown only once, in these responses.",
  );
  const workspace = yield* send(operator, "POST /workspaces", {
    body: { name: "Acme", timezone: "Europe/Amsterdam" },
    status: 201,
    show: ["id", "name", "timezone", "platform_api_enabled"],
  });
  const workspaceId = yield* workspace.text("id");
  const issueToken = (environment: string) =>
    send(operator, `POST /workspaces/${workspaceId}/tokens`, {
      body: { name: "Shop system", environment, abilities },
      status: 201,
      show: ["id", "environment", "token"],
    });
  const sandbox = yield* issueToken("sandbox");
  const production = yield* issueToken("production");
  const key = yield* send(operator, `POST /workspaces/${workspaceId}/sandbox/sdk-keys`, {
    body: { name: "Acme app" },
    status: 201,
    show: ["id", "sdk_key"],
  });
  const access = {
    sandbox: yield* sandbox.access(context.sandbox, "SANDBOX_TOKEN", "token"),
    production: yield* production.access(context.production, "PRODUCTION_TOKEN", "token"),
    app: yield* key.access(context.device, "SDK_KEY", "sdk_key"),
  };
  yield* narrator.variables(Object.values(access).map(({ credential }) => credential));
  return {
    workspaceId,
    ...access,
    productionTokenId: yield* production.text("id"),
  };
});

/** Each token works at its own address only. The operator enables the full API in Production. */
export const environmentChapter = Effect.fnUntraced(function* (
  context: DemoContext,
  { production, sandbox, workspaceId }: DemoWorkspace,
) {
  const { figures, narrator, operator, send } = context;
  yield* narrator.chapter(
    "Two environments",
    "Each token works at its own address only. In Production, only GET /me and the reports work at first. " +
      "Then the operator enables the full API. The token does not change.",
  );
  const me = yield* send(sandbox, "GET /me");
  yield* figures.check("the environment of the Sandbox token", me.data("environment"), "sandbox");
  yield* figures.check("the abilities of the Sandbox token", me.data("abilities"), abilities);

  const wrong = yield* send({ ...sandbox, base: production.base }, "GET /me", { status: 403 });
  yield* figures.check(
    "the error at the wrong address",
    at(wrong.body, "error", "code"),
    "wrong_environment",
  );

  const early = yield* send(production, "GET /campaigns", { status: 403 });
  yield* figures.check(
    "the error before the full API is enabled",
    at(early.body, "error", "code"),
    "platform_api_not_enabled",
  );
  yield* send(operator, `PATCH /workspaces/${workspaceId}`, {
    body: { platform_api_enabled: true },
    show: ["name", "platform_api_enabled"],
  });
  const empty = yield* send(production, "GET /campaigns");
  yield* figures.check("the campaigns of Production", empty.data(), []);
});

/** The workspace of the demo, and the access of its systems and its app. */
export type DemoWorkspace = Effect.Success<ReturnType<typeof workspaceChapter>>;
