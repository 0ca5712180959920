import { generateKeyPairSync } from "node:crypto";

const pem = (key: { export: (options: { type: "pkcs8"; format: "pem" }) => string | Buffer }) =>
  String(key.export({ type: "pkcs8", format: "pem" }));

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
/** Keys as Google and Apple issue them, generated once per test file. */
export const rsaKey = pem(rsa.privateKey);
const p256 = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
export const p256Key = pem(p256.privateKey);

/** Valid credentials of each provider, with optional addresses. */
export const fcmCredentials = (more: { base_url?: string; token_uri?: string } = {}) => ({
  service_account: {
    type: "service_account",
    project_id: "acme-shop",
    private_key_id: "key-1",
    private_key: rsaKey,
    client_email: "push@acme-shop.iam.gserviceaccount.com",
    ...(more.token_uri === undefined ? {} : { token_uri: more.token_uri }),
  },
  ...(more.base_url === undefined ? {} : { base_url: more.base_url }),
});
export const apnsCredentials = (more: { base_url?: string } = {}) => ({
  team_id: "A1B2C3D4E5",
  key_id: "F6G7H8J9K0",
  private_key: p256Key,
  topic: "com.example.shop",
  ...more,
});
export const webPushCredentials = { subject: "mailto:push@example.com" };
