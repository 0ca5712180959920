import { Effect } from "effect";
import { RegisteredDevices } from "../../devices/RegisteredDevices.ts";
import { Cursors } from "../../http/Cursors.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { Explanations } from "./Explanations.ts";

interface ExplanationQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly campaign?: string;
}

/** Makes the function that gives a page of explanations for a device of a tenant. @throws 404, 422 */
export const explanationPages = Effect.gen(function* () {
  const devices = yield* RegisteredDevices;
  const explanations = yield* Explanations;
  const cursors = yield* Cursors;
  return Effect.fnUntraced(function* (
    endpoint: string,
    owner: Tenant,
    deviceId: string,
    { campaign, ...query }: ExplanationQuery,
  ) {
    const { key: deviceKey, ...device } = yield* devices.findWithKey(owner, deviceId);
    const scope = { endpoint, owner, filters: { deviceKey, campaign } };
    const { data, meta } = yield* cursors.page(scope, query, (position) =>
      explanations.page(owner, { ...device, deviceKey }, campaign ?? null, position),
    );
    return { data: data.map(({ id, ...shown }) => ({ campaign_id: id, ...shown })), meta };
  });
});
