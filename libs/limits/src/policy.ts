import { createHash } from 'node:crypto';
import type {
  PolicyCondition,
  RateLimitPolicyRule,
  UsageLimitPolicyRule,
  UsageLimitRule,
} from '@gw/contracts';
import { budgetBucket, rateBucket, type Bucket } from './bucket';
import { lifeOf } from './counter-store';
import { groupReader, METADATA, presentReader, type PolicySubject } from './policy-subject';
import type { LiveValues, PolicyValues } from './policy-values';
import { LRUCache } from 'lru-cache';

export interface CompiledPolicy {
  readonly id: string;
  readonly target: 'llm' | 'mcp_tools';
  /**
   * The input that determines whether the policy applies. `caller`: the caller alone, so the result
   * is the same for all its requests; `request`: the incoming request; `attempt`: the provider that
   * an attempt has chosen.
   */
  readonly known: 'caller' | 'request' | 'attempt';
  /**
   * Returns the counter for a subject; null when the policy does not apply. When callers have
   * invented too many values, further ones share the counter `others`.
   */
  bucketFor(subject: PolicySubject, nowMs?: number): Bucket | null;
}

/** Buckets that a policy caches by value key. */
const BUCKETS_MAX = 10_000;
/**
 * Options of the bucket caches, which evict the least recently used entry. The bound is a size
 * because `max` would allocate the memory of all entries in advance.
 */
const CACHE_OPTIONS = { maxSize: BUCKETS_MAX, sizeCalculation: () => 1 };
const VALUE_KEY_MAX = 256;

/** Group of all values beyond those counted separately. No group of values can have this name. */
const OTHERS = 'others';

/**
 * Compiles a usage limit policy. `values` is shared by all versions of the policy in this process.
 */
export const compileUsagePolicy = (
  organisationId: string,
  policy: UsageLimitPolicyRule,
  values: PolicyValues,
): CompiledPolicy =>
  compile({ ...policy, organisationId, target: 'llm' }, values, (group) =>
    budgetBucket({ tenant: organisationId, scope: 'policy', id: policy.id, group }, limitOf(policy, group)),
  );

const limitOf = ({ limit, resets }: UsageLimitPolicyRule, group: string): UsageLimitRule =>
  withReset(limit, resets && Object.hasOwn(resets, group) ? resets[group] : undefined);

/** Applies the reset of a single value (ISO 8601) to a rule; a later reset of all values wins. */
export function withReset(rule: UsageLimitRule, resetAt: string | undefined): UsageLimitRule {
  if (resetAt === undefined) return rule;
  const last = rule.lastResetAt ? Date.parse(rule.lastResetAt) : -Infinity;
  return Date.parse(resetAt) > last ? { ...rule, lastResetAt: resetAt } : rule;
}

export const compileRatePolicy = (
  organisationId: string,
  policy: RateLimitPolicyRule,
  values: PolicyValues,
): CompiledPolicy =>
  compile({ ...policy, organisationId }, values, (group) =>
    rateBucket({ tenant: organisationId, scope: 'policy', id: policy.id, group }, policy.limit),
  );

/** Returns the buckets of all policies that apply. */
export function policyBuckets(
  policies: readonly CompiledPolicy[],
  target: CompiledPolicy['target'],
  subject: PolicySubject,
): Bucket[] {
  const buckets: Bucket[] = [];
  for (const policy of policies) {
    const bucket = policy.target === target ? policy.bucketFor(subject) : null;
    if (bucket) buckets.push(bucket);
  }
  return buckets;
}

interface PolicyParts {
  readonly id: string;
  readonly organisationId: string;
  readonly target: CompiledPolicy['target'];
  readonly conditions: readonly PolicyCondition[];
  readonly groupBy: readonly string[];
}

