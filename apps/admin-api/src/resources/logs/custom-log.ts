import { completeUsage, newLogRecord, type LogRecord, type Usage } from '@gw/contracts';
import { uuidv7 } from '@gw/kernel';
import { redactMetadata, redactUrl } from '@gw/telemetry';
import type { CustomLogDto } from './custom-log.dto';

type Owner = Pick<LogRecord, 'organisationId' | 'workspaceId' | 'apiKeyId' | 'userId'>;

/** Metadata names that set columns of the record and are not stored as metadata. */
const SPECIAL = new Set(['trace_id', 'span_id', 'span_name', 'parent_span_id']);
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['user', '_user'],
  ['organization', '_organisation'],
]);

/**
 * Creates the record of a request that the gateway did not serve. It is not charged to a budget,
 * and its cost is unknown.
 */
export function customLogRecord(
  owner: Owner,
  { request, response, metadata = {} }: CustomLogDto,
  sizes: Sizes,
): LogRecord {
  const id = uuidv7();
  const status = response.status ?? 200;
  const usage = usageOf(response.body['usage']);
  const model = textOf(request.body['model']);
  return newLogRecord({
    id,
    createdAt: new Date().toISOString(),
    ...owner,
    traceId: metadata['trace_id'] ?? id,
    spanId: metadata['span_id'] ?? null,
    parentSpanId: metadata['parent_span_id'] ?? null,
    spanName: metadata['span_name'] ?? null,
    method: (request.method ?? 'POST').toUpperCase(),
    url: redactUrl(request.url),
    route: 'custom',
    status,
    outcome: status < 400 ? 'ok' : 'provider_error',
    provider: request.provider ?? null,
    model,
    responseModel: textOf(response.body['model']),
    usage,
    priced: usage === null ? 'no_usage' : 'unpriced',
    metadata: redactMetadata(ownMetadata(metadata)),
    durationMs: response.response_time ?? 0,
    requestBytes: sizes.request,
    responseBytes: sizes.response,
    requestContentType: 'application/json',
    responseContentType: 'application/json',
    requestBodyTruncated: sizes.requestCut,
    responseBodyTruncated: sizes.responseCut,
    gatewayId: 'api',
  });
}

/** Body sizes in bytes, and whether the bodies are truncated in the log. */
export interface Sizes {
  readonly request: number;
  readonly response: number;
  readonly requestCut: boolean;
  readonly responseCut: boolean;
}

const ownMetadata = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter(([name]) => !SPECIAL.has(name))
      .map(([name, value]) => [RENAMED.get(name) ?? name, value]),
  );

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 255) : null);

/** Reads token usage in either of the two common naming schemes. */
function usageOf(value: unknown): Usage | null {
  if (typeof value !== 'object' || value === null) return null;
  const counts = value as Readonly<Record<string, unknown>>;
  const input = counts['prompt_tokens'] ?? counts['input_tokens'];
  const output = counts['completion_tokens'] ?? counts['output_tokens'] ?? 0;
  if (!isCount(input) || !isCount(output)) return null;
  return completeUsage({ inputTokens: input, outputTokens: output });
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
