import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedPluginResponse,
  CreatePluginDto,
  ListPluginsQuery,
  PluginResponse,
  UpdatePluginDto,
} from './plugins.dto';
import { PluginsService } from './plugins.service';

@ControlRoutes('plugins')
export class PluginsController {
  constructor(private readonly plugins: PluginsService) {}

  @Route.post('', 'plugins.create', CreatedPluginResponse)
  create(@Caller() caller: Principal, @Body() body: CreatePluginDto): Promise<CreatedPluginResponse> {
    return this.plugins.create(caller, body);
  }

  @Route.get('', 'plugins.list', listResponseOf(PluginResponse))
  list(@Caller() caller: Principal, @Query() query: ListPluginsQuery): Promise<ListResponse<PluginResponse>> {
    return this.plugins.list(caller, query);
  }

  @Route.put(':plugin', 'plugins.update')
  update(@ResourceParam('plugin') at: ResourceReference, @Body() body: UpdatePluginDto): Promise<object> {
    return this.plugins.update(at, body);
  }
}
