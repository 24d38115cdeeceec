import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CollectionListResponse,
  CollectionWithChildrenResponse,
  CreateCollectionDto,
  CreatedCollectionResponse,
  ListCollectionsQuery,
  UpdateCollectionDto,
} from './collections.dto';
import { CollectionsService } from './collections.service';

@ControlRoutes('collections')
@ApiQuery(WORKSPACE_ID)
export class CollectionsController {
  constructor(private readonly collections: CollectionsService) {}

  @Route.post('', 'prompts.create', CreatedCollectionResponse)
  create(@Caller() caller: Principal, @Body() body: CreateCollectionDto): Promise<CreatedCollectionResponse> {
    return this.collections.create(caller, body);
  }

  @Route.get('', 'prompts.list', CollectionListResponse)
  list(@Caller() caller: Principal, @Query() query: ListCollectionsQuery): Promise<CollectionListResponse> {
    return this.collections.list(caller, query);
  }

  @Route.get(':collection', 'prompts.read', CollectionWithChildrenResponse)
  get(@ResourceParam('collection') at: ResourceReference): Promise<CollectionWithChildrenResponse> {
    return this.collections.get(at);
  }

  @Route.put(':collection', 'prompts.update')
  update(
    @ResourceParam('collection') at: ResourceReference,
    @Body() body: UpdateCollectionDto,
  ): Promise<object> {
    return this.collections.update(at, body);
  }

  @Route.delete(':collection', 'prompts.delete')
  remove(@ResourceParam('collection') at: ResourceReference): Promise<object> {
    return this.collections.remove(at);
  }
}
