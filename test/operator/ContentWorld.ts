import { Effect } from "effect";
import { given } from "../given/Given.ts";
import { notificationWorld } from "../notifications/NotificationWorld.ts";
import { type Ask, TestWaypost } from "../TestWaypost.ts";

/** The required fields of a message without a campaign. */
export const content = (more: object = {}) => ({
  name: "Coffee",
  type: "message",
  headline: "Hello",
  body: "Come in.",
  ...more,
});

/** A tenant with campaigns, and the operator interface to its contents. */
export const contentWorld = (options?: Parameters<typeof notificationWorld>[0]) =>
  Effect.gen(function* () {
    const world = yield* notificationWorld(options);
    const { operator } = yield* TestWaypost;
    const base = (environment: string) => `/workspaces/${world.workspace.id}/${environment}`;
    const inSandbox = (path: string, ask?: Ask) => operator(`${base("sandbox")}${path}`, ask);
    const pair = (campaign: string, id: string) => `/campaigns/${campaign}/notifications/${id}`;
    const campaignOf = (path: string) => path.split("/")[2] ?? "";
    return {
      ...world,
      operator,
      base,
      inSandbox,
      /** Creates content on no campaign in Sandbox; gives its id. */
      content: (more: object = {}) => given(inSandbox).content(content(more)),
      geoCampaign: (more: object = {}) => Effect.map(world.geo(more), campaignOf),
      pushCampaign: (more: object = {}) => Effect.map(world.push(more), campaignOf),
      attach: (campaign: string, id: string, trigger: unknown = { trigger_type: "on_enter" }) =>
        inSandbox(`${pair(campaign, id)}/attach`, { body: trigger }),
      detach: (campaign: string, id: string) => inSandbox(`${pair(campaign, id)}/detach`, { method: "POST" }),
    };
  });
