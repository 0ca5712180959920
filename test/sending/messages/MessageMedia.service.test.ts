import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { givenWorkspace } from "../../given/GivenWorkspace.ts";
import { upload } from "../../media/MediaWorld.ts";
import { TestWaypost } from "../../TestWaypost.ts";

layer(TestWaypost.shared)("Media files of messages", (it) => {
  it.effect(
    "a message keeps the media file it was sent with, without an address once the file is deleted",
    () =>
      Effect.gen(function* () {
        const { production } = yield* givenWorkspace();
        const file = (content: string) =>
          Effect.map(production.platform("/media", upload({ content })), ({ body }) => body.data);
        const [image, video] = [yield* file("image"), yield* file("video")];
        const location = yield* production.location();
        const campaign = yield* production.campaign({ location_ids: [location] });
        const note = yield* production.notification(campaign, { media_asset_id: image.id });
        const phone = yield* production.phone();

        const [first] = (yield* phone.sees("enter", location)).deliveries;
        assert.deepStrictEqual(first.media, { id: image.id, url: image.url, type: "image" });
        assert.deepStrictEqual(yield* phone.inbox(), [first]);

        const changed = yield* production.platform(`/campaigns/${campaign}/notifications/${note}`, {
          method: "PATCH",
          body: {
            name: "Note",
            type: "message",
            headline: "Hello",
            body: "World",
            trigger_type: "on_enter",
            media_asset_id: video.id,
          },
        });
        assert.strictEqual(changed.body.data.media.type, "video");
        const [second] = (yield* phone.sees("enter", location)).deliveries;
        assert.deepStrictEqual(second.media, { id: video.id, url: video.url, type: "video" });
        assert.deepStrictEqual(yield* phone.inbox(), [second, first]);

        // No notification uses the image any more. Its message stays the same, without an address.
        const gone = yield* production.platform(`/media/${image.id}`, { method: "DELETE" });
        assert.strictEqual(gone.status, 200);
        const after = { ...first, media: { id: image.id, url: null, type: "image" } };
        assert.deepStrictEqual(yield* phone.inbox(), [second, after]);
      }),
  );
});
