import { MultipartParser } from "effect/http";
import { maxFileBytes } from "../MediaFile.ts";

const maxParts = 100;
/** Beside the file, headers of parts included. */
const maxOtherBytes = 1_048_576;
/** Bytes of a name that are kept: 255 characters are at most 1,020, so what is longer than this is too long. */
export const maxNameBytes = 8192;

/** Why reading an upload stopped before its end. */
export type StopReason = "fileTooLarge" | "severalFiles" | "tooManyParts" | "tooMuchElse" | "noBoundary";

interface SentPart {
  readonly chunks: Array<Uint8Array>;
  bytes: number;
}

/**
 * Takes a multipart body apart as it arrives: the `file` part goes out in pieces, the `name` part is kept, all else is counted and
 * dropped. Memory stays flat whatever is sent, and `isFinished` tells when nothing that is still to come could matter.
 */
export class UploadParts {
  /** File parts called `file` so far. */
  files = 0;
  fileBytes = 0;
  /** The name that the client's system gave the file, with whatever folders it put before it. */
  filename: string | null = null;
  /** A part called `file` came as a plain field. */
  isPlainField = false;
  /** A part had headers that cannot be read. */
  isBroken = false;
  stopped: StopReason | null = null;
  /** The last boundary has arrived: the body is whole. */
  isWhole = false;

  readonly names: Array<SentPart & { readonly isFile: boolean }> = [];

  #pieces: Array<Uint8Array> = [];
  /** Of the body so far. */
  bytes = 0;
  #parts = 0;
  readonly #parser: MultipartParser.Parser;

  constructor(headers: Record<string, string>) {
    this.#parser = MultipartParser.make({
      headers,
      // Every part comes in pieces, so that no field is gathered before it is known to be wanted.
      isFile: () => true,
      onField: () => {},
      onFile: (part) => this.#open(part),
      onError: (error) => {
        if (this.isWhole) return;
        if (error._tag === "InvalidBoundary") this.stopped = "noBoundary";
        else if (error._tag === "BadHeaders" || error._tag === "InvalidDisposition") {
          this.isBroken = true;
          this.#count();
        }
      },
      onDone: () => {
        this.isWhole = true;
      },
    });
  }

  get isFinished(): boolean {
    return this.isWhole || this.stopped !== null;
  }

  /** Takes a piece of the body and gives the pieces of the file in it. */
  take(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    this.bytes += chunk.length;
    this.#parser.write(chunk);
    if (this.stopped === null && this.bytes - this.fileBytes > maxOtherBytes) {
      this.stopped = this.#parts === 0 ? "noBoundary" : "tooMuchElse";
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #count(): void {
    if (++this.#parts > maxParts && this.stopped === null) this.stopped = "tooManyParts";
  }

  #open(part: MultipartParser.PartInfo): (chunk: Uint8Array | null) => void {
    this.#count();
    if (this.isFinished) return ignore;
    // Without a file name it is a file all the same if it says that it is no text.
    const isFile = part.filename !== undefined || !part.contentType.toLowerCase().startsWith("text/");
    if (part.name === "name") {
      const sent = { isFile, chunks: [] as Array<Uint8Array>, bytes: 0 };
      this.names.push(sent);
      return (chunk) => {
        if (chunk !== null && sent.bytes <= maxNameBytes) sent.chunks.push(chunk.slice());
        sent.bytes += chunk?.length ?? 0;
      };
    }
    if (part.name !== "file") return ignore;
    if (!isFile) {
      this.isPlainField = true;
      return ignore;
    }
    if (++this.files > 1) {
      this.stopped = "severalFiles";
      return ignore;
    }
    this.filename = part.filename ?? null;
    return (chunk) => {
      if (chunk === null || this.stopped !== null) return;
      this.fileBytes += chunk.length;
      if (this.fileBytes > maxFileBytes) this.stopped = "fileTooLarge";
      else this.#pieces.push(chunk);
    };
  }
}

const ignore = (): void => {};
