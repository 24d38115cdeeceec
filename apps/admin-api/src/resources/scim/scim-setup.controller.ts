import { INTERNAL, type ScimSettleResponse } from '@gw/contracts';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceOnly } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { Route } from '../../platform/resource/route';
import { PendingScimUsers } from './pending-scim-users.service';
import { DryRunResponse, ScimDryRunDto, ScimExchangeListResponse } from './scim-setup.dto';
import { ScimSetupService } from './scim-setup.service';
import { NewScimToken, ScimTokenListResponse } from './scim-tokens.dto';
import { ScimTokensService } from './scim-tokens.service';

@ControlRoutes('admin/organisation/scim-token')
export class ScimTokensController {
  constructor(private readonly tokens: ScimTokensService) {}

  /** Lists the valid tokens, with the base URL for the identity provider. */
  @Route.get('', 'organisation_settings.read', ScimTokenListResponse)
  list(@Caller() caller: Principal): Promise<ScimTokenListResponse> {
    return this.tokens.list(caller);
  }

  /** Creates a token; the previous one remains valid for one more day. */
  @Route.post('', 'organisation_settings.update', NewScimToken)
  create(@Caller() caller: Principal): Promise<NewScimToken> {
    return this.tokens.rotate(caller);
  }

  /** Deletes all tokens immediately. */
  @Route.delete('', 'organisation_settings.update')
  remove(@Caller() caller: Principal): Promise<object> {
    return this.tokens.remove(caller);
  }
}

@ControlRoutes('scim')
export class ScimSetupController {
  constructor(private readonly setup: ScimSetupService) {}

  /** Lists the last 200 requests of the identity provider, newest first, with their outcomes. */
  @Route.get('exchanges', 'organisation_settings.read', ScimExchangeListResponse)
  exchanges(@Caller() caller: Principal): Promise<ScimExchangeListResponse> {
    return this.setup.exchanges(caller);
  }

  /** Shows what a SCIM request would do, without executing it. */
  @Route.post('dry-run', 'organisation_settings.update', DryRunResponse)
  dryRun(@Caller() caller: Principal, @Body() body: ScimDryRunDto): Promise<DryRunResponse> {
    return this.setup.dryRun(caller, body);
  }
}

/** Routes that the worker calls. */
@ApiExcludeController()
@Controller()
export class ScimSettleController {
  constructor(private readonly pending: PendingScimUsers) {}

  @Post(INTERNAL.scimSettle)
  @ServiceOnly()
  async settle(): Promise<ScimSettleResponse> {
    return { settled: await this.pending.settle() };
  }
}
