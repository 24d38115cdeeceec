import type { PriceLine, Usage } from '@gw/contracts';
import type { RateCounters } from '@gw/limits';
import type { Journal } from '@gw/telemetry';
import type { Upstream } from './answer';
import type { Exchange } from './exchange';
import { logRecordText } from './log-record';

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
    const responseModel = exchange.meter?.model() ?? null;
    this.charge(exchange, responseModel);
    exchange.stageMs['settle'] = performance.now() - startedAt;
    this.record(exchange, responseModel, onDurable);
    exchange.release?.();
  };

  private record(exchange: Exchange, responseModel: string | null, onDurable: () => void): void {
    const { reply, principal, gw } = exchange;
    const { bodyMaxBytes, gatewayId } = this.options;
    const keep = principal !== null && principal.logBodies && gw.logBodies;
    const request = keep ? clipped([exchange.body], bodyMaxBytes) : NOTHING;
    const response = keep && reply ? clipped(reply.kept, bodyMaxBytes) : NOTHING;
    const text = logRecordText(exchange, {
      gatewayId,
      requestTruncated: request.truncated || exchange.spooled !== null,
      responseTruncated: response.truncated,
      responseModel,
    });
    this.journal.append(text, request.pieces, response.pieces, onDurable);
  }

  private charge(exchange: Exchange, responseModel: string | null): void {
    const { usage, answer } = exchange;
    if (usage === null || answer === null) return;
    const { upstream } = answer;
    const model = responseModel ?? upstream.model;
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
}

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
