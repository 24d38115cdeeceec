import { completeUsage, newLogRecord, type LogRecord } from '@gw/contracts';
import { uuidv7 } from '@gw/kernel';

/** Builds the record of an ordinary chat request with the current time and a new id. */
export function sampleLogRecord(changes: Partial<LogRecord> = {}): LogRecord {
  return newLogRecord({
    id: uuidv7(),
    createdAt: new Date().toISOString(),
    organisationId: '11111111-1111-4111-8111-111111111111',
    workspaceId: '22222222-2222-4222-8222-222222222222',
    apiKeyId: '33333333-3333-4333-8333-333333333333',
    traceId: 'trace-1',
    method: 'POST',
    url: '/v1/chat/completions',
    route: 'chat.completions',
    status: 200,
    outcome: 'ok',
    provider: 'openai',
    credential: 'openai-main',
    model: 'gpt-4o',
    responseModel: 'gpt-4o-2024-08-06',
    usage: completeUsage({ inputTokens: 100, outputTokens: 20 }),
    cost: 45_000,
    priced: 'priced',
    targetPath: 'config',
    metadata: { environment: 'test' },
    durationMs: 120.5,
    firstByteMs: 110.25,
    overheadMs: 1.5,
    requestBytes: 60,
    responseBytes: 300,
    requestContentType: 'application/json',
    responseContentType: 'application/json',
    gatewayId: 'gateway-1',
    decision: {
      config: { source: 'none', slug: null, versionId: null },
      strategy: ['single'],
      stages: { accept: 0.1 },
    },
    ...changes,
  });
}
