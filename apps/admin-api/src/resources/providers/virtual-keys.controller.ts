import { EmptyAnswer, listAnswerOf, IfMatch, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { DeleteQuery } from '../../platform/common/uses';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  CreatedVirtualKeyDto,
  CreateVirtualKeyDto,
  ListVirtualKeysQuery,
  UpdateVirtualKeyDto,
} from './virtual-keys.dto';
import { VirtualKeysService } from './virtual-keys.service';
import { VirtualKeyAnswer } from './virtual-keys.view';

@ControlRoutes('virtual-keys')
@ApiQuery(WORKSPACE_ID)
export class VirtualKeysController {
  constructor(private readonly virtualKeys: VirtualKeysService) {}

  @Post()
  @Requires('virtual_keys.create', 'providers.create')
  @ApiOkResponse({ type: CreatedVirtualKeyDto })
  create(@Caller() caller: Principal, @Body() body: CreateVirtualKeyDto): Promise<CreatedVirtualKeyDto> {
    return this.virtualKeys.create(caller, body);
  }

  @Get()
  @Requires('virtual_keys.list', 'providers.list')
  @ApiOkResponse({ type: listAnswerOf(VirtualKeyAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListVirtualKeysQuery,
  ): Promise<ListAnswer<VirtualKeyAnswer>> {
    return this.virtualKeys.list(caller, query);
  }

  @Get(':virtualKey')
  @Requires('virtual_keys.read', 'providers.read')
  @ApiOkResponse({ type: VirtualKeyAnswer })
  get(@Caller() caller: Principal, @Param('virtualKey') virtualKey: string): Promise<VirtualKeyAnswer> {
    return this.virtualKeys.get(caller, virtualKey);
  }

  @Put(':virtualKey')
  @Requires('virtual_keys.update', 'providers.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('virtualKey') virtualKey: string,
    @Body() body: UpdateVirtualKeyDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.virtualKeys.update(caller, virtualKey, body, ifMatch);
  }

  @Delete(':virtualKey')
  @Requires('virtual_keys.delete', 'providers.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('virtualKey') virtualKey: string,
    @Query() query: DeleteQuery,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.virtualKeys.remove(caller, virtualKey, query, ifMatch);
  }
}
