import { Body, Param } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { PROMPT } from './prompt-kinds';
import { PromptRoutes } from './prompt-routes';
import { PromptSharesService } from './prompt-shares.service';
import {
  CreatedPromptResponse,
  CreatePromptDto,
  LabelVersionDto,
  UpdatedPromptResponse,
  UpdatePromptDto,
} from './prompts.dto';
import { PromptsService } from './prompts.service';
import { PromptResponse, PromptItemResponse, PromptVersionResponse } from './prompts.view';

const RESPONSES = { item: PromptItemResponse, detail: PromptResponse, version: PromptVersionResponse };

@ControlRoutes('prompts')
@ApiQuery(WORKSPACE_ID)
export class PromptsController extends PromptRoutes(PROMPT, RESPONSES) {
  constructor(
    protected readonly prompts: PromptsService,
    protected readonly shares: PromptSharesService,
  ) {
    super();
  }

  @Route.post('', 'prompts.create', CreatedPromptResponse)
  create(@Caller() caller: Principal, @Body() body: CreatePromptDto): Promise<CreatedPromptResponse> {
    return this.prompts.create(PROMPT, caller, body);
  }

  @Route.put(':prompt', 'prompts.update', UpdatedPromptResponse)
  async update(
    @ResourceParam('prompt') at: ResourceReference,
    @Body() body: UpdatePromptDto,
  ): Promise<UpdatedPromptResponse> {
    const { id, slug, latestVersionId } = await this.prompts.update(PROMPT, at, body);
    return { id, slug, prompt_version_id: latestVersionId };
  }

  @Route.get(':prompt/versions/:version', 'prompts.read', PromptResponse)
  version(
    @ResourceParam('prompt') at: ResourceReference,
    @Param('version') version: string,
  ): Promise<PromptResponse> {
    return this.prompts.version(PROMPT, at, version);
  }

  @Route.put(':prompt/versions/:version', 'prompts.update')
  label(
    @ResourceParam('prompt') at: ResourceReference,
    @Param('version') version: string,
    @Body() body: LabelVersionDto,
  ): Promise<object> {
    return this.prompts.label(at, version, body.label_id);
  }
}
