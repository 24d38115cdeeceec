import { isObject } from '@gw/kernel';
import { Pattern } from './pattern';
import type { Path, Report } from './report';
import { minutesOf, parseSubject, WEEKDAYS, type Demand, type Subject } from './subjects';

/**
 * A compiled query of the condition language.
 *
 * A query is an object, and every member must hold; the empty query holds for every request. A
 * member is
 * - `$and` (all of a list of queries), `$or` (at least one of a list), `$not` (a query that must
 *   not hold), or
 * - a subject with its condition: a scalar (short for `$eq`), or an object of operators that must
 *   all hold.
 *
 * Subjects: `metadata.<key>` (the rest of the text is one key, including dots),
 * `params.<member>.<member>…` (the request's JSON body at any depth, list items by index),
 * `headers.<name>`, `url.pathname`, `model`, `time.of_day` (`"HH:MM"`, UTC), `time.weekday`
 * (`mon` to `sun`, UTC), and the features that the body requires of a model (`DEMANDS`). Only own
 * members are read.
 *
 * Operators: `$eq $ne $in $nin` compare without conversion. `$gt $gte $lt $lte` compare numbers,
 * and texts that consist of a number. `$regex` searches a text in linear time. `$exists` tests
 * whether the subject is present (null is). `$not` takes an object of operators. Metadata, headers,
 * path, model and weekday are text, so their operands are converted to text. Times of day are
 * compared with times of day. A missing subject fails every operator except `$ne`, `$nin`, `$not`
 * and `$exists: false`.
 */
export type CompiledQuery =
  | { readonly op: 'all'; readonly of: readonly CompiledQuery[] }
  | { readonly op: 'any'; readonly of: readonly CompiledQuery[] }
  | { readonly op: 'not'; readonly of: CompiledQuery }
  | { readonly op: 'test'; readonly subject: Subject; readonly test: SubjectTest };

export type Scalar = string | number | boolean | null;

export type SubjectTest =
  | { readonly is: 'in'; readonly values: readonly Scalar[] }
  | { readonly is: 'gt' | 'gte' | 'lt' | 'lte'; readonly bound: number }
  | { readonly is: 'regex'; readonly pattern: Pattern }
  | { readonly is: 'exists' };

const LOGICAL = ['$and', '$or', '$not'];
const IN_VALUES_MAX = 1000;
const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Returns the number that a value denotes: `10`, `"10"`, `" 1e3 "`. Returns NaN for anything else,
 * such as `"9.5x"`, `""`, `true` and null.
 */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return NaN;
  const text = value.trim();
  return NUMBER_TEXT.test(text) ? Number(text) : NaN;
}

/** Compiles a query and reports all its errors. The result is usable only if none was reported. */
export function compileQuery(query: unknown, report: Report, path: Path = []): CompiledQuery {
  if (!isObject(query)) {
    report(path, 'type', 'A query must be an object.', query);
    return all([]);
  }
  const parts: CompiledQuery[] = [];
  for (const [key, value] of Object.entries(query)) {
    const here = [...path, key];
    if (key === '$and' || key === '$or') parts.push(compileList(key, value, report, here));
    else if (key === '$not') parts.push(not(compileQuery(value, report, here)));
    else if (key.startsWith('$')) {
      report(here, 'operator', `Not a logical operator; known: ${LOGICAL.join(', ')}.`, value);
    } else {
      const subject = parseSubject(key);
      if (typeof subject === 'string') report(here, 'subject', subject, value);
      else parts.push(compileTests(subject, value, report, here));
    }
  }
  return all(parts);
}

/** Returns all tests of a compiled query, at any depth. */
export function testsOf(query: CompiledQuery): readonly (CompiledQuery & { op: 'test' })[] {
  switch (query.op) {
    case 'all':
    case 'any':
      return query.of.flatMap(testsOf);
    case 'not':
      return testsOf(query.of);
    case 'test':
      return [query];
  }
}

const all = (parts: readonly CompiledQuery[]): CompiledQuery => {
  const [only, ...more] = parts;
  return only && more.length === 0 ? only : Object.freeze({ op: 'all', of: Object.freeze(parts) });
};

const not = (of: CompiledQuery): CompiledQuery => Object.freeze({ op: 'not', of });

function compileList(key: '$and' | '$or', value: unknown, report: Report, path: Path): CompiledQuery {
  if (!Array.isArray(value) || value.length === 0) {
    report(path, 'type', `${key} takes a list of at least one query.`, value);
    return all([]);
  }
  const parts = value.map((query, index) => compileQuery(query, report, [...path, index]));
  return key === '$and' ? all(parts) : Object.freeze({ op: 'any', of: Object.freeze(parts) });
}

