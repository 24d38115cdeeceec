import type { ResponseOf } from '../../../api';
import type { LogRow } from '../../../live';
import type { LogDetail } from '../detail/record';

/** Id of the API key of all these logs. */
export const KEY = '0198f3a1-0000-7000-8000-0000000000a1';
const WORKSPACE = '0198f3a1-0000-7000-8000-000000000001';
const ORGANISATION = '0198f3a1-0000-7000-8000-000000000003';

/** A chat request to the sandbox that succeeded at the first attempt. */
export const PLAIN_ROW: LogRow = {
  object: 'log',
  id: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a80',
  created_at: '2026-11-28T14:02:10.120Z',
  organisation_id: ORGANISATION,
  workspace_id: WORKSPACE,
  api_key_id: KEY,
  user_id: null,
  trace_id: 'trace-plain',
  span_id: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a80',
  parent_span_id: null,
  span_name: null,
  request_method: 'POST',
  request_url: '/v1/chat/completions',
  route: 'chat.completions',
  mcp_server: null,
  mcp_method: null,
  mcp_capability: null,
  response_status_code: 200,
  outcome: 'ok',
  error_type: null,
  provider: 'sandbox',
  credential: null,
  integration_id: null,
  model: 'sandbox-small',
  response_model: 'sandbox-small',
  streamed: false,
  priced: 'priced',
  config_id: null,
  config_version_id: null,
  target_path: 'config',
  retries: 0,
  cache_status: 'DISABLED',
  metadata: {},
  response_time: 12.5,
  first_byte_ms: 11.2,
  overhead_ms: 2.25,
  request_bytes: 92,
  response_bytes: 310,
  gateway_id: 'gateway-1',
  is_success: true,
  fell_back: false,
  hedged: false,
  ai_org: 'sandbox',
  ai_model: 'sandbox-small',
  req_units: 10,
  res_units: 4,
  total_units: 14,
  cost: 0.00018,
  cost_exact: '180',
  cost_currency: 'USD',
};

/** A chat request with a config whose first target failed twice with 503. */
export const FALLBACK_ROW: LogRow = {
  ...PLAIN_ROW,
  id: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  created_at: '2026-11-28T14:02:11.482Z',
  trace_id: 'trace-fallback',
  target_path: 'config.targets[1]',
  fell_back: true,
  metadata: { team: 'search' },
  response_time: 512.4,
  first_byte_ms: 498,
};

const attempt = (target: number, change: object) => ({
  target: `config.targets[${target}]`,
  provider: 'sandbox',
  credential: null,
  model: 'sandbox-small',
  reason: null,
  ...change,
});

/** The detail of `FALLBACK_ROW`, read without its bodies. */
export const FALLBACK_LOG: LogDetail = {
  ...FALLBACK_ROW,
  usage: {
    input_tokens: 10,
    output_tokens: 4,
    total_tokens: 14,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    input_audio_tokens: 0,
    output_audio_tokens: 0,
  },
  feedback: [],
  request: { content_type: 'application/json', bytes: 92, truncated: false, encoding: null, body: null },
  response: { content_type: 'application/json', bytes: 310, truncated: false, encoding: null, body: null },
  decision: {
    config: { source: 'header', slug: null, versionId: null },
    strategy: ['config: fallback -> targets[0]', 'config: fallback -> targets[1]'],
    matchedCondition: null,
    attempts: [
      attempt(0, { retry: 0, status: 503, end: 'status', startedMs: 1.8, durationMs: 21 }),
      attempt(0, { retry: 1, status: 503, end: 'status', startedMs: 430, durationMs: 21, waitedMs: 407 }),
      attempt(1, { retry: 0, status: 200, end: 'answered', startedMs: 452, durationMs: 5 }),
    ],
    limits: [
      {
        scope: 'api_key',
        id: KEY,
        type: 'cost',
        limit: 300_000_000,
        used: 125_000_000,
        resetAt: null,
        verdict: 'admitted',
      },
    ],
    guardrails: [],
    cache: { status: 'DISABLED', key: null },
    price: {
      source: 'integration',
      model: 'sandbox-small',
      lines: [
        { unit: 'input', quantity: 10, pricePerMillion: 10_000_000, cost: 100 },
        { unit: 'output', quantity: 4, pricePerMillion: 20_000_000, cost: 80 },
      ],
    },
    stages: { accept: 0.2, authenticate: 0.1, resolve: 0.9, attempt: 505, settle: 0.8 },
  },
};

export const pageOf = (data: readonly LogRow[], next: string | null = null): ResponseOf<'logs_list'> => ({
  object: 'list',
  data: [...data],
  has_more: next !== null,
  next_cursor: next,
});
