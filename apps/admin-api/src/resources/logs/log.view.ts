import { isSuccess } from '@gw/contracts';
import type { FeedbackEntity } from '@gw/entities';
import { UNITS_PER_CENT } from '@gw/kernel';
import {
  readableBody,
  type LogBodies,
  type StoredRequestLog,
  type StoredRequestLogDetail,
} from '@gw/log-store';
import type { LogResponse, LogDetailResponse, UsageResponse } from '../../platform/logs/log-responses.dto';
import { shownColumns } from '../../platform/logs/shown-columns';

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

export function logResponse(log: StoredRequestLog): LogResponse {
  return {
    ...shownColumns(log),
    object: 'log',
    id: log.id,
    created_at: log.created_at.toISOString(),
    is_success: isSuccess(log),
    fell_back: log.fell_back,
    hedged: log.hedged,
    ai_org: log.provider,
    ai_model: log.model,
    req_units: numberOf(log.input_tokens),
    res_units: numberOf(log.output_tokens),
    total_units: numberOf(log.total_tokens),
    cost: log.cost === null ? null : Number(log.cost) / UNITS_PER_CENT,
    cost_exact: log.cost,
    cost_currency: 'USD',
  };
}

export const logDetailResponse = (
  log: StoredRequestLogDetail,
  bodies: LogBodies,
  feedback: readonly FeedbackEntity[],
): LogDetailResponse => ({
  ...logResponse(log),
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

const usageOf = (log: StoredRequestLog): UsageResponse => ({
  input_tokens: numberOf(log.input_tokens),
  output_tokens: numberOf(log.output_tokens),
  total_tokens: numberOf(log.total_tokens),
  cache_read_tokens: numberOf(log.cache_read_tokens),
  cache_write_tokens: numberOf(log.cache_write_tokens),
  reasoning_tokens: numberOf(log.reasoning_tokens),
  input_audio_tokens: numberOf(log.input_audio_tokens),
  output_audio_tokens: numberOf(log.output_audio_tokens),
});
