import { Effect } from "effect";
import type { DemoContext } from "./DemoContext.ts";
import { loopbackServer } from "./LoopbackServer.ts";
import { type Shop, shopPage, shopPolicy, shopWorker } from "./ShopPage.ts";
import type { DemoWorkspace } from "./WorkspaceChapters.ts";

/**
 * Serves a page of the shop on an origin of its own until the scope closes. Returns its address: a person who
 * opens it is a device with pushes, an inbox and surveys.
 */
export const shopChapter = Effect.fnUntraced(function* (
  { device, narrator, operator, send }: DemoContext,
  { workspaceId }: DemoWorkspace,
  survey: Pick<Shop, "counter"> & { readonly notificationId: string },
) {
  yield* narrator.chapter(
    "A browser as a device",
    "Acme's web shop is a page of another origin. It needs a key that pages of this origin may use, and " +
      "keys for Web Push, which Waypost makes. The page has the ten lines of the README.",
  );
  const waypost = new URL(device.value).origin;
  const files = new Map([["/waypost-worker.js", ["javascript", shopWorker(waypost)]]]);
  const origin = yield* loopbackServer((request, response) => {
    const file = files.get(request.url ?? "");
    const [type, text = ""] = file ?? ["plain", "There is no such page.\n"];
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": `text/${type}; charset=utf-8`,
      "content-security-policy": shopPolicy(text, waypost),
    });
    response.end(text);
  });
  const environment = `/workspaces/${workspaceId}/production` as const;
  yield* send(operator, `PUT ${environment}/transports/webpush`, {
    body: { subject: "mailto:push@example.com", default_url: `${origin}/` },
    show: ["transport", "public_key"],
  });
  const key = yield* send(operator, `POST ${environment}/sdk-keys`, {
    body: { name: "Acme web shop", allowed_origins: [origin] },
    status: 201,
    show: ["name", "allowed_origins", "sdk_key"],
  });
  const results =
    `${waypost}/console/reports?report=results&notification=${survey.notificationId}` +
    `&workspace=${workspaceId}&environment=production`;
  const sdkKey = yield* key.text("sdk_key");
  files.set("/", ["html", shopPage({ waypost, results, sdkKey, counter: survey.counter })]);
  return `${origin}/`;
});
