import type { DecisionRecord, LogRecord, PriceLine, Usage } from '@gw/contracts';
import type { RateCounters } from '@gw/limits';
import { redactMetadata, redactUrl, type Journal } from '@gw/telemetry';
import { valueOf } from '../http/header-rules';
import type { Upstream } from './answer';
import type { Exchange } from './exchange';

/** Usage to money; null: the price is not known. */
export interface Pricer {
  price(upstream: Upstream, model: string, usage: Usage, at: Date): Priced | null;
}

export interface Priced {
  readonly source: string;
  readonly lines: readonly PriceLine[];
  /** 1e-8 USD. */
  readonly total: number;
}

export interface SettlementOptions {
  readonly gatewayId: string;
  /** Bytes of each body that the log keeps. */
  readonly bodyMaxBytes: number;
}

/** The last stage: what was used, what it cost, one log record. Runs once for every request, whatever became of it. */
export class Settlement {
  constructor(
    private readonly journal: Journal,
    private readonly counters: RateCounters,
    private readonly pricer: Pricer,
    private readonly options: SettlementOptions,
  ) {}

  readonly settle = (exchange: Exchange, onDurable: () => void): void => {
    if (exchange.settled) {
      onDurable();
      return;
    }
    exchange.settled = true;
    const startedAt = performance.now();
    exchange.usage = exchange.meter?.usage() ?? null;
    this.charge(exchange);
    exchange.stageMs['settle'] = rounded(performance.now() - startedAt);
    const { reply, principal, gw } = exchange;
    const keep = principal !== null && principal.logBodies && gw.logBodies;
    const request = keep ? clipped([exchange.body], this.options.bodyMaxBytes) : NOTHING;
    const response = keep && reply ? clipped(reply.kept, this.options.bodyMaxBytes) : NOTHING;
    const record = this.recordOf(
      exchange,
      request.truncated || exchange.bodyStream !== null,
      response.truncated,
    );
    this.journal.append(JSON.stringify(record), request.pieces, response.pieces, onDurable);
  };

  private charge(exchange: Exchange): void {
    const { usage, answer } = exchange;
    if (usage === null || answer === null) return;
    const { upstream } = answer;
    const model = exchange.meter?.model() ?? upstream.model;
    const tokens = usage.inputTokens + usage.outputTokens;
    if (exchange.buckets.length > 0) this.counters.addTokens(exchange.buckets, tokens, Date.now());
    if (model === null) return;
    const at = new Date(exchange.startedWallMs);
    // The model that was asked for carries an alias's custom price; the one that answered is the catalogue's.
    const priced =
      (upstream.model === null ? null : this.pricer.price(upstream, upstream.model, usage, at)) ??
      this.pricer.price(upstream, model, usage, at);
    exchange.price = priced && { source: priced.source, model, lines: priced.lines };
    exchange.cost = priced?.total ?? null;
  }

  private recordOf(exchange: Exchange, requestTruncated: boolean, responseTruncated: boolean): LogRecord {
    const { answer, principal, req, usage, failure } = exchange;
    const upstream = answer?.upstream ?? null;
    const last = exchange.attempts.at(-1);
    const durationMs = exchange.elapsedMs();
    return {
      id: exchange.id,
      createdAt: new Date(exchange.startedWallMs).toISOString(),
      organisationId: principal?.organisation.id ?? null,
      workspaceId: principal?.workspace.id ?? null,
      apiKeyId: principal?.key.id ?? null,
      userId: principal?.key.userId ?? null,
      traceId: exchange.traceId,
      spanId: exchange.spanId,
      parentSpanId: exchange.parentSpanId,
      spanName: exchange.spanName,
      method: exchange.method,
      url: exchange.query === '' ? exchange.url : redactUrl(exchange.url),
      route: exchange.route.name,
      status: exchange.status,
      outcome: exchange.outcome,
      errorType: failure?.type ?? null,
      provider: upstream?.provider.id ?? last?.provider ?? null,
      credential: upstream?.saved?.slug ?? last?.credential ?? null,
      integrationId: upstream?.saved?.integrationId ?? null,
      model: upstream?.model ?? exchange.scan?.model ?? null,
      responseModel: exchange.meter?.model() ?? null,
      streamed: exchange.streamed,
      usage,
      cost: exchange.cost,
      priced: usage === null ? 'no_usage' : exchange.cost === null ? 'unpriced' : 'priced',
      configId: exchange.configSource.slug,
      configVersionId: exchange.configSource.versionId,
      targetPath: last?.target ?? null,
      retries: last?.retry ?? 0,
      cacheStatus: 'DISABLED',
      metadata: redactMetadata(exchange.metadata),
      durationMs: rounded(durationMs),
      firstByteMs: exchange.firstByteAt === null ? null : rounded(exchange.firstByteAt - exchange.startedAt),
      overheadMs: rounded(overheadOf(exchange)),
      requestBytes: exchange.body.length,
      responseBytes: exchange.responseBytes,
      requestContentType: req.headers['content-type'] ?? null,
      responseContentType: answer ? (valueOf(answer.headers, 'content-type') ?? null) : null,
      requestBodyTruncated: requestTruncated,
      responseBodyTruncated: responseTruncated,
      gatewayId: this.options.gatewayId,
      decision: decisionOf(exchange),
    };
  }
}

/** What the stages took without their waiting: the request's body and the provider are not ours. */
function overheadOf({ stageMs, waitedMs }: Exchange): number {
  let sum = 0;
  for (const name in stageMs) if (name !== 'accept' && name !== 'reply') sum += stageMs[name] as number;
  return Math.max(0, sum - waitedMs);
}

const decisionOf = (exchange: Exchange): DecisionRecord => ({
  config: exchange.configSource,
  strategy: exchange.strategy,
  matchedCondition: exchange.matchedCondition,
  attempts: exchange.attempts,
  limits: exchange.limits,
  guardrails: [],
  cache: { status: 'DISABLED', key: null },
  price: exchange.price,
  stages: exchange.stageMs,
});

interface Clipped {
  readonly pieces: readonly Buffer[] | null;
  readonly truncated: boolean;
}

const NOTHING: Clipped = { pieces: null, truncated: false };

function clipped(pieces: readonly Buffer[], maxBytes: number): Clipped {
  let left = maxBytes;
  const kept: Buffer[] = [];
  for (const piece of pieces) {
    if (piece.length > left) {
      if (left > 0) kept.push(piece.subarray(0, left));
      return { pieces: kept, truncated: true };
    }
    left -= piece.length;
    kept.push(piece);
  }
  return { pieces: kept, truncated: false };
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
