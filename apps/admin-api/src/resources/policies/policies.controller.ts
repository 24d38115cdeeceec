import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  CreatedRateLimitPolicyDto,
  CreatedUsageLimitPolicyDto,
  CreateRateLimitPolicyDto,
  CreateUsageLimitPolicyDto,
  GetPolicyQuery,
  GetUsageLimitPolicyQuery,
  ListPolicyEntitiesQuery,
  ListRateLimitPoliciesQuery,
  ListUsageLimitPoliciesQuery,
  UpdateRateLimitPolicyDto,
  UpdateUsageLimitPolicyDto,
} from './policies.dto';
import { PolicyEntityAnswer, RateLimitPolicyAnswer, UsageLimitPolicyAnswer } from './policies.view';
import { PolicyValuesService } from './policy-values.service';
import { RateLimitPoliciesService } from './rate-limit-policies.service';
import { UsageLimitPoliciesService } from './usage-limit-policies.service';

@ControlRoutes('policies/usage-limits')
@ApiQuery(WORKSPACE_ID)
export class UsageLimitPoliciesController {
  constructor(
    private readonly policies: UsageLimitPoliciesService,
    private readonly values: PolicyValuesService,
  ) {}

  @Post()
  @Requires('policies.create')
  @ApiOkResponse({ type: CreatedUsageLimitPolicyDto })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateUsageLimitPolicyDto,
  ): Promise<CreatedUsageLimitPolicyDto> {
    return this.policies.create(caller, body);
  }

  @Get()
  @Requires('policies.list')
  @ApiOkResponse({ type: listAnswerOf(UsageLimitPolicyAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListUsageLimitPoliciesQuery,
  ): Promise<ListAnswer<UsageLimitPolicyAnswer>> {
    return this.policies.list(caller, query);
  }

  @Get(':policy')
  @Requires('policies.read')
  @ApiOkResponse({ type: UsageLimitPolicyAnswer })
  get(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @Query() query: GetUsageLimitPolicyQuery,
  ): Promise<UsageLimitPolicyAnswer> {
    return this.policies.get(caller, policy, query);
  }

  @Put(':policy')
  @Requires('policies.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @Body() body: UpdateUsageLimitPolicyDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.policies.update(caller, policy, body, ifMatch);
  }

  @Delete(':policy')
  @Requires('policies.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.policies.remove(caller, policy, ifMatch);
  }

  @Get(':policy/entities')
  @Requires('policies.read')
  @ApiOkResponse({ type: listAnswerOf(PolicyEntityAnswer) })
  entities(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @Query() query: ListPolicyEntitiesQuery,
  ): Promise<ListAnswer<PolicyEntityAnswer>> {
    return this.values.list(caller, policy, query);
  }

  @Put(':policy/entities/:entity/reset')
  @Requires('policies.update')
  @ApiOkResponse({ type: EmptyAnswer })
  reset(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @Param('entity') entity: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.values.reset(caller, policy, entity, ifMatch);
  }
}

@ControlRoutes('policies/rate-limits')
@ApiQuery(WORKSPACE_ID)
export class RateLimitPoliciesController {
  constructor(private readonly policies: RateLimitPoliciesService) {}

  @Post()
  @Requires('policies.create')
  @ApiOkResponse({ type: CreatedRateLimitPolicyDto })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateRateLimitPolicyDto,
  ): Promise<CreatedRateLimitPolicyDto> {
    return this.policies.create(caller, body);
  }

  @Get()
  @Requires('policies.list')
  @ApiOkResponse({ type: listAnswerOf(RateLimitPolicyAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListRateLimitPoliciesQuery,
  ): Promise<ListAnswer<RateLimitPolicyAnswer>> {
    return this.policies.list(caller, query);
  }

  @Get(':policy')
  @Requires('policies.read')
  @ApiOkResponse({ type: RateLimitPolicyAnswer })
  get(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @Query() query: GetPolicyQuery,
  ): Promise<RateLimitPolicyAnswer> {
    return this.policies.get(caller, policy, query);
  }

  @Put(':policy')
  @Requires('policies.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @Body() body: UpdateRateLimitPolicyDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.policies.update(caller, policy, body, ifMatch);
  }

  @Delete(':policy')
  @Requires('policies.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('policy') policy: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.policies.remove(caller, policy, ifMatch);
  }
}
