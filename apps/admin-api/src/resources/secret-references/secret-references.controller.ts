import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreateSecretReferenceDto,
  ListSecretReferencesQuery,
  UpdateSecretReferenceDto,
} from './secret-references.dto';
import { SecretReferencesService } from './secret-references.service';
import {
  CreatedSecretReferenceResponse,
  SecretReferenceResponse,
  SecretReferenceDetailResponse,
  SecretReferenceTestResponse,
} from './secret-references.view';

@ControlRoutes('secret-references')
export class SecretReferencesController {
  constructor(private readonly references: SecretReferencesService) {}

  @Route.post('', 'secret_references.create', CreatedSecretReferenceResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateSecretReferenceDto,
  ): Promise<CreatedSecretReferenceResponse> {
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
  get(@ResourceParam('reference') at: ResourceReference): Promise<SecretReferenceDetailResponse> {
    return this.references.get(at);
  }

  @Route.put(':reference', 'secret_references.update')
  update(
    @ResourceParam('reference') at: ResourceReference,
    @Body() body: UpdateSecretReferenceDto,
  ): Promise<object> {
    return this.references.update(at, body);
  }

  @Route.delete(':reference', 'secret_references.delete')
  remove(@ResourceParam('reference') at: ResourceReference): Promise<object> {
    return this.references.remove(at);
  }

  @Route.post(':reference/test', 'secret_references.read', SecretReferenceTestResponse)
  test(@ResourceParam('reference') at: ResourceReference): Promise<SecretReferenceTestResponse> {
    return this.references.test(at);
  }

  @Route.post(':reference/rotate', 'secret_references.update')
  rotate(@ResourceParam('reference') at: ResourceReference): Promise<object> {
    return this.references.rotate(at);
  }
}
