import { Schema } from "effect";
import { ActorType } from "../access/Actor.ts";
import { isUuid } from "../wire/Ids.ts";
import { shownText } from "../wire/ShownFields.ts";
import { ActivityAction, ActivityResourceType } from "./ActivityEntry.ts";

/** Ids of resources that are no UUIDs: the push providers. */
const namedIds = ["fcm", "apns", "webpush"];

const isActorType = Schema.is(ActorType);
const isResourceType = Schema.is(ActivityResourceType);

const listed = (names: ReadonlyArray<string>): string => names.join(", ");

/** Whether a text names an actor: an id, or a type. */
export const isActorFilter = (text: string): boolean => isUuid(text) || isActorType(text);
/** The rule for `actor`, as an error states it. */
export const actorRule = `must be a UUID, or one of ${listed(ActorType.literals)}`;

/** Whether a text names a resource: an id, or a type. */
export const isResourceFilter = (text: string): boolean =>
  isUuid(text) || isResourceType(text) || namedIds.includes(text);
/** The rule for `resource`, as an error states it. */
export const resourceRule = `must be an id, or one of ${listed(ActivityResourceType.literals)}`;

/** Query parameters that select entries. */
export const activityFilters = {
  actor: Schema.optionalKey(
    shownText(
      "Only changes by this actor: the id of a token or session, or `token`, `operator` or `session`.",
      "operator",
    ).check(Schema.makeFilter(isActorFilter, { message: `The {field} ${actorRule}.` })),
  ),
  resource: Schema.optionalKey(
    shownText("Only changes of this resource, by its id, or of resources of this type.", "campaign").check(
      Schema.makeFilter(isResourceFilter, { message: `The {field} ${resourceRule}.` }),
    ),
  ),
  action: Schema.optionalKey(
    ActivityAction.annotate({
      description: "Only these changes.",
      examples: ["update"],
      message: `The action must be one of ${listed(ActivityAction.literals)}.`,
    }),
  ),
};

const Parameters = Schema.Struct(activityFilters);

/** Which entries a list has; null selects all. */
export interface ActivityFilters {
  readonly actorType: string | null;
  readonly actorId: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly action: ActivityAction | null;
}

/** The filters of a request: a type, or else an id. */
export const filtersOf = ({ action, actor, resource }: typeof Parameters.Type): ActivityFilters => ({
  actorType: isActorType(actor) ? actor : null,
  actorId: actor === undefined || isActorType(actor) ? null : actor.toLowerCase(),
  resourceType: isResourceType(resource) ? resource : null,
  resourceId: resource === undefined || isResourceType(resource) ? null : resource.toLowerCase(),
  action: action ?? null,
});
