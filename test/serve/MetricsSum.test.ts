import { assert, describe, it } from "vitest";
import { sumOfMetrics } from "../../src/serve/MetricsSum.ts";

const lines = (...texts: ReadonlyArray<string>): string => `${texts.join("\n")}\n`;

const counter = (...samples: ReadonlyArray<string>): string =>
  lines(
    "# HELP waypost_http_requests_total Requests.",
    "# TYPE waypost_http_requests_total counter",
    ...samples.map((sample) => `waypost_http_requests_total${sample}`),
  );

const gauge = (name: string, sample: string): string => lines(`# TYPE ${name} gauge`, `${name}${sample}`);

const of = (process: string, text: string) => ({ process, text });

describe("sumOfMetrics", () => {
  it("counters are summed by their labels, and a series of one process is kept (running.processes)", () => {
    const sum = sumOfMetrics([
      of("api-1", counter('{status="200",path="a b"} 3', '{status="404"} 1')),
      of("api-2", counter('{status="200",path="a b"} 4.5', '{status="503"} 2')),
    ]);
    assert.strictEqual(sum, counter('{status="200",path="a b"} 7.5', '{status="404"} 1', '{status="503"} 2'));
  });

  it("buckets, sums and counts of histograms are summed (running.processes)", () => {
    const histogram = (...values: ReadonlyArray<number>): string =>
      lines(
        "# TYPE waypost_push_seconds histogram",
        `waypost_push_seconds_bucket{le="0.1"} ${values[0]}`,
        `waypost_push_seconds_bucket{le="+Inf"} ${values[1]}`,
        `waypost_push_seconds_sum ${values[2]}`,
        `waypost_push_seconds_count ${values[1]}`,
      );
    const sum = sumOfMetrics([of("api-1", histogram(1, 2, 0.75)), of("worker", histogram(3, 4, 1.25))]);
    assert.strictEqual(sum, histogram(4, 6, 2));
  });

  it("gauges of a process have its name as a label (running.processes)", () => {
    const sum = sumOfMetrics([
      of("api-1", gauge("waypost_memory_bytes", " 5")),
      of("worker", gauge("waypost_memory_bytes", '{kind="rss"} 7')),
    ]);
    assert.strictEqual(
      sum,
      lines(
        "# TYPE waypost_memory_bytes gauge",
        'waypost_memory_bytes{process="api-1"} 5',
        'waypost_memory_bytes{kind="rss",process="worker"} 7',
      ),
    );
  });

  it("a gauge of the whole is the sum, the lowest or the highest, as it means it (running.processes)", () => {
    const of2 = (name: string, one: string, other: string): string | undefined =>
      sumOfMetrics([of("api-1", gauge(name, ` ${one}`)), of("worker", gauge(name, ` ${other}`))])
        .split("\n")
        .find((line) => line.startsWith(name));
    assert.deepStrictEqual(
      [
        of2("waypost_location_index_positions", "5", "7"),
        of2("waypost_database_up", "0", "1"),
        of2("waypost_data_dir_free_bytes", "100", "90"),
        of2("waypost_push_queue", "0", "12"),
        of2("waypost_clock_offset_seconds", "-Inf", "+Inf"),
      ],
      [
        "waypost_location_index_positions 12",
        "waypost_database_up 0",
        "waypost_data_dir_free_bytes 90",
        "waypost_push_queue 12",
        "waypost_clock_offset_seconds +Inf",
      ],
    );
  });

  it("a process that has ended counts with its counters, and not with its gauges (running.processes)", () => {
    const ended = { ...of("api-1", counter(" 3") + gauge("waypost_push_queue", " 9")), hasEnded: true };
    assert.strictEqual(sumOfMetrics([ended, of("api-1", counter(" 2"))]), counter(" 5"));
    const kept = { process: "ended", text: sumOfMetrics([ended, ended]), hasEnded: true };
    assert.strictEqual(sumOfMetrics([kept]), counter(" 6"));
  });

  it("processes without metrics give an empty text", () => {
    assert.strictEqual(sumOfMetrics([of("api-1", ""), of("worker", "")]), "");
  });
});
