import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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

  @Post()
  @Requires('prompts.create')
  @ApiOkResponse({ type: CreatedPromptDto })
  create(@Caller() caller: Principal, @Body() body: CreatePromptDto): Promise<CreatedPromptDto> {
    return this.prompts.create(caller, body);
  }

  @Get()
  @Requires('prompts.list')
  @ApiOkResponse({ type: listAnswerOf(PromptItemAnswer) })
  list(@Caller() caller: Principal, @Query() query: ListPromptsQuery): Promise<ListAnswer<PromptItemAnswer>> {
    return this.prompts.list(caller, query);
  }

  @Get(':prompt')
  @Requires('prompts.read')
  @ApiOkResponse({ type: PromptAnswer })
  get(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Query() query: GetPromptQuery,
  ): Promise<PromptAnswer> {
    return this.prompts.get(caller, prompt, query.version);
  }

  @Put(':prompt')
  @Requires('prompts.update')
  @ApiOkResponse({ type: UpdatedPromptAnswer })
  update(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Body() body: UpdatePromptDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedPromptAnswer> {
    return this.prompts.update(caller, prompt, body, ifMatch);
  }

  @Delete(':prompt')
  @Requires('prompts.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.prompts.remove(caller, prompt, ifMatch);
  }

  @Get(':prompt/versions')
  @Requires('prompts.read')
  @ApiOkResponse({ type: listAnswerOf(PromptVersionAnswer) })
  versions(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Query() query: ListVersionsQuery,
  ): Promise<ListAnswer<PromptVersionAnswer>> {
    return this.prompts.versions(caller, prompt, query);
  }

  @Get(':prompt/versions/:version')
  @Requires('prompts.read')
  @ApiOkResponse({ type: PromptAnswer })
  version(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Param('version') version: string,
  ): Promise<PromptAnswer> {
    return this.prompts.version(caller, prompt, version);
  }

  @Put(':prompt/versions/:version')
  @Requires('prompts.update')
  @ApiOkResponse({ type: EmptyAnswer })
  label(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Param('version') version: string,
    @Body() body: LabelVersionDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.prompts.label(caller, { prompt, version }, body.label_id, ifMatch);
  }

  @Put(':prompt/makeDefault')
  @Requires('prompts.publish')
  @ApiOkResponse({ type: EmptyAnswer })
  publish(
    @Caller() caller: Principal,
    @Param('prompt') prompt: string,
    @Body() body: PublishDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.prompts.publish(caller, prompt, body.version, ifMatch);
  }
}
