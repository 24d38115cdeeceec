import { GatewayError } from '@gw/kernel';
import { insertSpans, spansOfTrace, type SpanOwner, type StoredSpan } from '@gw/log-store';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { ownDataOnly } from '../../platform/auth/grants';
import { inWorkspace } from '../../platform/auth/tenancy';
import { readOtlpSpans } from './otlp-spans';

/** As OTLP has it: empty when all was taken. */
export interface PartialSuccess {
  readonly partialSuccess?: { readonly rejectedSpans: number; readonly errorMessage: string };
}

export interface SpanList {
  readonly object: 'list';
  readonly data: readonly object[];
}

/** Spans of a trace that are shown. */
const SPANS_SHOWN_MAX = 1_000;

@Injectable()
export class TracesService {
  constructor(private readonly dataSource: DataSource) {}

  /** Stores the spans of an OTLP request in the caller's workspace; those that can't be read are counted. */
  async ingest(caller: Principal, body: unknown): Promise<PartialSuccess> {
    const owner = { ...inWorkspace(caller), userId: caller.userId };
    const { spans, rejected } = await readOtlpSpans(body);
    await insertSpans(this.dataSource.manager, owner, spans);
    if (rejected === 0) return {};
    return {
      partialSuccess: {
        rejectedSpans: rejected,
        errorMessage: 'Spans need a trace id, a span id, and times of their begin and end.',
      },
    };
  }

  /** Throws `not_found` for a trace of which the workspace has no span. */
  async spans(caller: Principal, traceId: string): Promise<SpanList> {
    const owner: SpanOwner = {
      ...inWorkspace(caller),
      userId: ownDataOnly(caller),
    };
    // A trace may be named by a UUID, as a request's own id is.
    const id = traceId.replaceAll('-', '').toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(id)) throw new GatewayError('not_found');
    const spans = await spansOfTrace(this.dataSource.manager, owner, id, SPANS_SHOWN_MAX);
    if (spans.length === 0) throw new GatewayError('not_found');
    return { object: 'list', data: spans.map(spanResponse) };
  }
}

const spanResponse = ({ started_at: startedAt, duration_us: durationUs, ...span }: StoredSpan): object => ({
  object: 'span',
  ...span,
  started_at: startedAt.toISOString(),
  duration_ms: Number(durationUs) / 1_000,
});
