import { Clock, Context, Effect, Layer } from "effect";
import { Activity, type ResourceChange } from "../activity/Activity.ts";
import { Campaigns } from "../campaigns/Campaigns.ts";
import { Database } from "../database/Database.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { NotFound, type ServiceUnavailable, Unprocessable } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { deviceReads } from "./DeviceReads.ts";
import type { Segment, SegmentDraft, SegmentPatch, SegmentRow } from "./Segment.ts";
import { SegmentsSql } from "./SegmentsSql.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import type { SegmentRule } from "./SegmentRule.ts";

/** Groups of segments whose counts are kept. */
const keptCounts = 1_000;

/**
 * The most conditions of one counting statement, unless one segment has more: a million devices take seconds.
 */
const maxConditionsTogether = 20;

/** Groups segments, in order, so that each group is counted in one scan of the devices. */
const countingGroups = <Row extends Pick<SegmentRow, "rule">>(
  rows: ReadonlyArray<Row>,
): ReadonlyArray<ReadonlyArray<Row>> => {
  const groups: Array<Array<Row>> = [];
  let conditions = maxConditionsTogether;
  for (const row of rows) {
    conditions += row.rule.conditions.length;
    const last = groups.at(-1);
    if (last !== undefined && conditions <= maxConditionsTogether) last.push(row);
    else {
      groups.push([row]);
      conditions = row.rule.conditions.length;
    }
  }
  return groups;
};

/**
 * Segments of one environment of a workspace: rules over its devices, which push campaigns target (contract
 * L6).
 */
