/**
 * Records what the libraries of the push services make of the options of contract T3, for
 * `test/sending/push/PushLibraries.service.test.ts`: `firebase-admin` (Google), `web-push` and
 * `@parse/node-apn`. They are no dependencies, because together they bring 190 packages. To record again:
 *
 *     cd "$(mktemp -d)" && npm init -y
 *     npm install --ignore-scripts firebase-admin web-push @parse/node-apn
 *     node …/scripts/pushFixtures.ts "$PWD" > …/test/sending/push/LibraryFixtures.json
 */
import { createECDH, randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder = "."] = process.argv.slice(2);
const load = createRequire(join(folder, "package.json"));
const libraries = ["firebase-admin", "web-push", "@parse/node-apn"] as const;
const [, webPushName, apnName] = libraries;

interface Firebase {
  readonly validateMessage: (message: object) => void;
}
interface Apns {
  readonly Notification: new () => { readonly headers: () => object; readonly compile: () => string };
}
interface WebPush {
  readonly generateVAPIDKeys: () => object;
  readonly generateRequestDetails: (
    subscription: object,
    payload: string,
    options: object,
  ) => { readonly headers: Readonly<Record<string, unknown>> };
}

const versionOf = (name: string): string => {
  const { version } = load(join(folder, "node_modules", name, "package.json")) as {
    readonly version: string;
  };
  return version;
};

/** A message as `firebase-admin` puts it into the request. */
const firebase = (message: object): object => {
  const messaging = "node_modules/firebase-admin/lib/messaging/messaging-internal.js";
  (load(join(folder, messaging)) as Firebase).validateMessage(message);
  return message;
};

const apns = (fields: object): object => {
  const { Notification } = load(apnName) as Apns;
  const notification = Object.assign(new Notification(), fields);
  return { headers: notification.headers(), body: JSON.parse(notification.compile()) as object };
};

const webPush = (options: object): object => {
  const library = load(webPushName) as WebPush;
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const subscription = {
    endpoint: "https://push.example.com/1",
    keys: { p256dh: browser.getPublicKey("base64url"), auth: randomBytes(16).toString("base64url") },
  };
  const vapidDetails = { subject: "mailto:push@example.com", ...library.generateVAPIDKeys() };
  const { headers } = library.generateRequestDetails(subscription, "{}", { ...options, vapidDetails });
  const names = ["TTL", "Topic", "Urgency", "Content-Encoding"];
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
};

const alert = { title: "Hello", body: "World" };
const aps = {
  sound: "coffee.caf",
  badge: 3,
  category: "OFFER",
  "interruption-level": "time-sensitive",
};
const expiry = 1_795_266_000;

process.stdout.write(
  `${JSON.stringify(
    {
      versions: Object.fromEntries(libraries.map((name) => [name, versionOf(name)])),
      fcm: {
        shown: firebase({
          token: "t",
          notification: alert,
          data: { order: "4711" },
          android: {
            collapseKey: "order-4711",
            priority: "normal",
            ttl: 3_600_000,
            notification: {
              tag: "order-4711",
              sound: aps.sound,
              notificationCount: aps.badge,
              channelId: "offers",
              clickAction: aps.category,
            },
          },
          apns: {
            headers: {
              "apns-collapse-id": "order-4711",
              "apns-priority": "5",
              "apns-expiration": String(expiry),
            },
            payload: { aps },
          },
        }),
        silent: firebase({
          token: "t",
          data: { order: "4711" },
          android: { priority: "normal", ttl: 86_400_000 },
          apns: {
            headers: { "apns-push-type": "background", "apns-priority": "5" },
            payload: { aps: { contentAvailable: true } },
          },
        }),
      },
      apns: {
        shown: apns({
          alert,
          sound: aps.sound,
          badge: aps.badge,
          category: aps.category,
          interruptionLevel: aps["interruption-level"],
          pushType: "alert",
          priority: 5,
          expiry,
          collapseId: "order-4711",
          topic: "com.example.shop",
          payload: { order: "4711" },
        }),
        silent: apns({
          contentAvailable: 1,
          pushType: "background",
          priority: 5,
          topic: "com.example.shop",
          payload: { order: "4711" },
        }),
      },
      webpush: {
        shown: webPush({ TTL: 3600, urgency: "normal", topic: "order", contentEncoding: "aes128gcm" }),
        silent: webPush({ TTL: 86_400, urgency: "low", topic: "order", contentEncoding: "aes128gcm" }),
      },
    },
    null,
    2,
  )}\n`,
);
