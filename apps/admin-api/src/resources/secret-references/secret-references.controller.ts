import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Named, type At } from '../../platform/resource/at';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreateSecretReferenceDto,
  ListSecretReferencesQuery,
  UpdateSecretReferenceDto,
} from './secret-references.dto';
import { SecretReferencesService } from './secret-references.service';
import {
  CreatedSecretReferenceDto,
  SecretReferenceResponse,
  SecretReferenceDetailResponse,
  SecretReferenceTestResponse,
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

  @Route.get('', 'secret_references.list', listResponseOf(SecretReferenceResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListSecretReferencesQuery,
  ): Promise<ListResponse<SecretReferenceResponse>> {
    return this.references.list(caller, query);
  }

  @Route.get(':reference', 'secret_references.read', SecretReferenceDetailResponse)
  get(@Named('reference') at: At): Promise<SecretReferenceDetailResponse> {
    return this.references.get(at);
  }

  @Route.put(':reference', 'secret_references.update')
  update(@Named('reference') at: At, @Body() body: UpdateSecretReferenceDto): Promise<object> {
    return this.references.update(at, body);
  }

  @Route.delete(':reference', 'secret_references.delete')
  remove(@Named('reference') at: At): Promise<object> {
    return this.references.remove(at);
  }

  @Route.post(':reference/test', 'secret_references.read', SecretReferenceTestResponse)
  test(@Named('reference') at: At): Promise<SecretReferenceTestResponse> {
    return this.references.test(at);
  }

  @Route.post(':reference/rotate', 'secret_references.update')
  rotate(@Named('reference') at: At): Promise<object> {
    return this.references.rotate(at);
  }
}
