/**
 * Maximum length of a searched text. The search costs as much as parsing, for a body that is
 * refused.
 */
const SEARCHED_CHARACTERS_MAX = 1_048_576;

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Matches a string without its closing quote. */
const STRING = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*/uy;

/** Token that the grammar of RFC 8259 allows at a position. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'more';

/**
 * Returns where a text stops being valid JSON: `line 2, column 7`, or `at its end`. Returns null if
 * the text is valid, or too long to search.
 */
export function jsonFault(text: string): string | null {
  if (text.length > SEARCHED_CHARACTERS_MAX) return null;
  const at = new Search(text).fault();
  if (at === null) return null;
  if (at >= text.length) return 'at its end';
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${String(line)}, column ${String(at - before.lastIndexOf('\n'))}`;
}

class Search {
  private at = 0;
  private expected: Expected = 'value';
  /** Closing brackets of the open lists and objects. */
  private readonly open: (']' | '}')[] = [];

  constructor(private readonly text: string) {}

  /** Returns the position of the first character that is not allowed; null if the text is valid. */
  fault(): number | null {
    for (;;) {
      this.skip(SPACE);
      if (this.expected === 'more' && this.open.length === 0)
        return this.at < this.text.length ? this.at : null;
      if (!this.step()) return this.at;
    }
  }

  private step(): boolean {
    switch (this.expected) {
      case 'more':
        return this.separator();
      case 'name or }':
        return this.close('}') || this.name();
      case 'name':
        return this.name();
      case 'value or ]':
        return this.close(']') || this.value();
      case 'value':
        return this.value();
    }
  }

  private separator(): boolean {
    const end = this.open.at(-1);
    if (this.take(',')) {
      this.expected = end === '}' ? 'name' : 'value';
      return true;
    }
    return end !== undefined && this.close(end);
  }

  private name(): boolean {
    if (!this.string()) return false;
    this.skip(SPACE);
    this.expected = 'value';
    return this.take(':');
  }

  private value(): boolean {
    if (this.take('{')) return this.enter('}', 'name or }');
    if (this.take('[')) return this.enter(']', 'value or ]');
    this.expected = 'more';
    return this.text[this.at] === '"' ? this.string() : this.skip(SCALAR);
  }

  private enter(end: ']' | '}', expected: Expected): boolean {
    this.open.push(end);
    this.expected = expected;
    return true;
  }

  private close(end: ']' | '}'): boolean {
    if (!this.take(end)) return false;
    this.open.pop();
    this.expected = 'more';
    return true;
  }

  private string(): boolean {
    return this.skip(STRING) && this.take('"');
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  /** Skips what the pattern matches at this position; returns false if it matches nothing. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }
}
