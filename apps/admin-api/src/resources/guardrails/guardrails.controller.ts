import { IfMatch, listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { DefaultGuardrailsService } from './default-guardrails.service';
import { scopesFor } from '../../platform/rows/guardrail-rows';
import {
  CreateGuardrailDto,
  GuardrailVersionsQuery,
  InvokeGuardrailDto,
  ListGuardrailsQuery,
  UpdateDefaultGuardrailsDto,
  UpdateGuardrailDto,
} from './guardrails.dto';
import { GuardrailsService } from './guardrails.service';
import {
  DefaultGuardrailsResponse,
  GuardrailDetailResponse,
  GuardrailListResponse,
  InvocationResponse,
  SavedGuardrailResponse,
} from './guardrails.view';
import { InvocationService } from './invocation.service';

@ControlRoutes('guardrails')
@ApiQuery(WORKSPACE_ID)
export class GuardrailsController {
  constructor(
    private readonly guardrails: GuardrailsService,
    private readonly invocations: InvocationService,
  ) {}

  @Route.post('', scopesFor('create'), SavedGuardrailResponse)
  create(@Caller() caller: Principal, @Body() body: CreateGuardrailDto): Promise<SavedGuardrailResponse> {
    return this.guardrails.create(caller, body);
  }

  @Route.get('', scopesFor('list'), GuardrailListResponse)
  list(@Caller() caller: Principal, @Query() query: ListGuardrailsQuery): Promise<GuardrailListResponse> {
    return this.guardrails.list(caller, query);
  }

  @Route.get(':guardrail', scopesFor('read'), GuardrailDetailResponse)
  get(@ResourceParam('guardrail') at: ResourceReference): Promise<GuardrailDetailResponse> {
    return this.guardrails.get(at);
  }

  @Route.put(':guardrail', scopesFor('update'), SavedGuardrailResponse)
  update(
    @ResourceParam('guardrail') at: ResourceReference,
    @Body() body: UpdateGuardrailDto,
  ): Promise<SavedGuardrailResponse> {
    return this.guardrails.update(at, body);
  }

  @Route.delete(':guardrail', scopesFor('delete'))
  remove(@ResourceParam('guardrail') at: ResourceReference): Promise<object> {
    return this.guardrails.remove(at);
  }

  @Route.post(':guardrail/invoke', 'guardrails.invoke', InvocationResponse)
  invoke(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Body() body: InvokeGuardrailDto,
  ): Promise<InvocationResponse> {
    return this.invocations.run(caller, guardrail, body);
  }

  @Route.get(':guardrail/versions', scopesFor('read'), listResponseOf(GuardrailDetailResponse))
  versions(
    @ResourceParam('guardrail') at: ResourceReference,
    @Query() query: GuardrailVersionsQuery,
  ): Promise<ListResponse<GuardrailDetailResponse>> {
    return this.guardrails.versions(at, query);
  }

  @Route.get(':guardrail/versions/:version', scopesFor('read'), GuardrailDetailResponse)
  version(
    @ResourceParam('guardrail') at: ResourceReference,
    @Param('version') version: string,
  ): Promise<GuardrailDetailResponse> {
    return this.guardrails.version(at, version);
  }
}

@ControlRoutes('admin/organisation/defaults')
export class DefaultGuardrailsController {
  constructor(private readonly defaults: DefaultGuardrailsService) {}

  @Route.get('', 'organisation_settings.read', DefaultGuardrailsResponse)
  get(@Caller() caller: Principal): Promise<DefaultGuardrailsResponse> {
    return this.defaults.get(caller);
  }

  @Route.put('', 'organisation_settings.update', DefaultGuardrailsResponse)
  update(
    @Caller() caller: Principal,
    @Body() body: UpdateDefaultGuardrailsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DefaultGuardrailsResponse> {
    return this.defaults.update(caller, body, ifMatch);
  }
}
