import type { GuardrailEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { listVerdicts, markVerdicts, qualityOf, type LogOwner, type VerdictFilter } from '@gw/log-store';
import { listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { ownDataOnly } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { actorOf, findGuardrail } from '../../platform/rows/guardrail-rows';
import type {
  GuardrailQualityResponse,
  QualityQuery,
  VerdictResponse,
  VerdictFeedbackResponse,
  VerdictFeedbackDto,
  VerdictsQuery,
} from './quality.dto';
import { toCheckQuality, toTotal, toVerdict } from './quality.view';

/** How well guardrails judge: their verdicts, and what people say of them. Of an organisation's guardrail a workspace sees its own part. */
@Injectable()
export class QualityService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  /** Newest first. */
  async verdicts(
    caller: Principal,
    reference: string,
    query: VerdictsQuery,
  ): Promise<ListResponse<VerdictResponse>> {
    const { manager } = this.dataSource;
    const row = await findGuardrail(manager, caller, reference, 'read');
    const { check, verdict, mark } = query;
    const filter: VerdictFilter = { ...scopeOf(caller, row), ...timesOf(query), check, verdict, mark };
    const [rows, total] = await listVerdicts(manager, filter, windowOf(query));
    return listOf([rows.map(toVerdict), total]);
  }

  /** Throws `not_found` where the log record has no failed verdict of the guardrail that the caller may see. */
  mark(caller: Principal, reference: string, input: VerdictFeedbackDto): Promise<VerdictFeedbackResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      // Feedback on the verdicts of a workspace changes nothing of an organisation's guardrail.
      const row = await findGuardrail(manager, caller, reference, 'read');
      const { log_id: logId, check, stage, mark, note } = input;
      const to = mark === 'none' ? null : mark;
      const marked = await markVerdicts(
        manager,
        { ...scopeOf(caller, row), check, stage, logId: logId.toLowerCase() },
        { mark: to, by: actorOf(caller), note: note ?? null },
      );
      if (marked === 0) throw new GatewayError('not_found');
      write.audit({
        action: 'feedback',
        resourceType: 'guardrails',
        resourceId: row.id,
        workspaceId: caller.workspaceId,
        after: { log_id: logId, check: check ?? null, stage: stage ?? null, mark, marked },
      });
      return { marked };
    });
  }

  async quality(
    caller: Principal,
    reference: string,
    query: QualityQuery,
  ): Promise<GuardrailQualityResponse> {
    const { manager } = this.dataSource;
    const row = await findGuardrail(manager, caller, reference, 'read');
    const rows = await qualityOf(manager, { ...scopeOf(caller, row), ...timesOf(query) });
    return { guardrail_id: row.id, slug: row.slug, total: toTotal(rows), checks: rows.map(toCheckQuality) };
  }
}

/** Whom a setting keeps to their own data sees the verdicts on requests of their own keys alone. */
const scopeOf = (
  caller: Principal,
  { slug: guardrail }: GuardrailEntity,
): LogOwner & { readonly guardrail: string } => ({
  organisationId: caller.organisationId,
  workspaceId: caller.workspaceId,
  userId: ownDataOnly(caller),
  guardrail,
});

const timesOf = (query: QualityQuery) => ({
  since: query.time_of_generation_min,
  until: query.time_of_generation_max,
});
