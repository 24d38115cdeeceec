import { EmptyResponse, listResponseOf, type ListResponse } from '@gw/web';
import { Delete, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { SessionOnly } from '../auth/access';
import { Caller, type Principal } from '../common/principal';
import { ControlRoutes } from '../control-routes';
import { Route } from '../resource/route';
import { GrantResponse, ListAllGrantsQuery, ListGrantsQuery } from './grants.dto';
import { GrantsService } from './grants.service';

/** Routes for the grants of the logged-in user to OAuth clients. */
@ControlRoutes('auth/grants')
export class OwnGrantsController {
  constructor(private readonly grants: GrantsService) {}

  @Get()
  @SessionOnly()
  @ApiOkResponse({ type: listResponseOf(GrantResponse) })
  list(@Caller() caller: Principal, @Query() query: ListGrantsQuery): Promise<ListResponse<GrantResponse>> {
    return this.grants.listOwn(caller, query);
  }

  /** Ends a grant; its tokens stop working immediately. */
  @Delete(':grantId')
  @SessionOnly()
  @ApiOkResponse({ type: EmptyResponse })
  end(@Caller() caller: Principal, @Param('grantId') grantId: string): Promise<object> {
    return this.grants.endOwn(caller, grantId);
  }
}

/** Routes for the grants of an organisation's users to OAuth clients. */
@ControlRoutes('admin/organisation/oauth-grants')
export class GrantsController {
  constructor(private readonly grants: GrantsService) {}

  @Route.get('', 'organisation_settings.read', listResponseOf(GrantResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListAllGrantsQuery,
  ): Promise<ListResponse<GrantResponse>> {
    return this.grants.listAll(caller, query);
  }

  /** Ends a grant; its tokens stop working immediately. */
  @Route.delete(':grantId', 'organisation_settings.update')
  end(@Caller() caller: Principal, @Param('grantId') grantId: string): Promise<object> {
    return this.grants.endAny(caller, grantId);
  }
}
