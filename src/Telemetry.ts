import { Effect, Layer, Logger, References } from "effect";
import { FetchHttpClient, Headers } from "effect/http";
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability";
import { Config } from "./Config.ts";
import { jsonLine, writtenTogether } from "./LogLines.ts";

const resource = { serviceName: "waypost" };

/** Log lines go to stderr, one JSON object a line or for people; stdout keeps to what a person or program asked for. */
const loggerOf = ({ logFormat }: Config["Service"]) =>
  logFormat === "json"
    ? writtenTogether(jsonLine, (text) => void process.stderr.write(text))
    : Logger.consolePretty({ mode: "tty", colors: process.stderr.isTTY && !process.env["NO_COLOR"] });

const exporters = (endpoint: string) =>
  Layer.mergeAll(
    OtlpTracer.layer({ url: `${endpoint}/v1/traces`, resource }),
    OtlpMetrics.layer({ url: `${endpoint}/v1/metrics`, resource }),
  );

/** Headers that open something: no trace shows what they say. */
const secretHeaders = ["authorization", "cookie", "set-cookie", "x-api-key", "x-device-token"];

/** What a running process tells of itself: its log, and traces and metrics over OTLP where an endpoint is set. */
export class Telemetry {
  static readonly layer = Layer.unwrap(
    Effect.map(Config, (config) =>
      Layer.mergeAll(
        Logger.layer([loggerOf(config)]),
        Layer.succeed(Logger.LogToStderr, true),
        Layer.succeed(Headers.CurrentRedactedNames, secretHeaders),
        Layer.succeed(References.MinimumLogLevel, config.logLevel),
        config.otlpEndpoint === undefined
          ? Layer.empty
          : Layer.provide(exporters(config.otlpEndpoint), [
              OtlpSerialization.layerJson,
              FetchHttpClient.layer,
            ]),
      ),
    ),
  );
}
