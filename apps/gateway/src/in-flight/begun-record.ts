import { newLogRecord, type DecisionRecord, type LogRecord } from '@gw/contracts';
import type { LostUse } from '../usage/lost-use';
import type { Upstream } from '../core/upstream';
import { requestedModel } from '../core/requested-model';
import { cacheUseOf } from '../cache/cache-use';
import type { RequestContext } from '../core/request-context';
import type { RequestMcp } from '../mcp/request-mcp';
import { writeBegunDecision } from '../record/decision';
import type { JsonWriter } from '../record/json-writer';
import { K } from '../record/keys';
import { receivedBytesOf, writeMcp, writeMetadata, writeRequest, writeUpstream } from '../record/log-record';

/** Error type of the record of a request whose gateway died. */
export const GATEWAY_LOST = 'gateway_lost';

/**
 * The short form of a record, written when a request calls its first provider, or a tool of an MCP
 * server; the other fields follow from it.
 */
type Begun = Omit<LogRecord, 'decision'> & {
  readonly begun: Pick<DecisionRecord, 'config' | 'strategy' | 'matchedCondition' | 'charges' | 'mcp'>;
};

/**
 * Writes a `Begun`. Every request waits for this before its provider is called, so it is a third of
 * a record and contains nothing that `recordOfLine` can add.
 */
export function writeBegun(
  w: JsonWriter,
  context: RequestContext,
  { provider, saved, model, target }: Upstream,
  { cost, charges }: LostUse,
  gatewayId: string,
): Buffer {
  const cache = cacheUseOf(context);
  w.begin();
  writeRequest(w, context);
  writeUpstream(w, provider, saved, model ?? requestedModel(context));
  w.text(K.targetPath, target.path);
  if (context.reply.streamed) w.boolean(K.streamed, true);
  if (cost !== null) w.number(K.cost, cost);
  if (cache !== null) w.text(K.cacheStatus, cache.status);
  writeMetadata(w, context);
  w.number(K.requestBytes, receivedBytesOf(context));
  w.text(K.gatewayId, gatewayId);
  writeBegunDecision(w, context, charges);
  return w.end();
}

/** Writes a `Begun` of a call of a tool. */
export function writeBegunCall(
  w: JsonWriter,
  context: RequestContext,
  mcp: RequestMcp,
  { cost, charges }: LostUse,
  gatewayId: string,
): Buffer {
  w.begin();
  writeRequest(w, context);
  w.text(K.integrationId, mcp.integrationId);
  writeMcp(w, mcp);
  if (cost !== null) w.number(K.cost, cost);
  writeMetadata(w, context);
  w.number(K.requestBytes, receivedBytesOf(context));
  w.text(K.requestContentType, context.req.headers['content-type'] ?? null);
  w.text(K.gatewayId, gatewayId);
  writeBegunDecision(w, context, charges);
  return w.end();
}

/**
 * Returns the record that a line of the in-flight log represents; null: the line is not a record.
 */
export function recordOfLine(line: string): LogRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { id, begun } = value as { readonly id?: unknown; readonly begun?: Partial<Begun['begun']> };
  if (typeof id !== 'string') return null;
  if (typeof begun !== 'object' || begun === null) return value as LogRecord;
  return begun.config === undefined ? null : completed(value as Begun);
}

/** Completes a record. When it was written, nothing had been received or measured. */
function completed({ begun, ...known }: Begun): LogRecord {
  const { targetPath, provider, credential, model } = known;
  const call = { target: targetPath ?? '', provider: provider ?? '', credential, model };
  const attempt = { ...call, retry: 0, status: null, reason: null, startedMs: 0, durationMs: 0 };
  return newLogRecord({
    ...known,
    outcome: 'interrupted',
    errorType: GATEWAY_LOST,
    priced: 'estimated',
    configId: begun.config.slug,
    configVersionId: begun.config.versionId,
    // A call of a tool has no attempt until it has ended.
    decision: {
      ...begun,
      attempts: begun.mcp === undefined ? [{ ...attempt, end: 'interrupted' }] : [],
      stages: {},
    },
  });
}
