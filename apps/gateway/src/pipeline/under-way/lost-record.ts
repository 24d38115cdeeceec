import type { AttemptRecord, ChargeLine, LogRecord } from '@gw/contracts';
import { redactMetadata, redactUrl } from '@gw/telemetry';
import type { LostUse, LostUses } from '../../limits/lost-use';
import type { Upstream } from '../answer';
import { cacheUseOf } from '../cache/cache-use';
import type { Exchange } from '../exchange';
import { overheadOf } from '../record/log-record';

/** Of the error type of a record whose gateway ended before the request did. */
export const GATEWAY_LOST = 'gateway_lost';

/**
 * The record of a request that ends because its gateway does, made while it is under way: cut off, charged as its estimate. Apart from what
 * writes other records: this is no part of the request path, and must not make it slower by showing it another shape of things.
 */
export function lostRecord(exchange: Exchange, uses: LostUses, gatewayId: string): string {
  const upstream = exchange.answer?.upstream ?? exchange.asked;
  const attempts = attemptsOf(exchange, upstream);
  const use = upstream === null ? null : uses.of(exchange, upstream, lineOf(attempts));
  const record: Partial<Omit<LogRecord, 'decision'>> & { decision: Partial<LogRecord['decision']> } = {
    ...askedOf(exchange),
    status: exchange.status,
    outcome: 'interrupted',
    errorType: GATEWAY_LOST,
    ...answererOf(exchange, upstream),
    ...costOf(use),
    ...measuresOf(exchange),
    gatewayId,
    decision: {
      config: exchange.configSource,
      strategy: exchange.strategy,
      matchedCondition: exchange.matchedCondition,
      attempts,
      ...(use !== null && use.charges.length > 0 && { charges: use.charges }),
      stages: {},
    },
  };
  return JSON.stringify(record);
}

function askedOf(exchange: Exchange): Partial<LogRecord> {
  const { configSource } = exchange;
  return {
    id: exchange.id,
    createdAt: new Date(exchange.startedWallMs).toISOString(),
    ...ownerOf(exchange),
    traceId: exchange.traceId,
    spanId: exchange.spanId,
    parentSpanId: exchange.parentSpanId,
    spanName: exchange.spanName,
    method: exchange.method,
    url: redactUrl(exchange.url),
    route: exchange.route.name,
    configId: configSource.slug,
    configVersionId: configSource.versionId,
    metadata: redactMetadata(exchange.metadata),
  };
}

function ownerOf({ principal, refusedKey }: Exchange): Partial<LogRecord> {
  if (principal === null) {
    const { organisationId = null, id = null } = refusedKey ?? {};
    return { organisationId, workspaceId: null, apiKeyId: id, userId: null };
  }
  const { organisation, workspace, key } = principal;
  return { organisationId: organisation.id, workspaceId: workspace.id, apiKeyId: key.id, userId: key.userId };
}

function answererOf(exchange: Exchange, upstream: Upstream | null): Partial<LogRecord> {
  const { streamed, scan } = exchange;
  const asked = scan === null ? null : scan.model;
  const common = { streamed, responseModel: null, cacheStatus: cacheUseOf(exchange)?.status ?? 'DISABLED' };
  if (upstream === null)
    return {
      ...common,
      provider: null,
      credential: null,
      integrationId: null,
      model: asked,
      targetPath: null,
    };
  const { provider, saved, model, target } = upstream;
  const { slug: credential = null, integrationId = null } = saved ?? {};
  return {
    ...common,
    provider: provider.id,
    credential,
    integrationId,
    model: model ?? asked,
    targetPath: target.path,
  };
}

const costOf = (use: LostUse | null): Partial<LogRecord> =>
  use === null ? { cost: null, priced: 'no_usage' } : { cost: use.cost, priced: 'estimated' };

function measuresOf(exchange: Exchange): Partial<LogRecord> {
  const { firstByteAt, startedAt, body, receivedBytes } = exchange;
  return {
    durationMs: Math.round(exchange.elapsedMs()),
    firstByteMs: firstByteAt === null ? null : Math.round(firstByteAt - startedAt),
    overheadMs: Math.round(overheadOf(exchange)),
    requestBytes: body.length + receivedBytes,
    responseBytes: exchange.responseBytes,
    requestContentType: exchange.req.headers['content-type'] ?? null,
    responseContentType: null,
  };
}

/** With the one that is under way. */
function attemptsOf(exchange: Exchange, upstream: Upstream | null): readonly AttemptRecord[] {
  const { answer, attempts } = exchange;
  if (answer !== null || upstream === null) return attempts;
  const last = attempts.at(-1);
  const startedMs = last === undefined ? 0 : last.startedMs + last.durationMs;
  const { target, provider, saved, model } = upstream;
  return [
    ...attempts,
    {
      target: target.path,
      provider: provider.id,
      credential: saved?.slug ?? null,
      model,
      retry: last?.target === target.path ? last.retry + 1 : 0,
      status: null,
      end: 'interrupted',
      reason: null,
      startedMs,
      durationMs: Math.max(0, exchange.elapsedMs() - startedMs),
    },
  ];
}

function lineOf(attempts: readonly AttemptRecord[]): ChargeLine {
  if (attempts.length < 2) return 'primary';
  return (attempts.at(-1)?.retry ?? 0) > 0 ? 'retry' : 'fallback';
}
