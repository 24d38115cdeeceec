import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { InviteAcceptanceService } from './invite-acceptance.service';
import { InviteMails } from './invite-mails';
import { InviteTokens } from './invite-tokens';
import { InviteAcceptanceController, InvitesController } from './invites.controller';
import { InvitesService } from './invites.service';

@Module({
  imports: [ApiKeysModule],
  controllers: [InvitesController, InviteAcceptanceController],
  providers: [InvitesService, InviteAcceptanceService, InviteTokens, InviteMails],
  exports: [InviteAcceptanceService],
})
export class InvitesModule {}
