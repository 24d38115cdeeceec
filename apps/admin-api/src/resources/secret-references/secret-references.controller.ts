import { IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
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

  @Route.post('', 'secret_references.create', CreatedSecretReferenceDto)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateSecretReferenceDto,
  ): Promise<CreatedSecretReferenceDto> {
    return this.references.create(caller, body);
  }

  @Route.get('', 'secret_references.list', listAnswerOf(SecretReferenceAnswer))
  list(
    @Caller() caller: Principal,
    @Query() query: ListSecretReferencesQuery,
  ): Promise<ListAnswer<SecretReferenceAnswer>> {
    return this.references.list(caller, query);
  }

  @Route.get(':reference', 'secret_references.read', SecretReferenceDetailAnswer)
  get(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
  ): Promise<SecretReferenceDetailAnswer> {
    return this.references.get(caller, reference);
  }

  @Route.put(':reference', 'secret_references.update')
  update(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
    @Body() body: UpdateSecretReferenceDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.references.update(caller, reference, body, ifMatch);
  }

  @Route.delete(':reference', 'secret_references.delete')
  remove(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.references.remove(caller, reference, ifMatch);
  }

  @Route.post(':reference/test', 'secret_references.read', SecretReferenceTestAnswer)
  test(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
  ): Promise<SecretReferenceTestAnswer> {
    return this.references.test(caller, reference);
  }

  @Route.post(':reference/rotate', 'secret_references.update')
  rotate(
    @Caller() caller: Principal,
    @Param('reference') reference: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.references.rotate(caller, reference, ifMatch);
  }
}
