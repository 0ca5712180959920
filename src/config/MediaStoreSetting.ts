/** The media store of the settings, and the AWS variables of a store in a bucket. */
import { Redacted } from "effect";
import { parseHttpUrl, parseKey, parseRegion } from "./SettingParsers.ts";
import type { SettingReader, Variable } from "./SettingReader.ts";
import type { SettingValues } from "./SettingsTable.ts";

const secret = (name: string): Variable<Redacted.Redacted | undefined> => ({
  name,
  parse: parseKey,
  fallback: () => undefined,
  isSecret: true,
});

const accessKeyId = secret("AWS_ACCESS_KEY_ID");
const secretAccessKey = secret("AWS_SECRET_ACCESS_KEY");
const sessionToken = secret("AWS_SESSION_TOKEN");

/** The AWS variables whose values are secret. */
export const secretAwsVariables: ReadonlyArray<string> = [accessKeyId, secretAccessKey, sessionToken].map(
  ({ name }) => name,
);

/** Completes the parsed `WAYPOST_MEDIA_STORE` with the AWS variables, which are read for a bucket only. */
export const readMediaStore = (reader: SettingReader, { bucket, prefix }: SettingValues["mediaStore"]) => {
  if (bucket === "") return { _tag: "disk" } as const;
  const keyId = reader.read(accessKeyId);
  const accessKey = reader.read(secretAccessKey);
  for (const { name } of [accessKeyId, secretAccessKey]) {
    if (!reader.has(name))
      reader.problems.push(`${name} must be set for a media store in a bucket (WAYPOST_MEDIA_STORE).`);
  }
  const firstSet = (specific: string, general: string) => (reader.has(specific) ? specific : general);
  return {
    _tag: "s3",
    bucket,
    /** Without slashes at its ends; empty for the bucket's root. */
    prefix,
    region: reader.read({
      name: firstSet("AWS_REGION", "AWS_DEFAULT_REGION"),
      parse: parseRegion,
      fallback: () => "us-east-1",
      isSecret: false,
    }),
    endpoint: reader.read<string | undefined>({
      name: firstSet("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
      parse: parseHttpUrl,
      fallback: () => undefined,
      isSecret: false,
    }),
    credentials: {
      accessKeyId: keyId === undefined ? "" : Redacted.value(keyId),
      secretAccessKey: accessKey ?? Redacted.make(""),
      sessionToken: reader.read(sessionToken),
    },
  } as const;
};

/** The store of media files: the data directory, or a bucket of an S3-compatible service. */
export type MediaStoreSetting = ReturnType<typeof readMediaStore>;
