import { Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { GRAPH_RESPONSES } from './analytics-responses.dto';
import { AnalyticsGraphsService, type GraphResponse } from './analytics-graphs.service';
import { AnalyticsQuery } from './analytics.dto';

/** Graph routes. Each returns one point per time bucket, in chronological order. */
@ControlRoutes('analytics/graphs')
export class AnalyticsGraphsController {
  constructor(private readonly graphs: AnalyticsGraphsService) {}

  @Route.get('requests', 'analytics.view', GRAPH_RESPONSES.requests)
  requests(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'requests');
  }

  @Route.get('cost', 'analytics.view', GRAPH_RESPONSES.cost)
  cost(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'cost');
  }

  @Route.get('latency', 'analytics.view', GRAPH_RESPONSES.latency)
  latency(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'latency');
  }

  @Route.get('tokens', 'analytics.view', GRAPH_RESPONSES.tokens)
  tokens(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'tokens');
  }

  @Route.get('users', 'analytics.view', GRAPH_RESPONSES.users)
  users(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'users');
  }

  @Route.get('users/requests', 'analytics.view', GRAPH_RESPONSES.userRequests)
  userRequests(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'userRequests');
  }

  @Route.get('errors', 'analytics.view', GRAPH_RESPONSES.errors)
  errors(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'errors');
  }

  @Route.get('errors/rate', 'analytics.view', GRAPH_RESPONSES.errorRate)
  errorRate(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'errorRate');
  }

  @Route.get('errors/stacks', 'analytics.view', GRAPH_RESPONSES.errorStacks)
  errorStacks(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'errorStacks');
  }

  @Route.get('requests/rescued', 'analytics.view', GRAPH_RESPONSES.rescued)
  rescued(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'rescued');
  }

  @Route.get('cache/hit-rate', 'analytics.view', GRAPH_RESPONSES.hitRate)
  hitRate(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'hitRate');
  }

  @Route.get('cache/latency', 'analytics.view', GRAPH_RESPONSES.cacheLatency)
  cacheLatency(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.graph(caller, query, 'cacheLatency');
  }

  @Route.get('errors/status-codes', 'analytics.view', GRAPH_RESPONSES.statusCodes)
  statusCodes(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.statusCodes(caller, query);
  }

  @Route.get('feedbacks', 'analytics.view', GRAPH_RESPONSES.feedbacks)
  feedbacks(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.feedbacks(caller, query);
  }

  @Route.get('feedbacks/scores', 'analytics.view', GRAPH_RESPONSES.scores)
  scores(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.scores(caller, query);
  }

  @Route.get('feedbacks/weighted', 'analytics.view', GRAPH_RESPONSES.weighted)
  weighted(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.weighted(caller, query);
  }

  @Route.get('feedbacks/ai-models', 'analytics.view', GRAPH_RESPONSES.feedbackModels)
  feedbackModels(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphResponse> {
    return this.graphs.feedbackModels(caller, query);
  }
}
