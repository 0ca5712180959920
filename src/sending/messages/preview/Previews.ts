import { Clock, Context, Effect, Layer, Option } from "effect";
import { Campaigns } from "../../../campaigns/Campaigns.ts";
import { mergedAttributes } from "../../../devices/Attributes.ts";
import { RegisteredDevices } from "../../../devices/RegisteredDevices.ts";
import { PublicAddresses } from "../../../http/PublicAddresses.ts";
import { shownMedia } from "../../../media/MediaAddress.ts";
import { MediaLibrary } from "../../../media/MediaLibrary.ts";
import { contentOf } from "../../../notifications/ContentRules.ts";
import { Contents } from "../../../notifications/Contents.ts";
import type { NotificationType } from "../../../notifications/MessageContent.ts";
import { type ContentBody, ContentDraft } from "../../../notifications/NotificationDraft.ts";
import type { TextSource } from "../../../notifications/templates/MessageTexts.ts";
import { type Properties, propertiesProblem } from "../../../notifications/EventFacts.ts";
import { forApp } from "../../../notifications/push/PushOptions.ts";
import { checkTemplates } from "../../../notifications/templates/TemplateChecks.ts";
import { isDeviceLocale } from "../../../notifications/translations/Translation.ts";
import { control, type Variant } from "../../../notifications/variants/Variant.ts";
import type { Unprocessable } from "../../../wire/ApiError.ts";
import { idAt } from "../../../wire/Ids.ts";
import { type ParsedBody, parseFields } from "../../../wire/ParsedBody.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { unitOf, variantOf } from "../../arms/Arm.ts";
import { checkVariant, wordsOf } from "../../arms/Experiment.ts";
import { PushCredentials } from "../../credentials/PushCredentials.ts";
import { CurrentContentsSql } from "../../rendering/CurrentContentsSql.ts";
import { type Recipient, recipientOf } from "../../rendering/Recipients.ts";
import { payloadPreviews, noId } from "./PayloadPreview.ts";
import type { Preview, PreviewDraft } from "./Preview.ts";

type Json = { readonly [field: string]: unknown };
type Body = ParsedBody<PreviewDraft>;

/** A content to preview. Of a draft the ids and the campaign's name are null. */
interface PreviewedContent extends TextSource {
  readonly campaign_id: string | null;
  readonly notification_id: string | null;
  readonly campaignName: string | null;
  readonly type: NotificationType;
  readonly media: ReturnType<typeof shownMedia>;
  readonly variants: ReadonlyArray<Variant & Pick<PreviewedContent, "media">>;
  readonly hasLocation: boolean;
}

