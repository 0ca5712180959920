import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { ContentsRepository } from "../../src/notifications/ContentsRepository.ts";
import type { MessageContent } from "../../src/notifications/MessageContent.ts";
import { idAt, NotificationId } from "../../src/wire/Ids.ts";
import { insertCampaign } from "../campaigns/StoredCampaigns.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { TestRows } from "../TestRows.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { attach, insertNotification, messageContent, onEnter } from "../notifications/StoredNotifications.ts";

const minute = 60_000;

const survey: MessageContent = {
  ...messageContent,
  type: "survey",
  questions: [
    { id: idAt(now), question_text: "How was it?", type: "SINGLE_CHOICE", required: true, choices: [] },
  ],
};

layer(TestRepositories.layer)("ContentsRepository", (it) => {
  it.effect("an inserted message is found with its content and on no campaign", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const content = { ...messageContent, cta_label: "See", cta_url: "https://example.com" };
      const id = yield* insertNotification(sandbox, "Coffee", content);
      assert.deepStrictEqual(yield* repository.find(sandbox, id), {
        ...content,
        id,
        name: "Coffee",
        media: null,
        questions: null,
        campaign_ids: [],
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:00:00+00:00",
      });
      assert.isNull(yield* repository.find(sandbox, NotificationId(idAt(now))));
    }),
  );

  it.effect("a survey keeps its questions with their ids", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertNotification(sandbox, "Survey", survey);
      const found = yield* repository.find(sandbox, id);
      assert.deepStrictEqual([found?.type, found?.questions], ["survey", survey.questions]);
    }),
  );

  it.effect("a content shows its media file with its kind and key", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const media = yield* (yield* TestRows).insertMediaFile(sandbox, "image");
      const content = { ...messageContent, media_asset_id: media.id, media_kind: media.type };
      const id = yield* insertNotification(sandbox, "Picture", content);
      const found = yield* repository.find(sandbox, id);
      assert.deepStrictEqual([found?.media_asset_id, found?.media_kind], [media.id, "image"]);
      assert.deepStrictEqual(found?.media, media);
    }),
  );

  it.effect("the campaigns of a content come in the order of attaching", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertNotification(sandbox);
      const [first, second] = [yield* insertCampaign(sandbox), yield* insertCampaign(sandbox)];
      yield* attach(sandbox, second, id, onEnter, now);
      yield* attach(sandbox, first, id, onEnter, now + 1);
      assert.deepStrictEqual((yield* repository.find(sandbox, id))?.campaign_ids, [second, first]);
    }),
  );

  it.effect("pages are newest first and continue behind the position", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const ids = [];
      for (const at of [now, now + 1, now + 2])
        ids.unshift(yield* insertNotification(sandbox, "Coffee", messageContent, at));
      const page = (before: string | null, limit: number) =>
        Effect.map(repository.page(sandbox, { before, limit }), (rows) => rows.map(({ id }) => id));
      assert.deepStrictEqual(yield* page(null, 2), ids.slice(0, 2));
      assert.deepStrictEqual(yield* page(ids[1] ?? "", 2), ids.slice(2));
    }),
  );

  it.effect("a content belongs to one environment", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { production, sandbox } = yield* newTenants;
      const stranger = (yield* newTenants).sandbox;
      const id = yield* insertNotification(sandbox);
      yield* (yield* TestRows).insertAnswer(sandbox, id);
      for (const tenant of [production, stranger]) {
        assert.isNull(yield* repository.find(tenant, id));
        assert.isEmpty(yield* repository.page(tenant, { before: null, limit: 9 }));
        assert.strictEqual(yield* repository.count(tenant), 0);
        assert.isFalse(yield* repository.hasAnswers(tenant, id));
        yield* repository.revise(tenant, id, "Stolen", messageContent, now);
        yield* repository.deleteUnused(tenant, id);
      }
      assert.strictEqual((yield* repository.find(sandbox, id))?.name, "Coffee");
      assert.strictEqual(yield* repository.count(sandbox), 1);
    }),
  );

  it.effect("a survey has answers once a device has answered it", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const [id, other] = [yield* insertNotification(sandbox), yield* insertNotification(sandbox)];
      yield* (yield* TestRows).insertAnswer(sandbox, other);
      assert.isFalse(yield* repository.hasAnswers(sandbox, id));
      yield* (yield* TestRows).insertAnswer(sandbox, id);
      assert.isTrue(yield* repository.hasAnswers(sandbox, id));
      assert.isFalse(yield* repository.hasAnswers(sandbox, NotificationId(idAt(now))));
    }),
  );

  it.effect("a revision replaces name and content, and the media file with it", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const media = yield* (yield* TestRows).insertMediaFile(sandbox, "audio");
      const id = yield* insertNotification(sandbox, "A", survey);
      const content = { ...messageContent, body: "New", media_asset_id: media.id, media_kind: media.type };
      yield* repository.revise(sandbox, id, "B", content, now + minute);
      const found = yield* repository.find(sandbox, id);
      assert.deepStrictEqual(found && [found.name, found.type, found.body, found.questions], [
        "B",
        "message",
        "New",
        null,
      ]);
      assert.deepStrictEqual(found?.media, media);
      assert.strictEqual(found?.created_at, "2026-11-21T12:00:00+00:00");
      assert.strictEqual(found?.updated_at, "2026-11-21T12:01:00+00:00");
      yield* repository.revise(sandbox, id, "B", messageContent, now + minute);
      assert.isNull((yield* repository.find(sandbox, id))?.media);
    }),
  );

  it.effect("an equal revision keeps the date of the update, and a new name changes it", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertNotification(sandbox, "A", survey);
      const updatedAt = Effect.map(repository.find(sandbox, id), (found) => found?.updated_at);
      yield* repository.revise(sandbox, id, "A", survey, now + minute);
      assert.strictEqual(yield* updatedAt, "2026-11-21T12:00:00+00:00");
      yield* repository.revise(sandbox, id, "B", survey, now + 2 * minute);
      assert.strictEqual(yield* updatedAt, "2026-11-21T12:02:00+00:00");
      const questions = survey.questions.map((question) => ({ ...question, required: false }));
      yield* repository.revise(sandbox, id, "B", { ...survey, questions }, now + 3 * minute);
      assert.strictEqual(yield* updatedAt, "2026-11-21T12:03:00+00:00");
    }),
  );

  it.effect("only a notification that is on no campaign is deleted", () =>
    Effect.gen(function* () {
      const repository = yield* ContentsRepository;
      const { sandbox } = yield* newTenants;
      const [used, unused] = [yield* insertNotification(sandbox), yield* insertNotification(sandbox)];
      yield* attach(sandbox, yield* insertCampaign(sandbox), used);
      for (const id of [used, unused]) yield* repository.deleteUnused(sandbox, id);
      assert.isNotNull(yield* repository.find(sandbox, used));
      assert.isNull(yield* repository.find(sandbox, unused));
    }),
  );
});
