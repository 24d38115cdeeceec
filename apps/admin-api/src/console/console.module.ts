import { Module } from '@nestjs/common';
import { ConsoleRoutes } from './console-routes';

/** The web console. */
@Module({ providers: [ConsoleRoutes] })
export class ConsoleModule {}
