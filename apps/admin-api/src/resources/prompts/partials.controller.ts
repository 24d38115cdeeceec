import { Body } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { PARTIAL } from './prompt-kinds';
import { PromptRoutes } from './prompt-routes';
import { PromptSharesService } from './prompt-shares.service';
import { CreatedPromptResponse, CreatePartialDto, UpdatedPartialDto, UpdatePartialDto } from './prompts.dto';
import { PromptsService } from './prompts.service';
import { PartialResponse, PartialItemResponse, PartialVersionResponse } from './prompts.view';

const RESPONSES = { item: PartialItemResponse, detail: PartialResponse, version: PartialVersionResponse };

@ControlRoutes('prompts/partials')
@ApiQuery(WORKSPACE_ID)
export class PartialsController extends PromptRoutes(PARTIAL, RESPONSES) {
  constructor(
    protected readonly prompts: PromptsService,
    protected readonly shares: PromptSharesService,
  ) {
    super();
  }

  @Route.post('', 'prompts.create', CreatedPromptResponse)
  create(@Caller() caller: Principal, @Body() body: CreatePartialDto): Promise<CreatedPromptResponse> {
    return this.prompts.create(PARTIAL, caller, body);
  }

  @Route.put(':partial', 'prompts.update', UpdatedPartialDto)
  async update(
    @ResourceParam('partial') at: ResourceReference,
    @Body() body: UpdatePartialDto,
  ): Promise<UpdatedPartialDto> {
    const { latestVersionId } = await this.prompts.update(PARTIAL, at, body);
    return { prompt_partial_version_id: latestVersionId };
  }
}
