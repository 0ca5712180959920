import { shownText } from "../wire/ShownFields.ts";

const exampleId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** A path parameter that is an id; a text that cannot be an id is 404 (contract B2). */
export const idInPath = (noun: string) => shownText(`Id of the ${noun}.`, exampleId);

/** The workspace of an endpoint. */
export const workspacePath = { workspace: idInPath("workspace") };

/** The environment of an endpoint; a text other than `sandbox` and `production` is 404. */
export const environmentPath = {
  ...workspacePath,
  env: shownText("`sandbox` or `production`.", "sandbox"),
};
