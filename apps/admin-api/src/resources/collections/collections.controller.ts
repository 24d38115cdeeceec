import { EmptyAnswer, IfMatch } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  CreateCollectionDto,
  CreatedCollectionDto,
  ListCollectionsQuery,
  UpdateCollectionDto,
} from './collections.dto';
import { CollectionsService } from './collections.service';
import { CollectionListAnswer, CollectionWithChildrenAnswer } from './collections.view';

@ControlRoutes('collections')
@ApiQuery(WORKSPACE_ID)
export class CollectionsController {
  constructor(private readonly collections: CollectionsService) {}

  @Post()
  @Requires('prompts.create')
  @ApiOkResponse({ type: CreatedCollectionDto })
  create(@Caller() caller: Principal, @Body() body: CreateCollectionDto): Promise<CreatedCollectionDto> {
    return this.collections.create(caller, body);
  }

  @Get()
  @Requires('prompts.list')
  @ApiOkResponse({ type: CollectionListAnswer })
  list(@Caller() caller: Principal, @Query() query: ListCollectionsQuery): Promise<CollectionListAnswer> {
    return this.collections.list(caller, query);
  }

  @Get(':collection')
  @Requires('prompts.read')
  @ApiOkResponse({ type: CollectionWithChildrenAnswer })
  get(
    @Caller() caller: Principal,
    @Param('collection') collection: string,
  ): Promise<CollectionWithChildrenAnswer> {
    return this.collections.get(caller, collection);
  }

  @Put(':collection')
  @Requires('prompts.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('collection') collection: string,
    @Body() body: UpdateCollectionDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.collections.update(caller, collection, body, ifMatch);
  }

  @Delete(':collection')
  @Requires('prompts.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('collection') collection: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.collections.remove(caller, collection, ifMatch);
  }
}
