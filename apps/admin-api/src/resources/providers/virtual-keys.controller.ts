import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { DeleteQuery } from '../../platform/common/uses';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  CreatedVirtualKeyResponse,
  CreateVirtualKeyDto,
  ListVirtualKeysQuery,
  UpdateVirtualKeyDto,
} from './virtual-keys.dto';
import { VirtualKeysService } from './virtual-keys.service';
import { VirtualKeyResponse } from './virtual-keys.view';

@ControlRoutes('virtual-keys')
@ApiQuery(WORKSPACE_ID)
export class VirtualKeysController {
  constructor(private readonly virtualKeys: VirtualKeysService) {}

  @Route.post('', ['virtual_keys.create', 'providers.create'], CreatedVirtualKeyResponse)
  create(@Caller() caller: Principal, @Body() body: CreateVirtualKeyDto): Promise<CreatedVirtualKeyResponse> {
    return this.virtualKeys.create(caller, body);
  }

  @Route.get('', ['virtual_keys.list', 'providers.list'], listResponseOf(VirtualKeyResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListVirtualKeysQuery,
  ): Promise<ListResponse<VirtualKeyResponse>> {
    return this.virtualKeys.list(caller, query);
  }

  @Route.get(':virtualKey', ['virtual_keys.read', 'providers.read'], VirtualKeyResponse)
  get(@ResourceParam('virtualKey') at: ResourceReference): Promise<VirtualKeyResponse> {
    return this.virtualKeys.get(at);
  }

  @Route.put(':virtualKey', ['virtual_keys.update', 'providers.update'])
  update(
    @ResourceParam('virtualKey') at: ResourceReference,
    @Body() body: UpdateVirtualKeyDto,
  ): Promise<object> {
    return this.virtualKeys.update(at, body);
  }

  @Route.delete(':virtualKey', ['virtual_keys.delete', 'providers.delete'])
  remove(@ResourceParam('virtualKey') at: ResourceReference, @Query() query: DeleteQuery): Promise<object> {
    return this.virtualKeys.remove(at, query);
  }
}
