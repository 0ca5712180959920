import { Schema } from "effect";
import { shownId, shownInstant, shownInteger, shownText } from "../wire/ShownFields.ts";
import { text } from "../wire/Text.ts";
import { SegmentRule } from "./SegmentRule.ts";

/** A segment in the operator interface. */
export const Segment = Schema.Struct({
  id: shownId(
    "Id of the segment, which a push campaign names in `segmentation_ids`.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e03",
  ),
  name: shownText("Name of the segment, unique in its environment.", "Gold members"),
  rule: SegmentRule,
  device_count: shownInteger(
    "How many registered devices are in it now, or with over 100,000 devices at most five seconds ago; in " +
      "Sandbox also those that are not approved.",
    1204,
  ),
  created_at: shownInstant("When the segment was created, in UTC."),
  updated_at: shownInstant("When its name or rule was last changed, in UTC."),
}).annotate({ identifier: "Segment" });
export type Segment = typeof Segment.Type;

const Name = text({
  max: 255,
  description: "Name of the segment, unique among those of its environment.",
  example: "Gold members",
});

/** Body of a new segment. */
export const SegmentDraft = Schema.Struct({ name: Name, rule: SegmentRule }).annotate({
  identifier: "SegmentDraft",
});
export type SegmentDraft = typeof SegmentDraft.Type;

/** Body of a count: a rule that belongs to no segment. */
export const RuleDraft = Schema.Struct({ rule: SegmentRule }).annotate({ identifier: "RuleDraft" });

/** How many devices a rule holds. */
export const RuleCount = Schema.Struct({
  devices: shownInteger(
    "How many registered devices the rule holds now; in Sandbox also those that are not approved.",
    1204,
  ),
}).annotate({ identifier: "RuleCount" });

/** Body of a change: missing fields are kept; a rule is replaced as a whole. */
export const SegmentPatch = Schema.Struct({
  name: Schema.optionalKey(Name),
  rule: Schema.optionalKey(SegmentRule),
}).annotate({ identifier: "SegmentPatch" });
export type SegmentPatch = typeof SegmentPatch.Type;

/** A segment without the number of its devices. */
export type SegmentRow = Omit<Segment, "device_count">;
