import { Module } from '@nestjs/common';
import { InvitesModule } from './invites.module';
import { AccountPagesController } from './account-pages.controller';
import { PasswordLinks } from './password-links';
import { PasswordResetsController, PasswordsController } from './passwords.controller';
import { PasswordsService } from './passwords.service';

@Module({
  imports: [InvitesModule],
  controllers: [PasswordsController, PasswordResetsController, AccountPagesController],
  providers: [PasswordsService, PasswordLinks],
})
export class AccountsModule {}
