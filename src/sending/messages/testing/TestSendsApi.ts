import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../../../access/Access.ts";
import { Idempotency } from "../../../http/Idempotency.ts";
import { bodyErrors, NotFound } from "../../../wire/ApiError.ts";
import { Data } from "../../../wire/Envelope.ts";
import { shownId } from "../../../wire/ShownFields.ts";
import { TestSend, TestSendDraft } from "./TestSend.ts";

/** Sends notifications to test devices (contract O4). */
export class TestSendsApi extends HttpApiGroup.make("testSends")
  .add(
    HttpApiEndpoint.post("send", "/campaigns/:campaign/notifications/:notification/test", {
      params: {
        campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
        notification: shownId("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
      },
      payload: TestSendDraft,
      success: Data(TestSend).pipe(HttpApiSchema.status(202)),
      error: [NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Send a notification to test devices")
      .annotate(
        OpenApi.Description,
        "Sends it now to approved test devices, whatever its schedule, the campaign's pause and caps say. " +
          "Its deliveries have `test: true`, and count in no report, cap, interaction or result.",
      ),
  )
  .annotate(OpenApi.Title, "Test sends")
  .annotate(OpenApi.Description, "Notifications for test devices.") {}
