import { Effect } from "effect";
import { abilities } from "../access/Ability.ts";
import type { Variable } from "./DemoClient.ts";
import { type DemoStage, pick } from "./DemoContext.ts";
import { at, textAt } from "./ExpectedFigures.ts";

/** What a workspace's own systems and apps are given. */
export interface Credentials {
  readonly workspaceId: string;
  readonly sandboxToken: Variable;
  readonly productionToken: Variable;
  readonly productionTokenId: string;
  readonly sdkKey: Variable;
}

/** The operator makes a workspace with a token for each environment and an SDK key. */
export const workspaceChapter = Effect.fnUntraced(function* ({
  ask,
  narrator,
  operator,
  operatorKey,
}: DemoStage) {
  yield* narrator.chapter(
    "A workspace and its keys",
    "The operator of this Waypost makes a workspace for Acme, with a token for each of its two environments and an " +
      "SDK key for its app. Secrets are shown once, in these answers.",
  );
  const post = (path: string, body: unknown, ...names: ReadonlyArray<string>) =>
    ask({
      method: "POST",
      base: operator,
      path,
      credential: operatorKey,
      body,
      status: 201,
      show: (answer) => pick(at(answer, "data"), ...names),
    });

  const workspace = yield* post(
    "/workspaces",
    { name: "Acme", timezone: "Europe/Amsterdam" },
    "id",
    "name",
    "timezone",
    "platform_api_enabled",
  );
  const workspaceId = yield* textAt(workspace.body, "data", "id");
  const token = (environment: string) =>
    post(
      `/workspaces/${workspaceId}/tokens`,
      { name: "Shop system", environment, abilities },
      "id",
      "environment",
      "token",
    );
  const sandbox = yield* token("sandbox");
  const production = yield* token("production");
  const key = yield* post(
    `/workspaces/${workspaceId}/sandbox/sdk-keys`,
    { name: "Acme app" },
    "id",
    "sdk_key",
  );
  const credentials: Credentials = {
    workspaceId,
    sandboxToken: { name: "SANDBOX_TOKEN", value: yield* textAt(sandbox.body, "data", "token") },
    productionToken: { name: "PRODUCTION_TOKEN", value: yield* textAt(production.body, "data", "token") },
    productionTokenId: yield* textAt(production.body, "data", "id"),
    sdkKey: { name: "SDK_KEY", value: yield* textAt(key.body, "data", "sdk_key") },
  };
  const { productionToken, sandboxToken, sdkKey } = credentials;
  yield* narrator.variables([sandboxToken, productionToken, sdkKey]);
  return credentials;
});

/** Each token works at its own address; Production's full API waits for the operator. */
export const environmentChapter = Effect.fnUntraced(function* (stage: DemoStage, credentials: Credentials) {
  const { ask, figures, narrator, operator, operatorKey, production, sandbox } = stage;
  const { productionToken, sandboxToken, workspaceId } = credentials;
  yield* narrator.chapter(
    "Two environments",
    "Each token works at its own address alone. In Production only GET /me and the reports work until the operator " +
      "enables the full API; the token stays the same.",
  );
  const me = yield* ask({ base: sandbox, path: "/me", credential: sandboxToken, status: 200 });
  yield* figures.is("the environment of the Sandbox token", at(me.body, "data", "environment"), "sandbox");
  yield* figures.is("the abilities of the Sandbox token", at(me.body, "data", "abilities"), abilities);

  const wrong = yield* ask({ base: production, path: "/me", credential: sandboxToken, status: 403 });
  yield* figures.is("the error at the wrong address", at(wrong.body, "error", "code"), "wrong_environment");

  const early = yield* ask({
    base: production,
    path: "/campaigns",
    credential: productionToken,
    status: 403,
  });
  yield* figures.is(
    "the error before the full API is enabled",
    at(early.body, "error", "code"),
    "platform_api_not_enabled",
  );
  yield* ask({
    method: "PATCH",
    base: operator,
    path: `/workspaces/${workspaceId}`,
    credential: operatorKey,
    body: { platform_api_enabled: true },
    status: 200,
    show: (answer) => pick(at(answer, "data"), "name", "platform_api_enabled"),
  });
  const empty = yield* ask({
    base: production,
    path: "/campaigns",
    credential: productionToken,
    status: 200,
  });
  yield* figures.is("the campaigns of Production", at(empty.body, "data"), []);
});