function compileTests(subject: Subject, value: unknown, report: Report, path: Path): CompiledQuery {
  const requested: readonly (readonly [operator: string, operand: unknown])[] = isObject(value)
    ? Object.entries(value)
    : [['$eq', value]];
  if (requested.length === 0) report(path, 'operator', 'Name at least one operator.', value);
  return all(
    requested.map(([operator, operand]) => {
      const here = isObject(value) ? [...path, operator] : path;
      const compile = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
      if (compile) return compile({ subject, operand, report, path: here });
      report(here, 'operator', `Not an operator; known: ${Object.keys(OPERATORS).join(', ')}.`, operand);
      return all([]);
    }),
  );
}

/** One operator of a condition with its operand. */
interface OperatorInput {
  readonly subject: Subject;
  readonly operand: unknown;
  readonly report: Report;
  readonly path: Path;
}

const OPERATORS: Readonly<Record<string, (requested: OperatorInput) => CompiledQuery>> = {
  $eq: (requested) => among(requested, [requested.operand]),
  $ne: (requested) => not(among(requested, [requested.operand])),
  $in: (requested) => among(requested, list(requested)),
  $nin: (requested) => not(among(requested, list(requested))),
  $gt: (requested) => compare(requested, 'gt'),
  $gte: (requested) => compare(requested, 'gte'),
  $lt: (requested) => compare(requested, 'lt'),
  $lte: (requested) => compare(requested, 'lte'),
  $regex: search,
  $exists: exists,
  $not: ({ subject, operand, report, path }) => {
    if (!isObject(operand)) report(path, 'type', '$not takes an object of operators.', operand);
    return not(compileTests(subject, operand, report, path));
  },
};

const test = (subject: Subject, is: SubjectTest): CompiledQuery =>
  Object.freeze({ op: 'test', subject, test: Object.freeze(is) });

function list({ operand, report, path }: OperatorInput): readonly unknown[] {
  if (Array.isArray(operand) && operand.length <= IN_VALUES_MAX) return operand;
  report(path, 'type', `Takes a list of at most ${String(IN_VALUES_MAX)} values.`, operand);
  return [];
}

function among({ subject, report, path }: OperatorInput, values: readonly unknown[]): CompiledQuery {
  const scalars = values.flatMap((value): Scalar[] => {
    if (typeof value === 'object' && value !== null) {
      report(path, 'type', 'Compares with text, numbers, booleans or null only.', value);
      return [];
    }
    return [comparable(subject, value as Scalar, report, path)];
  });
  return test(subject, { is: 'in', values: Object.freeze(scalars) });
}

/** Converts the operand of a comparison to the type of the subject's value. */
function comparable(subject: Subject, value: Scalar, report: Report, path: Path): Scalar {
  switch (subject.from) {
    case 'params':
      return value;
    case 'time_of_day':
      return boundOf(subject, value, report, path);
    case 'weekday':
      if (!WEEKDAYS.some((day) => day === value)) {
        report(path, 'type', `Takes a day: ${WEEKDAYS.join(', ')}.`, value);
      }
      return value;
    case 'demand':
      return demandOperand(subject.demand, value, report, path);
    case 'metadata':
    case 'headers':
    case 'pathname':
    case 'model':
      return value === null ? null : String(value);
  }
}

function demandOperand(demand: Demand, value: Scalar, report: Report, path: Path): string {
  const wanted = demand === 'context_tokens' ? 'number' : 'boolean';
  if (typeof value !== wanted)
    report(path, 'type', wanted === 'number' ? 'Takes a number.' : 'Takes true or false.', value);
  return String(value);
}

function boundOf(subject: Subject, value: unknown, report: Report, path: Path): number {
  const isTime = subject.from === 'time_of_day';
  const bound = isTime ? minutesOf(value) : toNumber(value);
  if (!Number.isFinite(bound)) {
    report(path, 'type', isTime ? 'Takes a time of day as "HH:MM".' : 'Takes a number.', value);
  }
  return bound;
}

const compare = (
  { subject, operand, report, path }: OperatorInput,
  is: 'gt' | 'gte' | 'lt' | 'lte',
): CompiledQuery => test(subject, { is, bound: boundOf(subject, operand, report, path) });

function search({ subject, operand, report, path }: OperatorInput): CompiledQuery {
  const pattern = patternOf(subject, operand);
  if (typeof pattern !== 'string') return test(subject, { is: 'regex', pattern });
  report(path, 'regex', pattern, operand);
  return all([]);
}

function patternOf(subject: Subject, operand: unknown): Pattern | string {
  if (subject.from === 'time_of_day') return 'A time of day is compared, not searched.';
  return typeof operand === 'string' ? Pattern.compile(operand) : 'Takes a pattern as text.';
}

function exists({ subject, operand, report, path }: OperatorInput): CompiledQuery {
  if (typeof operand !== 'boolean') report(path, 'type', '$exists takes true or false.', operand);
  const present = test(subject, { is: 'exists' });
  return operand === false ? not(present) : present;
}
