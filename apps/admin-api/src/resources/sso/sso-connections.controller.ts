import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { SsoTestRedirectResponse } from '../../platform/logins/sso-tests.dto';
import { Route } from '../../platform/resource/route';
import { GroupsPreviewDto, GroupsPreviewResponse } from './group-rules.dto';
import { MetadataPreviewDto, MetadataPreviewResponse, ServiceProviderResponse } from './saml.dto';
import {
  ListSsoConnectionsQuery,
  SsoConnectionFields,
  SsoConnectionResponse,
  UpdateSsoConnectionDto,
} from './sso-connections.dto';
import { SsoConnectionsService } from './sso-connections.service';

@ControlRoutes('admin/organisation/sso-connections')
export class SsoConnectionsController {
  constructor(private readonly connections: SsoConnectionsService) {}

  @Route.post('', 'organisation_settings.update', SsoConnectionResponse)
  create(@Caller() caller: Principal, @Body() body: SsoConnectionFields): Promise<SsoConnectionResponse> {
    return this.connections.create(caller, body);
  }

  @Route.get('', 'organisation_settings.read', listResponseOf(SsoConnectionResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListSsoConnectionsQuery,
  ): Promise<ListResponse<SsoConnectionResponse>> {
    return this.connections.list(caller, query);
  }

  @Route.get(':connectionId', 'organisation_settings.read', SsoConnectionResponse)
  get(@ResourceParam('connectionId') at: ResourceReference): Promise<SsoConnectionResponse> {
    return this.connections.get(at);
  }

  @Route.put(':connectionId', 'organisation_settings.update')
  update(
    @ResourceParam('connectionId') at: ResourceReference,
    @Body() body: UpdateSsoConnectionDto,
  ): Promise<object> {
    return this.connections.update(at, body);
  }

  /** Starts a test login that shows each step and opens no session. */
  @Route.post(':connectionId/test', 'organisation_settings.update', SsoTestRedirectResponse)
  test(@ResourceParam('connectionId') at: ResourceReference): Promise<SsoTestRedirectResponse> {
    return this.connections.test(at);
  }

  /** Returns the roles of a user with these groups, without a login. */
  @Route.post(':connectionId/groups/preview', 'organisation_settings.read', GroupsPreviewResponse)
  previewGroups(
    @ResourceParam('connectionId') at: ResourceReference,
    @Body() { groups }: GroupsPreviewDto,
  ): Promise<GroupsPreviewResponse> {
    return this.connections.previewGroups(at, groups);
  }

  /** Returns the values to register at the identity provider. */
  @Route.get(':connectionId/sp', 'organisation_settings.read', ServiceProviderResponse)
  serviceProvider(@ResourceParam('connectionId') at: ResourceReference): Promise<ServiceProviderResponse> {
    return this.connections.serviceProvider(at);
  }

  /** Reads the metadata of a SAML identity provider and saves nothing. */
  @Route.post(':connectionId/metadata', 'organisation_settings.update', MetadataPreviewResponse)
  previewMetadata(
    @ResourceParam('connectionId') at: ResourceReference,
    @Body() body: MetadataPreviewDto,
  ): Promise<MetadataPreviewResponse> {
    return this.connections.previewMetadata(at, body);
  }

  /** Deletes a connection with its links. Users keep their memberships and sessions. */
  @Route.delete(':connectionId', 'organisation_settings.update')
  remove(@ResourceParam('connectionId') at: ResourceReference): Promise<object> {
    return this.connections.remove(at);
  }
}
