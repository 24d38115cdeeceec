import { isSuccess } from '@gw/contracts';
import type { FeedbackEntity, LogBodies, StoredRequestLog, StoredRequestLogDetail } from '@gw/entities';
import { isUtf8 } from 'node:buffer';
import type { LogAnswer, LogDetailAnswer, LoggedBody, UsageAnswer } from './log-answers.dto';
import { UNITS_PER_CENT } from './log-filter';

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

export function logAnswer(log: StoredRequestLog): LogAnswer {
  return {
    object: 'log',
    id: log.id,
    created_at: log.created_at.toISOString(),
    organisation_id: log.organisation_id,
    workspace_id: log.workspace_id,
    api_key_id: log.api_key_id,
    user_id: log.user_id,
    trace_id: log.trace_id,
    span_id: log.span_id,
    parent_span_id: log.parent_span_id,
    span_name: log.span_name,
    request_method: log.method,
    request_url: log.url,
    route: log.route,
    response_status_code: log.status,
    is_success: isSuccess(log),
    outcome: log.outcome,
    error_type: log.error_type,
    ai_org: log.provider,
    provider: log.provider,
    credential: log.credential,
    integration_id: log.integration_id,
    ai_model: log.model,
    model: log.model,
    response_model: log.response_model,
    streamed: log.streamed,
    req_units: numberOf(log.input_tokens),
    res_units: numberOf(log.output_tokens),
    total_units: numberOf(log.total_tokens),
    cost: log.cost === null ? null : Number(log.cost) / UNITS_PER_CENT,
    cost_exact: log.cost,
    cost_currency: 'USD',
    priced: log.priced,
    config_id: log.config_id,
    config_version_id: log.config_version_id,
    target_path: log.target_path,
    retries: log.retries,
    cache_status: log.cache_status,
    metadata: log.metadata,
    response_time: log.duration_ms,
    first_byte_ms: log.first_byte_ms,
    overhead_ms: log.overhead_ms,
    request_bytes: Number(log.request_bytes),
    response_bytes: Number(log.response_bytes),
    gateway_id: log.gateway_id,
  };
}

export const logDetailAnswer = (
  log: StoredRequestLogDetail,
  bodies: LogBodies,
  feedback: readonly FeedbackEntity[],
): LogDetailAnswer => ({
  ...logAnswer(log),
  feedback: feedback.map(({ id, value, weight, metadata, source, createdAt }) => ({
    ...{ id, value, weight, metadata, source },
    created_at: createdAt.toISOString(),
  })),
  usage: log.total_tokens === null ? null : usageOf(log),
  decision: log.decision,
  request: {
    content_type: log.request_content_type,
    bytes: Number(log.request_bytes),
    truncated: log.request_body_truncated,
    ...readableBody(bodies.request),
  },
  response: {
    content_type: log.response_content_type,
    bytes: Number(log.response_bytes),
    truncated: log.response_body_truncated,
    ...readableBody(bodies.response),
  },
});

const usageOf = (log: StoredRequestLog): UsageAnswer => ({
  input_tokens: numberOf(log.input_tokens),
  output_tokens: numberOf(log.output_tokens),
  total_tokens: numberOf(log.total_tokens),
  cache_read_tokens: numberOf(log.cache_read_tokens),
  cache_write_tokens: numberOf(log.cache_write_tokens),
  reasoning_tokens: numberOf(log.reasoning_tokens),
  input_audio_tokens: numberOf(log.input_audio_tokens),
  output_audio_tokens: numberOf(log.output_audio_tokens),
});

function readableBody(bytes: Buffer | null): Pick<LoggedBody, 'encoding' | 'body'> {
  if (!bytes) return { encoding: null, body: null };
  if (!isUtf8(bytes)) return { encoding: 'base64', body: bytes.toString('base64') };
  const text = bytes.toString('utf8');
  try {
    return { encoding: 'json', body: JSON.parse(text) as unknown };
  } catch {
    return { encoding: 'utf8', body: text };
  }
}
