import { EmptyAnswer, listAnswerOf, IfMatch, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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
import { ProviderAnswer } from './providers.view';

@ControlRoutes('providers')
@ApiQuery(WORKSPACE_ID)
export class ProvidersController {
  constructor(private readonly providers: ProvidersService) {}

  @Post()
  @Requires('providers.create', 'virtual_keys.create')
  @ApiOkResponse({ type: CreatedProviderDto })
  create(@Caller() caller: Principal, @Body() body: CreateProviderDto): Promise<CreatedProviderDto> {
    return this.providers.create(caller, body);
  }

  @Get()
  @Requires('providers.list', 'virtual_keys.list')
  @ApiOkResponse({ type: listAnswerOf(ProviderAnswer) })
  list(@Caller() caller: Principal, @Query() query: ListProvidersQuery): Promise<ListAnswer<ProviderAnswer>> {
    return this.providers.list(caller, query);
  }

  @Get(':provider')
  @Requires('providers.read', 'virtual_keys.read')
  @ApiOkResponse({ type: ProviderAnswer })
  get(@Caller() caller: Principal, @Param('provider') provider: string): Promise<ProviderAnswer> {
    return this.providers.get(caller, provider);
  }

  @Put(':provider')
  @Requires('providers.update', 'virtual_keys.update')
  @ApiOkResponse({ type: CreatedProviderDto })
  update(
    @Caller() caller: Principal,
    @Param('provider') provider: string,
    @Body() body: UpdateProviderDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<CreatedProviderDto> {
    return this.providers.update(caller, provider, body, ifMatch);
  }

  @Delete(':provider')
  @Requires('providers.delete', 'virtual_keys.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('provider') provider: string,
    @Query() query: DeleteQuery,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.providers.remove(caller, provider, query, ifMatch);
  }
}
