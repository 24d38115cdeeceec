import { IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { CreateDeploymentDto, ListDeploymentsQuery, UpdateDeploymentDto } from './deployments.dto';
import { DeploymentsService } from './deployments.service';
import {
  CreatedDeploymentAnswer,
  DeploymentAnswer,
  DeploymentDetailAnswer,
  PingAnswer,
  UpdatedDeploymentAnswer,
} from './deployments.view';

@ControlRoutes('deployments')
export class DeploymentsController {
  constructor(private readonly deployments: DeploymentsService) {}

  @Route.post('', 'deployments.create', CreatedDeploymentAnswer)
  create(@Caller() caller: Principal, @Body() body: CreateDeploymentDto): Promise<CreatedDeploymentAnswer> {
    return this.deployments.create(caller, body);
  }

  @Route.get('', 'deployments.list', listAnswerOf(DeploymentAnswer))
  list(
    @Caller() caller: Principal,
    @Query() query: ListDeploymentsQuery,
  ): Promise<ListAnswer<DeploymentAnswer>> {
    return this.deployments.list(caller, query);
  }

  @Route.get(':deployment', 'deployments.read', DeploymentDetailAnswer)
  get(@Caller() caller: Principal, @Param('deployment') deployment: string): Promise<DeploymentDetailAnswer> {
    return this.deployments.get(caller, deployment);
  }

  @Route.put(':deployment', 'deployments.update', UpdatedDeploymentAnswer)
  update(
    @Caller() caller: Principal,
    @Param('deployment') deployment: string,
    @Body() body: UpdateDeploymentDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedDeploymentAnswer> {
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

  @Route.get(':deployment/ping', 'deployments.read', PingAnswer)
  ping(@Caller() caller: Principal, @Param('deployment') deployment: string): Promise<PingAnswer> {
    return this.deployments.ping(caller, deployment);
  }
}
