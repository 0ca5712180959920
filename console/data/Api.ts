/**
 * The endpoints of the platform API and the operator interface, by the names of the published client. A
 * method describes a request: pages read it again and again, actions send it once.
 */
import { describeRequest, type EndpointTable } from "../../src/client/EndpointRequest.ts";
import { operatorEndpoints, type OperatorGroups } from "../../src/client/generated/OperatorEndpoints.ts";
import { platformEndpoints, type PlatformGroups } from "../../src/client/generated/PlatformEndpoints.ts";
import type { Pages } from "../../src/client/Pages.ts";
import { environment, workspaceId } from "../session/Scope.ts";
import { type ApiRequest, platformBase } from "./ApiCall.ts";
import type { Environment, One, Page } from "./Resources.ts";
import type { Typed } from "./Typed.ts";

/** The JSON of an answer: the client's methods take `data` out of it, pages need it whole. */
type Answer<Row, Result> =
  Result extends Pages<infer Item>
    ? Page<Item>
    : Result extends Promise<infer Data>
      ? Row extends `${string} envelope${string}`
        ? Data
        : One<Data>
      : never;

type Describe<Row, Method> = Method extends (...given: infer Given) => infer Result
  ? (...given: Extract<Typed<Given>, ReadonlyArray<unknown>>) => ApiRequest<Answer<Row, Result>>
  : never;

type Requests<Table, Groups> = {
  readonly [Group in keyof Table & keyof Groups]: {
    readonly [Name in keyof Table[Group] & keyof Groups[Group]]: Describe<
      Table[Group][Name],
      Groups[Group][Name]
    >;
  };
};

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Readonly<Record<string, Result>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

const requestsOf = (table: EndpointTable, base: () => string): unknown =>
  mapValues(table, (rows) =>
    mapValues(rows, (row) => (...given: ReadonlyArray<unknown>): ApiRequest<unknown> => {
      const { body, method, options, path } = describeRequest(row, given);
      const { idempotencyKey, ifMatch, signal } = options;
      const abort = signal as AbortSignal | undefined;
      const workspace = workspaceId.value;
      return { path: base() + path, method, json: body, idempotencyKey, ifMatch, workspace, signal: abort };
    }),
  );

/** The platform API in the workspace and environment of the page. */
export const platform = requestsOf(platformEndpoints, platformBase) as Requests<
  typeof platformEndpoints,
  PlatformGroups
>;

/** The operator interface. */
export const operator = requestsOf(operatorEndpoints, () => "/operator/v1") as Requests<
  typeof operatorEndpoints,
  OperatorGroups
>;

/** The workspace and environment of the page, as paths of the operator interface begin. */
export const here = (): readonly [workspace: string, environment: Environment] => [
  workspaceId.value ?? "none",
  environment.value,
];
