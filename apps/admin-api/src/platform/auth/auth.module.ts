import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { AccessGate } from './access.gate';
import { AccessGuard } from './access.guard';
import { ApiKeyAuthenticator } from './api-key.authenticator';
import { AuthController } from './auth.controller';
import { EarlierKeysController } from './earlier-keys.controller';
import { PasswordChecks } from './password-checks';
import { PrincipalsService } from './principals.service';
import { SelfService } from './self.service';
import { SessionGuard, SessionStrategy } from './session.strategy';
import { SessionsService } from './sessions.service';

/** Its guard protects every route of the app. */
@Global()
@Module({
  imports: [PassportModule],
  controllers: [AuthController, EarlierKeysController],
  providers: [
    AccessGate,
    ApiKeyAuthenticator,
    PrincipalsService,
    PasswordChecks,
    SelfService,
    SessionGuard,
    SessionStrategy,
    SessionsService,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [PasswordChecks],
})
export class AuthModule {}
