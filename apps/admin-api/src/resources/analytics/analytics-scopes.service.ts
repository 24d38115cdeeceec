import type { AnalyticsScope } from '@gw/analytics';
import { WorkspaceEntity } from '@gw/entities';
import { tracesByFeedback } from '@gw/log-store';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ownDataOnly } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import type { AnalyticsQuery } from './analytics.dto';
import { filterOf, periodOf, type AskParts } from './asks';

/**
 * Maximum number of traces that a feedback filter may match; queries that match more are refused.
 */
const TRACES_MAX = 10_000;

/** Translates a caller and a query into store queries. */
@Injectable()
export class AnalyticsScopes {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns the parts of a store query. With `wide`, a key of the organisation that names no
   * workspace queries all workspaces instead of the default one.
   */
  async partsOf(caller: Principal, query: AnalyticsQuery, wide = false): Promise<AskParts> {
    const period = periodOf(query);
    const scope = await this.scopeOf(caller, wide);
    return { scope, period, filter: filterOf(query, await this.ratedTraces(scope, query)) };
  }

  /**
   * Returns the scope of a caller. Callers restricted to their own data see only requests made with
   * their own keys.
   */
  private async scopeOf(caller: Principal, wide: boolean): Promise<AnalyticsScope> {
    const { organisationId } = caller;
    const isKey = caller.kind === 'api_key';
    const workspaceId =
      caller.workspaceId ?? (isKey && !wide ? await this.defaultWorkspace(organisationId) : null);
    return { organisationId, workspaceId, userId: ownDataOnly(caller) };
  }

  private async defaultWorkspace(organisationId: string): Promise<string | null> {
    const where = { organisationId, isDefault: true };
    const row = await this.dataSource.manager.findOne(WorkspaceEntity, { where, select: { id: true } });
    return row?.id ?? null;
  }

  private async ratedTraces(scope: AnalyticsScope, query: AnalyticsQuery): Promise<readonly string[] | null> {
    const { weighted_feedback_min: min, weighted_feedback_max: max } = query;
    if (min === undefined && max === undefined) return null;
    const traces = await tracesByFeedback(this.dataSource.manager, scope, { min, max }, TRACES_MAX + 1);
    if (traces.length > TRACES_MAX) {
      throw invalid(
        'weighted_feedback_min',
        `more than ${String(TRACES_MAX)} traces have such feedback; narrow the feedback range`,
      );
    }
    return traces;
  }
}
