import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query, type Type } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import type { PromptKind } from './prompt-kinds';
import type { PromptSharesService } from './prompt-shares.service';
import {
  CreatedPromptResponse,
  ForkDto,
  GetPromptQuery,
  ListPromptsQuery,
  ListVersionsQuery,
  PublishDto,
  ShareDto,
  SharedDto,
  UnshareDto,
} from './prompts.dto';
import type { PromptsService } from './prompts.service';

interface Responses<I, D, V> {
  readonly item: Type<I>;
  readonly detail: Type<D>;
  readonly version: Type<V>;
}

/** Creates a base controller with the routes that prompts and partials share. */
export function PromptRoutes<C, U, I, D, V>(
  kind: PromptKind<C, U, I, D, V>,
  { item, detail, version }: Responses<I, D, V>,
) {
  const { type } = kind;
  const path = `:${type}`;

  abstract class Routes {
    protected abstract readonly prompts: PromptsService;
    protected abstract readonly shares: PromptSharesService;

    @ApiQuery(WORKSPACE_ID)
    @Route.get('', 'prompts.list', listResponseOf(item))
    list(@Caller() caller: Principal, @Query() query: ListPromptsQuery): Promise<ListResponse<I>> {
      return this.prompts.list(kind, caller, query);
    }

    @ApiQuery(WORKSPACE_ID)
    @Route.get(path, 'prompts.read', detail)
    get(@ResourceParam(type) at: ResourceReference, @Query() query: GetPromptQuery): Promise<D> {
      return this.prompts.get(kind, at, query.version);
    }

    @ApiQuery(WORKSPACE_ID)
    @Route.delete(path, 'prompts.delete')
    remove(@ResourceParam(type) at: ResourceReference): Promise<object> {
      return this.prompts.remove(type, at);
    }

    @ApiQuery(WORKSPACE_ID)
    @Route.get(`${path}/versions`, 'prompts.read', listResponseOf(version))
    versions(
      @ResourceParam(type) at: ResourceReference,
      @Query() query: ListVersionsQuery,
    ): Promise<ListResponse<V>> {
      return this.prompts.versions(kind, at, query);
    }

    @ApiQuery(WORKSPACE_ID)
    @Route.put(`${path}/makeDefault`, 'prompts.publish')
    publish(@ResourceParam(type) at: ResourceReference, @Body() body: PublishDto): Promise<object> {
      return this.prompts.publish(type, at, body.version);
    }

    @Route.post(`${path}/share`, 'prompts.update', SharedDto)
    share(@ResourceParam(type) at: ResourceReference, @Body() body: ShareDto): Promise<SharedDto> {
      return this.shares.share(type, at, { ...body, replace: false });
    }

    @Route.put(`${path}/share`, 'prompts.update', SharedDto)
    replaceShare(@ResourceParam(type) at: ResourceReference, @Body() body: ShareDto): Promise<SharedDto> {
      return this.shares.share(type, at, { ...body, replace: true });
    }

    @Route.delete([`${path}/share`, `${path}/unshare`], 'prompts.update', SharedDto)
    removeShare(@ResourceParam(type) at: ResourceReference): Promise<SharedDto> {
      return this.shares.unshare(type, at, {});
    }

    @Route.post(`${path}/unshare`, 'prompts.update', SharedDto)
    unshare(@ResourceParam(type) at: ResourceReference, @Body() body: UnshareDto): Promise<SharedDto> {
      return this.shares.unshare(type, at, body);
    }

    @Route.post(`${path}/fork`, 'prompts.create', CreatedPromptResponse)
    fork(@ResourceParam(type) at: ResourceReference, @Body() body: ForkDto): Promise<CreatedPromptResponse> {
      return this.shares.fork(type, at, body);
    }
  }

  return Routes;
}
