import type { GuardrailEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { listVerdicts, markVerdicts, qualityOf, type LogOwner, type VerdictFilter } from '@gw/log-store';
import { listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { ownDataOnly } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { actorOf } from '../../platform/resource/versioned';
import { findReadable } from '../../platform/rows/guardrail-rows';
import type {
  GuardrailQualityResponse,
  QualityQuery,
  VerdictResponse,
  VerdictFeedbackResponse,
  VerdictFeedbackDto,
  VerdictsQuery,
} from './quality.dto';
import { toCheckQuality, toTotal, toVerdict } from './quality.view';

/**
 * Measures guardrails by their verdicts and the feedback on them. A caller in a workspace sees only
 * the verdicts on requests of that workspace, even for a guardrail of the organisation.
 */
@Injectable()
export class QualityService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  /** Returns a page of verdicts, newest first. */
  async verdicts(at: ResourceReference, query: VerdictsQuery): Promise<ListResponse<VerdictResponse>> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, at);
    const { check, verdict, mark } = query;
    const filter: VerdictFilter = { ...scopeOf(at.caller, row), ...timesOf(query), check, verdict, mark };
    const [rows, total] = await listVerdicts(manager, filter, windowOf(query));
    return listOf([rows.map(toVerdict), total]);
  }

  /**
   * Marks the failed verdicts of a log record. Throws `not_found` if the record has no failed
   * verdict of the guardrail that the caller may see.
   */
  mark(caller: Principal, reference: string, input: VerdictFeedbackDto): Promise<VerdictFeedbackResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      // Read access is enough, because feedback does not change the guardrail, which may belong to
      // the organisation.
      const row = await findReadable(manager, { caller, reference });
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

  /**
   * Returns the numbers of each check and their sums. Throws `forbidden` for a caller restricted to
   * their own data, because runs are not counted by user.
   */
  async quality(at: ResourceReference, query: QualityQuery): Promise<GuardrailQualityResponse> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, at);
    if (ownDataOnly(at.caller) !== null)
      throw new GatewayError('forbidden', {
        message:
          'The numbers cover all users, but the security settings restrict you to your own data; use GET /v1/guardrails/{id}/verdicts.',
      });
    const rows = await qualityOf(manager, { ...scopeOf(at.caller, row), ...timesOf(query) });
    return { guardrail_id: row.id, slug: row.slug, total: toTotal(rows), checks: rows.map(toCheckQuality) };
  }
}

/**
 * Returns the scope of verdicts that the caller may see. Callers restricted to their own data see
 * only verdicts on requests made with their own keys.
 */
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
