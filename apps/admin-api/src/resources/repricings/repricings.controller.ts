import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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

  @Post()
  @Requires('organisation_settings.update')
  @ApiOkResponse({ type: CreatedRepricingAnswer })
  create(@Caller() caller: Principal, @Body() body: CreateRepricingDto): Promise<CreatedRepricingAnswer> {
    return this.repricings.create(caller, body);
  }

  @Get()
  @Requires('organisation_settings.read')
  @ApiOkResponse({ type: listAnswerOf(RepricingAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListRepricingsQuery,
  ): Promise<ListAnswer<RepricingAnswer>> {
    return this.repricings.list(caller, query);
  }

  @Get(':repricing')
  @Requires('organisation_settings.read')
  @ApiOkResponse({ type: RepricingAnswer })
  get(@Caller() caller: Principal, @Param('repricing') repricing: string): Promise<RepricingAnswer> {
    return this.repricings.get(caller, repricing);
  }

  @Post(':repricing/apply')
  @Requires('organisation_settings.update')
  @ApiOkResponse({ type: EmptyAnswer })
  apply(
    @Caller() caller: Principal,
    @Param('repricing') repricing: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.repricings.apply(caller, repricing, ifMatch);
  }
}
