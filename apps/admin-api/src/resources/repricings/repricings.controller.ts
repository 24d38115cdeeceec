import { IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreatedRepricingAnswer,
  CreateRepricingDto,
  ListRepricingsQuery,
  RepricingAnswer,
} from './repricings.dto';
import { RepricingsService } from './repricings.service';

@ControlRoutes('repricings')
export class RepricingsController {
  constructor(private readonly repricings: RepricingsService) {}

  @Route.post('', 'organisation_settings.update', CreatedRepricingAnswer)
  create(@Caller() caller: Principal, @Body() body: CreateRepricingDto): Promise<CreatedRepricingAnswer> {
    return this.repricings.create(caller, body);
  }

  @Route.get('', 'organisation_settings.read', listAnswerOf(RepricingAnswer))
  list(
    @Caller() caller: Principal,
    @Query() query: ListRepricingsQuery,
  ): Promise<ListAnswer<RepricingAnswer>> {
    return this.repricings.list(caller, query);
  }

  @Route.get(':repricing', 'organisation_settings.read', RepricingAnswer)
  get(@Caller() caller: Principal, @Param('repricing') repricing: string): Promise<RepricingAnswer> {
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
