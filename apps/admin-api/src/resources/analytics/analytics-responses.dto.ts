import { ResponseField, type ResponseFieldOptions } from '@gw/web';
import type { Type as Class } from '@nestjs/common';

type Fields = Readonly<Record<string, PropertyDecorator>>;

/** Creates a class with these fields for the OpenAPI document. */
function shape(name: string, fields: Fields): Class {
  class Shape {
    readonly [field: string]: unknown;
  }
  for (const [field, decorate] of Object.entries(fields)) decorate(Shape.prototype, field);
  Object.defineProperty(Shape, 'name', { value: name });
  return Shape;
}

const count = (options?: ResponseFieldOptions): PropertyDecorator =>
  ResponseField.integer({ example: 12, ...options });
const cents = (): PropertyDecorator => ResponseField.number({ description: 'US cents.', example: 1.25 });
const ms = (): PropertyDecorator => ResponseField.number({ description: 'Milliseconds.', example: 120.5 });
const percent = (): PropertyDecorator => ResponseField.number({ description: 'Percent.', example: 2.5 });
const mean = (): PropertyDecorator => ResponseField.number({ example: 1.5 });

function graph(name: string, summary: Fields, point: Fields, timed = true): Class {
  const Summary = shape(`${name}Summary`, summary);
  const Point = shape(`${name}Point`, {
    ...(timed ? { timestamp: ResponseField.time({ description: 'Start of the bucket.' }) } : {}),
    ...point,
  });
  return shape(`${name}Graph`, {
    object: ResponseField.kind('analytics-graph'),
    summary: ResponseField.one(() => Summary),
    data_points: ResponseField.list(() => Point),
  });
}

const BY_TYPE = { total: count(), llm: count(), mcp: count(), a2a: count() };
const LATENCIES = { avg: ms(), p50: ms(), p90: ms(), p99: ms() };
const Stack = shape('ErrorStack', {
  response_status_code: ResponseField.integer({ example: 429 }),
  count: count(),
});
const Retried = shape('RetriedRequests', { retry_success_count: count({ example: 1 }), count: count() });

export const GRAPH_RESPONSES = {
  requests: graph('Requests', BY_TYPE, BY_TYPE),
  cost: graph('Cost', { total: cents(), avg: cents() }, { total: cents(), avg: cents() }),
  latency: graph('Latency', LATENCIES, LATENCIES),
  tokens: graph('Tokens', { total: count(), avg: mean() }, { total: count(), avg: mean() }),
  users: graph('Users', { total: count() }, { total: count() }),
  userRequests: graph('UserRequests', { total: count(), unique: count(), avg: mean() }, { avg: mean() }),
  errors: graph('Errors', { total: count() }, { total: count() }),
  errorRate: graph('ErrorRate', { rate: percent() }, { rate: percent() }),
  errorStacks: graph('ErrorStacks', { total: count() }, { stats: ResponseField.list(() => Stack) }),
  statusCodes: graph(
    'StatusCodes',
    { total_errors: count(), unique_error_codes: count() },
    { status_code: ResponseField.integer({ example: 429 }), count: count() },
    false,
  ),
  rescued: graph(
    'RescuedRequests',
    { retry: count(), fallback: count() },
    { retry: ResponseField.list(() => Retried), fallback: count() },
  ),
  hitRate: graph(
    'CacheHitRate',
    { total: count(), rate: percent() },
    {
      simple_hits: count(),
      semantic_hits: count(),
      rate: percent(),
      cumulative_simple_cache_savings: cents(),
      cumulative_semantic_cache_savings: cents(),
    },
  ),
  cacheLatency: graph('CacheLatency', {}, { avg: ms() }),
  feedbacks: graph('Feedbacks', { total: count() }, { total: count() }),
  scores: graph('FeedbackScores', { total: count() }, { score: mean(), total: count() }, false),
  weighted: graph('WeightedFeedback', { avg: mean() }, { avg: mean() }),
  feedbackModels: graph(
    'FeedbackModels',
    {},
    {
      ai_model: ResponseField.text({ nullable: true, example: 'gpt-4o' }),
      total: count(),
      avg_weighted_feedback: mean(),
    },
    false,
  ),
} as const;

const summary = (name: string, fields: Fields): Class => {
  const Summary = shape(`${name}Fields`, fields);
  return shape(name, {
    object: ResponseField.kind('analytics-summary'),
    summary: ResponseField.one(() => Summary),
  });
};

export const CacheSummaryResponse = summary('CacheSummary', {
  hits: count(),
  avg_latency: ms(),
  total_requests: count(),
  cache_speedup: percent(),
});
export const CountersResponse = summary('RequestCounters', BY_TYPE);

const groups = (name: string, fields: Fields): Class => {
  const Row = shape(`${name}Group`, { object: ResponseField.kind('analytics-group'), ...fields });
  return shape(`${name}Groups`, {
    object: ResponseField.kind('list'),
    total: count({ optional: true, description: 'Number of groups on all pages.' }),
    data: ResponseField.list(() => Row),
  });
};

const MetadataValue = shape('MetadataValue', { value: ResponseField.text({ example: 'search' }) });
const optional = { optional: true, example: 1.5 } as const;

export const GROUP_RESPONSES = {
  users: groups('User', { user: ResponseField.text({ example: 'ann' }), requests: count(), cost: cents() }),
  models: groups('Model', {
    ai_model: ResponseField.text({ nullable: true, example: 'gpt-4o' }),
    requests: count(),
  }),
  metadata: groups('Metadata', {
    metadata_value: ResponseField.text({ example: 'search' }),
    requests: count(),
    cost: cents(),
    avg_tokens: mean(),
    avg_weighted_feedback: mean(),
    requests_with_feedback: count(),
    last_seen: ResponseField.time(),
  }),
  by: groups('Analytics', {
    group_key: ResponseField.text({ nullable: true, example: 'gpt-4o' }),
    requests: count({ optional: true }),
    cost: ResponseField.number(optional),
    total_tokens: count({ optional: true }),
    avg_tokens: ResponseField.number(optional),
    avg_input_tokens: ResponseField.number(optional),
    avg_output_tokens: ResponseField.number(optional),
    avg_latency: ResponseField.number(optional),
    p95_latency: ResponseField.number(optional),
    p99_latency: ResponseField.number(optional),
    success_rate: ResponseField.number(optional),
    error_count: count({ optional: true }),
    cache_hit_rate: ResponseField.number(optional),
    last_seen: ResponseField.time({ optional: true }),
    first_seen: ResponseField.time({ optional: true }),
  }),
  values: shape('MetadataValues', {
    object: ResponseField.kind('list'),
    total: count({ description: 'Number of values on all pages.' }),
    data: ResponseField.list(() => MetadataValue),
  }),
} as const;
