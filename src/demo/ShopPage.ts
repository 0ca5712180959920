import { createHash } from "node:crypto";

/** The facts that the page of the shop needs. */
export interface Shop {
  /** The address of the Waypost server. */
  readonly waypost: string;
  readonly sdkKey: string;
  /** The page of the console with the results of the survey. */
  readonly results: string;
  /** The counter, where the campaign with the survey is. */
  readonly counter: { readonly latitude: number; readonly longitude: number };
}

/** The service worker of the shop: the one line that the web SDK needs on the page's own origin. */
export const shopWorker = (waypost: string): string => `importScripts("${waypost}/sdk/v1/worker.js");\n`;

/** The page of the shop, an app of a developer: the lines of the README, and what is the shop's own. */
export const shopPage = ({ counter, results, sdkKey, waypost }: Shop): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Acme Coffee</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  main { max-inline-size: 36rem; margin: 2rem auto; padding-inline: 1rem; }
  button { font: inherit; padding: 0.4rem 1rem; }
  output { display: block; min-block-size: 1.5rem; }
</style>
</head>
<body>
<main>
<h1>Acme Coffee</h1>
<p>A shop on its own origin. This browser is one of its devices, which the console lists.</p>

<h2>Offers</h2>
<p>We send a message when you come to a counter, at most a few a week. The browser asks for your permission,
  and its push service needs the internet. Messages wait below in any case.</p>
<button id="subscribe">Tell me about offers</button> <output></output>

<h2>A visit</h2>
<p>You come to the counter at Central Station, and a campaign there asks how the coffee was.</p>
<button id="visit">Visit the counter</button> <output id="place"></output>

<waypost-inbox></waypost-inbox>

<h2>The report</h2>
<p><a href="${results.replaceAll("&", "&amp;")}">The results in the console</a> count your answers. Sign in there first by the address
  that the demo printed.</p>
</main>
<script type="module">
  import { start } from "${waypost}/sdk/v1/waypost.js";
  import "${waypost}/sdk/v1/inbox.js";
  const waypost = await start({ url: "${waypost}", sdkKey: "${sdkKey}" });
  const find = (selector) => document.querySelector(selector);
  find("waypost-inbox").waypost = waypost;
  find("#subscribe").onclick = async () => (find("output").value = await waypost.subscribe());

  // The demo walks for you: the browser's position is the counter or a place far from it.
  const counter = ${JSON.stringify(counter)};
  let report;
  navigator.geolocation.watchPosition = (found) => ((report = found), 1);
  const walk = ({ latitude, longitude }) =>
    report({ coords: { latitude, longitude, accuracy: 10 }, timestamp: Date.now() });

  waypost.watchPosition();
  waypost.on("message", ({ headline }) => {
    find("#place").value = "A message for you: " + headline;
    find("waypost-inbox").refresh();
  });
  let isThere = false;
  find("#visit").onclick = () => {
    isThere = !isThere;
    find("#place").value = isThere ? "You are at the counter." : "You have left the counter.";
    find("#visit").textContent = isThere ? "Leave the counter" : "Visit the counter";
    walk(isThere ? counter : { ...counter, latitude: counter.latitude - 1 });
  };
</script>
</body>
</html>
`;

/**
 * The content security policy of the page or the worker: the sources that docs/web.md names, and the digests
 * of the script and the styles inside the page.
 */
export const shopPolicy = (page: string, waypost: string): string => {
  const own = (tag: string): string => {
    const [, text = ""] = new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(page) ?? [];
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  return (
    `default-src 'none'; script-src ${waypost} ${own("script")}; connect-src ${waypost}; ` +
    `worker-src 'self'; img-src ${waypost}; media-src ${waypost}; style-src ${own("style")}`
  );
};
