import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Caller, type Principal } from '../../platform/common/principal';
import { DeleteQuery } from '../../platform/common/uses';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedLabelResponse,
  CreateLabelDto,
  LabelResponse,
  LabelListResponse,
  ListLabelsQuery,
  UpdateLabelDto,
} from './labels.dto';
import { LabelsService } from './labels.service';

@ControlRoutes('labels')
@ApiQuery(WORKSPACE_ID)
export class LabelsController {
  constructor(private readonly labels: LabelsService) {}

  @Route.post('', 'prompts.create', CreatedLabelResponse)
  create(@Caller() caller: Principal, @Body() body: CreateLabelDto): Promise<CreatedLabelResponse> {
    return this.labels.create(caller, body);
  }

  @Route.get('', 'prompts.list', LabelListResponse)
  list(@Caller() caller: Principal, @Query() query: ListLabelsQuery): Promise<LabelListResponse> {
    return this.labels.list(caller, query);
  }

  @Route.get(':labelId', 'prompts.read', LabelResponse)
  get(@ResourceParam('labelId') at: ResourceReference): Promise<LabelResponse> {
    return this.labels.get(at);
  }

  @Route.put(':labelId', 'prompts.update')
  update(@ResourceParam('labelId') at: ResourceReference, @Body() body: UpdateLabelDto): Promise<object> {
    return this.labels.update(at, body);
  }

  @Route.delete(':labelId', 'prompts.delete')
  remove(@ResourceParam('labelId') at: ResourceReference, @Query() query: DeleteQuery): Promise<object> {
    return this.labels.remove(at, query);
  }
}
