import { randomBytes, webcrypto } from "node:crypto";

const { subtle } = webcrypto;
const curve = { name: "ECDH", namedCurve: "P-256" } as const;
const text = (value: string) => new TextEncoder().encode(value);
const join = (...parts: ReadonlyArray<Uint8Array>) => new Uint8Array(Buffer.concat(parts));

const derive = async (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number) => {
  const key = await subtle.importKey("raw", new Uint8Array(secret), "HKDF", false, ["deriveBits"]);
  const bits = await subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(salt), info: new Uint8Array(info) },
    key,
    bytes * 8,
  );
  return new Uint8Array(bits);
};

/** A browser's subscription, and its decryption of pushes (RFC 8291), by WebCrypto alone. */
export const browserSubscription = async (endpoint: string) => {
  const pair = await subtle.generateKey(curve, true, ["deriveBits"]);
  const own = new Uint8Array(await subtle.exportKey("raw", pair.publicKey));
  const auth = new Uint8Array(randomBytes(16));
  return {
    address: {
      transport: "webpush",
      endpoint,
      keys: {
        p256dh: Buffer.from(own).toString("base64url"),
        auth: Buffer.from(auth).toString("base64url"),
      },
    },
    /** The message in the record. */
    read: async (body: Uint8Array): Promise<string> => {
      const salt = body.subarray(0, 16);
      const idLength = body[20] ?? 0;
      const theirs = body.subarray(21, 21 + idLength);
      const publicKey = await subtle.importKey("raw", new Uint8Array(theirs), curve, false, []);
      const shared = new Uint8Array(
        await subtle.deriveBits({ name: "ECDH", public: publicKey }, pair.privateKey, 256),
      );
      const material = await derive(shared, auth, join(text("WebPush: info\0"), own, theirs), 32);
      const key = await derive(material, salt, text("Content-Encoding: aes128gcm\0"), 16);
      const nonce = await derive(material, salt, text("Content-Encoding: nonce\0"), 12);
      const aes = await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
      const record = new Uint8Array(
        await subtle.decrypt(
          { name: "AES-GCM", iv: nonce },
          aes,
          new Uint8Array(body.subarray(21 + idLength)),
        ),
      );
      const end = record.lastIndexOf(2);
      return new TextDecoder().decode(record.subarray(0, end));
    },
  };
};

/** Checks that a token is signed by the key beside it (`vapid t=…, k=…`, RFC 8292); returns its claims. */
export const readVapid = async (authorization: string) => {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const [header = "", claims = "", signature = ""] = token.split(".");
  const publicKey = await subtle.importKey(
    "raw",
    Buffer.from(key, "base64url"),
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["verify"],
  );
  const isGood = await subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    publicKey,
    Buffer.from(signature, "base64url"),
    text(`${header}.${claims}`),
  );
  return { isGood, key, claims: JSON.parse(Buffer.from(claims, "base64url").toString()) };
};
