import { Context, Effect, Layer, Predicate } from "effect";
import { recordedText } from "../activity/ActivityChanges.ts";
import { Database } from "../database/Database.ts";
import { drainPages } from "../database/Pruning.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { type RuleHolder, ruleHolders, RuleErasureSql } from "./RuleErasureSql.ts";

const page = 100;

/** A value that no device has as its user_id. */
const nobody = "";

/** A condition on `user_id` without a person. Other devices meet it as before, or it has fewer of them. */
const conditionWithout = (condition: Readonly<Record<string, unknown>>, userId: string) => {
  const { op, value } = condition;
  if (Array.isArray(value)) {
    const others = value.filter((each) => each !== userId);
    return { ...condition, value: others.length === 0 ? [nobody] : others };
  }
  if (value !== userId) return condition;
  return { ...condition, op: op === "ne" ? op : "eq", value: nobody };
};

/** A JSON value without a person in the conditions of its rules, however deep these are. */
export const withoutPerson = (value: unknown, userId: string): unknown => {
  if (Array.isArray(value)) return value.map((each) => withoutPerson(each, userId));
  if (!Predicate.isObject(value)) return value;
  const object = value as Readonly<Record<string, unknown>>;
  if (object["attribute"] === "user_id") return conditionWithout(object, userId);
  return Object.fromEntries(
    Object.entries(object).map(([name, each]) => [name, withoutPerson(each, userId)]),
  );
};

/** Takes a person out of the rules of segments, of their activity and of sends that wait (contract Q3). */
export class RuleErasure extends Context.Service<RuleErasure>()("waypost/people/RuleErasure", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* RuleErasureSql;

    const erasePage = Effect.fnUntraced(function* (tenant: TenantKey, holder: RuleHolder, userId: string) {
      const rows = yield* repository.find(tenant, holder, userId, page);
      if (rows.length === 0) return 0;
      yield* repository.replace(
        tenant,
        holder,
        rows.map(({ id, json }) => ({ id, json: withoutPerson(json, userId) })),
      );
      return rows.length;
    }, database.atomically);

    return {
      erase: Effect.fnUntraced(function* (tenant: TenantKey, userId: string) {
        for (const holder of ruleHolders) {
          const texts = holder === "activity" ? new Set([userId, recordedText(userId)]) : [userId];
          for (const text of texts) yield* drainPages(page, erasePage(tenant, holder, text));
        }
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RuleErasure, RuleErasure.make).pipe(
    Layer.provide(RuleErasureSql.layer),
  );
}
