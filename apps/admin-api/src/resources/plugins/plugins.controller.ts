import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedPluginDto,
  CreatePluginDto,
  ListPluginsQuery,
  PluginAnswer,
  UpdatePluginDto,
} from './plugins.dto';
import { PluginsService } from './plugins.service';

@ControlRoutes('plugins')
export class PluginsController {
  constructor(private readonly plugins: PluginsService) {}

  @Post()
  @Requires('plugins.create')
  @ApiOkResponse({ type: CreatedPluginDto })
  create(@Caller() caller: Principal, @Body() body: CreatePluginDto): Promise<CreatedPluginDto> {
    return this.plugins.create(caller, body);
  }

  @Get()
  @Requires('plugins.list')
  @ApiOkResponse({ type: listAnswerOf(PluginAnswer) })
  list(@Caller() caller: Principal, @Query() query: ListPluginsQuery): Promise<ListAnswer<PluginAnswer>> {
    return this.plugins.list(caller, query);
  }

  @Put(':plugin')
  @Requires('plugins.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('plugin') plugin: string,
    @Body() body: UpdatePluginDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.plugins.update(caller, plugin, body, ifMatch);
  }
}
