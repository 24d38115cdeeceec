import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedSecretReferenceDto,
  CreateSecretReferenceDto,
  ListSecretReferencesQuery,
  UpdateSecretReferenceDto,
} from './secret-references.dto';
import { SecretReferencesService } from './secret-references.service';
import {
  SecretReferenceAnswer,
  SecretReferenceDetailAnswer,
  SecretReferenceTestAnswer,
} from './secret-references.view';

@ControlRoutes('secret-references')
export class SecretReferencesController {
  constructor(private readonly references: SecretReferencesService) {}

  @Post()
  @Requires('secret_references.create')
  @ApiOkResponse({ type: CreatedSecretReferenceDto })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateSecretReferenceDto,
  ): Promise<CreatedSecretReferenceDto> {
    return this.references.create(caller, body);
  }

  @Get()
  @Requires('secret_references.list')
  @ApiOkResponse({ type: listAnswerOf(SecretReferenceAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListSecretReferencesQuery,
  ): Promise<ListAnswer<SecretReferenceAnswer>> {
    return this.references.list(caller, query);
  }

  @Get(':reference')
  @Requires('secret_references.read')
  @ApiOkResponse({ type: SecretReferenceDetailAnswer })
  get(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
  ): Promise<SecretReferenceDetailAnswer> {
    return this.references.get(caller, reference);
  }

  @Put(':reference')
  @Requires('secret_references.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
    @Body() body: UpdateSecretReferenceDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.references.update(caller, reference, body, ifMatch);
  }

  @Delete(':reference')
  @Requires('secret_references.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.references.remove(caller, reference, ifMatch);
  }

  @Post(':reference/test')
  @Requires('secret_references.read')
  @ApiOkResponse({ type: SecretReferenceTestAnswer })
  test(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
  ): Promise<SecretReferenceTestAnswer> {
    return this.references.test(caller, reference);
  }

  @Post(':reference/rotate')
  @Requires('secret_references.update')
  @ApiOkResponse({ type: EmptyAnswer })
  rotate(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.references.rotate(caller, reference, ifMatch);
  }
}
