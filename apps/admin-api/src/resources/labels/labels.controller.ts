import { EmptyAnswer, IfMatch } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { DeleteQuery } from '../../platform/common/uses';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { CreatedLabelDto, CreateLabelDto, ListLabelsQuery, UpdateLabelDto } from './labels.dto';
import { LabelsService } from './labels.service';
import { LabelAnswer, LabelListAnswer } from './labels.view';

@ControlRoutes('labels')
@ApiQuery(WORKSPACE_ID)
export class LabelsController {
  constructor(private readonly labels: LabelsService) {}

  @Post()
  @Requires('prompts.create')
  @ApiOkResponse({ type: CreatedLabelDto })
  create(@Caller() caller: Principal, @Body() body: CreateLabelDto): Promise<CreatedLabelDto> {
    return this.labels.create(caller, body);
  }

  @Get()
  @Requires('prompts.list')
  @ApiOkResponse({ type: LabelListAnswer })
  list(@Caller() caller: Principal, @Query() query: ListLabelsQuery): Promise<LabelListAnswer> {
    return this.labels.list(caller, query);
  }

  @Get(':labelId')
  @Requires('prompts.read')
  @ApiOkResponse({ type: LabelAnswer })
  get(@Caller() caller: Principal, @Param('labelId') id: string): Promise<LabelAnswer> {
    return this.labels.get(caller, id);
  }

  @Put(':labelId')
  @Requires('prompts.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('labelId') id: string,
    @Body() body: UpdateLabelDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.labels.update(caller, id, body, ifMatch);
  }

  @Delete(':labelId')
  @Requires('prompts.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('labelId') id: string,
    @Query() query: DeleteQuery,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.labels.remove(caller, id, query, ifMatch);
  }
}
