import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { shownText } from "../wire/ShownFields.ts";
import { text } from "../wire/Text.ts";
import { LocationGroup } from "./LocationGroup.ts";

/** Endpoints that list and show location groups. */
export class LocationGroupsApi extends HttpApiGroup.make("locationGroups")
  .add(
    HttpApiEndpoint.get("list", "/location-groups", {
      query: {
        ...PageQuery,
        name: Schema.optionalKey(
          text({
            max: 255,
            description: "Only the group with exactly this name.",
            example: "Flagship stores",
          }),
        ),
      },
      success: PageOf(LocationGroup),
      error: [Unprocessable],
    })
      .annotate(Needs, "locations:read")
      .annotate(OpenApi.Summary, "List location groups")
      .annotate(OpenApi.Description, "Newest first."),

    HttpApiEndpoint.get("get", "/location-groups/:locationGroup", {
      params: {
        locationGroup: shownText("Id of the location group.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
      },
      success: Data(LocationGroup),
      error: [NotFound],
    })
      .annotate(Needs, "locations:read")
      .annotate(OpenApi.Summary, "Show a location group"),
  )
  .annotate(OpenApi.Title, "Location groups")
  .annotate(OpenApi.Description, "Named sets of locations, created by imports.") {}
