/**
 * The message of a log entry for one request. Loggers write its fields as annotations. They do not search the
 * fields for secrets, which would cost every request: the caller has masked them.
 */
export class AccessLogEntry {
  readonly message = "request";
  readonly fields: Readonly<Record<string, string | number>>;

  constructor(fields: Readonly<Record<string, string | number>>) {
    this.fields = fields;
  }
}
