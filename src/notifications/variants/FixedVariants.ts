import { Effect } from "effect";
import { EnrolmentsRepository } from "../../campaigns/EnrolmentsRepository.ts";
import { Conflict } from "../../wire/ApiError.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { ContentRow } from "../ContentsRepository.ts";
import type { MessageContent } from "../MessageContent.ts";
import type { ContentDraft } from "../NotificationDraft.ts";
import { splitOf } from "./Variant.ts";

/**
 * Makes the function that gives the variants of a changed content to store. While people are enrolled, left
 * out means unchanged (contract U7). @throws 409 for another split
 */
export const fixedVariants = Effect.gen(function* () {
  const enrolments = yield* EnrolmentsRepository;
  return Effect.fnUntraced(function* (
    tenant: Tenant,
    { id, variants: stored }: ContentRow,
    draft: ContentDraft,
    { variants }: MessageContent,
  ) {
    if (splitOf(variants) === splitOf(stored)) return variants;
    if (!(yield* enrolments.isEnrolled(tenant, { notification: id }))) return variants;
    if (draft.variants === undefined) return stored;
    return yield* Conflict.experiment({ variants: [fixedSplit] });
  });
});

const fixedSplit =
  "People are enrolled in the experiment, so the keys, weights and order of the variants are fixed: send " +
  "them as they are, or leave the variants out.";