function compile(
  { id, organisationId, target, conditions, groupBy }: PolicyParts,
  values: PolicyValues,
  make: (group: string) => Bucket,
): CompiledPolicy {
  const tests = conditions.map(compileCondition);
  const groups = groupBy.map((key) => ({ key, read: groupReader(key) }));
  const bucketOf = groupBy.some(isInvented)
    ? boundedBuckets(values, values.of(organisationId, id, lifeOf(make(OTHERS).window)), make)
    : cachedBuckets(make);
  return {
    id,
    target,
    known: knownWhen([...conditions.map(({ key }) => key), ...groupBy]),
    bucketFor(subject, nowMs) {
      for (const test of tests) if (!test(subject)) return null;
      const group = valueKeyOf(groups, subject);
      return group === null ? null : bucketOf(group, nowMs);
    },
  };
}

type BucketOf = (group: string, nowMs?: number) => Bucket;

function cachedBuckets(make: (group: string) => Bucket): BucketOf {
  const buckets = new LRUCache<string, Bucket>(CACHE_OPTIONS);
  return (group) => {
    const known = buckets.get(group);
    if (known) return known;
    const bucket = make(group);
    buckets.set(group, bucket);
    return bucket;
  };
}

/**
 * Caches buckets like `cachedBuckets` and bounds their number. A value seen in this generation
 * costs two extra comparisons.
 */
function boundedBuckets(values: PolicyValues, live: LiveValues, make: (group: string) => Bucket): BucketOf {
  const bucketOf = cachedBuckets(make);
  const others = make(OTHERS);
  const seen = new LRUCache<string, number>(CACHE_OPTIONS);
  return (group, nowMs = Date.now()) => {
    live.advance(nowMs);
    if (seen.get(group) === live.generation) return bucketOf(group);
    if (!live.admits(group)) {
      values.overflowRequests += 1;
      return others;
    }
    seen.set(group, live.generation);
    return bucketOf(group);
  };
}

/**
 * Whether the values of a key come from requests as callers write them; all other values name saved
 * objects.
 */
const isInvented = (key: string): boolean => key.startsWith(METADATA) || key === 'model';

const OF_CALLER: readonly string[] = ['api_key', 'workspace_id', 'organisation_id'];
const OF_ATTEMPT: readonly string[] = ['virtual_key', 'provider', 'model'];

function knownWhen(keys: readonly string[]): CompiledPolicy['known'] {
  if (keys.some((key) => OF_ATTEMPT.includes(key))) return 'attempt';
  return keys.every((key) => OF_CALLER.includes(key)) ? 'caller' : 'request';
}

/**
 * Joins `key:value` parts with `-`; returns `default` without groups, and null when the subject
 * lacks a part. Colons in values are escaped, so that no value can imitate the next part and reach
 * another caller's counter.
 */
function valueKeyOf(
  groups: readonly { readonly key: string; readonly read: (subject: PolicySubject) => string | null }[],
  subject: PolicySubject,
): string | null {
  if (groups.length === 0) return 'default';
  let text = '';
  for (const { key, read } of groups) {
    const value = read(subject);
    if (value === null) return null;
    text += `${text === '' ? '' : '-'}${key}:${escaped(value)}`;
  }
  return text.length <= VALUE_KEY_MAX ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

const escaped = (value: string): string =>
  value.includes(':') || value.includes('%') ? value.replaceAll('%', '%25').replaceAll(':', '%3A') : value;

function compileCondition({ key, value, excludes }: PolicyCondition): (subject: PolicySubject) => boolean {
  const read = presentReader(key);
  const matches = matcher(key, listOf(value));
  const excluded = matcher(key, listOf(excludes));
  const needsValue = value !== undefined;
  return (subject) => {
    const present = read(subject);
    if (present.length === 0 || present.some(excluded)) return false;
    if (!needsValue || present.some(matches)) return true;
    return key === 'mcp_tool' && subject.mcpShownTool != null && matches(subject.mcpShownTool);
  };
}

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** Matches exact values; a model pattern may end in `/*` to match everything below it. */
function matcher(key: string, patterns: readonly string[]): (value: string) => boolean {
  if (patterns.includes('*')) return () => true;
  const exact = new Set(patterns);
  const prefixes =
    key === 'model' ? patterns.filter((each) => each.endsWith('/*')).map((each) => each.slice(0, -1)) : [];
  return (value) => exact.has(value) || prefixes.some((prefix) => value.startsWith(prefix));
}
