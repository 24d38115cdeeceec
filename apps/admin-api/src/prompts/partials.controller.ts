import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../auth/principal';
import { ControlRoutes } from '../control-routes';
import { WORKSPACE_ID } from '../providers/workspace-query';
import { PromptSharesService } from './prompt-shares.service';
import {
  CreatedPromptDto,
  CreatePartialDto,
  ForkDto,
  GetPromptQuery,
  ListPromptsQuery,
  ListVersionsQuery,
  PublishDto,
  ShareDto,
  SharedDto,
  UnshareDto,
  UpdatedPartialDto,
  UpdatePartialDto,
} from './prompts.dto';
import { PartialsService } from './partials.service';
import { PartialAnswer, PartialItemAnswer, PartialVersionAnswer } from './prompts.view';

@ControlRoutes('prompts/partials')
@ApiQuery(WORKSPACE_ID)
export class PartialsController {
  constructor(
    private readonly partials: PartialsService,
    private readonly shares: PromptSharesService,
  ) {}

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

  @Post(':partial/share')
  @Requires('prompts.update')
  @ApiOkResponse({ type: SharedDto })
  share(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: ShareDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<SharedDto> {
    return this.shares.share(caller, 'partial', partial, { ...body, replace: false }, ifMatch);
  }

  @Put(':partial/share')
  @Requires('prompts.update')
  @ApiOkResponse({ type: SharedDto })
  replaceShare(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: ShareDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<SharedDto> {
    return this.shares.share(caller, 'partial', partial, { ...body, replace: true }, ifMatch);
  }

  @Delete(':partial/share')
  @Requires('prompts.update')
  @ApiOkResponse({ type: SharedDto })
  removeShare(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<SharedDto> {
    return this.shares.unshare(caller, 'partial', partial, {}, ifMatch);
  }

  @Post(':partial/unshare')
  @Requires('prompts.update')
  @ApiOkResponse({ type: SharedDto })
  unshare(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: UnshareDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<SharedDto> {
    return this.shares.unshare(caller, 'partial', partial, body, ifMatch);
  }

  @Delete(':partial/unshare')
  @Requires('prompts.update')
  @ApiOkResponse({ type: SharedDto })
  removeShareByItsOtherName(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<SharedDto> {
    return this.shares.unshare(caller, 'partial', partial, {}, ifMatch);
  }

  @Post(':partial/fork')
  @Requires('prompts.create')
  @ApiOkResponse({ type: CreatedPromptDto })
  fork(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: ForkDto,
  ): Promise<CreatedPromptDto> {
    return this.shares.fork(caller, 'partial', partial, body);
  }
}
