import { lifetimeOf, type PayloadFormat, type PushContent, shortened } from "../../push/PushPayload.ts";
import { apnsFormat } from "../../push/transports/Apns.ts";
import { fcmFormat } from "../../push/transports/Fcm.ts";
import { webPushFormat } from "../../push/transports/WebPush.ts";

/** The id of a message that does not exist; as long as any id. */
export const noId = "00000000-0000-0000-0000-000000000000";

/** A content as a push of each provider: its payload, its size in bytes, and what was cut. */
export const payloadPreviews = (content: PushContent, defaultUrl: string | null, now: number) => {
  const lifetime = lifetimeOf(content, null, now);
  const previewOf = (format: PayloadFormat) => {
    const { content: short, cut } = shortened(content, format);
    const text = format.write(noId, short, lifetime);
    return {
      // The payload of FCM lacks the device's address, and with it the brace before it.
      payload: JSON.parse(text.startsWith("{") ? text : `{"message":{${text}`) as {
        readonly [key: string]: never;
      },
      bytes: Buffer.byteLength(text),
      cut,
    };
  };
  return {
    fcm: previewOf(fcmFormat),
    apns: previewOf(apnsFormat),
    webpush: previewOf(webPushFormat(defaultUrl)),
  };
};
