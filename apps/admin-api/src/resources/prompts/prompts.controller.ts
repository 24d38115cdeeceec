import { IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { PromptSharesService } from './prompt-shares.service';
import { SharingOf } from './prompt-sharing';
import {
  CreatedPromptDto,
  CreatePromptDto,
  GetPromptQuery,
  LabelVersionDto,
  ListPromptsQuery,
  ListVersionsQuery,
  PublishDto,
  UpdatedPromptAnswer,
  UpdatePromptDto,
} from './prompts.dto';
import { PromptsService } from './prompts.service';
import { PromptAnswer, PromptItemAnswer, PromptVersionAnswer } from './prompts.view';

@ControlRoutes('prompts')
@ApiQuery(WORKSPACE_ID)
export class PromptsController extends SharingOf('prompt') {
  constructor(
    private readonly prompts: PromptsService,
    protected readonly shares: PromptSharesService,
  ) {
    super();
  }

  @Route.post('', 'prompts.create', CreatedPromptDto)
  create(@Caller() caller: Principal, @Body() body: CreatePromptDto): Promise<CreatedPromptDto> {
    return this.prompts.create(caller, body);
  }

  @Route.get('', 'prompts.list', listAnswerOf(PromptItemAnswer))
  list(@Caller() caller: Principal, @Query() query: ListPromptsQuery): Promise<ListAnswer<PromptItemAnswer>> {
    return this.prompts.list(caller, query);
  }

  @Route.get(':prompt', 'prompts.read', PromptAnswer)
  get(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Query() query: GetPromptQuery,
  ): Promise<PromptAnswer> {
    return this.prompts.get(caller, prompt, query.version);
  }

  @Route.put(':prompt', 'prompts.update', UpdatedPromptAnswer)
  update(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Body() body: UpdatePromptDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedPromptAnswer> {
    return this.prompts.update(caller, prompt, body, ifMatch);
  }

  @Route.delete(':prompt', 'prompts.delete')
  remove(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.prompts.remove(caller, prompt, ifMatch);
  }

  @Route.get(':prompt/versions', 'prompts.read', listAnswerOf(PromptVersionAnswer))
  versions(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Query() query: ListVersionsQuery,
  ): Promise<ListAnswer<PromptVersionAnswer>> {
    return this.prompts.versions(caller, prompt, query);
  }

  @Route.get(':prompt/versions/:version', 'prompts.read', PromptAnswer)
  version(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Param('version') version: string,
  ): Promise<PromptAnswer> {
    return this.prompts.version(caller, prompt, version);
  }

  @Route.put(':prompt/versions/:version', 'prompts.update')
  label(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Param('version') version: string,
    @Body() body: LabelVersionDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.prompts.label(caller, { prompt, version }, body.label_id, ifMatch);
  }

  @Route.put(':prompt/makeDefault', 'prompts.publish')
  publish(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Body() body: PublishDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.prompts.publish(caller, prompt, body.version, ifMatch);
  }
}
