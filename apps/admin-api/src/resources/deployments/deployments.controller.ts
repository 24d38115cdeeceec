import { IfMatch, listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
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
  get(
    @Caller() caller: Principal,
    @Param('deployment') deployment: string,
  ): Promise<DeploymentDetailResponse> {
    return this.deployments.get(caller, deployment);
  }

  @Route.put(':deployment', 'deployments.update', UpdatedDeploymentResponse)
  update(
    @Caller() caller: Principal,
    @Param('deployment') deployment: string,
    @Body() body: UpdateDeploymentDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedDeploymentResponse> {
    return this.deployments.update(caller, deployment, body, ifMatch);
  }

  @Route.delete(':deployment', 'deployments.delete')
  remove(
    @Caller() caller: Principal,
    @Param('deployment') deployment: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.deployments.remove(caller, deployment, ifMatch);
  }

  @Route.get(':deployment/ping', 'deployments.read', PingResponse)
  ping(@Caller() caller: Principal, @Param('deployment') deployment: string): Promise<PingResponse> {
    return this.deployments.ping(caller, deployment);
  }
}
