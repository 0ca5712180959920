import { Effect, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { UnsupportedMediaType } from "../../wire/ApiError.ts";
import type { Problems } from "../../wire/Problems.ts";
import { bodyRules } from "../../wire/RequestBody.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import { codePoints } from "../../wire/Text.ts";
import { MediaDraft } from "../MediaFile.ts";
import { MediaStoreAway } from "../store/MediaStore.ts";
import type { UploadFolder } from "./UploadFolder.ts";
import { maxNameBytes, type StopReason, UploadParts } from "./UploadParts.ts";

/** An upload as it was sent: a problem at `file` or `body` means that there is no file to look into. */
export interface SentUpload {
  /** Of the file on disk, which has `bytes` bytes. */
  readonly path: string;
  readonly bytes: number;
  /** As it was sent; undefined where it is none or bad. */
  readonly name: string | undefined;
  /** The file's own name, fit to be stored; null where it has none. */
  readonly ownName: string | null;
  readonly problems: Problems;
}

/** A whole upload may take this long, and each stretch of it must bring at least `leastBytes`: 50 MB at 1.5 Mbit/s pass. */
const longestUpload = "280 seconds";
const stretch = "20 seconds";
const leastBytes = 20_480;

const sizeSentence = "The file may have at most 51,200 KB.";

const sentences: { readonly [reason in StopReason]: readonly [field: string, sentence: string] } = {
  fileTooLarge: ["file", sizeSentence],
  severalFiles: ["file", "Send one file: a request with several files is not taken."],
  tooManyParts: ["body", "The body has over 100 parts: send a file and, if you like, a name."],
  tooMuchElse: [
    "body",
    "Beside the file the body may hold at most 1 MiB: send a file and, if you like, a name.",
  ],
  noBoundary: [
    "file",
    "The file is required: send it as multipart/form-data, with the boundary that the content type names.",
  ],
};

/**
 * Reads the multipart body of an upload into a file of the folder, once, and stops as soon as the file is known to be too
 * large, however much is sent. Says everything that is wrong with its parts (contract B3, B4, H1).
 */
export const readUpload = Effect.fnUntraced(function* (
  {
    endpoint,
    request,
  }: {
    readonly request: HttpServerRequest.HttpServerRequest;
    readonly endpoint: HttpApiEndpoint.Constraint;
  },
  folder: UploadFolder["Service"],
) {
  const { contentTypes } = bodyRules(endpoint as unknown as HttpApiEndpoint.Top);
  const contentType = request.headers["content-type"] ?? "";
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type !== "" && !contentTypes.includes(type)) return yield* UnsupportedMediaType.of(contentTypes);
  const parts = new UploadParts({ "content-type": contentType });
  const { handle, path } = yield* folder.file;

  const receiving = Stream.runForEachWhile(
    request.stream,
    Effect.fnUntraced(function* (chunk) {
      for (const piece of parts.take(chunk)) {
        yield* Effect.tryPromise({
          try: () => handle.writeFile(piece),
          catch: (cause) => new MediaStoreAway({ problem: "an upload cannot be written to disk", cause }),
        });
      }
      return !parts.isFinished;
    }),
    // A client that went away has sent no last boundary, and will not hear of it.
  ).pipe(
    Effect.catchIf(
      (error) => error._tag === "HttpServerError",
      () => Effect.void,
    ),
  );

  const tooSlow = Effect.gen(function* () {
    let before = -leastBytes;
    while (parts.bytes - before >= leastBytes) {
      before = parts.bytes;
      yield* Effect.sleep(stretch);
    }
  });

  if (!parts.isFinished) {
    yield* Effect.raceFirst(receiving, tooSlow).pipe(Effect.timeoutOption(longestUpload));
  }
  return sentUpload(parts, path);
});

const sentUpload = (parts: UploadParts, path: string): SentUpload => {
  const name = nameOf(parts);
  const { problems } = name;
  if (parts.stopped !== null) problems.add(...sentences[parts.stopped]);
  else if (!parts.isWhole)
    problems.add("file", "The file did not arrive whole, or not in time: send it again.");
  else if (parts.isBroken) problems.add("body", "The body has a part whose headers cannot be read.");
  else if (parts.files === 0) {
    problems.add(
      "file",
      parts.isPlainField
        ? "The file must be sent as a file: give the part a file name."
        : "The file is required: send it as the part file of a multipart/form-data body.",
    );
  } else if (parts.fileBytes === 0) problems.add("file", "The file is empty.");
  return {
    path,
    bytes: parts.fileBytes,
    name: name.value,
    ownName: parts.filename === null ? null : ownName(parts.filename),
    problems,
  };
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The `name` that was sent, by the rules of all texts (contract B5). */
const nameOf = ({
  names,
}: UploadParts): { readonly value: string | undefined; readonly problems: Problems } => {
  let text: string | undefined;
  let problem: string | null = names.length > 1 ? "The name must be sent once." : null;
  for (const { bytes, chunks, isFile } of names) {
    if (isFile) problem = "The name must be a text, not a file.";
    const whole = Buffer.concat(chunks);
    try {
      text = bytes > maxNameBytes ? whole.toString("utf8") : utf8.decode(whole);
    } catch {
      problem ??= "The name must be a text in UTF-8.";
    }
  }
  const { fields, problems } = parseFields(
    MediaDraft,
    problem !== null || text === undefined ? {} : { name: text },
  );
  if (problem !== null) problems.add("name", problem);
  return { value: fields.name ?? undefined, problems };
};

/** The last part of a path in any system's writing, without what cannot be stored, cut to 255 characters. */
const ownName = (filename: string): string | null => {
  const last = filename.toWellFormed().replaceAll("\0", "").split(/[/\\]/).at(-1)?.trim() ?? "";
  const name = codePoints(last) <= 255 ? last : Array.from(last).slice(0, 255).join("").trim();
  return name === "" ? null : name;
};
