import type { DeviceKey } from "../../wire/Ids.ts";

/** The key of a push as columns of `unnested`. */
export const pushKeyColumns = {
  source_id: ["int8", (push: { readonly sourceId: bigint }) => push.sourceId],
  device_key: ["int4", (push: { readonly deviceKey: DeviceKey }) => push.deviceKey],
} as const;

/** The same with the fencing token under which each push was taken. */
export const heldPushColumns = {
  ...pushKeyColumns,
  fence: ["int4", (push: { readonly fence: number }) => push.fence],
} as const;