const notALocale = "The locale must be a BCP 47 language tag, such as nl or nl-NL.";

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Shows what devices would get of notifications (contract O3). */
export class Previews extends Context.Service<Previews>()("waypost/sending/preview/Previews", {
  make: Effect.gen(function* () {
    const stored = yield* CurrentContentsSql;
    const contents = yield* Contents;
    const campaigns = yield* Campaigns;
    const devices = yield* RegisteredDevices;
    const library = yield* MediaLibrary;
    const credentials = yield* PushCredentials;
    const { media: mediaBase } = yield* PublicAddresses;

    const ofDraft = Effect.fnUntraced(function* (tenant: Tenant, sent: Json, { problems }: Body) {
      // Its name may be left out, and its type.
      const draft = { name: "Draft", type: "message", ...sent };
      const body: ContentBody = parseFields(ContentDraft, draft, problems.at("notification"));
      yield* checkTemplates(body);
      const kinds = yield* contents.check(tenant, body, null);
      if (problems.has("notification")) return null;
      const now = yield* Clock.currentTimeMillis;
      const content = contentOf(body.fields as ContentDraft, [], kinds, () => idAt(now));
      const mediaOf = Effect.fnUntraced(function* (id: string | null) {
        const file = id === null ? null : yield* Effect.orElseSucceed(library.find(tenant, id), () => null);
        return file && { id: file.id, url: file.url, type: file.type };
      });
      return {
        ...content,
        variants: yield* Effect.forEach(content.variants, (variant) =>
          Effect.map(mediaOf(variant.media_asset_id), (media) => ({ ...variant, media })),
        ),
        campaign_id: null,
        notification_id: null,
        campaignName: null,
        media: yield* mediaOf(content.media_asset_id),
        hasLocation: true,
      } satisfies PreviewedContent;
    });

    const ofStored = Effect.fnUntraced(function* (tenant: Tenant, { fields, problems }: Body) {
      const { campaign_id = null, notification_id = null } = fields;
      if (campaign_id === null || notification_id === null) {
        const missing = campaign_id === null ? "campaign_id" : "notification_id";
        if (!problems.has(missing))
          problems.add(missing, "A preview needs a draft, or the ids of a campaign and of its notification.");
        return null;
      }
      const content = yield* stored.find(tenant, campaign_id, notification_id);
      if (content === null) {
        const campaign = yield* Effect.option(campaigns.find(tenant, campaign_id));
        if (Option.isSome(campaign))
          problems.add("notification_id", "There is no notification with this id on this campaign.");
        else
          problems.add("campaign_id", "There is no campaign with this id in this workspace and environment.");
        return null;
      }
      return {
        ...content,
        media: shownMedia(mediaBase, content.media),
        variants: content.variants.map((variant) => ({
          ...variant,
          media: shownMedia(mediaBase, variant.media),
        })),
        hasLocation: content.trigger !== "fixed_time" && content.trigger !== "on_event",
      } satisfies PreviewedContent;
    });

    const contentToShow = (tenant: Tenant, body: Body) => {
      const { fields, problems } = body;
      const sent = fields.notification ?? null;
      if (sent === null) return ofStored(tenant, body);
      for (const field of ["campaign_id", "notification_id"] as const)
        if ((fields[field] ?? null) !== null)
          problems.add(field, "A preview is of a draft or of a stored notification: leave one out.");
      if (isObject(sent)) return ofDraft(tenant, sent, body);
      problems.add("notification", "The notification must be an object.");
      return Effect.succeed(null);
    };

    const findDevice = Effect.fnUntraced(function* (tenant: Tenant, { fields, problems }: Body) {
      const { device_id = null, locale = null } = fields;
      if (device_id !== null && locale !== null)
        problems.add("locale", "A preview is for a device or for a locale: leave one out.");
      if (locale !== null && !isDeviceLocale(locale)) problems.add("locale", notALocale);
      if (device_id === null) return null;
      const device = yield* Effect.orElseSucceed(devices.find(tenant, device_id), () => null);
      if (device === null)
        problems.add(
          "device_id",
          "There is no registered device with this id in this workspace and environment.",
        );
      return device;
    });

    const findLocation = Effect.fnUntraced(function* (tenant: Tenant, { fields, problems }: Body) {
      const id = fields.location_id ?? null;
      if (id === null) return null;
      const location = yield* stored.location(tenant, id);
      if (location === null)
        problems.add("location_id", "There is no location with this id in this workspace and environment.");
      return location;
    });

    return {
      /** The message as a device would get it. @throws 422 with all problems */
      preview: Effect.fn("Previews.preview")(function* (
        tenant: Tenant,
        body: Body,
        chosen: string | null,
      ): Effect.fn.Return<Preview, Unprocessable> {
        const content = yield* contentToShow(tenant, body);
        const device = yield* findDevice(tenant, body);
        const location = yield* findLocation(tenant, body);
        if (content !== null) checkVariant(chosen, content.variants, body.problems);
        const event = (body.fields.event ?? null) as Properties | null;
        const eventProblem = event === null ? null : propertiesProblem(event);
        if (eventProblem !== null) body.problems.add("event", eventProblem);
        const { attributes, locale = null } = yield* body.complete;
        if (content === null) return yield* Effect.die(new Error("A checked preview has no content"));
        const known = (device?.attributes ?? {}) as Parameters<typeof mergedAttributes>[0];
        const facts = {
          attributes: mergedAttributes(known, attributes ?? {}),
          platform: device?.platform ?? null,
          locale: device === null ? locale : device.locale,
          timezone: device?.timezone ?? null,
          location: content.hasLocation ? location : null,
          campaign: content.campaignName,
          event,
        };
        const now = yield* Clock.currentTimeMillis;
        const webPush = yield* credentials.open(tenant, "webpush");
        const { notification_id: id, variants } = content;
        const unit = device && unitOf(device.id, device.user_id);
        // A draft has no id, from which arms are computed.
        const own = unit === null || id === null ? control : variantOf(id, variants, unit);
        const variant = variants.length === 0 ? null : (chosen ?? own);
        const defaultUrl = webPush?.credentials.default_url ?? null;
        return previewOf(content, variant, recipientOf(facts, now), defaultUrl, now);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Previews, Previews.make).pipe(Layer.provide(CurrentContentsSql.layer));
}

const previewOf = (
  content: PreviewedContent,
  variant: string | null,
  recipient: Recipient,
  defaultUrl: string | null,
  now: number,
): Preview => {
  const words = wordsOf(content.variants, { variant, winner: null });
  const rendered = recipient.render({ ...content, variantTexts: words });
  if (rendered._tag === "Failed") return { failure: rendered.reason, message: null, cut: [], pushes: null };
  const { campaign_id, notification_id, type } = content;
  const media = (words?.media_asset_id ?? null) === null ? content.media : (words?.media ?? null);
  const { push, questions, ...texts } = rendered.texts;
  const { body, cta_label, cta_url, headline } = texts;
  const shown = { type, headline, body, media, cta_label, cta_url };
  const ids = { campaign_id: campaign_id ?? noId, notification_id: notification_id ?? noId };
  const { language } = rendered;
  return {
    failure: null,
    message: {
      id: null,
      campaign_id,
      notification_id,
      ...shown,
      questions,
      ...forApp(push),
      ...(push?.silent === true && { silent: true }),
      variant,
      delivered_at: null,
      opened_at: null,
      clicked_at: null,
    },
    cut: rendered.cut,
    pushes: payloadPreviews({ ...ids, ...shown, push, language }, defaultUrl, now),
  };
};
