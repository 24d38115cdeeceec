import { TRUST_PRESETS } from '@gw/trusts';
import { listOf, listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import {
  ListTrustsQuery,
  TestTrustDto,
  TrustFields,
  TrustPresetResponse,
  TrustResponse,
  TrustTestResponse,
  UpdateTrustDto,
} from './trusts.dto';
import { TrustTester } from './trust-tester.service';
import { TrustsService } from './trusts.service';

const PRESETS = TRUST_PRESETS.map(({ issuer, ...preset }) => ({ ...preset, shared_issuer: issuer !== null }));

@ControlRoutes('trusts')
export class TrustsController {
  constructor(
    private readonly trusts: TrustsService,
    private readonly tester: TrustTester,
  ) {}

  /** Creates a trust, whose tokens are accepted instead of API keys. */
  @Route.post('', 'organisation_settings.update', TrustResponse)
  create(@Caller() caller: Principal, @Body() body: TrustFields): Promise<TrustResponse> {
    return this.trusts.create(caller, body);
  }

  @Route.get('', 'organisation_settings.read', listResponseOf(TrustResponse))
  list(@Caller() caller: Principal, @Query() query: ListTrustsQuery): Promise<ListResponse<TrustResponse>> {
    return this.trusts.list(caller, query);
  }

  /** Lists the platforms with preset trust settings. */
  @Route.get('presets', 'organisation_settings.read', listResponseOf(TrustPresetResponse))
  presets(): ListResponse<TrustPresetResponse> {
    return listOf([PRESETS, PRESETS.length]);
  }

  @Route.get(':trustId', 'organisation_settings.read', TrustResponse)
  get(@ResourceParam('trustId') at: ResourceReference): Promise<TrustResponse> {
    return this.trusts.get(at);
  }

  @Route.put(':trustId', 'organisation_settings.update')
  update(@ResourceParam('trustId') at: ResourceReference, @Body() body: UpdateTrustDto): Promise<object> {
    return this.trusts.update(at, body);
  }

  /** Ends a trust: gateways refuse its tokens from then on. */
  @Route.delete(':trustId', 'organisation_settings.update')
  remove(@ResourceParam('trustId') at: ResourceReference): Promise<object> {
    return this.trusts.remove(at);
  }

  /** Shows which check a token fails and which rights it would give. The token is not stored. */
  @Route.post(':trustId/test', 'organisation_settings.update', TrustTestResponse)
  test(
    @ResourceParam('trustId') at: ResourceReference,
    @Body() { token }: TestTrustDto,
  ): Promise<TrustTestResponse> {
    return this.tester.test(at, token);
  }
}
