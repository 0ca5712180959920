import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mayBePublic } from "../../outgoing/OutgoingUrls.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import type {
  ApnsCredentials,
  FcmCredentials,
  KeptWebPushCredentials,
  WebPushCredentials,
} from "./PushCredential.ts";

/** The private key in a PEM; null if there is none. */
export const privateKeyOf = (pem: string): KeyObject | null => {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
};

/** The problem with a provider's address, as a sentence about "The {noun}"; null for none. */
const addressProblem = (
  noun: string,
  text: string | null | undefined,
  allowPrivate: boolean,
): string | null => {
  if (text === null || text === undefined) return null;
  const url = URL.parse(text);
  const whole = `The ${noun} must be a full https address, such as https://push.example.com.`;
  if (url === null || (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")))
    return whole;
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    return `The ${noun} may hold no user name, question mark or #.`;
  }
  return allowPrivate || mayBePublic(url) ? null : `The ${noun} must be an address of the public internet.`;
};

/** Validates FCM credentials beyond their schema. */
export const validateFcm = (
  { fields, problems }: ParsedBody<FcmCredentials>,
  allowPrivate: boolean,
): void => {
  const { base_url, service_account } = fields;
  if (service_account !== undefined) {
    const { private_key, project_id, token_uri } = service_account;
    if (privateKeyOf(private_key)?.asymmetricKeyType !== "rsa") {
      problems.add(
        "service_account.private_key",
        "The private key must be the RSA key of the service account's JSON file, in PEM.",
      );
    }
    if (!/^[\w.:-]+$/.test(project_id)) {
      problems.add(
        "service_account.project_id",
        "The project id must be the Firebase project's, such as acme-shop.",
      );
    }
    const problem = addressProblem("token address", token_uri, allowPrivate);
    if (problem !== null) problems.add("service_account.token_uri", problem);
  }
  const problem = addressProblem("base address", base_url, allowPrivate);
  if (problem !== null) problems.add("base_url", problem);
};

/** Validates APNs credentials beyond their schema. */
export const validateApns = (
  { fields, problems }: ParsedBody<ApnsCredentials>,
  allowPrivate: boolean,
): void => {
  const { base_url, private_key, topic } = fields;
  for (const name of ["team_id", "key_id"] as const) {
    const id = fields[name];
    if (id !== undefined && !/^\w+$/.test(id)) {
      problems.add(
        name,
        `The ${name.replace("_", " ")} must be Apple's: letters and digits, such as A1B2C3D4E5.`,
      );
    }
  }
  if (topic !== undefined && !/^[\w.-]+$/.test(topic)) {
    problems.add("topic", "The topic must be the app's bundle id, such as com.example.shop.");
  }
  if (private_key !== undefined) {
    const key = privateKeyOf(private_key);
    if (key?.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
      problems.add(
        "private_key",
        "The private key must be the P-256 key of Apple's .p8 file, in PEM, with its BEGIN and END lines.",
      );
    }
  }
  const problem = addressProblem("base address", base_url, allowPrivate);
  if (problem !== null) problems.add("base_url", problem);
};

/** Validates a Web Push subject beyond its schema (RFC 8292, section 2.1). */
export const validateWebPush = ({ fields, problems }: ParsedBody<WebPushCredentials>): void => {
  const { default_url = null, subject } = fields;
  if (default_url !== null && !(/^https?:\/\/\S+$/i.test(default_url) && URL.canParse(default_url))) {
    problems.add(
      "default_url",
      "The default URL must be a full http or https address, such as https://example.com/.",
    );
  }
  if (subject === undefined || /^mailto:[^\s@]+@[^\s@]+$/i.test(subject)) return;
  if (/^https:\/\/\S+$/i.test(subject) && URL.canParse(subject)) return;
  problems.add(
    "subject",
    "The subject must be a mailto: or https: address, such as mailto:push@example.com.",
  );
};

/** Generates VAPID keys. */
export const makeVapidKeys = (): Pick<KeptWebPushCredentials, "private_key" | "public_key"> => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  // The last 65 bytes of SPKI are the uncompressed point.
  const point = publicKey.export({ type: "spki", format: "der" }).subarray(-65);
  return {
    private_key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    public_key: point.toString("base64url"),
  };
};
