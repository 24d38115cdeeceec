import {
  toNumber,
  WEEKDAYS,
  type CompiledQuery,
  type Demand,
  type Scalar,
  type Subject,
  type SubjectTest,
} from '@gw/config-schema';
import { MINUTE_MS } from '@gw/kernel';
import { demandsOf, type Demands } from './demands';
import type { RequestFacts } from './types';

/**
 * Returns whether a request satisfies a query at a time in Unix milliseconds. `CompiledQuery`
 * describes the language.
 */
export function matches(query: CompiledQuery, facts: RequestFacts, nowMs: number): boolean {
  switch (query.op) {
    case 'all':
      return query.of.every((part) => matches(part, facts, nowMs));
    case 'any':
      return query.of.some((part) => matches(part, facts, nowMs));
    case 'not':
      return !matches(query.of, facts, nowMs);
    case 'test':
      return holds(query.test, read(query.subject, facts, nowMs));
  }
}

function holds(test: SubjectTest, value: unknown): boolean {
  if (value === undefined) return false;
  switch (test.is) {
    case 'exists':
      return true;
    case 'in':
      return test.values.includes(value as Scalar);
    case 'regex':
      return (typeof value === 'string' || typeof value === 'number') && test.pattern.test(String(value));
    case 'gt':
      return toNumber(value) > test.bound;
    case 'gte':
      return toNumber(value) >= test.bound;
    case 'lt':
      return toNumber(value) < test.bound;
    case 'lte':
      return toNumber(value) <= test.bound;
  }
}

/** Reads a subject from a request; returns undefined when the request has no such value. */
export function read(subject: Subject, facts: RequestFacts, nowMs: number): unknown {
  switch (subject.from) {
    case 'metadata':
      return Object.hasOwn(facts.metadata, subject.key) ? facts.metadata[subject.key] : undefined;
    case 'params':
      return readMember(facts.params(), subject.members);
    case 'headers':
      return facts.header(subject.name);
    case 'pathname':
      return facts.pathname;
    case 'model':
      return facts.model() ?? undefined;
    case 'demand':
      return String(demanded(subject.demand, demandsOf(facts.params())));
    case 'time_of_day':
      return Math.floor(nowMs / MINUTE_MS) % MINUTES_OF_DAY;
    case 'weekday':
      return WEEKDAYS[new Date(nowMs).getUTCDay()];
  }
}

function demanded(demand: Demand, demands: Demands): number | boolean {
  switch (demand) {
    case 'context_tokens':
      return demands.tokens;
    case 'has.image':
      return demands.image;
    case 'has.audio':
      return demands.audio;
    case 'has.document':
      return demands.document;
    case 'has.tools':
      return demands.tools;
    case 'needs.json_schema':
      return demands.jsonSchema;
  }
}

const MINUTES_OF_DAY = 1440;
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

function readMember(root: unknown, members: readonly string[]): unknown {
  let value = root;
  for (const member of members) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    // Only items of a list are data; `length` is not.
    if (Array.isArray(value) && !INDEX.test(member)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
}
