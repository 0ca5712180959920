import { Context } from "effect";
import { HttpApi } from "effect/http-api";

/**
 * How every interface applies its schemas. All problems of a request are reported together. A response that
 * its schema refuses is a defect, whose first problem is enough: only so is a compiled schema used, which
 * encodes a page of 20 campaigns in 10 µs instead of 26 µs.
 */
export const parseOptions: Context.Context<HttpApi.ParseOptions | HttpApi.SuccessParseOptions> = Context.make(
  HttpApi.ParseOptions,
  { errors: "all" },
).pipe(Context.add(HttpApi.SuccessParseOptions, {}));
