import { checkWords as text } from '../../../../messages/en/test-sets';
import { isJson, type Json } from '../../../../ui/body/conversation';
import { KEYWORDS, NOTES, type Holds } from './schema-keywords';

/** Maximum number of checks of a value against a part of the schema, for one response. */
const STEPS_MAX = 200_000;
/** Maximum depth of nested schemas, including followed references. */
const DEPTH_MAX = 60;
const SCHEMA_MAX = 100_000;

/**
 * Returns why and where a value does not match; null when it matches. Throws `RangeError` beyond
 * the bounds.
 */
export type SchemaCheck = (value: unknown) => string | null;

/** Subschemas that a keyword contains directly. */
function below(holds: Holds, rule: unknown): readonly unknown[] {
  if (holds === 'schema') return [rule];
  if (holds === 'list') return Array.isArray(rule) ? rule : [];
  return holds === 'names' && isJson(rule) ? Object.values(rule) : [];
}

/**
 * Returns the first error in a schema; null for none. An unknown keyword is an error, because the
 * interpreter would ignore it.
 */
function faultIn(schema: unknown, root: unknown, depth = 0): string | null {
  if (typeof schema === 'boolean') return null;
  if (!isJson(schema) || depth > DEPTH_MAX) return text.schemaBroken;
  for (const [keyword, rule] of Object.entries(schema)) {
    const fault = ruleFault(keyword, rule, root) ?? faultBelow(keyword, rule, root, depth);
    if (fault !== null) return fault;
  }
  return null;
}

const keywordOf = (name: string) => (Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined);

function ruleFault(keyword: string, rule: unknown, root: unknown): string | null {
  if (NOTES.has(keyword)) return null;
  const known = keywordOf(keyword);
  if (known === undefined) return text.schemaKeyword(keyword);
  if (!known.isValid(rule)) return text.schemaRule(keyword);
  return keyword === '$ref' && pointedAt(root, String(rule)) === undefined
    ? text.schemaReference(String(rule))
    : null;
}

function faultBelow(keyword: string, rule: unknown, root: unknown, depth: number): string | null {
  for (const part of below(keywordOf(keyword)?.holds ?? null, rule)) {
    const fault = faultIn(part, root, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** Resolves a reference to `#` or `#/$defs/name`; undefined when there is no such schema. */
function pointedAt(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  const [, holder = '', name = ''] = /^#\/(\$defs|definitions)\/([^/%]+)$/.exec(reference) ?? [];
  const schemas = isJson(root) && Object.hasOwn(root, holder) ? root[holder] : undefined;
  const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
  return isJson(schemas) && Object.hasOwn(schemas, key) ? schemas[key] : undefined;
}

/**
 * Compiles a JSON Schema (draft 2020-12, the keywords of structured outputs) to an interpreter; the
 * content security policy allows no generated code. Returns a sentence when the schema is not
 * supported.
 */
export function compileSchema(source: string): SchemaCheck | string {
  if (source.length > SCHEMA_MAX) return text.schemaLong(SCHEMA_MAX);
  let root: unknown;
  try {
    root = JSON.parse(source);
  } catch {
    return text.schemaBroken;
  }
  const fault = faultIn(root, root);
  if (fault !== null) return fault;
  return (value) => {
    let steps = 0;
    const check = (schema: unknown, part: unknown, at: string, depth: number): string | null => {
      steps += 1;
      if (steps > STEPS_MAX || depth > DEPTH_MAX) throw new RangeError(text.schemaCost);
      if (typeof schema === 'boolean') return schema ? null : text.notAllowed(at);
      for (const [keyword, rule] of Object.entries(schema as Json)) {
        const found = keywordOf(keyword)?.fault?.(rule, part, at, {
          schema: schema as Json,
          check: (inner, item, place) => check(inner, item, place, depth + 1),
          resolve: (reference) => pointedAt(root, reference),
        });
        if (found != null) return found;
      }
      return null;
    };
    return check(root, value, '$', 0);
  };
}

const FENCE = '```';

/**
 * Content of the first fenced block, without its first line, which names the language; empty
 * without a block.
 */
function fencedIn(answer: string): string {
  const fence = answer.indexOf(FENCE);
  const from = fence < 0 ? -1 : answer.indexOf('\n', fence);
  const to = from < 0 ? -1 : answer.indexOf(FENCE, from);
  return to < 0 ? '' : answer.slice(from, to);
}

/** Text from the first `open` to the last `close`; empty when there is none. */
function between(answer: string, open: string, close: string): string {
  const from = answer.indexOf(open);
  return from < 0 ? '' : answer.slice(from, answer.lastIndexOf(close) + 1);
}

/**
 * Extracts JSON from a response: all of it, a fenced block, or the text between its outermost
 * braces or brackets. Undefined when there is none.
 */
export function jsonIn(answer: string): unknown {
  const candidates = [answer, fencedIn(answer), between(answer, '{', '}'), between(answer, '[', ']')];
  for (const candidate of candidates) {
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // Not JSON; continue with the next candidate.
    }
  }
  return undefined;
}
