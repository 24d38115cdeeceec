import { Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { CacheSummaryResponse, CountersResponse, GROUP_RESPONSES } from './analytics-responses.dto';
import { AnalyticsGraphsService, type SummaryResponse } from './analytics-graphs.service';
import { AnalyticsGroupsService, type GroupsResponse } from './analytics-groups.service';
import { AnalyticsGroupByQuery, AnalyticsGroupsQuery, AnalyticsQuery } from './analytics.dto';

@ControlRoutes('analytics')
export class AnalyticsGroupsController {
  constructor(
    private readonly groups: AnalyticsGroupsService,
    private readonly graphs: AnalyticsGraphsService,
  ) {}

  @Route.get('summary/cache', 'analytics.view', CacheSummaryResponse)
  cacheSummary(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<SummaryResponse> {
    return this.graphs.cacheSummary(caller, query);
  }

  @Route.get('summary/counters', 'analytics.view', CountersResponse)
  counters(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<SummaryResponse> {
    return this.graphs.counters(caller, query);
  }

  @Route.get('groups/users', 'analytics.view', GROUP_RESPONSES.users)
  users(@Caller() caller: Principal, @Query() query: AnalyticsGroupsQuery): Promise<GroupsResponse> {
    return this.groups.users(caller, query);
  }

  @Route.get('groups/ai-models', 'analytics.view', GROUP_RESPONSES.models)
  models(@Caller() caller: Principal, @Query() query: AnalyticsGroupsQuery): Promise<GroupsResponse> {
    return this.groups.models(caller, query);
  }

  @Route.get('groups/workspaces', 'analytics.view', GROUP_RESPONSES.by)
  workspaces(@Caller() caller: Principal, @Query() query: AnalyticsGroupByQuery): Promise<GroupsResponse> {
    return this.groups.by(caller, query, 'workspace');
  }

  @Route.get('groups/metadata/:metadataKey', 'analytics.view', GROUP_RESPONSES.metadata)
  metadata(
    @Caller() caller: Principal,
    @Param('metadataKey') name: string,
    @Query() query: AnalyticsGroupsQuery,
  ): Promise<GroupsResponse> {
    return this.groups.metadata(caller, query, name);
  }

  @Route.get('groups/:groupBy', 'analytics.view', GROUP_RESPONSES.by)
  by(
    @Caller() caller: Principal,
    @Param('groupBy') groupBy: string,
    @Query() query: AnalyticsGroupByQuery,
  ): Promise<GroupsResponse> {
    return this.groups.by(caller, query, groupBy);
  }

  @Route.get('metadata/:metadataKey', 'analytics.view', GROUP_RESPONSES.values)
  metadataValues(
    @Caller() caller: Principal,
    @Param('metadataKey') name: string,
    @Query() query: AnalyticsGroupsQuery,
  ): Promise<GroupsResponse> {
    return this.groups.metadataValues(caller, query, name);
  }
}
