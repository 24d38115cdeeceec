import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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

  @Post()
  @Requires('deployments.create')
  @ApiOkResponse({ type: CreatedDeploymentAnswer })
  create(@Caller() caller: Principal, @Body() body: CreateDeploymentDto): Promise<CreatedDeploymentAnswer> {
    return this.deployments.create(caller, body);
  }

  @Get()
  @Requires('deployments.list')
  @ApiOkResponse({ type: listAnswerOf(DeploymentAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListDeploymentsQuery,
  ): Promise<ListAnswer<DeploymentAnswer>> {
    return this.deployments.list(caller, query);
  }

  @Get(':deployment')
  @Requires('deployments.read')
  @ApiOkResponse({ type: DeploymentDetailAnswer })
  get(@Caller() caller: Principal, @Param('deployment') deployment: string): Promise<DeploymentDetailAnswer> {
    return this.deployments.get(caller, deployment);
  }

  @Put(':deployment')
  @Requires('deployments.update')
  @ApiOkResponse({ type: UpdatedDeploymentAnswer })
  update(
    @Caller() caller: Principal,
    @Param('deployment') deployment: string,
    @Body() body: UpdateDeploymentDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedDeploymentAnswer> {
    return this.deployments.update(caller, deployment, body, ifMatch);
  }

  @Delete(':deployment')
  @Requires('deployments.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('deployment') deployment: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.deployments.remove(caller, deployment, ifMatch);
  }

  @Get(':deployment/ping')
  @Requires('deployments.read')
  @ApiOkResponse({ type: PingAnswer })
  ping(@Caller() caller: Principal, @Param('deployment') deployment: string): Promise<PingAnswer> {
    return this.deployments.ping(caller, deployment);
  }
}
