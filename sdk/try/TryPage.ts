/**
 * `/sdk/v1/try.html`: makes the browser a test device, to which the console leads. The fragment has the SDK
 * key, the name of the try, and perhaps a location whose visit can be simulated. Only a key that the console
 * of this server has just made is taken: nobody else leads a browser to messages of theirs.
 */
import { DeviceStore } from "../device/DeviceStore.ts";
import { callServer } from "../device/Sender.ts";
import type { start as startDevice, Waypost } from "../page/WaypostPage.ts";
import type { WaypostInbox } from "../inbox/WaypostInbox.ts";

const given = new URLSearchParams(location.hash.slice(1));
const [key, name] = [given.get("key") ?? "", given.get("try") ?? ""];
const visited = given.get("visit");

const styles = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-inline-size: 34rem; margin: 1.5rem auto; padding-inline: 1rem; overflow-wrap: anywhere; }
button { font: inherit; min-block-size: 2.5rem; margin: 0 0.5rem 0.5rem 0; }`;

const byId = (id: string): HTMLElement => document.querySelector<HTMLElement>(`#${id}`) ?? document.body;
const say = (text: string): void => void (byId("state").textContent = text);

/** A button that does its work once at a time, and says why it failed. */
const button = (id: string, work: () => Promise<unknown>): void => {
  const found = byId(id) as HTMLButtonElement;
  found.hidden = false;
  found.addEventListener("click", () => {
    found.disabled = true;
    work()
      .catch(() => say("That did not work: the server could not be reached."))
      .finally(() => (found.disabled = false));
  });
};

/** An event of the device's way, now or a moment before. */
const event = (type: "enter" | "exit", at: number) => ({
  id: crypto.randomUUID(),
  type,
  location_id: visited,
  occurred_at: new Date(at).toISOString(),
});

/** Reports an enter, and says what came. A visit before it is ended first. */
const visit = async (store: DeviceStore, inbox: WaypostInbox): Promise<void> => {
  const credential = (await store.token()) ?? "";
  const now = Date.now();
  const body = { events: [event("exit", now - 1), event("enter", now)] };
  const request = { method: "POST", path: "/events", credential, body };
  const answer = await callServer({ url: location.origin, sdkKey: key }, request);
  if (answer?.status !== 200) throw new Error("The visit was refused.");
  const outcome = answer.body?.data as unknown as { deliveries?: Array<{ headline: string }> } | undefined;
  const deliveries = outcome?.deliveries ?? [];
  say(
    deliveries.length === 0
      ? "The visit is reported. No message came yet: “Test” on the campaign's page says why."
      : `The visit is reported. This came: ${deliveries.map(({ headline }) => `“${headline}”`).join(", ")}.`,
  );
  await inbox.refresh();
};

/** Whether the console has just made the key. The request has no device, so that it registers none. */
const isKeyForTries = async (): Promise<boolean> => {
  const { status } = await fetch("/device/v1/devices/try", {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "waypost-try": "1" },
    body: "{}",
    credentials: "omit",
  });
  return status === 422;
};

const begin = async (): Promise<void> => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets = [sheet];
  const store = await DeviceStore.open();
  const state = await store.get("state");
  const isSame = state?.profile.attributes?.["try_it_here"] === name;
  // A browser that is the device of this try already stays it.
  const isKnown = isSame && (await store.get("settings"))?.sdkKey === key;
  if (!isKnown && !(await isKeyForTries()))
    return say("This address is not, or no longer, of use: open “Try it here” in the console.");
  const [sdk, inboxes]: ReadonlyArray<string> = ["./waypost.js", "./inbox.js"];
  await import(inboxes ?? "");
  const { start } = (await import(sdk ?? "")) as { readonly start: typeof startDevice };
  const register = (): Promise<Waypost> =>
    start({
      url: location.origin,
      sdkKey: key,
      worker: "/sdk/v1/worker.js",
      attributes: { try_it_here: name },
    });
  let device = await register();
  if (state !== undefined && !isSame) {
    // This browser was the device of another try.
    await device.forget();
    device = await register();
  }
  if ((await store.token()) === null) return say("This address has expired. Open “Try it here” again.");
  const inbox = document.querySelector<WaypostInbox>("waypost-inbox");
  if (inbox === null) return;
  inbox.waypost = device;
  setInterval(() => void inbox.refresh(), 5_000);
  say("This browser is a device now. The console approves it while “Try it here” is open there.");
  if (visited !== null) {
    byId("visit").textContent = `Simulate a visit of “${given.get("name") ?? "the location"}”`;
    button("visit", () => visit(store, inbox));
  }
  button("push", async () => {
    const result = await device.subscribe();
    say(
      result === "subscribed"
        ? "Pushes arrive here."
        : result === "denied"
          ? "This browser shows no notifications: messages wait in the list below."
          : "Pushes are not set up, here or on the server: messages wait in the list below.",
    );
  });
  button("end", async () => {
    await device.forget();
    say("This browser is no device any more.");
    for (const id of ["visit", "push", "end"]) byId(id).hidden = true;
    inbox.waypost = null;
  });
};

begin().catch(() => say("This browser cannot be a device: it needs https, and a storage for this page."));
