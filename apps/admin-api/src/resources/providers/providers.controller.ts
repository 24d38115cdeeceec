import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { DeleteQuery } from '../../platform/common/uses';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedProviderResponse,
  CreateProviderDto,
  ListProvidersQuery,
  UpdateProviderDto,
} from './providers.dto';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ProvidersService } from './providers.service';
import { ProviderResponse } from './providers.view';

@ControlRoutes('providers')
@ApiQuery(WORKSPACE_ID)
export class ProvidersController {
  constructor(private readonly providers: ProvidersService) {}

  @Route.post('', ['providers.create', 'virtual_keys.create'], CreatedProviderResponse)
  create(@Caller() caller: Principal, @Body() body: CreateProviderDto): Promise<CreatedProviderResponse> {
    return this.providers.create(caller, body);
  }

  @Route.get('', ['providers.list', 'virtual_keys.list'], listResponseOf(ProviderResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListProvidersQuery,
  ): Promise<ListResponse<ProviderResponse>> {
    return this.providers.list(caller, query);
  }

  @Route.get(':provider', ['providers.read', 'virtual_keys.read'], ProviderResponse)
  get(@ResourceParam('provider') at: ResourceReference): Promise<ProviderResponse> {
    return this.providers.get(at);
  }

  @Route.put(':provider', ['providers.update', 'virtual_keys.update'], CreatedProviderResponse)
  update(
    @ResourceParam('provider') at: ResourceReference,
    @Body() body: UpdateProviderDto,
  ): Promise<CreatedProviderResponse> {
    return this.providers.update(at, body);
  }

  @Route.delete(':provider', ['providers.delete', 'virtual_keys.delete'])
  remove(@ResourceParam('provider') at: ResourceReference, @Query() query: DeleteQuery): Promise<object> {
    return this.providers.remove(at, query);
  }
}