export class Segments extends Context.Service<
  Segments,
  {
    /**
     * Segments, newest first, each with the number of its devices now; of over 100,000 devices at most five
     * seconds ago. @throws 503
     */
    readonly page: (
      tenant: Tenant,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<Segment>, ServiceUnavailable>;
    /** One segment with the number of its devices. @throws 404, 503 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<Segment, NotFound | ServiceUnavailable>;
    /** The segment without the number of its devices. @throws 404 */
    readonly check: (tenant: Tenant, id: string) => Effect.Effect<SegmentRow, NotFound>;
    /** Creates a segment. @throws 422 with all problems, 503 */
    readonly create: (
      tenant: Tenant,
      body: ParsedBody<SegmentDraft>,
    ) => Effect.Effect<Segment, Unprocessable | ServiceUnavailable>;
    /** Stores a segment and gives its id. The caller has locked the tenant, and checked the name. */
    readonly add: (tenant: Tenant, named: NamedRule) => Effect.Effect<string>;
    /**
     * Changes the sent fields and keeps the others. Later sends use the changed rule. @throws 404, 422, 503
     */
    readonly update: (
      tenant: Tenant,
      id: string,
      body: ParsedBody<SegmentPatch>,
    ) => Effect.Effect<Segment, NotFound | Unprocessable | ServiceUnavailable>;
    /**
     * Deletes a segment; campaigns keep their other segments. The only segment of a campaign that has not
     * ended cannot be deleted, because the campaign would then reach everyone. @throws 404, 422
     */
    readonly delete: (tenant: Tenant, id: string) => Effect.Effect<DeletedResource, NotFound | Unprocessable>;
    /** The rules of the segments with these ids, by id. */
    readonly rules: SegmentsSql["Service"]["rules"];
    /** Whom campaigns reach by their segments as they are now; `audienceSql` selects these devices. */
    readonly audiences: SegmentsSql["Service"]["audiences"];
  }
>()("waypost/devices/Segments") {
  static readonly layer = Layer.effect(
    Segments,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* SegmentsSql;
      const workspaces = yield* Workspaces;
      const campaigns = yield* Campaigns;
      const activity = yield* Activity;

      const findRow = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const row = isUuid(id) ? yield* repository.find(tenant, id) : null;
        return row ?? (yield* NotFound.resource("segment"));
      });

      const count = yield* (yield* deviceReads)(
        keptCounts,
        (tenant: Tenant, rules: ReadonlyArray<SegmentRule>) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => repository.count(tenant, rules, now)),
      );

      const counted = Effect.fnUntraced(function* <Row extends Pick<SegmentRow, "rule">>(
        tenant: Tenant,
        rows: ReadonlyArray<Row>,
      ) {
        const segments: Array<Row & { readonly device_count: number }> = [];
        for (const group of countingGroups(rows)) {
          const rules = group.map(({ rule }) => rule);
          const counts = yield* count(yield* repository.lastDeviceKey(tenant), tenant, rules);
          segments.push(...group.map((row, index) => ({ ...row, device_count: counts[index] ?? 0 })));
        }
        return segments;
      });

      const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const [segment] = yield* counted(tenant, [yield* findRow(tenant, id)]);
        return segment ?? (yield* NotFound.resource("segment"));
      });

      /**
       * Counts the devices of a rule before the transaction that stores it: that holds the tenant's lock and
       * a connection, and a million devices take seconds.
       */
      const countOf = (
        tenant: Tenant,
        { problems }: ParsedBody<SegmentPatch>,
        rule: SegmentRule | undefined,
      ) =>
        rule === undefined || !problems.isEmpty
          ? Effect.succeed(0)
          : Effect.map(
              Effect.flatten(outsideTransaction("device_count", Effect.exit(counted(tenant, [{ rule }])))),
              ([segment]) => segment?.device_count ?? 0,
            );

      const checkName = Effect.fnUntraced(function* (
        tenant: Tenant,
        { fields, problems }: ParsedBody<SegmentPatch>,
        except: string | null,
      ) {
        if (fields.name === undefined || !(yield* repository.isNameTaken(tenant, fields.name, except)))
          return;
        problems.add(
          "name",
          `The name ${JSON.stringify(fields.name)} is taken by another segment: choose another one.`,
        );
      });

      const add = Effect.fnUntraced(function* (tenant: Tenant, { name, rule }: NamedRule) {
        const now = yield* Clock.currentTimeMillis;
        const id = idAt(now);
        yield* repository.insert(tenant, id, name, rule, now);
        yield* activity.record(tenant, segmentChange("create", id, null, { name, rule }));
        return id;
      });

      const insert = Effect.fnUntraced(function* (tenant: Tenant, body: ParsedBody<SegmentDraft>) {
        yield* workspaces.lock(tenant);
        yield* checkName(tenant, body, null);
        return yield* add(tenant, yield* body.complete);
      }, database.atomically);

      const replace = Effect.fnUntraced(function* (
        tenant: Tenant,
        id: string,
        body: ParsedBody<SegmentPatch>,
      ) {
        yield* workspaces.lock(tenant);
        const row = yield* findRow(tenant, id);
        yield* checkName(tenant, body, row.id);
        const { name = row.name, rule = row.rule } = yield* body.complete;
        yield* repository.update(tenant, row.id, name, rule, yield* Clock.currentTimeMillis);
        yield* activity.record(tenant, segmentChange("update", row.id, row, { name, rule }));
      }, database.atomically);

      return Segments.of({
        page: Effect.fn("Segments.page")(function* (tenant, position) {
          return yield* counted(tenant, yield* repository.page(tenant, position));
        }),

        find,

        check: findRow,

        create: Effect.fn("Segments.create")(function* (tenant, body) {
          const device_count = yield* countOf(tenant, body, body.fields.rule);
          return { ...(yield* Effect.orDie(findRow(tenant, yield* insert(tenant, body)))), device_count };
        }),

        add,

        update: Effect.fn("Segments.update")(function* (tenant, id, body) {
          const { rule } = yield* findRow(tenant, id);
          const device_count = yield* countOf(tenant, body, body.fields.rule ?? rule);
          yield* replace(tenant, id, body);
          return { ...(yield* findRow(tenant, id)), device_count };
        }),

        delete: Effect.fn("Segments.delete")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const row = yield* findRow(tenant, id);
          const needing = yield* campaigns.needingSegment(tenant, row.id);
          if (needing.length > 0) {
            const names = needing.map((name) => JSON.stringify(name)).join(", ");
            return yield* Unprocessable.validation({
              segment: [
                `Without this segment these campaigns would reach everyone: ${names}. ` +
                  "Give them another segment, or delete them, first.",
              ],
            });
          }
          yield* repository.delete(tenant, row.id);
          yield* activity.record(tenant, segmentChange("delete", row.id, row, null));
          return { id: row.id, deleted: true as const };
        }, database.atomically),

        rules: repository.rules,

        audiences: repository.audiences,
      });
    }),
  );
}

type NamedRule = Pick<SegmentRow, "name" | "rule">;

const recorded = ({ name, rule }: NamedRule) => ({ name, rule });

const segmentChange = (
  action: ResourceChange["action"],
  id: string,
  before: NamedRule | null,
  after: NamedRule | null,
): ResourceChange => ({
  action,
  resource: { type: "segment", id, name: (after ?? before)?.name ?? null },
  before: before && recorded(before),
  after: after && recorded(after),
});
