/**
 * The message of a log entry for one request. Loggers write its fields as annotations. Every request has one,
 * so whoever makes it has masked the secrets in its fields, and loggers do not search it again.
 */
export class AccessLogEntry {
  readonly message = "request";
  readonly fields: Readonly<Record<string, string | number>>;

  constructor(fields: Readonly<Record<string, string | number>>) {
    this.fields = fields;
  }
}
