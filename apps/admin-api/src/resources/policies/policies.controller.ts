import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreateRateLimitPolicyDto,
  CreateUsageLimitPolicyDto,
  GetPolicyQuery,
  GetUsageLimitPolicyQuery,
  ListPolicyValuesQuery,
  ListRateLimitPoliciesQuery,
  ListUsageLimitPoliciesQuery,
  UpdateRateLimitPolicyDto,
  UpdateUsageLimitPolicyDto,
} from './policies.dto';
import { PoliciesService } from './policies.service';
import {
  CreatedRateLimitPolicyResponse,
  CreatedUsageLimitPolicyResponse,
  PolicyValueResponse,
  RateLimitPolicyResponse,
  UsageLimitPolicyResponse,
} from './policies.view';
import { PolicyValuesService } from './policy-values.service';
import { RATE_LIMITS } from './rate-limit-policies';
import { USAGE_LIMITS } from './usage-limit-policies';

@ControlRoutes('policies/usage-limits')
@ApiQuery(WORKSPACE_ID)
export class UsageLimitPoliciesController {
  constructor(
    private readonly policies: PoliciesService,
    private readonly values: PolicyValuesService,
  ) {}

  @Route.post('', 'policies.create', CreatedUsageLimitPolicyResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateUsageLimitPolicyDto,
  ): Promise<CreatedUsageLimitPolicyResponse> {
    return this.policies.create(USAGE_LIMITS, caller, body);
  }

  @Route.get('', 'policies.list', listResponseOf(UsageLimitPolicyResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListUsageLimitPoliciesQuery,
  ): Promise<ListResponse<UsageLimitPolicyResponse>> {
    return this.policies.list(USAGE_LIMITS, caller, query, { type: query.type });
  }

  @Route.get(':policy', 'policies.read', UsageLimitPolicyResponse)
  async get(
    @ResourceParam('policy') at: ResourceReference,
    @Query() query: GetUsageLimitPolicyQuery,
  ): Promise<UsageLimitPolicyResponse> {
    return this.values.responseOf(await this.policies.find(USAGE_LIMITS, at, query.status), query);
  }

  @Route.put(':policy', 'policies.update')
  update(
    @ResourceParam('policy') at: ResourceReference,
    @Body() body: UpdateUsageLimitPolicyDto,
  ): Promise<object> {
    return this.policies.update(USAGE_LIMITS, at, body);
  }

  @Route.delete(':policy', 'policies.delete')
  remove(@ResourceParam('policy') at: ResourceReference): Promise<object> {
    return this.policies.remove(USAGE_LIMITS, at);
  }

  @Route.get(':policy/entities', 'policies.read', listResponseOf(PolicyValueResponse))
  entities(
    @ResourceParam('policy') at: ResourceReference,
    @Query() query: ListPolicyValuesQuery,
  ): Promise<ListResponse<PolicyValueResponse>> {
    return this.values.list(at, query);
  }

  @Route.put(':policy/entities/:entity/reset', 'policies.update')
  reset(@ResourceParam('policy') at: ResourceReference, @Param('entity') entity: string): Promise<object> {
    return this.values.reset(at, entity);
  }
}

@ControlRoutes('policies/rate-limits')
@ApiQuery(WORKSPACE_ID)
export class RateLimitPoliciesController {
  constructor(private readonly policies: PoliciesService) {}

  @Route.post('', 'policies.create', CreatedRateLimitPolicyResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateRateLimitPolicyDto,
  ): Promise<CreatedRateLimitPolicyResponse> {
    return this.policies.create(RATE_LIMITS, caller, body);
  }

  @Route.get('', 'policies.list', listResponseOf(RateLimitPolicyResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListRateLimitPoliciesQuery,
  ): Promise<ListResponse<RateLimitPolicyResponse>> {
    const { type, unit, target } = query;
    return this.policies.list(RATE_LIMITS, caller, query, { type, unit, target });
  }

  @Route.get(':policy', 'policies.read', RateLimitPolicyResponse)
  async get(
    @ResourceParam('policy') at: ResourceReference,
    @Query() query: GetPolicyQuery,
  ): Promise<RateLimitPolicyResponse> {
    return RATE_LIMITS.view(await this.policies.find(RATE_LIMITS, at, query.status));
  }

  @Route.put(':policy', 'policies.update')
  update(
    @ResourceParam('policy') at: ResourceReference,
    @Body() body: UpdateRateLimitPolicyDto,
  ): Promise<object> {
    return this.policies.update(RATE_LIMITS, at, body);
  }

  @Route.delete(':policy', 'policies.delete')
  remove(@ResourceParam('policy') at: ResourceReference): Promise<object> {
    return this.policies.remove(RATE_LIMITS, at);
  }
}
