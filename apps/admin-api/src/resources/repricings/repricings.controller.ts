import { IfMatch, listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedRepricingResponse,
  CreateRepricingDto,
  ListRepricingsQuery,
  RepricingResponse,
} from './repricings.dto';
import { RepricingsService } from './repricings.service';

@ControlRoutes('repricings')
export class RepricingsController {
  constructor(private readonly repricings: RepricingsService) {}

  @Route.post('', 'organisation_settings.update', CreatedRepricingResponse)
  create(@Caller() caller: Principal, @Body() body: CreateRepricingDto): Promise<CreatedRepricingResponse> {
    return this.repricings.create(caller, body);
  }

  @Route.get('', 'organisation_settings.read', listResponseOf(RepricingResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListRepricingsQuery,
  ): Promise<ListResponse<RepricingResponse>> {
    return this.repricings.list(caller, query);
  }

  @Route.get(':repricing', 'organisation_settings.read', RepricingResponse)
  get(@Caller() caller: Principal, @Param('repricing') repricing: string): Promise<RepricingResponse> {
    return this.repricings.get(caller, repricing);
  }

  @Route.post(':repricing/apply', 'organisation_settings.update')
  apply(
    @Caller() caller: Principal,
    @Param('repricing') repricing: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.repricings.apply(caller, repricing, ifMatch);
  }
}
