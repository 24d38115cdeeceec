import { GatewayError } from '@gw/kernel';
import { insertSpans, spansOfTrace, type SpanOwner, type StoredSpan } from '@gw/log-store';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { ownDataOnly } from '../../platform/auth/grants';
import { inWorkspace } from '../../platform/auth/tenancy';
import { readOtlpSpans } from './otlp-spans';

/** The response as OTLP defines it; empty when all spans were accepted. */
export interface PartialSuccess {
  readonly partialSuccess?: { readonly rejectedSpans: number; readonly errorMessage: string };
}

export interface SpanList {
  readonly object: 'list';
  readonly data: readonly object[];
}

/** Maximum number of spans of a trace in a response, and of bytes of their JSON. */
const SHOWN_MAX = { spans: 1_000, bytes: 16_777_216 } as const;

@Injectable()
export class TracesService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Stores the spans of an OTLP request in the caller's workspace. Returns the number of unreadable
   * spans.
   */
  async ingest(caller: Principal, body: unknown): Promise<PartialSuccess> {
    const owner = { ...inWorkspace(caller), userId: caller.userId };
    const { spans, rejected } = await readOtlpSpans(body);
    await insertSpans(this.dataSource.manager, owner, spans);
    if (rejected === 0) return {};
    return {
      partialSuccess: {
        rejectedSpans: rejected,
        errorMessage: 'Spans need a trace id, a span id, and start and end times.',
      },
    };
  }

  /**
   * Returns the spans of a trace. Throws `not_found` for a trace without spans in the workspace.
   */
  async spans(caller: Principal, traceId: string): Promise<SpanList> {
    const owner: SpanOwner = {
      ...inWorkspace(caller),
      userId: ownDataOnly(caller),
    };
    // A trace id may have the form of a UUID, like the id of a request.
    const id = traceId.replaceAll('-', '').toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(id)) throw new GatewayError('not_found');
    const spans = await spansOfTrace(this.dataSource.manager, owner, id, SHOWN_MAX);
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
