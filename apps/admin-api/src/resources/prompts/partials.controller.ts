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
  CreatePartialDto,
  GetPromptQuery,
  ListPromptsQuery,
  ListVersionsQuery,
  PublishDto,
  UpdatedPartialDto,
  UpdatePartialDto,
} from './prompts.dto';
import { PartialsService } from './partials.service';
import { PartialAnswer, PartialItemAnswer, PartialVersionAnswer } from './prompts.view';

@ControlRoutes('prompts/partials')
@ApiQuery(WORKSPACE_ID)
export class PartialsController extends SharingOf('partial') {
  constructor(
    private readonly partials: PartialsService,
    protected readonly shares: PromptSharesService,
  ) {
    super();
  }

  @Post()
  @Requires('prompts.create')
  @ApiOkResponse({ type: CreatedPromptDto })
  create(@Caller() caller: Principal, @Body() body: CreatePartialDto): Promise<CreatedPromptDto> {
    return this.partials.create(caller, body);
  }

  @Get()
  @Requires('prompts.list')
  @ApiOkResponse({ type: listAnswerOf(PartialItemAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListPromptsQuery,
  ): Promise<ListAnswer<PartialItemAnswer>> {
    return this.partials.list(caller, query);
  }

  @Get(':partial')
  @Requires('prompts.read')
  @ApiOkResponse({ type: PartialAnswer })
  get(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Query() query: GetPromptQuery,
  ): Promise<PartialAnswer> {
    return this.partials.get(caller, partial, query.version);
  }

  @Put(':partial')
  @Requires('prompts.update')
  @ApiOkResponse({ type: UpdatedPartialDto })
  update(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: UpdatePartialDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedPartialDto> {
    return this.partials.update(caller, partial, body, ifMatch);
  }

  @Delete(':partial')
  @Requires('prompts.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.partials.remove(caller, partial, ifMatch);
  }

  @Get(':partial/versions')
  @Requires('prompts.read')
  @ApiOkResponse({ type: listAnswerOf(PartialVersionAnswer) })
  versions(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Query() query: ListVersionsQuery,
  ): Promise<ListAnswer<PartialVersionAnswer>> {
    return this.partials.versions(caller, partial, query);
  }

  @Put(':partial/makeDefault')
  @Requires('prompts.publish')
  @ApiOkResponse({ type: EmptyAnswer })
  publish(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: PublishDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.partials.publish(caller, partial, body.version, ifMatch);
  }
}
