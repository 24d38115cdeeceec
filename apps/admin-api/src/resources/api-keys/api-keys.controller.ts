import { GatewayError } from '@gw/kernel';
import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { ApiKeyOnly } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { anyTypeScope, API_KEY_TYPES } from '../../platform/keys/api-key-rules';
import {
  CreateApiKeyBody,
  ListApiKeysQuery,
  RotateApiKeyDto,
  UpdateApiKeyDto,
} from '../../platform/keys/api-keys.dto';
import { ApiKeysService } from './api-keys.service';
import { SelfDetailsResponse, SelfDetailsQuery } from './self-details.dto';
import { ApiKeyResponse, CreatedApiKey, RotatedApiKey } from '../../platform/keys/api-keys.view';

@ControlRoutes('api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Route.post(':type/:subType', anyTypeScope('create'), CreatedApiKey)
  create(
    @Caller() caller: Principal,
    @Param('type') type: string,
    @Param('subType') subType: string,
    @Body() body: CreateApiKeyBody,
  ): Promise<CreatedApiKey> {
    const keyType = API_KEY_TYPES.find((known) => known === `${type}-${subType}`);
    if (!keyType) {
      throw new GatewayError('validation_failed', {
        message: `Unknown key type; use one of ${API_KEY_TYPES.join(', ').replaceAll('-', '/')}.`,
        param: 'type',
      });
    }
    return this.apiKeys.create(caller, keyType, body);
  }

  @Route.get('', anyTypeScope('list'), listResponseOf(ApiKeyResponse))
  list(@Caller() caller: Principal, @Query() query: ListApiKeysQuery): Promise<ListResponse<ApiKeyResponse>> {
    return this.apiKeys.list(caller, query);
  }

  @Get('self/details')
  @ApiKeyOnly()
  @ApiOkResponse({ type: SelfDetailsResponse })
  self(@Caller() caller: Principal, @Query() query: SelfDetailsQuery): Promise<SelfDetailsResponse> {
    return this.apiKeys.self(caller, query);
  }

  @Route.get(':id', anyTypeScope('read'), ApiKeyResponse)
  get(@ResourceParam('id') at: ResourceReference): Promise<ApiKeyResponse> {
    return this.apiKeys.get(at);
  }

  @Route.put(':id', anyTypeScope('update'))
  update(@ResourceParam('id') at: ResourceReference, @Body() body: UpdateApiKeyDto): Promise<object> {
    return this.apiKeys.update(at, body);
  }

  @Route.delete(':id', anyTypeScope('delete'))
  remove(@ResourceParam('id') at: ResourceReference): Promise<object> {
    return this.apiKeys.remove(at);
  }

  @Route.post(':id/rotate', anyTypeScope('rotate'), RotatedApiKey)
  rotate(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RotateApiKeyDto,
  ): Promise<RotatedApiKey> {
    return this.apiKeys.rotate(caller, id, body);
  }
}
