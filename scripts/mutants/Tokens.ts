/**
 * A small tokenizer of formatted TypeScript: enough to find operators, words, numbers and SQL, and to skip
 * comments and texts.
 */

/** A token of source code; `sql` is the text between two parameters of an SQL template. */
export interface Token {
  readonly kind: "word" | "number" | "mark" | "text" | "sql";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Of `sql`: where its template starts. */
  readonly template?: number;
}

const marks = /(?:===|!==|=>|<=|>=|&&|\|\||\?\?|\?\.|\.\.\.|\+\+|--|\+=|-=|\*\*|[^\s\w])/y;
const words = /[A-Za-z_$#][\w$]*/y;
const numbers = /\d[\d_]*(?:\.\d+)?n?/y;
const blanks = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const texts = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const regularExpressions = /\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** After these, a slash starts a regular expression. */
const beforeExpression = /^(?:[(,=:[!&|?{};]|=>|&&|\|\||\?\?|return)$/;

/** The tokens of a source file, in order. */
export const tokensOf = (source: string): ReadonlyArray<Token> => {
  const found: Array<Token> = [];
  let position = 0;

  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = position;
    return pattern.exec(source)?.[0] ?? null;
  };
  const add = (kind: Token["kind"], text: string): void => {
    found.push({ kind, text, start: position, end: position + text.length });
    position += text.length;
  };

  /** From behind a backtick to behind the closing one. */
  const readTemplate = (): void => {
    const template = position - 1;
    const before = source.slice(0, template);
    const kind = before.endsWith("sql") || before.endsWith(">") ? "sql" : "text";
    let start = position;
    const end = (): void => {
      found.push({ kind, text: source.slice(start, position), start, end: position, template });
    };
    while (position < source.length) {
      if (source[position] === "\\") position += 2;
      else if (source[position] === "`") {
        end();
        position++;
        return;
      } else if (source.startsWith("${", position)) {
        end();
        position += 2;
        readCode();
        start = position;
      } else position++;
    }
  };

  /** To the end, or behind the brace that closes a parameter of a template. */
  const readCode = (): void => {
    let depth = 0;
    while (position < source.length) {
      const blank = match(blanks);
      if (blank !== null) {
        position += blank.length;
        continue;
      }
      if (source[position] === "`") {
        position++;
        readTemplate();
        continue;
      }
      const text = match(texts);
      const word = match(words);
      const number = match(numbers);
      const isExpression = beforeExpression.test(found.at(-1)?.text ?? "(");
      const expression = isExpression ? match(regularExpressions) : null;
      if (text !== null) add("text", text);
      else if (word !== null) add("word", word);
      else if (number !== null) add("number", number);
      else if (expression !== null) add("text", expression);
      else {
        const mark = match(marks) ?? "";
        if (mark === "}" && depth-- === 0) {
          position++;
          return;
        }
        if (mark === "{") depth++;
        add("mark", mark);
      }
    }
  };

  readCode();
  return found;
};
