import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../../../access/Access.ts";
import { Idempotency } from "../../../http/Idempotency.ts";
import { bodyErrors, NotFound, TooManyRequests } from "../../../wire/ApiError.ts";
import { Data } from "../../../wire/Envelope.ts";
import { shownId } from "../../../wire/ShownFields.ts";
import { TestSend, TestSendDraft } from "./TestSend.ts";

const path = "/campaigns/:campaign/notifications/:notification/test";
const params = {
  campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  notification: shownId("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
};

/** Sends notifications to test devices (contract O4). */
export class TestSendsApi extends HttpApiGroup.make("testSends")
  .add(
    HttpApiEndpoint.post("send", path, {
      params,
      payload: TestSendDraft,
      success: Data(TestSend).pipe(HttpApiSchema.status(202)),
      error: [NotFound, TooManyRequests, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Send a notification to test devices")
      .annotate(
        OpenApi.Description,
        "Sends it now to approved test devices that want messages, whatever its schedule, the " +
          "campaign's pause and caps say. Its deliveries have `test: true`, and count in no report, cap, " +
          "interaction or result. A device gets at most 20 in an hour; with one that has had them the " +
          "response is 429, and nothing is sent.",
      ),
    HttpApiEndpoint.get("get", `${path}/:test`, {
      params: { ...params, test: shownId("Id of the test send.", "00000000-0000-8001-8000-000000000000") },
      success: Data(TestSend),
      error: [NotFound],
    })
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Show the outcome of a test send")
      .annotate(
        OpenApi.Description,
        "The push service accepts or refuses a message after the response to the test. For the token that " +
          "sent it: it needs the same ability.",
      ),
  )
  .annotate(OpenApi.Title, "Test sends")
  .annotate(OpenApi.Description, "Notifications for test devices.") {}
