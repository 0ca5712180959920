import { type PayloadFormat, type PushContent, shortened } from "../../push/PushPayload.ts";
import { apnsFormat } from "../../push/transports/Apns.ts";
import { fcmFormat } from "../../push/transports/Fcm.ts";
import { webPushFormat } from "../../push/transports/WebPush.ts";

/** The id of a message that does not exist; as long as any id. */
export const noId = "00000000-0000-0000-0000-000000000000";

const cutFields = ["body", "media", "cta_label", "cta_url", "headline"] as const;

const previewOf = ({ limit, write }: PayloadFormat, content: PushContent) => {
  const short = shortened(content, limit, (each) => Buffer.byteLength(write(noId, each)));
  const text = write(noId, short);
  return {
    // The payload of FCM lacks the device's token, and with it the brace before it.
    payload: JSON.parse(text.startsWith("{") ? text : `{"message":{${text}`) as {
      readonly [key: string]: never;
    },
    bytes: Buffer.byteLength(text),
    cut: cutFields.filter((field) => short[field] !== content[field]),
  };
};

/** A content as a push of each provider: its payload, its size in bytes, and what was cut. */
export const payloadPreviews = (content: PushContent) => ({
  fcm: previewOf(fcmFormat, content),
  apns: previewOf(apnsFormat, content),
  webpush: previewOf(webPushFormat, content),
});
