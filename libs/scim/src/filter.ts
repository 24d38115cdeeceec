import { isStorableText } from '@gw/kernel';
import { findPath, type AttributePath } from './attribute-path';
import { tokensOf, type Token } from './filter-tokens';
import type { ResourceKind } from './schemas';
import { fault } from './scim-error';

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterValue = string | number | boolean;

/** A filter of RFC 7644, section 3.4.2.2. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | {
      readonly kind: 'compare';
      readonly path: AttributePath;
      readonly operator: Operator;
      readonly value: FilterValue;
    }
  /** One element of a list matches `term`, whose paths name sub-attributes of the list. */
  | { readonly kind: 'some'; readonly path: AttributePath; readonly term: Filter }
  /** The attribute is unknown, so nothing matches. */
  | { readonly kind: 'never' };

const CHARACTERS_MAX = 4_096;
const DEPTH_MAX = 10;
const TERMS_MAX = 50;
const OPERATORS: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];
const ON_TEXT: ReadonlySet<string> = new Set(['co', 'sw', 'ew']);

/**
 * Parses a filter of at most 4,096 characters, ten levels and fifty comparisons. Throws
 * `invalidFilter`.
 */
export function parseFilter(kind: ResourceKind, text: string): Filter {
  return new FilterParser(kind, boundedTokens(text)).whole();
}

/**
 * Parses the filter inside a path such as `emails[type eq "work"]`, which names sub-attributes of
 * the list.
 */
export function parseElementFilter(kind: ResourceKind, list: AttributePath, text: string): Filter {
  return new FilterParser(kind, boundedTokens(text), list).whole();
}

function boundedTokens(text: string): Token[] {
  if (text.length > CHARACTERS_MAX) {
    throw fault('invalidFilter', `A filter has at most ${String(CHARACTERS_MAX)} characters.`);
  }
  return tokensOf(text);
}

class FilterParser {
  private at = 0;
  private depth = 0;
  private terms = 0;

  constructor(
    private readonly kind: ResourceKind,
    private readonly tokens: readonly Token[],
    /** The list whose elements the filter tests; null outside of brackets. */
    private list: AttributePath | null = null,
  ) {}

  whole(): Filter {
    const filter = this.either();
    if (this.at < this.tokens.length) throw this.unexpected();
    return filter;
  }

  private either(): Filter {
    return this.chain('or', () => this.chain('and', () => this.term()));
  }

  private chain(kind: 'and' | 'or', next: () => Filter): Filter {
    const terms = [next()];
    while (this.takesWord(kind)) terms.push(next());
    const [first] = terms;
    return terms.length === 1 && first !== undefined ? first : { kind, terms };
  }

  private term(): Filter {
    if (this.takesSign('(')) return this.nested(')');
    const word = this.word();
    if (word.toLowerCase() === 'not') {
      if (!this.takesSign('(')) throw this.unexpected();
      return { kind: 'not', term: this.nested(')') };
    }
    this.terms += 1;
    if (this.terms > TERMS_MAX) {
      throw fault('invalidFilter', `A filter has at most ${String(TERMS_MAX)} comparisons.`);
    }
    return this.takesSign('[') ? this.elements(word) : this.comparison(word);
  }

