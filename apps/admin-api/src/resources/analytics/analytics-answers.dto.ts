import { Answer, type AnswerOptions } from '@gw/web';
import type { Type as Class } from '@nestjs/common';

type Fields = Readonly<Record<string, PropertyDecorator>>;

/** A class of the document, with these fields. */
function shape(name: string, fields: Fields): Class {
  class Shape {
    readonly [field: string]: unknown;
  }
  for (const [field, decorate] of Object.entries(fields)) decorate(Shape.prototype, field);
  Object.defineProperty(Shape, 'name', { value: name });
  return Shape;
}

const count = (options?: AnswerOptions): PropertyDecorator => Answer.integer({ example: 12, ...options });
const cents = (): PropertyDecorator => Answer.number({ description: 'US cents.', example: 1.25 });
const ms = (): PropertyDecorator => Answer.number({ description: 'Milliseconds.', example: 120.5 });
const percent = (): PropertyDecorator => Answer.number({ description: 'Percent.', example: 2.5 });
const mean = (): PropertyDecorator => Answer.number({ example: 1.5 });

function graph(name: string, summary: Fields, point: Fields, timed = true): Class {
  const Summary = shape(`${name}Summary`, summary);
  const Point = shape(`${name}Point`, {
    ...(timed ? { timestamp: Answer.time({ description: 'When the bucket begins.' }) } : {}),
    ...point,
  });
  return shape(`${name}Graph`, {
    object: Answer.kind('analytics-graph'),
    summary: Answer.one(() => Summary),
    data_points: Answer.list(() => Point),
  });
}

const BY_TYPE = { total: count(), llm: count(), mcp: count(), a2a: count() };
const LATENCIES = { avg: ms(), p50: ms(), p90: ms(), p99: ms() };
const Stack = shape('ErrorStack', { response_status_code: Answer.integer({ example: 429 }), count: count() });
const Retried = shape('RetriedRequests', { retry_success_count: count({ example: 1 }), count: count() });

export const GRAPH_ANSWERS = {
  requests: graph('Requests', BY_TYPE, BY_TYPE),
  cost: graph('Cost', { total: cents(), avg: cents() }, { total: cents(), avg: cents() }),
  latency: graph('Latency', LATENCIES, LATENCIES),
  tokens: graph('Tokens', { total: count(), avg: mean() }, { total: count(), avg: mean() }),
  users: graph('Users', { total: count() }, { total: count() }),
  userRequests: graph('UserRequests', { total: count(), unique: count(), avg: mean() }, { avg: mean() }),
  errors: graph('Errors', { total: count() }, { total: count() }),
  errorRate: graph('ErrorRate', { rate: percent() }, { rate: percent() }),
  errorStacks: graph('ErrorStacks', { total: count() }, { stats: Answer.list(() => Stack) }),
  statusCodes: graph(
    'StatusCodes',
    { total_errors: count(), unique_error_codes: count() },
    { status_code: Answer.integer({ example: 429 }), count: count() },
    false,
  ),
  rescued: graph(
    'RescuedRequests',
    { retry: count(), fallback: count() },
    { retry: Answer.list(() => Retried), fallback: count() },
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
      ai_model: Answer.text({ nullable: true, example: 'gpt-4o' }),
      total: count(),
      avg_weighted_feedback: mean(),
    },
    false,
  ),
} as const;

const summary = (name: string, fields: Fields): Class => {
  const Summary = shape(`${name}Fields`, fields);
  return shape(name, { object: Answer.kind('analytics-summary'), summary: Answer.one(() => Summary) });
};

export const CacheSummaryAnswer = summary('CacheSummary', {
  hits: count(),
  avg_latency: ms(),
  total_requests: count(),
  cache_speedup: percent(),
});
export const CountersAnswer = summary('RequestCounters', BY_TYPE);

const groups = (name: string, fields: Fields): Class => {
  const Row = shape(`${name}Group`, { object: Answer.kind('analytics-group'), ...fields });
  return shape(`${name}Groups`, {
    object: Answer.kind('list'),
    total: count({ optional: true, description: 'Of all pages.' }),
    data: Answer.list(() => Row),
  });
};

const MetadataValue = shape('MetadataValue', { value: Answer.text({ example: 'search' }) });
const optional = { optional: true, example: 1.5 } as const;

export const GROUP_ANSWERS = {
  users: groups('User', { user: Answer.text({ example: 'ann' }), requests: count(), cost: cents() }),
  models: groups('Model', {
    ai_model: Answer.text({ nullable: true, example: 'gpt-4o' }),
    requests: count(),
  }),
  metadata: groups('Metadata', {
    metadata_value: Answer.text({ example: 'search' }),
    requests: count(),
    cost: cents(),
    avg_tokens: mean(),
    avg_weighted_feedback: mean(),
    requests_with_feedback: count(),
    last_seen: Answer.time(),
  }),
  by: groups('Analytics', {
    group_key: Answer.text({ nullable: true, example: 'gpt-4o' }),
    requests: count({ optional: true }),
    cost: Answer.number(optional),
    total_tokens: count({ optional: true }),
    avg_tokens: Answer.number(optional),
    avg_input_tokens: Answer.number(optional),
    avg_output_tokens: Answer.number(optional),
    avg_latency: Answer.number(optional),
    p95_latency: Answer.number(optional),
    p99_latency: Answer.number(optional),
    success_rate: Answer.number(optional),
    error_count: count({ optional: true }),
    cache_hit_rate: Answer.number(optional),
    last_seen: Answer.time({ optional: true }),
    first_seen: Answer.time({ optional: true }),
  }),
  values: shape('MetadataValues', {
    object: Answer.kind('list'),
    total: count({ description: 'Of all pages.' }),
    data: Answer.list(() => MetadataValue),
  }),
} as const;
