import { IfMatch } from '@gw/web';
import { Body, Delete, Param, Post, Put } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import type { PromptType } from '../../platform/rows/prompt-rows';
import type { PromptSharesService } from './prompt-shares.service';
import { CreatedPromptDto, ForkDto, ShareDto, SharedDto, UnshareDto } from './prompts.dto';

/** The routes by which prompts, and partials, are shared with other workspaces and copied. */
export function SharingOf(type: PromptType) {
  const reference = `:${type}`;

  abstract class Sharing {
    protected abstract readonly shares: PromptSharesService;

    @Post(`${reference}/share`)
    @Requires('prompts.update')
    @ApiOkResponse({ type: SharedDto })
    share(
      @Caller() caller: Principal,
      @Param(type) name: string,
      @Body() body: ShareDto,
      @IfMatch() ifMatch: string | undefined,
    ): Promise<SharedDto> {
      return this.shares.share(caller, type, name, { ...body, replace: false }, ifMatch);
    }

    @Put(`${reference}/share`)
    @Requires('prompts.update')
    @ApiOkResponse({ type: SharedDto })
    replaceShare(
      @Caller() caller: Principal,
      @Param(type) name: string,
      @Body() body: ShareDto,
      @IfMatch() ifMatch: string | undefined,
    ): Promise<SharedDto> {
      return this.shares.share(caller, type, name, { ...body, replace: true }, ifMatch);
    }

    @Delete([`${reference}/share`, `${reference}/unshare`])
    @Requires('prompts.update')
    @ApiOkResponse({ type: SharedDto })
    removeShare(
      @Caller() caller: Principal,
      @Param(type) name: string,
      @IfMatch() ifMatch: string | undefined,
    ): Promise<SharedDto> {
      return this.shares.unshare(caller, type, name, {}, ifMatch);
    }

    @Post(`${reference}/unshare`)
    @Requires('prompts.update')
    @ApiOkResponse({ type: SharedDto })
    unshare(
      @Caller() caller: Principal,
      @Param(type) name: string,
      @Body() body: UnshareDto,
      @IfMatch() ifMatch: string | undefined,
    ): Promise<SharedDto> {
      return this.shares.unshare(caller, type, name, body, ifMatch);
    }

    @Post(`${reference}/fork`)
    @Requires('prompts.create')
    @ApiOkResponse({ type: CreatedPromptDto })
    fork(
      @Caller() caller: Principal,
      @Param(type) name: string,
      @Body() body: ForkDto,
    ): Promise<CreatedPromptDto> {
      return this.shares.fork(caller, type, name, body);
    }
  }

  return Sharing;
}
