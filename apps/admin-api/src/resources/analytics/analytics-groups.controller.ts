import { Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { CacheSummaryAnswer, CountersAnswer, GROUP_ANSWERS } from './analytics-answers.dto';
import { AnalyticsGraphsService, type SummaryAnswer } from './analytics-graphs.service';
import { AnalyticsGroupsService, type GroupsAnswer } from './analytics-groups.service';
import { AnalyticsGroupByQuery, AnalyticsGroupsQuery, AnalyticsQuery } from './analytics.dto';

@ControlRoutes('analytics')
export class AnalyticsGroupsController {
  constructor(
    private readonly groups: AnalyticsGroupsService,
    private readonly graphs: AnalyticsGraphsService,
  ) {}

  @Route.get('summary/cache', 'analytics.view', CacheSummaryAnswer)
  cacheSummary(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<SummaryAnswer> {
    return this.graphs.cacheSummary(caller, query);
  }

  @Route.get('summary/counters', 'analytics.view', CountersAnswer)
  counters(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<SummaryAnswer> {
    return this.graphs.counters(caller, query);
  }

  @Route.get('groups/users', 'analytics.view', GROUP_ANSWERS.users)
  users(@Caller() caller: Principal, @Query() query: AnalyticsGroupsQuery): Promise<GroupsAnswer> {
    return this.groups.users(caller, query);
  }

  @Route.get('groups/ai-models', 'analytics.view', GROUP_ANSWERS.models)
  models(@Caller() caller: Principal, @Query() query: AnalyticsGroupsQuery): Promise<GroupsAnswer> {
    return this.groups.models(caller, query);
  }

  @Route.get('groups/workspaces', 'analytics.view', GROUP_ANSWERS.by)
  workspaces(@Caller() caller: Principal, @Query() query: AnalyticsGroupByQuery): Promise<GroupsAnswer> {
    return this.groups.by(caller, query, 'workspace');
  }

  @Route.get('groups/metadata/:metadataKey', 'analytics.view', GROUP_ANSWERS.metadata)
  metadata(
    @Caller() caller: Principal,
    @Param('metadataKey') name: string,
    @Query() query: AnalyticsGroupsQuery,
  ): Promise<GroupsAnswer> {
    return this.groups.metadata(caller, query, name);
  }

  @Route.get('groups/:groupBy', 'analytics.view', GROUP_ANSWERS.by)
  by(
    @Caller() caller: Principal,
    @Param('groupBy') groupBy: string,
    @Query() query: AnalyticsGroupByQuery,
  ): Promise<GroupsAnswer> {
    return this.groups.by(caller, query, groupBy);
  }

  @Route.get('metadata/:metadataKey', 'analytics.view', GROUP_ANSWERS.values)
  metadataValues(
    @Caller() caller: Principal,
    @Param('metadataKey') name: string,
    @Query() query: AnalyticsGroupsQuery,
  ): Promise<GroupsAnswer> {
    return this.groups.metadataValues(caller, query, name);
  }
}
