import { Effect, Layer, Logger, References, Tracer } from "effect";
import { Headers, HttpMiddleware } from "effect/http";
import { OtlpExporter, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability";
import { Settings } from "../config/Settings.ts";
import { ExportClient } from "./ExportClient.ts";
import { jsonLine, writtenTogether } from "./LogLines.ts";
import { sampled } from "./TraceSampling.ts";

const resource = { serviceName: "waypost" };

/** Log lines go to stderr, one JSON object a line or for people; stdout keeps to what a person or program asked for. */
const loggerOf = ({ logFormat }: Settings["Service"]) =>
  logFormat === "json"
    ? writtenTogether(jsonLine, (text) => void process.stderr.write(text))
    : Logger.consolePretty({ mode: "tty", colors: process.stderr.isTTY && !process.env["NO_COLOR"] });

/** Address and paths that are asked all the time, and tell nothing. */
const untraced = ["/health/live", "/health/ready", "/metrics"];

/** Headers that open something: no trace shows what they say. */
const secretHeaders = ["authorization", "cookie", "set-cookie", "x-api-key", "x-device-token"];

/** What a running process tells of itself: its log, and traces and metrics over OTLP where an endpoint is set. */
export class Telemetry {
  /** Sends traces, the given share of them, and metrics to a receiver of OTLP over http. */
  static readonly exporters = (endpoint: string, share: number) =>
    Layer.mergeAll(
      Layer.effect(
        Tracer.Tracer,
        Effect.map(OtlpTracer.make({ url: `${endpoint}/v1/traces`, resource }), (tracer) =>
          sampled(tracer, share),
        ),
      ),
      OtlpMetrics.layer({ url: `${endpoint}/v1/metrics`, resource }),
      HttpMiddleware.layerTracerDisabledForUrls(untraced),
    ).pipe(Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, ExportClient.layer]));

  static readonly layer = Layer.unwrap(
    Effect.map(Settings, (config) =>
      Layer.mergeAll(
        Logger.layer([loggerOf(config)]),
        Layer.succeed(Logger.LogToStderr, true),
        Layer.succeed(Headers.CurrentRedactedNames, secretHeaders),
        Layer.succeed(References.MinimumLogLevel, config.logLevel),
        config.otlpEndpoint === undefined
          ? Layer.empty
          : Telemetry.exporters(config.otlpEndpoint, config.traceShare),
      ),
    ),
  );
}
