import { createHash } from 'node:crypto';
import type {
  PolicyCondition,
  RateLimitPolicyRule,
  UsageLimitPolicyRule,
  UsageLimitRule,
} from '@gw/contracts';
import { budgetBucket, rateBucket, type Bucket } from './bucket';
import { lifeOf } from './counter-store';
import type { LiveValues, PolicyValues } from './policy-values';

/** What the conditions and groups of policies look at. Null and absent: the request has no such thing. */
export interface PolicySubject {
  /** Id; null for a caller without one. */
  readonly apiKey: string | null;
  readonly workspaceId: string;
  readonly organisationId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Conditions name the slug, groups the id. */
  readonly virtualKey?: { readonly slug: string; readonly id: string } | null;
  /** Provider id, such as `openai`. */
  readonly provider?: string | null;
  readonly config?: { readonly slug: string; readonly id: string } | null;
  readonly prompt?: { readonly slug: string; readonly id: string } | null;
  /** As the request names it. */
  readonly model?: string | null;
  /** Slug of the saved provider, else the provider's id: the part before the model in `@provider/model`. */
  readonly modelProvider?: string | null;
  /** Of a passthrough request also that of the route whose path it has. */
  readonly endpointTypes?: readonly string[];
  readonly mcpServer?: string | null;
  readonly mcpTool?: string | null;
}

export interface CompiledPolicy {
  readonly id: string;
  readonly target: 'llm' | 'mcp_tools';
  /**
   * When it is known whether it applies: `caller`, from who calls alone, so once for all of its requests; `request`, from the request as
   * it came; `attempt`, only once a provider is picked.
   */
  readonly known: 'caller' | 'request' | 'attempt';
  /**
   * The counter of a subject; null: the policy does not apply to it. Where callers have invented too many values, further ones
   * share the counter `others`.
   */
  bucketFor(subject: PolicySubject, nowMs?: number): Bucket | null;
}

/** Buckets that a policy remembers by value key; at the cap all are made anew. */
const BUCKETS_MAX = 10_000;
const VALUE_KEY_MAX = 256;

/** The group of all values beyond those that are counted apart. No group of values is named so. */
const OTHERS = 'others';

/** `values`: shared by all versions of the policy in this process. */
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

/** The rule of one value that was reset by itself at a time, ISO 8601; a later reset of all values wins. */
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

/** The buckets of all policies that apply. */
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
    : keptBuckets(make);
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

function keptBuckets(make: (group: string) => Bucket): BucketOf {
  const buckets = new Map<string, Bucket>();
  return (group) => {
    const known = buckets.get(group);
    if (known) return known;
    if (buckets.size >= BUCKETS_MAX) buckets.clear();
    const bucket = make(group);
    buckets.set(group, bucket);
    return bucket;
  };
}

/** A value that was seen in this generation of live values costs two comparisons more. */
function boundedBuckets(values: PolicyValues, live: LiveValues, make: (group: string) => Bucket): BucketOf {
  const bucketOf = keptBuckets(make);
  const others = make(OTHERS);
  const seen = new Map<string, number>();
  return (group, nowMs = Date.now()) => {
    live.turn(nowMs);
    if (seen.get(group) === live.generation) return bucketOf(group);
    if (!live.admits(group)) {
      values.shared += 1;
      return others;
    }
    if (seen.size >= BUCKETS_MAX) seen.clear();
    seen.set(group, live.generation);
    return bucketOf(group);
  };
}

/** Values of these come from requests as callers write them; all others name what was made here. */
const isInvented = (key: string): boolean => key.startsWith(METADATA) || key === 'model';

const OF_CALLER: readonly string[] = ['api_key', 'workspace_id', 'organisation_id'];
const OF_ATTEMPT: readonly string[] = ['virtual_key', 'provider', 'model'];

function knownWhen(keys: readonly string[]): CompiledPolicy['known'] {
  if (keys.some((key) => OF_ATTEMPT.includes(key))) return 'attempt';
  return keys.every((key) => OF_CALLER.includes(key)) ? 'caller' : 'request';
}

/**
 * `key:value` parts joined by `-`; `default` without groups; null when the subject lacks a part. Colons in values are escaped, so that no
 * value can look like the next part and reach another caller's counter.
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
    return !needsValue || present.some(matches);
  };
}

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** A model pattern may end in `/*`: everything below it. */
function matcher(key: string, patterns: readonly string[]): (value: string) => boolean {
  if (patterns.includes('*')) return () => true;
  const exact = new Set(patterns);
  const prefixes =
    key === 'model' ? patterns.filter((each) => each.endsWith('/*')).map((each) => each.slice(0, -1)) : [];
  return (value) => exact.has(value) || prefixes.some((prefix) => value.startsWith(prefix));
}

type Reader = (subject: PolicySubject) => string | null;

const SHARED: Readonly<Record<string, Reader>> = {
  api_key: ({ apiKey }) => apiKey,
  workspace_id: ({ workspaceId }) => workspaceId,
  organisation_id: ({ organisationId }) => organisationId,
  provider: ({ provider }) => provider ?? null,
  mcp_server: ({ mcpServer }) => mcpServer ?? null,
  mcp_tool: ({ mcpTool }) => mcpTool ?? null,
};

const IN_CONDITIONS: Readonly<Record<string, Reader>> = {
  ...SHARED,
  virtual_key: ({ virtualKey }) => virtualKey?.slug ?? null,
  config: ({ config }) => config?.slug ?? null,
  prompt: ({ prompt }) => prompt?.slug ?? null,
  model: ({ model, modelProvider }) => (model && modelProvider ? `@${modelProvider}/${model}` : null),
};

const IN_GROUPS: Readonly<Record<string, Reader>> = {
  ...SHARED,
  virtual_key: ({ virtualKey }) => virtualKey?.id ?? null,
  config: ({ config }) => config?.id ?? null,
  prompt: ({ prompt }) => prompt?.id ?? null,
  model: ({ model, modelProvider }) => (model && modelProvider ? `${modelProvider}.${model}` : null),
};

const METADATA = 'metadata.';

/** A key that is not known matches nothing: such a policy is refused when it is saved. */
function readerOf(readers: Readonly<Record<string, Reader>>, key: string): Reader {
  if (!key.startsWith(METADATA))
    return (Object.hasOwn(readers, key) ? readers[key] : undefined) ?? (() => null);
  const name = key.slice(METADATA.length);
  return ({ metadata }) => (Object.hasOwn(metadata, name) ? (metadata[name] ?? null) : null);
}

/** The values that a subject has of what a condition names. */
function presentReader(key: string): (subject: PolicySubject) => readonly string[] {
  if (key === 'endpoint_type') return ({ endpointTypes }) => endpointTypes ?? [];
  const read = readerOf(IN_CONDITIONS, key);
  return (subject) => {
    const value = read(subject);
    return value === null ? [] : [value];
  };
}

const groupReader = (key: string): Reader => readerOf(IN_GROUPS, key);
