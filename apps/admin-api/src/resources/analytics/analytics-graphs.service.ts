import type { AnalyticsRow, AnalyticsStore } from '@gw/analytics';
import {
  feedbackByModel,
  feedbackByScore,
  feedbackByTime,
  type FeedbackRequest,
  type FeedbackGroup,
} from '@gw/log-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { AnalyticsScopes } from './analytics-scopes.service';
import { ANALYTICS_STORE } from '../../platform/logs/stores';
import type { AnalyticsQuery } from './analytics.dto';
import { askOf, bucketsOf, periodOf, type AskParts } from './asks';
import { ratio, toIso } from './figures';
import { CACHE_SUMMARY, cacheSummary, GRAPHS, NOTHING, addMeasures, type Graph } from './graphs';

export interface GraphResponse {
  readonly object: 'analytics-graph';
  readonly summary: object;
  readonly data_points: readonly object[];
}

export interface SummaryResponse {
  readonly object: 'analytics-summary';
  readonly summary: object;
}

/** Maximum number of models or scores in one response. */
const FEEDBACK_GROUPS_MAX = 1_000;

const graphResponse = (summary: object, points: readonly object[]): GraphResponse => ({
  object: 'analytics-graph',
  summary,
  data_points: points,
});

@Injectable()
export class AnalyticsGraphsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly scopes: AnalyticsScopes,
    @Inject(ANALYTICS_STORE) private readonly store: AnalyticsStore,
  ) {}

  /** Returns one point for each bucket of the period, including buckets without requests. */
  async graph(caller: Principal, query: AnalyticsQuery, name: keyof typeof GRAPHS): Promise<GraphResponse> {
    const graph: Graph = GRAPHS[name];
    const parts = await this.scopes.partsOf(caller, query);
    const by = graph.by === undefined ? [] : [graph.by];
    const { bucket } = parts.period;
    const [[all], rows] = await Promise.all([
      this.store.rows(askOf(parts, graph.measures)),
      this.store.rows(askOf(parts, graph.measures, by, { bucket })),
    ]);
    return graphResponse(graph.summary(all?.values ?? NOTHING, []), pointsOf(graph, parts, rows));
  }

  async statusCodes(caller: Principal, query: AnalyticsQuery): Promise<GraphResponse> {
    const parts = await this.scopes.partsOf(caller, query);
    const rows = await this.store.rows(askOf(parts, ['errors'], ['status']));
    const points = rows
      .filter(({ values }) => values.errors > 0)
      .map(({ keys: [status], values }) => ({ status_code: Number(status), count: values.errors }));
    const total = points.reduce((sum, { count }) => sum + count, 0);
    return graphResponse({ total_errors: total, unique_error_codes: points.length }, points);
  }

  async cacheSummary(caller: Principal, query: AnalyticsQuery): Promise<SummaryResponse> {
    const [all] = await this.store.rows(askOf(await this.scopes.partsOf(caller, query), CACHE_SUMMARY));
    return { object: 'analytics-summary', summary: cacheSummary(all?.values ?? NOTHING) };
  }

  async counters(caller: Principal, query: AnalyticsQuery): Promise<SummaryResponse> {
    const { measures, summary } = GRAPHS.requests;
    const [all] = await this.store.rows(askOf(await this.scopes.partsOf(caller, query), measures));
    return { object: 'analytics-summary', summary: summary(all?.values ?? NOTHING) };
  }

  async feedbacks(caller: Principal, query: AnalyticsQuery): Promise<GraphResponse> {
    const points = await this.feedbackPoints(caller, query);
    const shownPoints = points.map(({ timestamp, total }) => ({ timestamp, total }));
    return graphResponse({ total: totalOf(points) }, shownPoints);
  }

  async weighted(caller: Principal, query: AnalyticsQuery): Promise<GraphResponse> {
    const points = await this.feedbackPoints(caller, query);
    const sum = points.reduce((all, { total, weighted }) => all + total * weighted, 0);
    const means = points.map(({ timestamp, weighted }) => ({ timestamp, avg: weighted }));
    return graphResponse({ avg: ratio(sum, totalOf(points)) }, means);
  }

  async scores(caller: Principal, query: AnalyticsQuery): Promise<GraphResponse> {
    const groups = await feedbackByScore(
      this.dataSource.manager,
      await this.feedbackAsk(caller, query),
      FEEDBACK_GROUPS_MAX,
    );
    const points = groups.map(({ key, total }) => ({ score: Number(key), total }));
    return graphResponse({ total: totalOf(groups) }, points);
  }

  async feedbackModels(caller: Principal, query: AnalyticsQuery): Promise<GraphResponse> {
    const groups = await feedbackByModel(
      this.dataSource.manager,
      await this.feedbackAsk(caller, query),
      FEEDBACK_GROUPS_MAX,
    );
    const points = groups.map(({ key, total, weighted }) => ({
      ai_model: key === '' ? null : key,
      total,
      avg_weighted_feedback: weighted,
    }));
    return graphResponse({}, points);
  }

  private async feedbackPoints(
    caller: Principal,
    query: AnalyticsQuery,
  ): Promise<(FeedbackGroup & { readonly timestamp: string })[]> {
    const period = periodOf(query);
    const { sizeMs, offsetMs } = period.bucket;
    const ask = await this.feedbackAsk(caller, query);
    const groups = await feedbackByTime(this.dataSource.manager, ask, period.bucket);
    const byTime = new Map(groups.map((group) => [Number(group.key) * sizeMs - offsetMs, group]));
    return bucketsOf(period).map((at) => ({
      ...(byTime.get(at) ?? { key: '', total: 0, weighted: 0 }),
      timestamp: toIso(at),
    }));
  }

  private async feedbackAsk(caller: Principal, query: AnalyticsQuery): Promise<FeedbackRequest> {
    const { scope, period, filter } = await this.scopes.partsOf(caller, query);
    return { scope, from: period.from, to: period.to, filter };
  }
}

const totalOf = (groups: readonly { readonly total: number }[]): number =>
  groups.reduce((sum, { total }) => sum + total, 0);

function pointsOf(graph: Graph, { period }: AskParts, rows: readonly AnalyticsRow[]): object[] {
  const byTime = new Map<number, AnalyticsRow[]>();
  for (const row of rows) {
    const existing = byTime.get(row.at ?? 0);
    if (existing) existing.push(row);
    else byTime.set(row.at ?? 0, [row]);
  }
  let sofar = NOTHING;
  return bucketsOf(period).map((at) => {
    const groups = byTime.get(at) ?? [];
    const values = groups.reduce((sum, group) => addMeasures(sum, group.values), NOTHING);
    sofar = addMeasures(sofar, values);
    return { timestamp: toIso(at), ...graph.point(values, groups, sofar) };
  });
}
