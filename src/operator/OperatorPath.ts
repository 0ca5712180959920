import { Schema } from "effect";

const exampleId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** A path parameter that is an id of something; what cannot be one is answered 404 (contract B2). */
export const idInPath = (noun: string) =>
  Schema.String.annotate({ description: `Id of the ${noun}.`, examples: [exampleId] });

/** The workspace that an endpoint is about. */
export const workspacePath = { workspace: idInPath("workspace") };

/** The environment of a workspace that an endpoint is about; any other than the two is answered 404. */
export const environmentPath = {
  ...workspacePath,
  env: Schema.String.annotate({ description: "`sandbox` or `production`.", examples: ["sandbox"] }),
};
