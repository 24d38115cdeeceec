import { Body, HttpCode, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import {
  CreateScimMappingDto,
  DeletedScimMapping,
  ListScimGroupsQuery,
  ListScimMappingsQuery,
  ScimGroupListResponse,
  ScimMappingListResponse,
  ScimMappingResponse,
} from './scim-mappings.dto';
import { ScimMappingsService } from './scim-mappings.service';

@ControlRoutes('scim')
export class ScimMappingsController {
  constructor(private readonly mappings: ScimMappingsService) {}

  /** Creates a mapping that gives the members of a group a role in a workspace. */
  @Post('workspaces')
  @HttpCode(201)
  @Requires('organisation_settings.update')
  @ApiCreatedResponse({ type: ScimMappingResponse })
  create(@Caller() caller: Principal, @Body() body: CreateScimMappingDto): Promise<ScimMappingResponse> {
    return this.mappings.create(caller, body);
  }

  @Route.get('workspaces', 'organisation_settings.read', ScimMappingListResponse)
  list(@Caller() caller: Principal, @Query() query: ListScimMappingsQuery): Promise<ScimMappingListResponse> {
    return this.mappings.list(caller, query);
  }

  /** Deletes a mapping. Its users stay in the workspace as manually added members. */
  @Route.delete('workspaces/:mappingId', 'organisation_settings.update', DeletedScimMapping)
  remove(@ResourceParam('mappingId') at: ResourceReference): Promise<DeletedScimMapping> {
    return this.mappings.remove(at);
  }

  @Route.get('groups', 'organisation_settings.read', ScimGroupListResponse)
  groups(@Caller() caller: Principal, @Query() query: ListScimGroupsQuery): Promise<ScimGroupListResponse> {
    return this.mappings.groups(caller, query);
  }
}
