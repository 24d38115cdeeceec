import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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

  @Get('summary/cache')
  @Requires('analytics.view')
  @ApiOkResponse({ type: CacheSummaryAnswer })
  cacheSummary(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<SummaryAnswer> {
    return this.graphs.cacheSummary(caller, query);
  }

  @Get('summary/counters')
  @Requires('analytics.view')
  @ApiOkResponse({ type: CountersAnswer })
  counters(@Caller() caller: Principal, @Query() query: AnalyticsQuery): Promise<SummaryAnswer> {
    return this.graphs.counters(caller, query);
  }

  @Get('groups/users')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GROUP_ANSWERS.users })
  users(@Caller() caller: Principal, @Query() query: AnalyticsGroupsQuery): Promise<GroupsAnswer> {
    return this.groups.users(caller, query);
  }

  @Get('groups/ai-models')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GROUP_ANSWERS.models })
  models(@Caller() caller: Principal, @Query() query: AnalyticsGroupsQuery): Promise<GroupsAnswer> {
    return this.groups.models(caller, query);
  }

  @Get('groups/workspaces')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GROUP_ANSWERS.by })
  workspaces(@Caller() caller: Principal, @Query() query: AnalyticsGroupByQuery): Promise<GroupsAnswer> {
    return this.groups.by(caller, query, 'workspace');
  }

  @Get('groups/metadata/:metadataKey')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GROUP_ANSWERS.metadata })
  metadata(
    @Caller() caller: Principal,
    @Param('metadataKey') name: string,
    @Query() query: AnalyticsGroupsQuery,
  ): Promise<GroupsAnswer> {
    return this.groups.metadata(caller, query, name);
  }

  @Get('groups/:groupBy')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GROUP_ANSWERS.by })
  by(
    @Caller() caller: Principal,
    @Param('groupBy') groupBy: string,
    @Query() query: AnalyticsGroupByQuery,
  ): Promise<GroupsAnswer> {
    return this.groups.by(caller, query, groupBy);
  }

  @Get('metadata/:metadataKey')
  @Requires('analytics.view')
  @ApiOkResponse({ type: GROUP_ANSWERS.values })
  metadataValues(
    @Caller() caller: Principal,
    @Param('metadataKey') name: string,
    @Query() query: AnalyticsGroupsQuery,
  ): Promise<GroupsAnswer> {
    return this.groups.metadataValues(caller, query, name);
  }
}
