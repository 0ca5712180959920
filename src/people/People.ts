import { Context, Effect, Layer, Stream } from "effect";
import type { OpenCursor } from "../database/RowCursor.ts";
import type { FilePieces } from "../http/files/FileExports.ts";
import { MessageIds } from "../sending/deliveries/MessageId.ts";
import { recipientOf } from "../sending/rendering/Recipients.ts";
import { NotFound } from "../wire/ApiError.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { personIn } from "./Person.ts";
import { PeopleSql, type PersonMessage } from "./PeopleSql.ts";

/** Begins to read rows in an open snapshot. */
type Rows<Row> = (open: OpenCursor) => Effect.Effect<Stream.Stream<ReadonlyArray<Row>>>;

const nobody = NotFound.of("No device in this environment has this user_id.");

/** A list of JSON values under a name, as pieces of text; its rows are read when it is reached. */
const section =
  <Row extends object>(name: string, rows: Rows<Row>, shown: (row: Row) => object = (row) => row) =>
  (open: OpenCursor): Stream.Stream<string> => {
    let isFirst = true;
    const listed = Stream.map(Stream.unwrap(rows(open)), (batch) =>
      batch
        .map((row) => {
          const text = (isFirst ? "" : ",") + JSON.stringify(shown(row));
          isFirst = false;
          return text;
        })
        .join(""),
    );
    const opening = Stream.succeed(`,${JSON.stringify(name)}:[`);
    return Stream.concat(Stream.concat(opening, listed), Stream.succeed("]"));
  };

const wordsOf = ({ content, madeAt, recipient }: NonNullable<PersonMessage["rendered"]>) => {
  const result = recipientOf(recipient, madeAt).render(content);
  return result._tag === "Rendered" ? result.texts : content;
};

/** The people behind devices: what is held about them (contract Q3). */
export class People extends Context.Service<
  People,
  {
    /**
     * Everything that is held about a person, as the pieces of a JSON text, in the memory of a batch: the
     * effect within reads them, of one snapshot. @throws 404 for a person without a device
     */
    readonly export: (tenant: Tenant, person: string) => Effect.Effect<FilePieces, NotFound>;
  }
>()("waypost/people/People") {
  static readonly layer = Layer.effect(
    People,
    Effect.gen(function* () {
      const repository = yield* PeopleSql;
      const ids = yield* MessageIds;

      /** A message with its words as they were delivered (contract T7). */
      const message = ({ deviceKey, rendered, sourceId, ...fields }: PersonMessage) => {
        const { body, headline } = rendered === null ? fields : wordsOf(rendered);
        return { id: ids.idOf({ sourceId, deviceKey }), ...fields, headline, body };
      };

      return People.of({
        export: Effect.fn("People.export")(function* (tenant, person) {
          const userId = personIn(person);
          if (userId === null || !(yield* repository.exists(tenant, userId))) return yield* nobody;
          const sections = [
            section("devices", repository.devices(tenant, userId)),
            section("messages", repository.messages(tenant, userId), message),
            section("answers", repository.answers(tenant, userId)),
            section("events", repository.events(tenant, userId)),
            section("custom_events", repository.customEvents(tenant, userId)),
            section("enrolments", repository.enrolments(tenant, userId)),
            section("positions", repository.positions(tenant, userId)),
          ];
          const opening = Stream.succeed(`{"data":{"user_id":${JSON.stringify(userId)}`);
          return Effect.map(repository.snapshot, (open) =>
            Stream.concat(
              sections.reduce((before, each) => Stream.concat(before, each(open)), opening),
              Stream.succeed("}}"),
            ),
          );
        }),
      });
    }),
  ).pipe(Layer.provide([PeopleSql.layer, MessageIds.layer]));
}
