import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import {
  CreatedOauthClientResponse,
  ListOauthClientsQuery,
  OauthClientFields,
  OauthClientResponse,
  OauthClientSecretResponse,
  UpdateOauthClientDto,
} from './oauth-clients.dto';
import { OauthClientsService } from './oauth-clients.service';

/** Routes for the OAuth clients that an organisation registers for its users. */
@ControlRoutes('admin/organisation/oauth-clients')
export class OauthClientsController {
  constructor(private readonly clients: OauthClientsService) {}

  /** Registers a client. Only users of the organisation can grant it access. */
  @Route.post('', 'organisation_settings.update', CreatedOauthClientResponse)
  create(@Caller() caller: Principal, @Body() body: OauthClientFields): Promise<CreatedOauthClientResponse> {
    return this.clients.create(caller, body);
  }

  @Route.get('', 'organisation_settings.read', listResponseOf(OauthClientResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListOauthClientsQuery,
  ): Promise<ListResponse<OauthClientResponse>> {
    return this.clients.list(caller, query);
  }

  @Route.get(':oauthClientId', 'organisation_settings.read', OauthClientResponse)
  get(@ResourceParam('oauthClientId') at: ResourceReference): Promise<OauthClientResponse> {
    return this.clients.get(at);
  }

  @Route.put(':oauthClientId', 'organisation_settings.update')
  update(
    @ResourceParam('oauthClientId') at: ResourceReference,
    @Body() body: UpdateOauthClientDto,
  ): Promise<object> {
    return this.clients.update(at, body);
  }

  /** Replaces the secret of a client; the old one stops working immediately. */
  @Route.post(':oauthClientId/rotate', 'organisation_settings.update', OauthClientSecretResponse)
  rotate(@ResourceParam('oauthClientId') at: ResourceReference): Promise<OauthClientSecretResponse> {
    return this.clients.rotate(at);
  }

  /** Deletes a client and immediately ends all its grants. */
  @Route.delete(':oauthClientId', 'organisation_settings.update')
  remove(@ResourceParam('oauthClientId') at: ResourceReference): Promise<object> {
    return this.clients.remove(at);
  }
}
