import { Option } from "effect";
import { Flag } from "effect/cli";
import type { CopyCounts } from "../../client/WaypostClient.ts";
import { counted } from "../../wire/Text.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { command } from "../DeclaredCommand.ts";
import { optionalFlag, switchFlag } from "../Flags.ts";
import { campaignFlags, findCampaign, openPlatform } from "../Platform.ts";
import { printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

const nouns = {
  notifications: "notification",
  media: "media file",
  locations: "location",
  location_groups: "location group",
  segments: "segment",
};

const countsText = (counts: CopyCounts): string => {
  const parts = (Object.keys(nouns) as ReadonlyArray<keyof typeof nouns>)
    .filter((kind) => counts[kind] > 0)
    .map((kind) => counted(counts[kind], nouns[kind]));
  return parts.length === 0 ? "nothing" : parts.join(", ");
};

/** `waypost campaign copy` */
export const copyCampaign = command("copy", {
  description: "Copy a campaign, paused, with all that it refers to",
  examples: [
    'waypost campaign copy "Opening week" --workspace Acme --environment sandbox --to production',
    'waypost campaign copy "Opening week" --workspace Acme --environment sandbox --to production --dry-run',
  ],
  flags: {
    ...campaignFlags,
    to: Flag.Literals("to", ["sandbox", "production"]).pipe(
      Flag.withDescription("Environment of the copy. Only the operator key copies to the other one"),
    ),
    name: optionalFlag(
      "name",
      "Name of the copy. If left out: the same in the other environment, “Copy of …” in the same one",
    ),
    dryRun: switchFlag("dry-run", "Only say what the copy would make"),
  },
  *run({ campaign, dryRun, name, to, ...flags }) {
    const platform = yield* openPlatform(flags);
    const id = yield* findCampaign(platform, campaign);
    const body = { environment: to, name: Option.getOrUndefined(name) };
    const copied = yield* platform((client) => client.copies.copy(id, body, { dryRun }));
    yield* printOne(copied, ({ data, made, matched }) =>
      [
        data === null
          ? "Dry run: nothing was made."
          : `Made the campaign "${data.name}" in ${environmentName(to)}. It is ${data.status}.`,
        details([
          ["id", data?.id ?? "none"],
          ["made", countsText(made)],
          ["matched", countsText(matched)],
        ]),
      ].join("\n\n"),
    );
  },
});
