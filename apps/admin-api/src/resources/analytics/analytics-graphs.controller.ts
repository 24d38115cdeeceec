import { Get, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { GRAPH_ANSWERS } from './analytics-answers.dto';
import { AnalyticsGraphsService, type GraphAnswer } from './analytics-graphs.service';
import { AnalyticsQuery } from './analytics.dto';

/** Of all graphs: one point for each bucket of the time, in order. */
@ControlRoutes('analytics/graphs')
export class AnalyticsGraphsController {
  constructor(private readonly graphs: AnalyticsGraphsService) {}

  @Get('requests')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.requests })
  requests(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'requests');
  }

  @Get('cost')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.cost })
  cost(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'cost');
  }

  @Get('latency')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.latency })
  latency(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'latency');
  }

  @Get('tokens')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.tokens })
  tokens(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'tokens');
  }

  @Get('users')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.users })
  users(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'users');
  }

  @Get('users/requests')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.userRequests })
  userRequests(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'userRequests');
  }

  @Get('errors')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.errors })
  errors(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'errors');
  }

  @Get('errors/rate')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.errorRate })
  errorRate(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'errorRate');
  }

  @Get('errors/stacks')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.errorStacks })
  errorStacks(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'errorStacks');
  }

  @Get('requests/rescued')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.rescued })
  rescued(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'rescued');
  }

  @Get('cache/hit-rate')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.hitRate })
  hitRate(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'hitRate');
  }

  @Get('cache/latency')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.cacheLatency })
  cacheLatency(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.graph(caller, query, 'cacheLatency');
  }

  @Get('errors/status-codes')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.statusCodes })
  statusCodes(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.statusCodes(caller, query);
  }

  @Get('feedbacks')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.feedbacks })
  feedbacks(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.feedbacks(caller, query);
  }

  @Get('feedbacks/scores')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.scores })
  scores(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.scores(caller, query);
  }

  @Get('feedbacks/weighted')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.weighted })
  weighted(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.weighted(caller, query);
  }

  @Get('feedbacks/ai-models')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GRAPH_ANSWERS.feedbackModels })
  feedbackModels(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<GraphAnswer> {
    return this.graphs.feedbackModels(caller, query);
  }
}
