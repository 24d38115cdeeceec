import { listResponseOf, IfMatch, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { DeleteQuery } from '../../platform/common/uses';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedProviderDto,
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

  @Route.post('', ['providers.create', 'virtual_keys.create'], CreatedProviderDto)
  create(@Caller() caller: Principal, @Body() body: CreateProviderDto): Promise<CreatedProviderDto> {
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
  get(@Caller() caller: Principal, @Param('provider') provider: string): Promise<ProviderResponse> {
    return this.providers.get(caller, provider);
  }

  @Route.put(':provider', ['providers.update', 'virtual_keys.update'], CreatedProviderDto)
  update(
    @Caller() caller: Principal,
    @Param('provider') provider: string,
    @Body() body: UpdateProviderDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<CreatedProviderDto> {
    return this.providers.update(caller, provider, body, ifMatch);
  }

  @Route.delete(':provider', ['providers.delete', 'virtual_keys.delete'])
  remove(
    @Caller() caller: Principal,
    @Param('provider') provider: string,
    @Query() query: DeleteQuery,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.providers.remove(caller, provider, query, ifMatch);
  }
}
