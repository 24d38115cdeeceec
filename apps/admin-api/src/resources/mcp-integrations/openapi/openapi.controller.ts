import { Body, Query } from '@nestjs/common';
import { OPENAPI_BODY, TakesBody } from '../../../platform/bodies';
import { Caller, type Principal } from '../../../platform/common/principal';
import { ControlRoutes } from '../../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../../platform/resource/resource-reference';
import { Route } from '../../../platform/resource/route';
import { mcpScopes } from '../mcp-scopes';
import { CreateOpenApiDto, OpenApiQuery, UpdateOpenApiDto } from './openapi.dto';
import { OpenApiService } from './openapi.service';
import { CreatedOpenApiResponse, OpenApiResponse, UpdatedOpenApiResponse } from './openapi.view';

@ControlRoutes('mcp-integrations')
export class McpOpenApiController {
  constructor(private readonly openApi: OpenApiService) {}

  @Route.post('from-openapi', mcpScopes('create'), CreatedOpenApiResponse)
  @TakesBody(OPENAPI_BODY)
  create(@Caller() caller: Principal, @Body() body: CreateOpenApiDto): Promise<CreatedOpenApiResponse> {
    return this.openApi.create(caller, body);
  }

  @Route.get(':mcpIntegrationId/openapi', mcpScopes('read'), OpenApiResponse)
  get(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Query() query: OpenApiQuery,
  ): Promise<OpenApiResponse> {
    return this.openApi.get(at, query);
  }

  @Route.put(':mcpIntegrationId/openapi', mcpScopes('update'), UpdatedOpenApiResponse)
  @TakesBody(OPENAPI_BODY)
  update(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Body() body: UpdateOpenApiDto,
  ): Promise<UpdatedOpenApiResponse> {
    return this.openApi.update(at, body);
  }
}
