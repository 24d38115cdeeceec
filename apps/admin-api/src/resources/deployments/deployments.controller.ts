import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { CreateDeploymentDto, ListDeploymentsQuery, UpdateDeploymentDto } from './deployments.dto';
import { DeploymentsService } from './deployments.service';
import {
  CreatedDeploymentResponse,
  DeploymentResponse,
  DeploymentDetailResponse,
  PingResponse,
  UpdatedDeploymentResponse,
} from './deployments.view';

@ControlRoutes('deployments')
export class DeploymentsController {
  constructor(private readonly deployments: DeploymentsService) {}

  @Route.post('', 'deployments.create', CreatedDeploymentResponse)
  create(@Caller() caller: Principal, @Body() body: CreateDeploymentDto): Promise<CreatedDeploymentResponse> {
    return this.deployments.create(caller, body);
  }

  @Route.get('', 'deployments.list', listResponseOf(DeploymentResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListDeploymentsQuery,
  ): Promise<ListResponse<DeploymentResponse>> {
    return this.deployments.list(caller, query);
  }

  @Route.get(':deployment', 'deployments.read', DeploymentDetailResponse)
  get(@ResourceParam('deployment') at: ResourceReference): Promise<DeploymentDetailResponse> {
    return this.deployments.get(at);
  }

  @Route.put(':deployment', 'deployments.update', UpdatedDeploymentResponse)
  update(
    @ResourceParam('deployment') at: ResourceReference,
    @Body() body: UpdateDeploymentDto,
  ): Promise<UpdatedDeploymentResponse> {
    return this.deployments.update(at, body);
  }

  @Route.delete(':deployment', 'deployments.delete')
  remove(@ResourceParam('deployment') at: ResourceReference): Promise<object> {
    return this.deployments.remove(at);
  }

  @Route.get(':deployment/ping', 'deployments.read', PingResponse)
  ping(@ResourceParam('deployment') at: ResourceReference): Promise<PingResponse> {
    return this.deployments.ping(at);
  }
}
