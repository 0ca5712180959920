type Container = { [name: string]: unknown } | Array<unknown>;

/** Builds one array or object from the parts of a JSON text, up to a number of values. */
export class JsonBuilder {
  readonly #open: Array<Container>;
  readonly #maxValues: number;
  readonly #maxLevels: number;
  #values = 0;
  #key = "";

  /** `maxLevels` is the number of containers that may be inside each other in the outermost one. */
  constructor(outermost: Container, maxValues: number, maxLevels: number) {
    this.#open = [outermost];
    this.#maxValues = maxValues;
    this.#maxLevels = maxLevels;
  }

  /** Whether there were more values, so that the result is not complete. */
  get isOversized(): boolean {
    return this.#values > this.#maxValues;
  }

  setKey(name: string): boolean {
    this.#key = name;
    return !this.isOversized;
  }

  add(value: unknown): void {
    this.#values += 1;
    if (this.isOversized) return;
    const container = this.#open.at(-1);
    if (Array.isArray(container)) container.push(value);
    // A member called __proto__ must not become the prototype.
    else if (container !== undefined && this.#key !== "__proto__") container[this.#key] = value;
  }

  /** Begins an array or object inside; false if it is not built. */
  open(container: Container): boolean {
    this.add(container);
    if (this.isOversized || this.#open.length > this.#maxLevels) return false;
    this.#open.push(container);
    return true;
  }

  /** Ends the innermost container; true if that was the outermost one. */
  close(): boolean {
    this.#open.pop();
    return this.#open.length === 0;
  }
}
