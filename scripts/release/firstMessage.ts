/**
 * Delivers the first message of a new Waypost, and prints its headline: `node firstMessage.ts ADDRESS
 * KEY-FILE`. With `--names` it prints the names of the workspaces instead. A program of its own, because a
 * test starts it in the network of a container.
 */
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import { newWorkspace, send } from "../bench/ServiceApi.ts";

const [, , origin = "", keyFile = "", mode] = process.argv;
const key = readFileSync(keyFile, "utf8").trim();

const deliver = async (): Promise<string> => {
  const abilities = ["locations:write", "campaigns:write", "notifications:write"];
  const { device, platform, sdkKey, token } = await Effect.runPromise(
    newWorkspace(origin, abilities, "production", key),
  );
  const imported = await send("POST", `${platform}/locations/import`, token, {
    type: "FeatureCollection",
    features: [
      {
        type: "Feature",
        geometry: { type: "Point", coordinates: [4.9, 52.37] },
        properties: { name: "Amsterdam", radius: 500 },
      },
    ],
  });
  const [location] = imported.results;
  const campaign = await send("POST", `${platform}/campaigns`, token, {
    name: "Welcome",
    type: "geo",
    timezone: "UTC",
    starts_at: new Date().toISOString().slice(0, 10),
    location_ids: [location?.id],
  });
  await send("POST", `${platform}/campaigns/${campaign.id}/notifications`, token, {
    name: "Hello",
    type: "message",
    headline: "Welcome to Amsterdam",
    body: "Coffee is on us today.",
    trigger_type: "on_enter",
  });
  const phone = await send("PUT", `${device}/devices/my-phone`, sdkKey, { platform: "ios" });
  const event = { id: randomUUID(), type: "enter", location_id: location?.id, occurred_at: new Date() };
  await send("POST", `${device}/events`, phone.device_token, { events: [event] });
  const [message] = await send<ReadonlyArray<{ readonly headline: string }>>(
    "GET",
    `${device}/messages`,
    phone.device_token,
  );
  return message?.headline ?? "no message";
};

const names = async (): Promise<string> =>
  (await send<ReadonlyArray<{ readonly name: string }>>("GET", `${origin}/operator/v1/workspaces`, key))
    .map(({ name }) => name)
    .join(", ");

console.log(await (mode === "--names" ? names() : deliver()));
