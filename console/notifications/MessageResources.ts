/** The resources of previews and test sends as they are on the wire. Types only. */
import type { Preview as PreviewSchema } from "../../src/sending/messages/preview/Preview.ts";
import type { TestSend as TestSendSchema } from "../../src/sending/messages/testing/TestSend.ts";

/** A message as a device would get it. */
export type RenderedPreview = (typeof PreviewSchema)["Encoded"];
/** Deliveries that a test send has created. */
export type TestDeliveries = (typeof TestSendSchema)["Encoded"];
