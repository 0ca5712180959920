import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { bodyErrors, Forbidden } from "../wire/ApiError.ts";
import { Data, Deleted } from "../wire/Envelope.ts";
import { shownText } from "../wire/ShownFields.ts";
import { Device, DevicePatch, Registration, RegistrationDraft, RotatedToken } from "./Device.ts";
import { DeviceAccess, SdkAccess } from "./DeviceAccess.ts";

/** The endpoints by which a device registers, changes and unregisters. */
export class DevicesApi extends HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.put("register", "/devices/:installation_id", {
      params: {
        installation_id: shownText(
          "The app's own id of this installation: 1 to 255 characters, the same at every start.",
          "5f0c1b1e-3a43-4b0e-9f8e-6a3b1d2c4e5f",
        ),
      },
      headers: {
        "x-device-token": Schema.optionalKey(
          shownText(
            "The device's token; required once it is in use.",
            "wpd_00000100000200000000000000000000000000000000000000",
          ),
        ),
      },
      payload: RegistrationDraft,
      success: [Data(Registration), Data(Registration).pipe(HttpApiSchema.status(201))],
      error: [Forbidden, ...bodyErrors],
    })
      .middleware(SdkAccess)
      .annotate(OpenApi.Summary, "Register a device")
      .annotate(
        OpenApi.Description,
        "Called with the SDK key. The first time and after unregistering: 201 with the device's own token. " +
          "For a registered installation: 200, and the whole registration is replaced. Until its token has " +
          "been used once, a repeat issues a new one and ends the earlier; after that the header " +
          "X-Device-Token must have the token, else 403 `device_token_required`. Where the workspace " +
          "demands it, a `user_id` needs its `user_hash`, else 403 `user_hash_required`.",
      ),
    HttpApiEndpoint.patch("change", "/devices/me", {
      payload: DevicePatch,
      success: Data(Device),
      error: [Forbidden, ...bodyErrors],
    })
      .middleware(DeviceAccess)
      .annotate(OpenApi.Summary, "Change the device's address or attributes")
      .annotate(
        OpenApi.Description,
        "Missing fields are kept. Attributes are merged by name; a null removes one. A push address, the " +
          "same or another one, counts as good again. With `subscribed: false` the device stays registered " +
          "and gets no messages.",
      ),
    HttpApiEndpoint.delete("unregister", "/devices/me", { success: Deleted })
      .middleware(DeviceAccess)
      .annotate(OpenApi.Summary, "Unregister the device")
      .annotate(
        OpenApi.Description,
        "Ends the token. The same installation can register again: it is then the same device with a new " +
          "token.",
      ),
    HttpApiEndpoint.post("rotate", "/devices/me/rotate", { success: Data(RotatedToken) })
      .middleware(DeviceAccess)
      .annotate(OpenApi.Summary, "Replace the device's token")
      .annotate(OpenApi.Description, "The token of this request ends immediately."),
  )
  .annotate(OpenApi.Title, "Devices")
  .annotate(OpenApi.Description, "Registering and changing a device.") {}
