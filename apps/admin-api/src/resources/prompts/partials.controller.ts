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

  @Route.post('', 'prompts.create', CreatedPromptDto)
  create(@Caller() caller: Principal, @Body() body: CreatePartialDto): Promise<CreatedPromptDto> {
    return this.partials.create(caller, body);
  }

  @Route.get('', 'prompts.list', listAnswerOf(PartialItemAnswer))
  list(
    @Caller() caller: Principal,
    @Query() query: ListPromptsQuery,
  ): Promise<ListAnswer<PartialItemAnswer>> {
    return this.partials.list(caller, query);
  }

  @Route.get(':partial', 'prompts.read', PartialAnswer)
  get(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Query() query: GetPromptQuery,
  ): Promise<PartialAnswer> {
    return this.partials.get(caller, partial, query.version);
  }

  @Route.put(':partial', 'prompts.update', UpdatedPartialDto)
  update(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: UpdatePartialDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedPartialDto> {
    return this.partials.update(caller, partial, body, ifMatch);
  }

  @Route.delete(':partial', 'prompts.delete')
  remove(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.partials.remove(caller, partial, ifMatch);
  }

  @Route.get(':partial/versions', 'prompts.read', listAnswerOf(PartialVersionAnswer))
  versions(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Query() query: ListVersionsQuery,
  ): Promise<ListAnswer<PartialVersionAnswer>> {
    return this.partials.versions(caller, partial, query);
  }

  @Route.put(':partial/makeDefault', 'prompts.publish')
  publish(
    @Caller() caller: Principal,
    @Param('partial') partial: string,
    @Body() body: PublishDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.partials.publish(caller, partial, body.version, ifMatch);
  }
}