  private nested(end: ')' | ']'): Filter {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) {
      throw fault('invalidFilter', `A filter has at most ${String(DEPTH_MAX)} levels.`);
    }
    const inner = this.either();
    if (!this.takesSign(end)) throw this.unexpected();
    this.depth -= 1;
    return inner;
  }

  /**
   * Parses `emails[type eq "work"]`, also with a comparison after it: `emails[type eq "work"].value
   * eq "a@b"`.
   */
  private elements(word: string): Filter {
    const path = this.find(word);
    if (this.list !== null || path?.attribute.multiValued !== true || path.sub !== null) {
      throw fault('invalidFilter', `${word} is no list of values that can be filtered with brackets.`);
    }
    this.list = path;
    const inner = this.nested(']');
    const rest = this.tokens[this.at];
    const isLonger = rest?.kind === 'word' && rest.text.startsWith('.');
    const term = isLonger
      ? ({ kind: 'and', terms: [inner, this.comparison(this.word().slice(1))] } as const)
      : inner;
    this.list = null;
    return { kind: 'some', path, term };
  }

  private comparison(word: string): Filter {
    const path = this.find(word);
    const operator = this.word().toLowerCase();
    if (operator === 'pr') return path === null ? NEVER : { kind: 'present', path };
    if (!OPERATORS.includes(operator)) {
      throw fault('invalidFilter', `${operator} is no operator; use ${OPERATORS.join(', ')} or pr.`);
    }
    const token = this.tokens[this.at];
    if (token?.kind !== 'value') throw this.unexpected();
    this.at += 1;
    return path === null ? NEVER : compare(path, operator as Operator, token.value);
  }

  /** Returns null for an unknown attribute, so that it matches nothing. */
  private find(word: string): AttributePath | null {
    const { list } = this;
    const path = list === null ? findPath(this.kind, word) : findPath(this.kind, `${pathText(list)}.${word}`);
    if (path?.attribute.returned === 'never' || word.toLowerCase() === 'password') {
      throw fault('invalidFilter', `${word} cannot be used in a filter.`);
    }
    return path;
  }

  private word(): string {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word') throw this.unexpected();
    this.at += 1;
    return token.text;
  }

  private takesWord(text: string): boolean {
    const token = this.tokens[this.at];
    const takes = token?.kind === 'word' && token.text.toLowerCase() === text;
    if (takes) this.at += 1;
    return takes;
  }

  private takesSign(text: string): boolean {
    const token = this.tokens[this.at];
    const takes = token?.kind === 'sign' && token.text === text;
    if (takes) this.at += 1;
    return takes;
  }

  private unexpected(): Error {
    const token = this.tokens[this.at];
    const text = token === undefined ? 'its end' : token.kind === 'value' ? 'a value' : token.text;
    return fault('invalidFilter', `The filter has ${text} where it cannot be read.`);
  }
}

const NEVER: Filter = { kind: 'never' };

const pathText = ({ extension, attribute }: AttributePath): string =>
  extension === null ? attribute.name : `${extension}:${attribute.name}`;

function compare(path: AttributePath, operator: Operator, value: FilterValue | null): Filter {
  const leaf = leafOf(path);
  if (value === null) {
    if (operator === 'eq') return { kind: 'not', term: { kind: 'present', path: leaf } };
    if (operator === 'ne') return { kind: 'present', path: leaf };
    throw fault('invalidFilter', 'null can be compared with eq and ne only.');
  }
  return { kind: 'compare', path: leaf, operator, value: valueFor(leaf, operator, value) };
}

/**
 * Returns the path to compare: for a list its `value`. Throws `invalidFilter` for other complex
 * attributes.
 */
function leafOf(path: AttributePath): AttributePath {
  const { attribute, sub } = path;
  if (sub !== null || attribute.type !== 'complex') return path;
  const value = attribute.sub?.find(({ name }) => name === 'value');
  if (value === undefined) {
    throw fault(
      'invalidFilter',
      `${attribute.name} has parts; name one, such as ${attribute.name}.formatted.`,
    );
  }
  return { ...path, sub: value };
}

function valueFor(path: AttributePath, operator: Operator, value: FilterValue): FilterValue {
  const { name, type } = path.sub ?? path.attribute;
  if (type === 'boolean') return booleanFor(name, operator, value);
  if (type === 'dateTime') return timeFor(name, operator, value);
  if (typeof value === 'string' && isStorableText(value)) return value;
  throw fault(
    'invalidFilter',
    `${name} can be compared with a text in quotes, without NUL and halves of surrogate pairs.`,
  );
}

/** Parses a boolean, which identity providers also send as a text. Throws `invalidFilter`. */
function booleanFor(name: string, operator: Operator, value: FilterValue): boolean {
  const text = String(value).toLowerCase();
  const isEquality = operator === 'eq' || operator === 'ne';
  if (isEquality && (text === 'true' || text === 'false')) return text === 'true';
  throw fault('invalidFilter', `${name} can be compared with eq and ne, with true or false.`);
}

/** Parses a time of the years 1 to 9999, which databases can compare. Throws `invalidFilter`. */
function timeFor(name: string, operator: Operator, value: FilterValue): string {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : NaN;
  const text = Number.isNaN(time) ? '' : new Date(time).toISOString();
  if (/^(?!0000)\d{4}-/.test(text) && !ON_TEXT.has(operator)) return text;
  throw fault('invalidFilter', `${name} can be compared with a date and time in quotes.`);
}
